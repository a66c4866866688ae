import json

import pytest

from agentevals.model.cases import Status
from agentevals.model.completeness import Fact, Gap, Presence
from agentevals.model.conversations import ToolCall, Turn
from agentevals.model.errors import EvaluatorError
from agentevals.sandbox import wire_protocol
from tests.support import DATA

FIGURES = {"counts": {"llm_calls": 3}, "latency": {"overall": {"p50": 4168.298, "max": 1000.0}}}
SEARCH = ToolCall(
    name="search", args={"q": "¿qué?"}, call_id="c0", response={"b": "é", "a": [1]}, answered=True
)
CALC = ToolCall(name="calc", args={}, call_id="c1", response="4", answered=True)
BROKEN = ToolCall(name="broken", args={"value": [1]}, failed=True, error="boom")
UNANSWERED = ToolCall(name="later")
TURNS = (
    Turn(
        turn_id="t1",
        user="find 🕐",
        response="done — ñ",
        tool_calls=(SEARCH, CALC, BROKEN, UNANSWERED),
        trace_id="aa",
        span_id="bb",
    ),
    Turn(turn_id="t2", user="thanks"),
)
GOLDEN = (Turn(user="find", response="done", tool_calls=(ToolCall(name="search", args=None),)),)


def sent(turns=TURNS, expected=None, config=None, **figures):
    asked = wire_protocol.EvaluatorSettings("dump", 0.7, config or {})
    return json.loads(wire_protocol.encode_input(asked, turns, expected, **figures))


def test_an_evaluator_is_told_exactly_this():
    asked = wire_protocol.EvaluatorSettings("dump", 0.7, {"a": [1, {"b": None}], "s": "é"})

    said = wire_protocol.encode_input(asked, TURNS, GOLDEN, FIGURES, [{"tokens": 3}, {"tokens": 4}])

    assert said.decode() == (DATA / "protocol" / "eval_input.json").read_text().rstrip("\n")


def test_a_turn_that_lacks_a_fact_says_so_and_looks_as_it_always_did():
    gap = Gap(fact=Fact.TOOL_CALLS, presence=Presence.WITHHELD, evidence="a placeholder")
    call = ToolCall(name="search", args=None)
    silent, whole = sent([Turn(gaps=(gap,), tool_calls=(call,)), Turn(user="x")])["invocations"]

    assert silent["completeness"]["tool_calls"] == "withheld"
    assert silent["completeness"]["answer"] == "recorded"
    assert list(silent["completeness"]) == [fact.value for fact in Fact]
    assert silent["intermediate_steps"]["tool_calls"] == [
        {"name": "search", "args": {}, "id": None}
    ]
    assert "completeness" not in whole


def test_without_expectation_null_is_sent():
    assert sent()["expected_invocations"] is None


def test_an_empty_answer_is_sent_as_null_whether_expected_or_actual():
    silent = (Turn(response=""), Turn(), Turn(response="no"))

    message = sent(silent, silent)

    for turns in (message["invocations"], message["expected_invocations"]):
        assert [turn["final_response"] for turn in turns] == [None, None, "no"]


def test_only_answered_and_failed_calls_have_a_response():
    steps = sent()["invocations"][0]["intermediate_steps"]

    assert [call["name"] for call in steps["tool_calls"]] == ["search", "calc", "broken", "later"]
    assert [(r["name"], r["output"], r["status"]) for r in steps["tool_responses"]] == [
        ("search", '{"a": [1], "b": "é"}', None),
        ("calc", "4", None),
        ("broken", "", "error"),
    ]


def test_an_answer_has_its_own_id_where_the_call_has_none():
    call = ToolCall(name="search", answer_id="e0", response="x", answered=True)
    steps = sent([Turn(tool_calls=(call,))])["invocations"][0]["intermediate_steps"]

    assert (steps["tool_calls"][0]["id"], steps["tool_responses"][0]["id"]) == (None, "e0")


def test_figures_of_a_turn_are_only_sent_where_there_are_some():
    first, second = sent(turn_performance=[{"tokens": 3}])["invocations"]

    assert first["turn_performance_metrics"] == {"tokens": 3}
    assert "turn_performance_metrics" not in second


@pytest.mark.parametrize("value", [2**70, -(2**70), 1e300, float("nan")])
def test_strange_numbers_are_sent_as_json(value):
    args = sent((Turn(tool_calls=(ToolCall(name="f", args={"x": value}),)),))

    assert args["invocations"][0]["intermediate_steps"]["tool_calls"][0]["args"]["x"] in (
        value,
        None,
    )


def test_half_a_surrogate_pair_is_replaced():
    assert sent((Turn(user="a\ud800b"),))["invocations"][0]["user_content"] == "a?b"


@pytest.mark.parametrize("where", ["args", "response"])
def test_endless_nesting_is_an_error_of_this_evaluator(where):
    deep: dict = {}
    for _ in range(100_000):
        deep = {"x": deep}

    with pytest.raises(EvaluatorError, match="'dump': the conversation is nested too deeply"):
        sent((Turn(tool_calls=(ToolCall(name="f", answered=True, **{where: deep}),)),))


def read(stdout):
    return wire_protocol.read_grade(
        stdout if isinstance(stdout, bytes) else stdout.encode(), name="ev"
    )


