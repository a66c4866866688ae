"""Each rung of the ladder: where it holds, and what happens where exactly this one does not."""

import json

import msgspec
import pytest

from agentevals.action.destinations import DESTINATIONS
from agentevals.github.runner.step_outputs import MOST_OUTPUT, OUTPUTS
from agentevals.model.review import Review
from agentevals.report import untrusted_report
from tests.action.job import TRAJECTORY, agent, config, eval_set
from tests.judge.models import YES, completion
from tests.servers import serve
from tests.stand_in.faults import Fault

PERMISSIONS = {"comment": "pull-requests", "check": "checks", "status": "statuses"}
NONE = {
    "pull-requests": "none",
    "issues": "none",
    "checks": "none",
    "statuses": "none",
    "contents": "read",
}


def without(surface):
    """The permissions of a token that may do everything but this."""
    shared = {"issues": "read"} if surface == "comment" else {}
    return {PERMISSIONS[surface]: "read", **shared}


@pytest.fixture
def regression(job):
    """A pull request that fails, told about wherever that is possible."""
    return job.pull_request(agent(), agent(failing=["paris"])).given(status="on", check="on")


def shown_by(job, done):
    """The surfaces that told about the regression."""
    final = [check for check in job.place.checks.values() if check["conclusion"] == "failure"]
    annotated = [text for text in done.said("error") if "not called: geocode" in text]
    there = {
        "comment": any("**Not ready to merge" in body for body in job.comments),
        "check": bool(final),
        "status": [status["state"] for status in job.place.statuses[-1:]] == ["failure"],
        "summary": "**Not ready to merge" in done.summary,
        "annotations": bool(annotated),
        "files": (done.folder / "report.json").is_file(),
    }
    return [name for name in DESTINATIONS if there[name]]


def test_a_token_that_may_everything_reaches_all_of_them(regression):
    done = regression.run()

    assert (done.code, done.outputs["verdict"]) == (1, "failed")
    assert shown_by(regression, done) == ["files", "comment", "check", "status", "summary"]
    assert done.said("warning") == []


@pytest.mark.parametrize("surface", PERMISSIONS)
def test_a_missing_permission_costs_one_rung_and_is_said_with_the_lines_to_add(regression, surface):
    regression.github.permissions = without(surface)
    done = regression.run()
    (warning,) = done.said("warning")
    others = [name for name in ("comment", "check", "status", "summary") if name != surface]
    instead = ["annotations"] if surface == "check" else []

    assert (done.code, done.outputs["verdict"]) == (1, "failed")
    assert shown_by(regression, done) == ["files", *others, *instead]
    assert warning.startswith(f"{surface}: GitHub refuses to write a ")
    assert warning.endswith(
        "add these lines to the workflow:\n"
        f"permissions:\n  contents: read\n  {PERMISSIONS[surface]}: write\n"
        f"or do without: '{surface}: off'"
    )


def test_a_check_that_nobody_has_asked_for_is_left_out_with_a_notice(regression):
    regression.github.permissions = without("check")
    done = regression.given(check="auto").run()
    (notice,) = done.said("notice")

    assert (done.code, done.said("warning")) == (1, [])
    assert shown_by(regression, done) == ["files", "comment", "status", "summary", "annotations"]
    assert "  checks: write\n" in notice


def test_with_no_permission_at_all_the_log_the_summary_and_the_files_are_left(regression):
    regression.github.permissions = NONE
    done = regression.run()

    assert (done.code, done.outputs["verdict"]) == (1, "failed")
    assert shown_by(regression, done) == ["files", "summary", "annotations"]
    assert [text.partition(":")[0] for text in done.said("warning")] == list(PERMISSIONS)


def test_what_may_not_be_read_is_said_to_need_writing(regression):
    regression.github.permissions = NONE
    done = regression.run()

    assert "  pull-requests: write\n" in done.said("warning")[0]
    assert not any("pull-requests: read" in text for text in done.said("warning"))


