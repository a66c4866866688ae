import json
from pathlib import Path

import pytest

from agentevals.graders.grader import Services
from agentevals.graders.uipath.uipath_class import UipathClass
from agentevals.model.cases import Case, Status
from agentevals.model.conversations import Span, ToolCall, Turn
from agentevals.model.errors import EvaluatorError, InputError
from agentevals.model.results import Result
from tests.support import DATA, case, conversation, turn

PATTERNS = DATA / "foreign/uipath/evals/evaluators/custom/pattern_comparison_evaluator.py"
HEAD = """
import json
from uipath.eval._helpers.evaluators_helpers import *
from uipath.eval.evaluators import BaseEvaluationCriteria, BaseEvaluator, BaseEvaluatorConfig
from uipath.eval.models import *


class Criteria(BaseEvaluationCriteria):
    wanted_text: str = "a"


class Config(BaseEvaluatorConfig[Criteria]):
    name: str = "Own"
    at_most: int = 3


class Own(BaseEvaluator[Criteria, Config, str]):
    @classmethod
    def get_evaluator_id(cls):
        return "Own"

"""


@pytest.fixture
def written(tmp_path):
    """A grader on a class with this method `evaluate`."""

    def write(body, kind="async def", head=HEAD, **settings):
        path = tmp_path / "own.py"
        lines = (f"    {kind} evaluate(self, agent_execution, evaluation_criteria):", body)
        path.write_text(head + lines[0] + f"\n        {lines[1]}\n")
        return UipathClass(name="own", path=path, **{"criteria": {}, **settings})

    return write


def grade(grader, a_case=None):
    return grader.grade(a_case or case(), Services())


def refused(grader, a_case=None, kind=EvaluatorError):
    with pytest.raises(kind) as error:
        grade(grader, a_case)
    return str(error.value)


def unloaded(grader):
    """What is said of code that cannot be used: a mistake in what the user wrote, in any case."""
    told = refused(grader, kind=InputError)
    assert grader.inspect(Services()) == [told]
    return told


def score(value):
    return f"return NumericEvaluationResult(score={value})"


def seen(expression):
    return f"return NumericEvaluationResult(score=1, details=json.dumps({{'seen': {expression}}}))"


def call(name="DataProcessingTool", **fields):
    args = {"FileName": "PatternData.csv", "InputData": "H\nalpha\nbeta"}
    return ToolCall(**{"name": name, "args": args, **fields})


def test_a_class_in_a_project_judges_as_it_stands():
    grader = UipathClass(
        name="patterns", path=PATTERNS, criteria={"expectedOutput": ["alpha", "gamma"]}
    )

    grade_ = grade(grader, Case(conversation=conversation(turn(tool_calls=(call(),)))))

    assert grade_.score == pytest.approx(1 / 3)
    assert grade_.details["actual_patterns"] == ["alpha", "beta"]
    assert grade_.isolation


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (score(0.25), 0.25),
        ("return BooleanEvaluationResult(score=True)", 1.0),
        ("return BooleanEvaluationResult(score=False)", 0.0),
    ],
)
def test_a_number_is_itself_and_a_yes_is_one(written, body, expected):
    assert grade(written(body)).score == expected


@pytest.mark.parametrize(
    ("details", "reason"),
    [
        ("'too rude'", "too rude"),
        ("json.dumps({'reason': 'too rude', 'words': 3})", "too rude"),
        ("json.dumps({'wanted': ['a', 'é'], 'found': 'b'})", 'wanted: ["a", "é"]; found: b'),
        ("json.dumps({'found': 'x' * 500})", f"found: {'x' * 120}…"),
        ("None", ""),
    ],
)
def test_why_is_what_the_details_say(written, details, reason):
    found = grade(written(f"return NumericEvaluationResult(score=0, details={details})"))

    assert found.reasoning == reason


def test_a_plain_function_will_do(written):
    assert grade(written(score(1), kind="def")).score == 1


@pytest.mark.parametrize("justification", ["None", "type(None)"])
def test_a_justification_may_be_none(written, justification):
    head = HEAD.replace("Config, str]", f"Config, {justification}]")

    assert grade(written(score(1), head=head)).score == 1


