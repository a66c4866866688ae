"""The last lines of the log: what came out, what failed worst, and where to read on."""

import pytest

from tests.action.job import CITIES, agent, config

BROKEN = config({"name": "tool_trajectory_avg_scor", "type": "builtin"})


def ending(done):
    """The lines after the last group."""
    lines = done.log.splitlines()
    last = max((at for at, text in enumerate(lines) if text == "::endgroup::"), default=-1)
    return lines[last + 1 :]


def test_verdict_failures_and_places_stand_outside_of_any_group(job):
    done = job.keeping_artifacts().pull_request(agent(), agent(failing=["paris"])).run()
    lines = ending(done)

    assert lines[0].startswith("Not ready to merge: 1 of 4 cases failed.")
    assert lines[1].startswith("  paris (regressed): tool_trajectory_avg_score: ")
    assert lines[1].endswith("(traces/paris.json:1)")
    assert lines[2].startswith("Next: fix the agent, or, if the new behaviour is intended, ")
    assert lines[3:] == [
        f"comment: {done.outputs['comment-url']}",
        f"check: {done.outputs['check-url']}",
        f"report: {done.outputs['artifact-url']}",
        "report folder: agentevals-report",
        f"summary: {done.report['scene']['run_url']}",
    ]


def test_of_many_failures_three_are_named(job):
    cities = [*CITIES, "sofia"]
    done = job.pull_request(agent(cases=cities), agent(cities, cases=cities)).run()
    lines = ending(done)

    assert [text.split()[0] for text in lines[1:4]] == ["oslo", "paris", "quito"]
    assert lines[4] == "  and 2 more failed cases"


def test_a_case_that_is_accepted_is_no_failure(job):
    accept = [{"case": "paris", "reason": "known", "until": "2030-01-01"}]
    rules = {"eval_config.yaml": config(gate={"accept": accept})}
    done = job.pull_request(agent() | rules, agent(failing=["paris"]) | rules).run()

    assert "  paris" not in "\n".join(ending(done))


def test_a_run_that_passes_says_so(job):
    lines = ending(job.pull_request(agent(["rome"]), agent()).run())

    assert "to merge" in lines[0] or "Not evaluated" in lines[0]
    assert not [text for text in lines if text.startswith("  ")]


@pytest.mark.parametrize("changed", [{"README.md": "more"}, {"docs/a.md": "more"}])
def test_nothing_relevant_is_told_in_one_line(job, changed):
    done = job.pull_request(agent(), agent() | changed).run()

    assert len(done.said("notice")) == 1
    assert done.said("notice")[0].startswith("Not evaluated: nothing that the evaluation reads")
    assert done.log.count("Not evaluated") == 1


def test_a_wrong_config_is_an_error_at_its_line_and_stands_there_once(job):
    done = job.pull_request(agent(), agent() | {"eval_config.yaml": BROKEN}).run()
    (check,) = job.place.checks.values()
    errors = [text for text in done.log.splitlines() if text.startswith("::error")]

    assert len(errors) == 1
    assert errors[0].startswith("::error file=eval_config.yaml,line=4,endLine=4,col=")
    assert "there is no builtin 'tool_trajectory_avg_scor'" in errors[0]
    assert check["annotations"] == []
    assert "Traceback" not in done.log


@pytest.mark.parametrize("given", [{"config": "nowhere.yaml"}, {"fail_on": "sometimes"}])
def test_a_wrong_input_is_an_error(job, given):
    done = job.pull_request(agent(), agent(["paris"])).given(**given).run()
    (error,) = done.said("error")

    assert done.code == 2
    assert error.startswith("action inputs: ")
    assert "Traceback" not in done.log


def test_no_text_of_a_case_gives_the_runner_a_command(job):
    hostile = "::error::gotcha"
    done = job.pull_request(agent(cases=[hostile]), agent([hostile], cases=[hostile])).run()

    assert "gotcha" in "\n".join(ending(done))
    assert not [text for text in done.said("error") if text.startswith("gotcha")]