def test_what_was_refused_is_not_tried_again(regression):
    regression.github.permissions = without("status")
    regression.run()

    assert len(regression.github.requests("POST", "/statuses/")) == 1


@pytest.mark.parametrize("surface", PERMISSIONS)
def test_what_is_switched_off_needs_no_permission(regression, surface):
    regression.github.permissions = without(surface)
    done = regression.given(**{surface: "off"}).run()

    assert done.said("warning") == []


def test_without_a_token_it_is_said_what_is_left_out(regression):
    done = regression.given(github_token="").run()

    assert (done.code, done.outputs["verdict"]) == (1, "failed")
    assert shown_by(regression, done) == ["files", "summary", "annotations"]
    assert regression.github.requests() == []
    assert done.said("notice")[:3] == [
        "comment: there is no token to write a comment with",
        "check: there is no token, or no commit, to write a check run for",
        "status: there is no token, or no commit, to write a status for",
    ]


def test_a_token_that_is_over_costs_no_verdict(regression):
    done = regression.given(github_token="ghs_" + "over" * 9).run()

    assert (done.code, done.outputs["verdict"]) == (1, "failed")
    assert shown_by(regression, done) == ["files", "summary", "annotations"]
    assert "comment: GitHub refuses to read the comments (401)" in done.said("warning")[0]


@pytest.mark.parametrize("mode", ["update", "recreate", "new", "hide"])
def test_a_missing_permission_is_said_before_a_judge_is_asked(job, mode):
    job.github.permissions = NONE
    asked = []

    def judge(seen):
        asked.append(len(job.github.requests("POST")))
        return completion(YES)

    with serve(judge) as server:
        settings = {"model": "judge-1", "base_url": f"{server.url}/v1", "cache": False}
        judged = {"name": "safety_v1", "type": "builtin"}
        files = agent() | {"eval_config.yaml": config(TRAJECTORY, judged, judge=settings)}
        job.pull_request(agent(), files).given(status="on", check="on", comment=mode)
        done = job.run()

    before, found, _ = done.log.partition("::group::Evaluate")

    assert found
    assert asked
    assert all(f"{permission}: write" in before for permission in PERMISSIONS.values())
    assert set(asked) == {len(job.github.requests("POST"))}


@pytest.mark.parametrize("mode", ["recreate", "new", "hide"])
def test_that_it_is_tried_leaves_no_comment_behind(regression, mode):
    regression.given(comment=mode).run()

    tried, written = regression.github.requests("POST", "/comments")

    assert tried.document == {"body": ""}
    assert regression.comments == [written.document["body"]]


def test_when_github_cannot_be_reached_the_verdict_stands(regression):
    nobody = "http://127.0.0.1:9"
    regression.environ |= {"GITHUB_API_URL": nobody, "GITHUB_GRAPHQL_URL": f"{nobody}/graphql"}
    done = regression.run()
    failed = [text.partition(":")[0] for text in done.said("warning")]

    assert (done.code, done.outputs["verdict"]) == (1, "failed")
    assert shown_by(regression, done) == ["files", "summary", "annotations"]
    assert failed == [*PERMISSIONS, *PERMISSIONS]  # at the beginning, and again at the end


def test_what_was_down_at_the_beginning_is_tried_again_at_the_end(regression):
    down = [("GET", "/issues/12/comments"), ("POST", "/check-runs"), ("POST", "/statuses/")]
    regression.github.faults += [Fault(method, place, 502, times=5) for method, place in down]
    done = regression.run()

    assert done.code == 1
    assert shown_by(regression, done) == ["files", "comment", "check", "status", "summary"]


