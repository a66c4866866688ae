"""Legs of a matrix that publish at the same time: real processes, one comment."""

import json

import pytest

from tests.action import at_once
from tests.action.job import Job, agent, config
from tests.stand_in.faults import Fault

MODELS = ("small", "medium", "large")
BEGIN = "<!-- agentevals:section "


@pytest.fixture
def legs(tmp_path, stand_in):
    """Three jobs of one workflow, each on a machine of its own."""
    jobs = [Job(tmp_path / model, stand_in) for model in MODELS]
    for job, model in zip(jobs, MODELS, strict=True):
        job.pull_request(agent(), agent(failing=["paris"]))
        job.given(matrix=json.dumps({"model": model}), status="on")
    return jobs


def push(jobs, files, number):
    """A newer push, and the run that it starts."""
    for job in jobs:
        job.head = job.origin.commit(files, on=job.head)
        job.on("pull_request", job.head, job.base).known().checkout(job.head)
        job.environ |= {"GITHUB_RUN_NUMBER": number, "GITHUB_RUN_ID": f"7000{number}"}
    return jobs


def told(body):
    """The first line up to the names, and which legs have a section."""
    alert = next(line for line in body.splitlines() if line.startswith("> **"))
    named = [model for model in MODELS if f"<code>eval_config.yaml {model}</code>" in body]
    return alert.removeprefix("> **").partition(" (")[0], named, body.count(BEGIN)


def test_three_legs_end_up_in_one_comment_and_so_does_the_next_push(legs):
    first = at_once.run(legs)
    (comment,) = legs[0].place.comments
    before = legs[0].comments[0]
    for job in legs:
        job.records = True
    second = at_once.run(push(legs, agent() | {"eval_config.yaml": config(jobs=2)}, "563"))
    after = legs[0].comments[0]

    assert [done.code for done in first] == [1, 1, 1], first[0].log
    assert told(before) == ("Not ready to merge: 3 of 3 configs fail", list(MODELS), 3)
    assert [done.code for done in second] == [0, 0, 0], second[0].log
    assert list(legs[0].place.comments) == [comment]
    assert told(after) == ("Ready to merge: all 12 cases passed.**", list(MODELS), 3)
    assert {done.outputs["comment-url"].rpartition("-")[2] for done in (*first, *second)} == {
        str(comment)
    }


@pytest.mark.parametrize(
    ("mode", "left", "hidden"),
    [("recreate", 1, [""]), ("new", 2, ["", ""]), ("hide", 2, ["OUTDATED", ""])],
)
def test_a_run_begins_one_comment_whatever_becomes_of_the_older_ones(legs, mode, left, hidden):
    for job in legs:
        job.given(comment=mode, check="off", status="off")
    legs[0].run()
    at_once.run(push(legs, agent() | {"eval_config.yaml": config(jobs=2)}, "563"))
    place = legs[0].place

    assert len(legs[0].comments) == left
    assert told(legs[0].comments[-1])[1:] == (list(MODELS), 3)
    assert [comment.minimized for comment in place.comments_on(12)] == hidden


def test_no_leg_loses_what_it_has_to_say_when_answers_are_lost(legs):
    legs[0].github.faults += [
        Fault("PATCH", "/issues/comments/", after_effect=True, times=2),
        Fault("POST", "/issues/12/comments", after_effect=True),
        Fault("PATCH", "/issues/comments/", 502, times=2),
    ]
    done = at_once.run(legs)

    assert [one.said("warning") for one in done] == [[], [], []]
    assert [told(body) for body in legs[0].comments] == [
        ("Not ready to merge: 3 of 3 configs fail", list(MODELS), 3)
    ]
