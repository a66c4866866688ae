"""What a pull request knows of the noise of its cases: runs of the base branch leave a history."""

import pytest

from agentevals.compare import baselines
from tests.action.job import agent, transcript

PASSING = ("geocode", "forecast")


def recorded(day, *, failing=()):
    """An agent whose recording of Paris was made on that day; the others are never made anew."""
    calls = PASSING[1:] if "paris" in failing else PASSING
    paris = transcript("paris", *calls, answer=f"On {day} it is sunny.")
    return agent() | {"traces/paris.json": paris}


MONDAY, TUESDAY, WEDNESDAY = (
    recorded("monday"),
    recorded("tuesday", failing=["paris"]),
    recorded("wed"),
)


def push(job, *days):
    """Pushes to main; each run keeps its report, and is over before the next one begins."""
    for files in days:
        done = job.pushed(files).run()
        job.ended()
    return done


def earlier(done):
    return done.report["sections"][0].get("earlier")


def hidden(job):
    """What the check run of the last push hides for later runs."""
    text = list(job.place.checks.values())[-1]["output"]["text"]
    return {case.case_id: case.earlier for case in baselines.unpack(text).cases}


@pytest.mark.parametrize("source", ["auto", "artifact", "check"])
def test_pushes_to_the_base_add_up_to_a_history(job, source):
    job.given(baseline=source).keeping_artifacts()

    first = push(job, MONDAY)
    second = push(job, TUESDAY)
    third = push(job, WEDNESDAY)
    proposed = job.proposed(recorded("thursday")).run()

    assert earlier(first) is None
    assert earlier(second) == {"paris": "p"}
    assert earlier(third) == {"paris": "pf"}
    assert earlier(proposed) == {"paris": "pfp"}
    assert proposed.against["origin"]["source"] == ("merge-base" if source == "auto" else source)


def test_the_check_run_of_the_base_tells_it(job):
    push(job.given(baseline="check"), MONDAY, TUESDAY, WEDNESDAY)

    assert hidden(job) == {"oslo": "", "paris": "pf", "quito": "", "rome": ""}


def test_a_recording_that_is_judged_again_does_not_count_twice(job):
    push(job.keeping_artifacts(), MONDAY, TUESDAY, WEDNESDAY)
    anew = {"traces/oslo.json": transcript("oslo", *PASSING, answer="On thursday it is sunny.")}

    done = job.proposed(WEDNESDAY | anew).run()

    assert earlier(done) == {"oslo": "p", "paris": "pf"}


def test_what_a_pull_request_has_recorded_is_no_history(job):
    push(job.given(baseline="artifact").keeping_artifacts(), MONDAY)
    job.proposed(TUESDAY).run()
    job.ended(event="pull_request", sha=job.head)

    assert earlier(push(job, WEDNESDAY)) == {"paris": "p"}


def test_the_merge_base_alone_has_none(job):
    push(job.given(baseline="merge-base").keeping_artifacts(), MONDAY, TUESDAY)

    assert earlier(job.proposed(WEDNESDAY).run()) == {"paris": "f"}


@pytest.mark.parametrize("event", ["schedule", "workflow_dispatch"])
def test_runs_by_the_clock_add_to_it(job, event):
    push(job.given(baseline="artifact").keeping_artifacts(), MONDAY)
    job.pushed(TUESDAY).on(event, job.base).run()
    job.ended(event=event)

    assert earlier(job.proposed(WEDNESDAY).run()) == {"paris": "pf"}


def list_commits(done):
    return [point["commit"] for point in done.report["sections"][0]["trend"]]


@pytest.mark.parametrize("source", ["auto", "artifact", "check"])
def test_each_push_adds_a_record_with_a_letter_for_each_case(job, source):
    job.given(baseline=source).keeping_artifacts()
    push(job, MONDAY, TUESDAY, WEDNESDAY)

    (section,) = job.proposed(recorded("thursday")).run().report["sections"]

    assert len(section["trend"]) == 3
    assert [point["pass_rate"] for point in section["trend"]] == [1.0, 0.75, 1.0]
    assert section["strips"] == {"oslo": "ppp", "paris": "pfp", "quito": "ppp", "rome": "ppp"}


@pytest.fixture
def raced(job):
    """Two pushes of which the second did not know the record of the first."""
    job.given(baseline="artifact").keeping_artifacts()
    made = []
    for minute, files in enumerate((MONDAY, TUESDAY, WEDNESDAY)):
        job.pushed(files).run()
        if minute == 1:
            late = job.world.uploads.copy()
            job.world.uploads.clear()
        made.append(job.ended(created_at=f"2026-08-17T08:0{minute}:00Z"))
    for name, upload in late.items():
        job.world.artifact(made[1], name, upload.content)
    return job


def test_of_two_pushes_at_once_a_later_run_knows_both(raced):
    done = raced.proposed(recorded("thursday")).run()

    assert done.report["sections"][0]["strips"]["paris"] == "pfp"
    assert len(set(list_commits(done))) == 3


def test_what_it_found_is_kept_for_the_runs_after_it(raced):
    push(raced, recorded("thursday"))
    last = raced.proposed(recorded("friday")).run()

    assert last.report["sections"][0]["strips"]["paris"] == "pfpp"


def test_a_pull_request_adds_no_record(job):
    push(job.given(baseline="artifact").keeping_artifacts(), MONDAY)
    job.proposed(TUESDAY).run()
    job.ended(event="pull_request", sha=job.head)

    assert len(list_commits(job.proposed(WEDNESDAY).run())) == 1