def test_an_answer_becomes_a_grade():
    grade = read(
        '{"score": 0.85, "status": null, "per_invocation_scores": [1, null, 0.7],'
        ' "details": {"issues": ["t2: too short"], "reason": "short"}, "unknown": 1}\n\n'
    )

    assert (grade.score, grade.status) == (0.85, None)
    assert grade.per_turn == (1.0, None, 0.7)
    assert grade.details == {"issues": ["t2: too short"], "reason": "short"}
    assert grade.misses == ("t2: too short",)
    assert grade.reasoning == "short"


@pytest.mark.parametrize(
    ("stdout", "score", "status"),
    [
        ('{"score": 1}', 1.0, None),
        ('{"score": 0}', 0.0, None),
        ('\ufeff{"score": 0.5}', 0.5, None),
        ('{"score": 0.1, "status": "PASSED"}', 0.1, Status.PASSED),
        ('{"score": 1.0, "status": "FAILED"}', 1.0, Status.FAILED),
        ('{"score": 0.0, "status": "NOT_EVALUATED"}', 0.0, Status.NOT_EVALUATED),
        ('{"score": 0.5, "details": null}', 0.5, None),
    ],
)
def test_score_and_status_are_taken_as_given(stdout, score, status):
    grade = read(stdout)

    assert (grade.score, grade.status) == (score, status)


@pytest.mark.parametrize("scores", [[], [0.5], [0.1, 0.2, 0.3, 0.4], [5, -3], [None, 1]])
def test_scores_per_turn_are_kept_as_given(scores):
    assert list(read(json.dumps({"score": 1, "per_invocation_scores": scores})).per_turn) == scores


def test_why_nothing_was_evaluated_is_shown_to_people():
    grade = read('{"score": 0, "status": "NOT_EVALUATED", "details": {"reason": "n/a"}}')

    assert grade.misses == ("n/a",)


@pytest.mark.parametrize(
    ("stdout", "said"),
    [
        ("", "printed nothing; one JSON object with a 'score' belongs on stdout"),
        (" \n", "printed nothing"),
        ("hello", 'printed "hello", which is not JSON'),
        ('log line\n{"score": 1.0}', 'printed more than its result, first "log line'),
        ('{"score": 1}{"score": 1}', "which is not JSON"),
        ("[1]", "printed [1]; one JSON object was expected"),
        ("null", "printed null; one JSON object was expected"),
        ("1" * 5000, "one JSON object was expected"),
        (b'{"score": 0.5, "details": {"a": "\xff"}}', "printed bytes that are not UTF-8"),
        ("[" * 100_000, "which is not JSON"),
        ('{"details": {}}', "gave no 'score', only [\"details\"]"),
        ('{"score": null}', "gave the score null; a number from 0 to 1 was expected"),
        ('{"score": true}', "gave the score true; a number"),
        ('{"score": "0.5"}', 'gave the score "0.5"; a number'),
        ('{"score": [1]}', "gave the score [1]; a number"),
        ('{"score": 1.5}', "gave the score 1.5; it must be from 0 to 1"),
        ('{"score": -0.1}', "gave the score -0.1; it must be from 0 to 1"),
        ('{"score": 1e999}', "is not JSON"),
        ('{"score": %s}' % ("9" * 400), "gave the score 9"),
        ('{"score": NaN}', "NaN and Infinity are not JSON"),
        ('{"score": Infinity}', "NaN and Infinity are not JSON"),
        ('{"score": 1, "status": "OK"}', 'gave the status "OK"; known are PASSED, FAILED'),
        ('{"score": 1, "status": "passed"}', 'gave the status "passed"'),
        ('{"score": 1, "status": "ERROR"}', 'gave the status "ERROR"'),
        ('{"score": 1, "status": 1}', "gave the status 1"),
        ('{"score": 1, "details": "x"}', 'gave the details "x"; an object or null was expected'),
        ('{"score": 1, "per_invocation_scores": null}', "gave the per_invocation_scores null"),
        ('{"score": 1, "per_invocation_scores": ["1"]}', 'per_invocation_scores ["1"]'),
        ('{"score": 1, "per_invocation_scores": [true]}', "per_invocation_scores [true]"),
        ('{"score": 1, "per_invocation_scores": 1}', "per_invocation_scores 1"),
    ],
)
def test_a_wrong_answer_is_refused_with_the_evaluators_name_and_what_came(stdout, said):
    with pytest.raises(EvaluatorError) as refused:
        read(stdout)

    message = str(refused.value)
    assert message.startswith("evaluator 'ev' ")
    assert said in message
    assert len(message) < 400


def test_what_a_message_quotes_cannot_reach_the_terminal():
    with pytest.raises(EvaluatorError) as refused:
        read("\x1b[31mred")

    assert "\x1b" not in str(refused.value)


def test_only_a_call_of_another_agent_than_the_turns_names_it():
    calls = ToolCall(name="a", agent="bakery"), ToolCall(name="b", agent="returns")
    [told] = sent([Turn(agent="bakery", tool_calls=calls)])["invocations"]

    asked = told["intermediate_steps"]["tool_calls"]
    assert [call.get("agent") for call in asked] == [None, "returns"]