@pytest.mark.parametrize(
    ("body", "why"),
    [
        ("return ErrorEvaluationResult(error='no luck')", "evaluator 'own': no luck"),
        ("return ErrorEvaluationResult(details='no luck')", "evaluator 'own': no luck"),
        ("return ErrorEvaluationResult()", "without a reason"),
        ("raise KeyError('x')", "Exception thrown by evaluator: 'x' (KeyError at own.py:23)"),
        ("import nosuch", "list it in a requirements.txt beside the evaluator"),
        ("return 0.5", "evaluate returned float; return a NumericEvaluationResult"),
        ("return None", "evaluate returned NoneType"),
        (score("float('nan')"), "gave the score 'nan'; a number from 0 to 1 was expected"),
        (score(7), "gave the score 7; it must be from 0 to 1"),
        (score(-1), "gave the score -1; it must be from 0 to 1"),
        ("import sys; sys.exit(0)", "called sys.exit(0) instead of returning a result"),
        ("import os; os._exit(0)", "evaluator 'own' gave no answer"),
        ("import os; os._exit(3)", "evaluator 'own' exited with code 3"),
    ],
)
def test_what_is_no_score_is_an_error(written, body, why):
    assert why in refused(written(body))


def test_it_has_no_more_time_than_it_is_given(written):
    assert "took longer than 0.5 s" in refused(written("while True: pass", timeout=0.5))


def test_what_it_prints_does_not_break_the_answer(written):
    assert grade(written(f"print('{{}}', flush=True); {score(1)}")).score == 1


def test_threads_that_it_leaves_behind_are_not_waited_for(written):
    body = "import threading, time; threading.Thread(target=time.sleep, args=[60]).start(); "

    assert grade(written(body + score(1), timeout=10)).score == 1


@pytest.mark.parametrize(
    ("settings", "why"),
    [
        ({"criteria": {"wantedTxt": ""}}, "unknown key 'wantedTxt' (did you mean 'wantedText'?)"),
        ({"criteria": {"wantedText": 1}}, "evaluationCriteria: 'wantedText' must be text, not 1"),
        ({"config": {"atMots": 1}}, "evaluatorConfig has the unknown key 'atMots' (did you mean"),
        ({"config": {"atMost": "x"}}, "evaluatorConfig: 'atMost' must be a "),
        ({"criteria": None}, "there are no criteria, and the configuration has no 'default"),
        ({"class_name": "Onw"}, "Class 'Onw' not found in"),
        ({"class_name": "Criteria"}, "Class 'Criteria' must be a subclass of BaseEvaluator"),
    ],
)
def test_settings_that_do_not_fit_the_class_are_said(written, settings, why):
    assert why in unloaded(written(score(1), **settings))


@pytest.mark.parametrize("settings", [{"criteria": {"wantedTxt": ""}}, {"config": {"atMots": 1}}])
def test_keys_that_it_ignores_are_ignored_where_that_was_said_before(written, settings):
    assert grade(written(score(1), strict=False, **settings)).score == 1


@pytest.mark.parametrize(
    ("settings", "known"),
    [({"type_id": "file://types/own.json"}, "file://types/own.json"), ({}, "Own")],
)
def test_it_knows_the_type_id_of_its_file(written, settings, known):
    assert grade(written(seen("self.evaluator_type_id"), **settings)).details == {"seen": known}


def test_a_span_has_a_scope_and_no_behaviour_is_an_empty_text(written):
    spans = (Span(name="s", span_id="1"),)
    body = seen(
        "[agent_execution.agent_trace[0].instrumentation_scope.name, "
        "agent_execution.expected_agent_behavior]"
    )

    found = grade(written(body), Case(conversation=conversation(turn(), spans=spans)))

    assert found.details == {"seen": ["", ""]}


@pytest.mark.parametrize("key", ["wantedText", "wanted_text"])
def test_criteria_and_configuration_may_be_written_in_either_case(written, key):
    body = seen("[evaluation_criteria.wanted_text, self.evaluator_config.at_most]")

    found = grade(written(body, criteria={key: "b"}, config={"atMost": 5}))

    assert found.details == {"seen": ["b", 5]}


def test_a_default_criterion_is_used_where_a_case_has_none(written):
    default = "at_most: int = 3\n    default_evaluation_criteria: Criteria | None = Criteria()"
    head = HEAD.replace("at_most: int = 3", default)

    assert grade(written(seen("evaluation_criteria.wanted_text"), head=head, criteria=None))


