"""The files of a UiPath project and of an ADK agent as `config`: from two commits to a comment."""

import json

import pytest

from tests.action.job import transcript
from tests.support import DATA

QUESTION = "How is the weather?"

# ---- UiPath

CLASS = DATA / "foreign/uipath/evals/evaluators/custom/my_custom_evaluator.py"
EVAL_SET = "evals/eval_sets/weather.json"
CRITERIA = {
    "Words": {"expectedValues": ["sunny"]},
    "Order": None,
    "Label": {"expectedOutput": {"label": "sun"}},
}
EVALUATORS = {
    "words": {
        "evaluatorTypeId": "file://types/words-types.json",
        "evaluatorSchema": "file://my_custom_evaluator.py:MyCustomEvaluator",
        "evaluatorConfig": {"name": "Words"},
    },
    "order": {
        "evaluatorTypeId": "uipath-tool-call-order",
        "evaluatorConfig": {
            "name": "Order",
            "defaultEvaluationCriteria": {"toolCallsOrder": ["geocode", "forecast"]},
        },
    },
    "label": {
        "evaluatorTypeId": "uipath-exact-match",
        "evaluatorConfig": {
            "name": "Label",
            "targetOutputKey": "label",
            "classes": ["sun", "rain"],
            "aggregators": [{"type": "precision"}],
        },
    },
}


def said(words="sunny", label="sun"):
    return json.dumps({"words": words, "label": label})


def uipath(*, calls=("geocode", "forecast"), answer=None, **files):
    """A project with two items and their recordings; those of Paris are what is asked for."""
    items = [
        {
            "id": name,
            "name": name,
            "inputs": {"query": f"{QUESTION} {name}"},
            "evaluationCriterias": CRITERIA,
        }
        for name in ("oslo", "paris")
    ]
    eval_set = {"version": "1.0", "id": "weather", "name": "Weather", "evaluations": items}
    eval_set["evaluatorRefs"] = ["Words", "Order", "Label"]
    usual = {"calls": ("geocode", "forecast"), "answer": said()}
    asked = {"oslo": usual, "paris": {"calls": calls, "answer": answer or said()}}
    recorded = {
        f"traces/{name}.json": transcript(
            name, *how["calls"], answer=how["answer"], user=f"{QUESTION} {name}"
        )
        for name, how in asked.items()
    }
    evaluators = {
        f"evals/evaluators/{name}.json": json.dumps(
            {"version": "1.0", "id": written["evaluatorConfig"]["name"], **written}
        )
        for name, written in EVALUATORS.items()
    }
    return {
        EVAL_SET: json.dumps(eval_set),
        "evals/evaluators/custom/my_custom_evaluator.py": CLASS.read_text(),
        "evals/evaluators/custom/beside.py": "",
        "README.md": "An agent.",
        **evaluators,
        **recorded,
        **files,
    }


@pytest.fixture
def project(job):
    """A step that judges by the eval set of a UiPath project."""
    return job.given(config=EVAL_SET, traces="traces/*")


# ---- ADK

CONFIG, CASES = "eval_config.json", "weather.evalset.json"
METRICS = """\
from google.adk.evaluation.eval_metrics import EvalStatus
from google.adk.evaluation.evaluator import EvaluationResult, PerInvocationResult


def mood(eval_metric, actual_invocations, expected_invocations, conversation_scenario):
    text = actual_invocations[0].final_response.parts[0].text
    score, status = (0.9, EvalStatus.PASSED) if "sunny" in text else (-0.5, EvalStatus.FAILED)
    told = [PerInvocationResult(actual_invocation=one, score=score) for one in actual_invocations]
    return EvaluationResult(
        overall_score=score, overall_eval_status=status, per_invocation_results=told
    )
"""
RANGE = {
    "metric_name": "mood",
    "metric_value_info": {"interval": {"min_value": -1.0, "max_value": 1.0}},
}


def content(text):
    return {"parts": [{"text": text}]}


def invocation(name, calls, answer=None):
    said = {"final_response": content(answer)} if answer else {}
    return {
        "invocation_id": name,
        "user_content": content(f"{QUESTION} {name}"),
        "intermediate_data": {"tool_uses": [{"name": call, "args": {}} for call in calls]},
        **said,
    }


