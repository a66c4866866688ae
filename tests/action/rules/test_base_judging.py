"""Recordings that go: without an expectation nothing else misses them."""

import json

import pytest
import yaml

from tests.action.job import config, eval_set, transcript
from tests.action.rules.test_approval import MARIA, again, approve
from tests.action.rules.test_softening import BASE, MINE, files, without


def free(failing=(), **keys):
    """The same repository without an eval set: its recordings are its cases."""
    settings = yaml.safe_load(config(MINE, **keys))
    del settings["eval_set"]
    tree = without(files(failing=failing), "eval_set.json")
    return tree | {"eval_config.yaml": yaml.safe_dump(settings)}


def repeats(*names):
    """Further recordings of one case."""
    return {
        f"traces/paris-{name}.json": transcript("paris", "geocode", "forecast").replace(
            "t-paris", f"t-{name}"
        )
        for name in names
    }


def renamed(tree):
    """Recorded anew: other files, and other ids."""
    made = {n: text for n, text in tree.items() if n.startswith("traces/")}
    again = {n.replace("/", "/new-"): text.replace('"t-', '"u-') for n, text in made.items()}
    return without(tree, *made) | again


IN_ONE = without(free(), *(name for name in free() if name.startswith("traces/")))
LINES = [json.loads(transcript(case, "geocode", "forecast")) for case in ("oslo", "paris", "rome")]


def in_one(*lines):
    return IN_ONE | {"traces/all.jsonl": "".join(json.dumps(line) + "\n" for line in lines)}


LOST = {
    "a recording": (free(), without(free(), "traces/paris.json"), "1 of 4"),
    "one that fails": (free(["paris"]), without(free(["paris"]), "traces/paris.json"), "1 of 4"),
    "a line of one": (in_one(*LINES), in_one(*LINES[:2]), "1 of 3"),
    "a repeat": (
        BASE | repeats("a", "b"),
        without(BASE | repeats("a", "b"), "traces/paris-b.json"),
        "1 of 6",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("base", "head", "gone"), LOST.values(), ids=LOST)
def test_recordings_that_go_need_approval(job, base, head, gone):
    job.place.roles[MARIA] = "write"
    done = job.pull_request(base, head).run()

    assert done.code == 1, done.log
    shown = job.comments[0].split("\n")[2]
    assert f"Rule change needs approval: {gone} committed recordings gone" in shown

    approve(job)
    assert job.run().code == 0


def test_more_that_go_are_not_covered(job):
    job.place.roles[MARIA] = "write"
    job.pull_request(free(), without(free(), "traces/paris.json")).run()
    approve(job)
    assert job.run().code == 0

    assert again(job, without(free(), "traces/paris.json", "traces/rome.json")).run().code == 1


KEPT = {
    "recorded anew": (free(), renamed(free())),
    "with an eval set": (BASE, renamed(BASE)),
    "one more": (free(), free() | {"traces/lima.json": transcript("lima", "geocode")
                                  .replace("geocode", "forecast"),} | repeats("a")),
    "missing ones are allowed": (
        files(gate={"allow_missing": True}),
        without(files(gate={"allow_missing": True}), "traces/paris.json"),
    ),
    "first ones": (without(BASE, *(n for n in BASE if n.startswith("traces/"))), BASE),
}  # fmt: skip


@pytest.mark.parametrize(("base", "head"), KEPT.values(), ids=KEPT)
def test_other_recordings_are_no_change_of_rules(job, base, head):
    done = job.pull_request(base, head).run()

    assert "rules" not in done.report, done.log


def test_a_case_that_goes_with_its_recording_is_one_change(job):
    gone = without(BASE, "traces/paris.json") | {"eval_set.json": eval_set("oslo", "quito", "rome")}

    done = job.pull_request(BASE, gone).run()

    assert [one["rule"] for one in done.report["rules"]["changes"]] == ["case 'paris'"]


def test_a_config_that_moves_does_not_hide_them(job):
    head = without(free(), "eval_config.yaml", "traces/paris.json")
    moved = yaml.safe_load(free()["eval_config.yaml"]) | {"traces": "../traces/*"}
    moved["evaluators"] = [MINE | {"path": "../evaluators/mine.py"}]
    job.pull_request(free(), head | {"evals/eval_config.yaml": yaml.safe_dump(moved)})

    assert job.run().code == 1