@pytest.mark.parametrize("names", ["agent", "workload"])
def test_the_execution_answers_to_the_older_and_the_newer_names(written, names):
    body = seen(f"[agent_execution.{names}_output, len(agent_execution.{names}_trace)]")

    assert grade(written(body), case('{"a": 1}')).details == {"seen": [{"a": 1}, 0]}


@pytest.mark.parametrize(("answer", "expected"), [("{}", {}), ("[1]", "[1]"), ("x", "x")])
def test_the_output_is_the_object_that_the_answer_is_or_its_text(written, answer, expected):
    found = grade(written(seen("agent_execution.agent_output")), case(answer))

    assert found.details == {"seen": expected}


def test_its_clock_shows_the_same_time_everywhere(written, monkeypatch):
    monkeypatch.setenv("TZ", "Asia/Tokyo")
    body = "from datetime import datetime; " + seen("datetime.fromtimestamp(0).hour")

    assert grade(written(body)).details == {"seen": 0}


@pytest.mark.parametrize(
    ("said", "inputs", "expected"),
    [
        ("{}", None, {}),
        ("hello", None, {"input": "hello"}),
        ('{"query": "hello"}', None, {"query": "hello"}),
        ("hello", {"given": 1}, {"given": 1}),
    ],
)
def test_the_input_is_the_one_given_or_what_the_user_said(written, said, inputs, expected):
    a_case = Case(conversation=conversation(turn(user=said)))

    found = grade(written(seen("agent_execution.agent_input"), inputs=inputs), a_case)

    assert found.details == {"seen": expected}


def test_calls_are_found_in_any_recording(written):
    answered = {"answered": True, "timed": True}
    slow = call("Slow", call_id="7", response={"a": 1}, end_ns=9, **answered)
    calls = (slow, call("Fast", args=None, response="x", end_ns=5, **answered))
    a_case = Case(conversation=conversation(Turn(user="q", tool_calls=calls)))
    body = seen(
        "[[c.model_dump() for c in extract_tool_calls(agent_execution.agent_trace)],"
        " [o.output for o in extract_tool_calls_outputs(agent_execution.agent_trace)]]"
    )

    told, outputs = grade(written(body), a_case).details["seen"]

    assert [(one["name"], one["id"]) for one in told] == [("Fast", None), ("Slow", "7")]
    assert told[0]["args"] == {}
    assert outputs == ["x", '{"a": 1}']


def test_recorded_spans_are_handed_over_as_they_are_in_the_order_of_their_ends(written):
    spans = (
        Span(span_id="b", name="root", start_ns=1, end_ns=9),
        Span(span_id="a", name="tool", parent_id="b", start_ns=2, end_ns=5, failed=True,
             attributes={"tool.name": "T", "input.value": '{"a": 1}'}),
    )  # fmt: skip
    a_case = Case(conversation=conversation(turn(tool_calls=(call(),)), spans=spans))
    body = seen(
        "[[s.name, s.start_time, s.context.span_id, s.parent and s.parent.span_id,"
        " s.status.status_code.name] for s in agent_execution.agent_trace]"
    )

    found = grade(written(body), a_case).details["seen"]

    assert found == [["tool", 2, 10, 11, "ERROR"], ["root", 1, 11, None, "UNSET"]]


def test_nothing_of_our_environment_reaches_it(written, monkeypatch):
    monkeypatch.setenv("GITHUB_TOKEN", "hush")
    body = "import os; " + seen("'GITHUB_TOKEN' in os.environ")

    assert grade(written(body)).details == {"seen": False}


def test_imports_are_looked_for_beside_the_file_above_it_and_in_the_project(tmp_path, written):
    custom = tmp_path / "evals" / "evaluators" / "custom"
    custom.mkdir(parents=True)
    for folder, name in ((custom, "beside"), (custom.parent, "above"), (tmp_path, "project")):
        (folder / f"{name}.py").write_text(f"WHERE = '{name}'")
    path = Path(written("import beside, above, project; " + score(1)).path)
    moved = path.rename(custom / "own.py")

    assert grade(UipathClass(name="own", path=moved, criteria={})).score == 1


