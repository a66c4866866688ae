"""The outputs of the step, and how much of the outcome fits into them."""

import json

import msgspec
import pytest

from agentevals.exports import reading
from agentevals.review import Review
from agentevals.runner.outputs import MOST_OUTPUT, OUTPUTS
from tests.action.job import agent, config


def test_every_output_is_set(job):
    job.pull_request(agent(failing=["rome"]), agent(failing=["paris"]))
    done = job.run()
    (comment,), (check,) = job.place.comments, job.place.checks.values()

    assert set(done.outputs) == set(OUTPUTS)
    assert {name: text for name, text in done.outputs.items() if name != "json"} == {
        "verdict": "failed",
        "score": "0.7500",
        "passed": "3",
        "failed": "1",
        "regressed": "1",
        "improved": "1",
        "report": "agentevals-report",
        "comment-url": f"{job.github.root}/weather/agent/pull/12#issuecomment-{comment}",
        "check-url": check["html_url"],
    }


def test_the_outcome_as_json_is_the_review_without_the_whole_runs(job):
    done = job.pull_request(agent(), agent(failing=["paris"])).run()
    told = msgspec.json.decode(done.outputs["json"], type=Review)
    whole = reading.read(done.folder / "report.json")
    (section,) = whole.sections

    assert told == msgspec.structs.replace(
        whole, sections=(msgspec.structs.replace(section, report=None),)
    )


def test_what_nobody_wrote_has_no_address(job):
    job.pull_request(agent(), agent(failing=["paris"]))
    done = job.given(comment="off", check="off").run()

    assert set(OUTPUTS) - set(done.outputs) == {"comment-url", "check-url"}


@pytest.mark.parametrize(
    ("files", "inputs", "verdict", "code"),
    [
        ({}, {}, "failed", 1),
        ({}, {"fail_on": "never"}, "failed", 0),
        ({"eval_config.yaml": "a: ["}, {}, "error", 2),
        ({}, {"config": "missing.yaml"}, "error", 2),
        ({}, {"jobs": "many"}, "error", 2),
    ],
)
def test_the_verdict_tells_a_failure_from_an_evaluation_that_went_wrong(
    job, files, inputs, verdict, code
):
    done = job.pull_request(agent(), agent(failing=["paris"]) | files).given(**inputs).run()

    assert (done.outputs["verdict"], done.code) == (verdict, code)


def test_a_large_outcome_is_shortened_to_what_github_takes(job):
    cases = [f"case-{number}" for number in range(150)]
    recorded = agent(failing=cases, cases=cases)
    shared = {"traces": "../../traces/*", "eval_set": "../../eval_set.json"}
    files = {f"evals/{n:02}/eval_config.yaml": config(**shared) for n in range(14)}
    job.pull_request(agent(), recorded | files)
    done = job.given(config="evals/*/eval_config.yaml", comment="off", check="off").run()
    size = sum(len((name + text).encode("utf-16-le")) for name, text in done.outputs.items())
    sections = json.loads(done.outputs["json"])["sections"]

    assert size <= MOST_OUTPUT
    assert len(sections) == 14
    assert {section["highlights"] == [] for section in sections} == {True}
    assert "the output 'json' was shortened" in done.said("warning")[0]


def test_what_an_agent_said_cannot_set_an_output(job):
    evil = "x\nverdict=passed\nverdict<<end\npassed\nend\n"
    files = agent(failing=["paris"]) | {"eval_set.json": eval_set_named(evil)}
    done = job.pull_request(agent(), files).run()

    assert set(done.outputs) <= set(OUTPUTS)
    assert done.outputs["verdict"] == "failed"
    assert "verdict=passed" in json.dumps(json.loads(done.outputs["json"]))


def eval_set_named(name):
    """The eval set, with another name for its first case."""
    document = json.loads(agent()["eval_set.json"])
    document["eval_cases"][0]["eval_id"] = name
    return json.dumps(document)