def adk(*, calls=("geocode", "forecast"), answer="It is sunny.", **files):
    """An agent's metric and two cases, with what ADK has recorded of them."""
    usual = ("geocode", "forecast")
    asked = {"oslo": (usual, "It is sunny."), "paris": (calls, answer)}
    cases = [
        {"eval_id": name, "conversation": [invocation(name, usual)]} for name in ("oslo", "paris")
    ]
    results = [
        {
            "eval_id": name,
            "session_id": name,
            "eval_metric_result_per_invocation": [
                {"actual_invocation": invocation(name, *how), "eval_metric_results": []}
            ],
        }
        for name, how in asked.items()
    ]
    recorded = {"eval_set_result_id": "r", "eval_set_id": "w", "eval_case_results": results}
    config = {
        "criteria": {"tool_trajectory_avg_score": 1.0, "mood": 0.5},
        "custom_metrics": {
            "mood": {"code_config": {"name": "my_agent.metrics.mood"}, "metric_info": RANGE}
        },
    }
    return {
        CONFIG: json.dumps(config),
        CASES: json.dumps({"eval_set_id": "w", "eval_cases": cases}),
        "my_agent/__init__.py": "",
        "my_agent/metrics.py": METRICS,
        "my_agent/words.py": "",
        "my_agent/data.txt": "",
        "shared/words.py": "",
        "traces/w.evalset_result.json": json.dumps(recorded),
        "README.md": "An agent.",
        **files,
    }


@pytest.fixture
def agent(job):
    """A step that judges by the EvalConfig of an ADK agent."""
    return job.given(config=CONFIG, eval_set=CASES, traces="traces/*")


# ---- what a pull request is told


def kinds(done):
    return {one["case_id"]: one["kind"] for one in done.report["sections"][0]["highlights"]}


@pytest.mark.recorded
def test_a_uipath_project_that_is_as_good_as_before_passes(project):
    project.pull_request(uipath(), uipath(answer=said("sunny!")))

    done = project.run()

    assert (done.code, done.outputs["verdict"]) == (0, "passed")
    assert "Label::precision" in project.comments[0]


def test_a_uipath_project_that_got_worse_fails_and_the_comment_says_why(project):
    project.pull_request(uipath(), uipath(calls=("forecast",), answer=said("rainy", "rain")))

    done = project.run()

    (comment,) = project.comments
    assert (done.code, done.outputs["verdict"]) == (1, "failed")
    assert kinds(done) == {"paris": "regressed"}
    assert "**Words** (0.00, needs 0.80)" in comment
    assert "geocode was not called in its place; called: forecast" in comment
    assert "the output is 'rain', not 'sun'" in comment


@pytest.mark.recorded
def test_an_adk_agent_that_is_as_good_as_before_passes(agent):
    agent.pull_request(adk(), adk(answer="Today it is sunny."))

    done = agent.run()

    assert (done.code, done.outputs["verdict"]) == (0, "passed")


def test_an_adk_agent_that_got_worse_fails_and_the_comment_says_why(agent):
    agent.pull_request(adk(), adk(calls=("forecast",), answer="Rain."))

    done = agent.run()

    (comment,) = agent.comments
    assert (done.code, done.outputs["verdict"]) == (1, "failed")
    assert kinds(done) == {"paris": "regressed"}
    assert "**mood** (-0.50, needs 0.50 (from -1 to 1))" in comment
    assert "- geocode()\n  forecast()" in comment


# ---- what it has to touch for that


@pytest.mark.parametrize(
    ("changed", "state"),
    [
        ("evals/evaluators/custom/my_custom_evaluator.py", "done"),
        ("evals/evaluators/custom/beside.py", "done"),
        ("evals/evaluators/order.json", "done"),
        (EVAL_SET, "done"),
        ("traces/oslo.json", "done"),
        ("README.md", "unchanged"),
    ],
)
def test_what_judges_in_a_uipath_project_is_relevant(project, changed, state):
    before = uipath()
    project.pull_request(before, before | {changed: before[changed] + "\n"})

    done = project.run()

    assert done.report["state"] == state


@pytest.mark.parametrize(
    ("changed", "state"),
    [
        ("my_agent/metrics.py", "done"),
        ("my_agent/words.py", "done"),
        ("my_agent/data.txt", "done"),
        ("shared/words.py", "done"),
        (CONFIG, "done"),
        (CASES, "done"),
        ("README.md", "unchanged"),
    ],
)
def test_what_judges_an_adk_agent_is_relevant(agent, changed, state):
    before = adk()
    agent.pull_request(before, before | {changed: before[changed] + "\n"})

    done = agent.run()

    assert done.report["state"] == state