def test_a_file_with_several_evaluators_needs_to_be_told_which(written):
    grader = written(score(1))
    text = grader.path.read_text()
    grader.path.write_text(text + text[text.index("class Own") :].replace("Own", "Other"))

    assert "own.py has several evaluators (Own, Other)" in unloaded(grader)
    assert grade(grader.model_copy(update={"class_name": "Other"})).score == 1


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("x = = 1", "it raised SyntaxError"),
        ("import nosuch", "No module named 'nosuch' (own.py:1); list it in a requirements.txt"),
        (
            "from uipath.eval.evaluators import *\nclass Own(BaseEvaluator[int]): pass",
            "expected at least 3 (own.py:2)",
        ),
        ("import uipath.platform", "what stands in for uipath does not have it"),
        ("from uipath.eval.models import Nope", "what stands in for uipath does not have it"),
        ("class Own: pass", "Could not find a class inheriting from BaseEvaluator in own.py"),
    ],
)
def test_a_file_that_cannot_be_used_says_why(tmp_path, text, why):
    path = tmp_path / "own.py"
    path.write_text(text)

    assert why in unloaded(UipathClass(name="own", path=path, criteria={}))


def test_a_file_that_is_not_there_is_found_out_before_a_run(tmp_path):
    (problem,) = UipathClass(name="own", path=tmp_path / "own.py").problems()

    assert problem.endswith("own.py does not exist; give the path of the Python file that has "
                            "the class")  # fmt: skip


def results(*scores):
    return [
        Result(name="own", type="uipath_class", status=Status.PASSED, score=score, threshold=0.8)
        for score in scores
    ]


LOWEST = "    def reduce_scores(self, results):\n        return min(r.score for r in results)\n\n"


@pytest.mark.parametrize("graded", [True, False])
@pytest.mark.parametrize(("own", "expected"), [("", 0.75), (LOWEST, 0.5)])
def test_over_all_cases_it_is_the_mean_unless_the_class_says_otherwise(
    written, own, expected, graded
):
    grader = written(score(1), head=HEAD + own)
    if graded:
        grade(grader)

    told = grader.overall(results(1, 0.5, None), Services())

    metric = {} if own else {"metric": "mean"}
    assert told == {"reduce_scores": expected, "scored": 2, "total": 3, **metric}


def test_over_no_scores_it_is_nothing(written):
    assert written(score(1)).overall(results(None), Services()) == {"scored": 0, "total": 1}


def test_a_class_that_fails_over_all_cases_costs_that_figure_only(written):
    broken = "    def reduce_scores(self, results):\n        return results[9]\n\n"

    told = written(score(1), head=HEAD + broken).overall(results(1), Services())

    assert "reduce_scores raised IndexError" in told["error"]


def test_deeply_nested_details_are_not_read_into(written):
    body = "return NumericEvaluationResult(score=1, details='{\"a\":' * 50000)"

    assert json.dumps(grade(written(body)).details)


BUILT_ON = """
from uipath.eval.evaluators import ExactMatchEvaluator
from uipath.eval.models import NumericEvaluationResult


class Half(ExactMatchEvaluator):
    @classmethod
    def get_evaluator_id(cls):
        return "Half"

    async def evaluate(self, workload_execution, evaluation_criteria):
        result = await super().evaluate(workload_execution, evaluation_criteria)
        return NumericEvaluationResult(score=result.score / 2, details=result.details)
"""


@pytest.mark.parametrize("criteria", [None, {}, {"expectedOutput": {"a": 1}}])
def test_a_class_that_builds_on_one_of_uipaths_is_given_the_items_expected_output(
    tmp_path, criteria
):
    path = tmp_path / "half.py"
    path.write_text(BUILT_ON)
    grader = UipathClass(name="h", path=path, criteria=criteria, expected_output={"a": 1})

    found = grade(grader, case('{"a": 1}'))

    assert (found.score, found.details["expected"]) == (0.5, "{'a': 1.0}")


def test_a_class_is_not_asked_about_a_run_that_failed(written):
    root = Span(span_id="r", name="root", attributes={"span_type": "eval"}, failed=True)
    failed = Case(conversation=conversation(turn(""), spans=(root,)))

    found = grade(written("return NumericEvaluationResult(score=1)"), failed)

    assert (found.score, found.misses) == (0, ("the agent failed",))
