"""What docs/adk.md shows is run: the command, on a project with the EvalConfig of the page."""

import json
import re
import shlex

import pytest

from tests.support import DOCS, agentevals

PAGE = (DOCS / "adk.md").read_text(encoding="utf-8")
METRICS = """\
from google.adk.evaluation.eval_metrics import EvalStatus
from google.adk.evaluation.evaluator import EvaluationResult, PerInvocationResult


def short_answers(eval_metric, actual_invocations, expected_invocations, conversation_scenario):
    results = [
        PerInvocationResult(actual_invocation=one, score=1.0, eval_status=EvalStatus.PASSED)
        for one in actual_invocations
        if len(one.final_response.parts[0].text.split()) <= 5
    ]
    return EvaluationResult(
        overall_score=len(results) / len(actual_invocations),
        overall_eval_status=EvalStatus.PASSED,
        per_invocation_results=results,
    )
"""
CALLS = [{"name": "weather", "args": {"city": "Oslo"}}]


def content(text, role):
    return {"role": role, "parts": [{"text": text}]}


def invocation(calls):
    return {
        "invocation_id": "i1",
        "user_content": content("How warm is it?", "user"),
        "final_response": content("It is 21 degrees.", "model"),
        "intermediate_data": {"tool_uses": calls, "tool_responses": []},
    }


@pytest.fixture
def project(tmp_path):
    """An agent's metric, an eval set, what ADK recorded, and the config of the page."""
    (config,) = re.findall(r"^```json\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE)
    (tmp_path / "eval_config.json").write_text(config)
    (tmp_path / "my_agent").mkdir()
    (tmp_path / "my_agent" / "__init__.py").write_text("")
    (tmp_path / "my_agent" / "metrics.py").write_text(METRICS)
    case = {"eval_id": "warm", "conversation": [invocation(CALLS)]}
    eval_set = {"eval_set_id": "weather", "eval_cases": [case]}
    (tmp_path / "my.evalset.json").write_text(json.dumps(eval_set))
    (tmp_path / "traces").mkdir()
    write(tmp_path, CALLS)
    return tmp_path


def write(project, *turns):
    found = [{"actual_invocation": invocation(calls), "eval_metric_results": []} for calls in turns]
    result = {"eval_id": "warm", "eval_metric_result_per_invocation": found, "session_id": "s"}
    recorded = {"eval_set_result_id": "r", "eval_set_id": "weather", "eval_case_results": [result]}
    path = project / "traces" / "weather.evalset_result.json"
    path.write_text(json.dumps(recorded))


def run(project):
    (command,) = re.findall(r"^```bash\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE)
    words = shlex.split(command)[1:]
    return agentevals(*words, "-o", "json", cwd=project)


def test_the_command_judges_what_adk_recorded(project):
    done = run(project)

    (trace,) = json.loads(done.stdout)["traces"]
    scores = {metric["metric_name"]: metric["score"] for metric in trace["metrics"]}
    assert done.returncode == 0
    assert scores == {
        "tool_trajectory_avg_score": 1.0,
        "response_match_score": 1.0,
        "short_answers": 1.0,
    }


def test_a_metric_that_cannot_be_imported_is_not_hidden_by_those_that_passed(project):
    (project / "my_agent" / "metrics.py").write_text("import nowhere")

    done = run(project)

    assert (done.returncode, done.stdout) == (2, "")
    assert "evaluator 'short_answers': could not import" in done.stderr
    assert "nowhere" in done.stderr


def test_a_call_that_is_missing_fails_the_run(project):
    write(project, [])

    done = run(project)

    assert done.returncode == 1


@pytest.mark.parametrize(("recorded", "expected"), [(2, 1), (1, 2)])
def test_more_or_fewer_turns_than_expected_are_not_evaluated(project, recorded, expected):
    write(project, *[CALLS] * recorded)
    case = {"eval_id": "warm", "conversation": [invocation(CALLS)] * expected}
    eval_set = {"eval_set_id": "weather", "eval_cases": [case]}
    (project / "my.evalset.json").write_text(json.dumps(eval_set))

    done = run(project)

    (trace,) = json.loads(done.stdout)["traces"]
    assert done.returncode == 1
    assert {(m["eval_status"], m["score"]) for m in trace["metrics"]} == {("NOT_EVALUATED", None)}
    (reason,) = {m["details"]["reason"] for m in trace["metrics"]}
    assert reason.startswith(
        f"the number of turns differs: {recorded} recorded, {expected} expected; record the "
    )