@pytest.mark.parametrize("times", [1, 4])
def test_a_burst_of_trouble_is_waited_out(regression, times):
    regression.github.faults += [
        Fault("GET", "/issues/12/comments", 503, times=times),
        Fault("PATCH", "/check-runs/", 502, times=1),
        Fault("POST", "/statuses/", 500, times=times),
    ]
    done = regression.run()

    assert done.said("warning") == []
    assert shown_by(regression, done) == ["files", "comment", "check", "status", "summary"]


@pytest.mark.parametrize("recorded", ["pull_request_fork", "pull_request_dependabot"])
def test_a_run_that_may_only_read_is_told_who_publishes(job, recorded):
    job.github.permissions = dict.fromkeys(("pull-requests", "issues", "checks"), "read")
    job.pull_request(agent(), agent(failing=["paris"]), recorded=recorded)
    done = job.run()

    assert (done.code, done.said("warning")) == (1, [])
    assert shown_by(job, done) == ["files", "summary", "annotations"]
    (notice,) = (text for text in done.said("notice") if "'command: publish'" in text)
    assert notice.startswith("comment and check: not written, because runs for forks and Dep")


PUBLISHES = """\
on: {workflow_run: {workflows: [agentevals], types: [completed]}}
jobs:
  publish:
    runs-on: ubuntu-latest
    steps:
      - uses: acme/agentevals-action@v1
        with:
          command: publish
"""


@pytest.mark.parametrize("shallow", [False, True])
def test_who_has_a_workflow_that_publishes_is_told_of_none(job, shallow):
    files = {".github/workflows/publish.yml": PUBLISHES}
    job.github.permissions = dict.fromkeys(("pull-requests", "issues", "checks"), "read")
    job.pull_request(
        agent() | files,
        agent(failing=["paris"]) | files,
        recorded="pull_request_fork",
        shallow=shallow,
    )
    done = job.run()

    assert not [text for text in done.said("notice") if "command: publish" in text]
    assert done.log.count("the workflow with 'command: publish' does so") == 1


def test_the_workflows_of_the_base_count_whatever_the_fork_has(job):
    publishes = {".github/workflows/publish.yml": PUBLISHES}
    job.github.permissions = dict.fromkeys(("pull-requests", "issues", "checks"), "read")
    job.pull_request(agent() | publishes, agent(failing=["paris"]), recorded="pull_request_fork")

    assert "the workflow with 'command: publish' does so" in job.run().log


@pytest.mark.parametrize(
    "workflow",
    [PUBLISHES.replace("publish\n", "evaluate\n"), PUBLISHES.replace("agentevals-", "x-")],
)
def test_another_workflow_publishes_nothing(job, workflow):
    files = {".github/workflows/other.yml": workflow}
    job.github.permissions = dict.fromkeys(("pull-requests", "issues", "checks"), "read")
    job.pull_request(
        agent() | files, agent(failing=["paris"]) | files, recorded="pull_request_fork"
    )

    assert [text for text in job.run().said("notice") if "command: publish" in text]


def test_an_evaluation_that_is_broken_is_shown_like_a_result(job):
    job.pull_request(agent(), agent() | {"eval_config.yaml": "evaluators: [{name: nothing}]"})
    done = job.given(status="on").run()

    assert (done.code, done.outputs["verdict"]) == (2, "error")
    assert "**Cannot tell whether to merge" in job.comments[0]
    assert [check["conclusion"] for check in job.place.checks.values()] == ["failure"]
    assert job.place.statuses[-1]["state"] == "error"


def test_every_output_is_set(job):
    job.pull_request(agent(failing=["rome"]), agent(failing=["paris"]))
    done = job.run()
    (comment,), (check,) = job.place.comments, job.place.checks.values()

    assert set(done.outputs) == set(OUTPUTS) - {"artifact-url"}  # nothing keeps artifacts here
    assert {name: text for name, text in done.outputs.items() if name != "json"} == {
        "verdict": "failed",
        "score": "0.7500",
        "passed": "3",
        "failed": "1",
        "errors": "0",
        "regressed": "1",
        "improved": "1",
        "report": "agentevals-report",
        "comment-url": f"{job.github.root}/weather/agent/pull/12#issuecomment-{comment}",
        "check-url": check["html_url"],
    }


