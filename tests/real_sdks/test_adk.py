import shutil

import pytest

from agentevals.graders.adk.adk_function import AdkFunction
from agentevals.graders.grader import Services
from agentevals.model.cases import Case, Scenario
from agentevals.model.conversations import ToolCall
from agentevals.model.errors import EvaluatorError
from tests.real_sdks.test_recording import INSTALLED
from tests.support import DATA, conversation, turn

PROJECT = DATA / "foreign/adk"
PROBE = """
from google.adk.evaluation.eval_case import *
from google.adk.evaluation.eval_case import get_all_tool_calls_with_responses
from google.adk.evaluation.eval_metrics import EvalStatus
from google.adk.evaluation.eval_rubrics import RubricScore
from google.adk.evaluation.evaluator import EvaluationResult, PerInvocationResult


def plain(invocation):
    return invocation and invocation.model_dump(mode="json", exclude_none=True)


def probe(metric, actual, expected, scenario):
    seen = [
        metric.metric_name, metric.threshold, metric.criterion.model_dump(),
        [plain(one) for one in actual], [plain(one) for one in expected or ()],
        scenario and scenario.starting_prompt,
        [[c.name, r and r.response] for c, r in
         get_all_tool_calls_with_responses(actual[0].intermediate_data)],
    ]
    results = [PerInvocationResult(actual_invocation=one, score=0.5) for one in actual]
    return EvaluationResult(
        overall_score=0.5, overall_eval_status=EvalStatus.INFORMATIONAL,
        per_invocation_results=results,
        overall_rubric_scores=[RubricScore(rubric_id="seen", score=1, rationale=str(seen))],
    )


def broken(actual, expected, scenario):
    return {}["x"]


def of_old(actual, expected, scenario):
    return EvaluationResult(
        overall_score=0.5, per_invocation_results=[
            PerInvocationResult(actual_invocation=one) for one in actual])


def which(metric, actual, expected, scenario):
    import google.adk

    raise ValueError(google.adk.__spec__.origin is None)
"""


@pytest.fixture(scope="module")
def agents(tmp_path_factory):
    """The same agent twice: as it is, and with `google-adk` in the environment of its metrics."""
    folders = []
    for requirements in ("", "\n".join(INSTALLED["google-adk 2.13"][1:])):
        folder = tmp_path_factory.mktemp("agents") / "my_agent"
        shutil.copytree(PROJECT / "my_agent", folder)
        (folder / "probes.py").write_text(PROBE)
        if requirements:
            (folder / "requirements.txt").write_text(requirements)
        folders.append(folder)
    return folders


def calls():
    yield ToolCall(name="T", args={"a": 1}, call_id="7", response={"z": 1}, answered=True)
    yield ToolCall(name="U", response=[1], answered=True)


CASE = Case(
    conversation=conversation(
        turn("a", tool_calls=tuple(calls()), intermediate=("hm",)), turn("profanity")
    ),
    expected=(turn("a"), turn("b")),
    scenario=Scenario(opening="hi", plan="ask"),
)
WITHOUT = Case(conversation=CASE.conversation)
UNANSWERED = Case(conversation=conversation(turn(None), turn(None)), expected=CASE.expected)


def grades(agents, function, a_case):
    for folder in agents:
        grader = AdkFunction(
            name="m",
            function=f"my_agent.{function}",
            folder=folder,
            criterion={"threshold": 0.5, "mine": 1},
            timeout=60,
        )
        try:
            grade = grader.grade(a_case, Services())
        except EvaluatorError as error:
            yield str(error)
        else:
            yield grade.score, grade.status, grade.per_turn, grade.details


@pytest.mark.parametrize("a_case", [CASE, WITHOUT, UNANSWERED], ids=["both", "one", "silent"])
@pytest.mark.parametrize(
    "function",
    [
        "metrics.check_final_response_exact_match",
        "metrics.check_for_profanity",
        "probes.probe",
        "probes.broken",
        "probes.of_old",
    ],
)
def test_the_real_package_and_the_stand_in_say_the_same(agents, function, a_case):
    ours, theirs = grades(agents, function, a_case)

    assert ours == theirs


def test_the_real_package_is_used_where_it_is_installed(agents):
    ours, theirs = grades(agents, "probes.which", CASE)

    assert "ValueError: True" in ours
    assert "ValueError: False" in theirs