def test_the_outcome_as_json_is_the_review_without_the_whole_runs(job):
    done = job.pull_request(agent(), agent(failing=["paris"])).run()
    told = msgspec.json.decode(done.outputs["json"], type=Review)
    whole = untrusted_report.read(done.folder / "report.json")
    (section,) = whole.sections

    absent = dict.fromkeys(("arrivals", "earlier", "strips"), msgspec.UNSET)
    without = msgspec.structs.replace(section, report=None, **absent)

    assert section.earlier == {"paris": "p"}
    assert told == msgspec.structs.replace(whole, sections=(without,))


def test_what_nobody_wrote_has_no_address(job):
    job.pull_request(agent(), agent(failing=["paris"]))
    done = job.given(comment="off", check="off").run()

    assert set(OUTPUTS) - set(done.outputs) == {"artifact-url", "comment-url", "check-url"}


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


TOKENS = {"name": "token_usage_v1", "type": "builtin", "max": 100}  # which nobody has recorded


@pytest.mark.parametrize(
    ("gate", "inputs", "code", "conclusion"),
    [
        ({}, {}, 1, "failure"),
        ({"on_not_evaluated": "warn"}, {}, 1, "failure"),
        ({"on_not_evaluated": "warn"}, {"fail_on": "regressed"}, 1, "failure"),
        ({"on_not_evaluated": "warn"}, {"fail_on": "never"}, 0, "neutral"),
        ({}, {"fail_on": "never"}, 0, "neutral"),
    ],
)
@pytest.mark.recorded
def test_a_run_without_a_single_score_is_not_evaluated(job, gate, inputs, code, conclusion):
    files = {"eval_config.yaml": config(TOKENS, gate=gate)}
    done = job.pull_request(agent(), agent() | files).given(status="on", **inputs).run()
    (check,), status = job.place.checks.values(), job.place.statuses[-1]

    assert (done.outputs["verdict"], done.outputs["passed"]) == ("not-evaluated", "0")
    assert (done.code, check["conclusion"]) == (code, conclusion)
    assert "**Not evaluated: none of 4 cases has a score.**" in job.comments[0]
    assert status["description"].startswith("Not evaluated: none of 4 cases has a score.")


@pytest.mark.recorded
def test_a_case_that_nothing_could_judge_has_not_passed(job):
    asked = config(TRAJECTORY, gate={"on_not_evaluated": "warn", "allow_foreign": True})
    files = {"eval_config.yaml": asked, "eval_set.json": eval_set("oslo", "paris")}
    done = job.pull_request(agent(), agent() | files).run()
    rate = done.report["sections"][0]["gates"][0]["head"]

    assert (done.outputs["verdict"], done.outputs["passed"]) == ("passed", "2")
    assert "**Can be merged, with care: 2 of 4 cases have no score.**" in job.comments[0]
    assert (rate["met"], rate["of"]) == (2, 2)


@pytest.mark.parametrize("recorded", ["pull_request_closed", "issue_comment_edited"])
def test_where_there_is_nothing_to_do_nothing_has_passed(job, recorded):
    done = job.pull_request(agent(), agent(), recorded=recorded).run()

    assert (done.code, done.outputs) == (0, {"verdict": "not-evaluated"})


def test_a_large_outcome_is_shortened_to_what_github_takes(job):
    cases = [f"case-{number}" for number in range(150)]
    recorded = agent(failing=cases, cases=cases)
    shared = {"traces": "../../traces/*", "eval_set": "../../eval_set.json"}
    files = {f"evals/{n:02}/eval_config.yaml": config(**shared) for n in range(14)}
    job.pull_request(agent(cases=cases) | files, recorded | files)
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
