"""The protocol with third-party programs: a Case as EvalInput, an EvalResult as a Grade."""

import codecs
import json
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeGuard

import msgspec

from agentevals.model.cases import Grade, Status
from agentevals.model.completeness import Fact, Presence
from agentevals.model.conversations import ToolCall, Turn
from agentevals.model.errors import EvaluatorError

PROTOCOL_VERSION = "1.1"

_OPINIONS = {status.value: status for status in Status if status is not Status.ERROR}
_EXCERPT = 120  # characters of a wrong answer that a message quotes

# Every message is encoded with the field order in which the protocol documents it.


class _ToolCall(msgspec.Struct):
    name: str
    args: dict[str, Any]
    id: str | None
    agent: str | msgspec.UnsetType = msgspec.UNSET


class _ToolResponse(msgspec.Struct):
    name: str
    output: str
    status: str | None
    id: str | None
    response: Any


class _Steps(msgspec.Struct):
    tool_calls: list[_ToolCall]
    tool_responses: list[_ToolResponse]


class _Invocation(msgspec.Struct):
    invocation_id: str
    user_content: str
    final_response: str | None
    intermediate_steps: _Steps
    performance_metrics: Any = None
    trace_id: str | None = None
    span_id: str | None = None
    turn_performance_metrics: Any = msgspec.UNSET
    completeness: dict[Fact, Presence] | msgspec.UnsetType = msgspec.UNSET


class _EvalInput(msgspec.Struct):
    protocol_version: str
    metric_name: str
    threshold: float
    config: Mapping[str, Any]
    invocations: list[_Invocation]
    expected_invocations: list[_Invocation] | None


class EvaluatorSettings(msgspec.Struct, frozen=True):
    """The settings of one evaluator: its name, its threshold and its own options."""

    metric_name: str
    threshold: float = 0.5
    config: Mapping[str, Any] = {}


def encode_input(
    asked: EvaluatorSettings,
    turns: Sequence[Turn],
    expected: Sequence[Turn] | None = None,
    performance: Mapping[str, Any] | None = None,
    turn_performance: Sequence[Mapping[str, Any]] = (),
) -> bytes:
    """Encode the input of an evaluator. Every turn gets the `performance` of the conversation."""
    try:
        invocations = [_build_invocation(turn) for turn in turns]
        for turn, invocation in zip(turns, invocations, strict=True):
            invocation.performance_metrics = performance
            invocation.trace_id = turn.trace_id or None
            invocation.span_id = turn.span_id or None
            if turn.gaps:  # whatever is missing is sent as nothing, as it always was
                invocation.completeness = turn.completeness
        for invocation, figures in zip(invocations, turn_performance, strict=False):
            invocation.turn_performance_metrics = figures
        goldens = None if expected is None else [_build_invocation(turn) for turn in expected]
        return _encode(
            _EvalInput(
                protocol_version=PROTOCOL_VERSION,
                metric_name=asked.metric_name,
                threshold=float(asked.threshold),
                config=asked.config,
                invocations=invocations,
                expected_invocations=goldens,
            )
        )
    except RecursionError as error:
        msg = f"evaluator {asked.metric_name!r}: the conversation is nested too deeply to be sent"
        raise EvaluatorError(msg) from error


def _build_invocation(turn: Turn) -> _Invocation:
    return _Invocation(
        invocation_id=turn.turn_id,
        user_content=turn.user,
        final_response=turn.response or None,
        intermediate_steps=_Steps(
            [_build_call(turn, call) for call in turn.tool_calls],
            [_build_response(call) for call in turn.tool_calls if call.answered or call.failed],
        ),
    )


def _build_call(turn: Turn, call: ToolCall) -> _ToolCall:
    agent = turn.name_other(call) or msgspec.UNSET
    return _ToolCall(call.name, call.args or {}, call.call_id, agent)


def _build_response(call: ToolCall) -> _ToolResponse:
    return _ToolResponse(
        name=call.name,
        output=_format_response(call.response),
        status="error" if call.failed else None,
        id=call.call_id or call.answer_id,
        response=call.response,
    )


def _format_response(response: Any) -> str:
    if response is None:
        return ""
    if isinstance(response, str):
        return response
    return json.dumps(response, sort_keys=True, ensure_ascii=False, default=str)


def _encode(message: _EvalInput) -> bytes:
    try:
        return msgspec.json.encode(message)
    except UnicodeEncodeError:  # half of a surrogate pair, which JSON can spell and UTF-8 cannot
        text = json.dumps(msgspec.to_builtins(message), ensure_ascii=False, separators=(",", ":"))
        return text.encode(errors="replace")


def read_grade(stdout: bytes, *, name: str) -> Grade:
    """Read the grade an evaluator printed, or raise an EvaluatorError that says what is wrong."""
    answer = read_object(stdout, name)
    details = _read_details(answer.get("details"), name)
    status = _read_status(answer.get("status"), name)
    issues = _read_texts(details.get("issues"))
    reasons = (details.get(key) for key in ("explanation", "reasoning", "rationale", "reason"))
    reasoning = next((text for text in reasons if isinstance(text, str)), "")
    return Grade(
        score=_read_score(answer, name),
        status=status,
        misses=issues or ((reasoning,) if reasoning and status is Status.NOT_EVALUATED else ()),
        reasoning=reasoning,
        per_turn=tuple(_read_per_turn(answer, name)),
        details=details,
    )


def read_object(stdout: bytes, name: str) -> dict[str, Any]:
    """The one JSON object that a program printed, or an EvaluatorError that names it."""
    if not stdout.strip():
        raise _explain_wrong(
            name, "printed nothing; one JSON object with a 'score' belongs on stdout"
        )
    try:
        answer = msgspec.json.decode(stdout.removeprefix(codecs.BOM_UTF8))
    except UnicodeDecodeError as error:
        raise _explain_wrong(name, f"printed bytes that are not UTF-8 ({error.reason})") from error
    except (msgspec.DecodeError, RecursionError) as error:
        raise _explain_wrong(name, _explain_not_json(stdout)) from error
    if not isinstance(answer, dict):
        raise _explain_wrong(name, f"printed {quote(answer)}; one JSON object was expected")
    return answer


def _explain_not_json(stdout: bytes) -> str:
    """Nearly always a print that was meant for a person; NaN is the next most likely."""
    text = stdout.decode(errors="replace").strip()
    last = text.rpartition("\n")[2]
    if last != text and last.startswith("{"):
        return (
            f"printed more than its result, first {quote(text)}; "
            "print to stderr, or let @evaluator of the SDK see to it"
        )
    if "NaN" in text or "Infinity" in text:
        return f"printed {quote(text)}; NaN and Infinity are not JSON"
    return f"printed {quote(text)}, which is not JSON; one JSON object was expected"


def _read_score(answer: Mapping[str, Any], name: str) -> float:
    if "score" not in answer:
        raise _explain_wrong(name, f"gave no 'score', only {quote(list(answer))}")
    score = answer["score"]
    if not is_number(score):
        raise _explain_wrong(
            name, f"gave the score {quote(score)}; a number from 0 to 1 was expected"
        )
    if not 0 <= score <= 1:
        raise _explain_wrong(name, f"gave the score {score}; it must be from 0 to 1")
    return float(score)


def _read_status(status: object, name: str) -> Status | None:
    if status is None:
        return None
    if not isinstance(status, str) or status not in _OPINIONS:
        known = ", ".join(_OPINIONS)
        raise _explain_wrong(name, f"gave the status {quote(status)}; known are {known} or null")
    return _OPINIONS[status]


def _read_per_turn(answer: Mapping[str, Any], name: str) -> Iterable[float | None]:
    scores = answer.get("per_invocation_scores", [])
    if not isinstance(scores, list) or not all(s is None or is_number(s) for s in scores):
        what = "a list of numbers and nulls was expected"
        raise _explain_wrong(name, f"gave the per_invocation_scores {quote(scores)}; {what}")
    return (None if score is None else float(score) for score in scores)


def _read_details(details: object, name: str) -> dict[str, Any]:
    if details is None:
        return {}
    if not isinstance(details, dict):
        raise _explain_wrong(
            name, f"gave the details {quote(details)}; an object or null was expected"
        )
    return details


def is_number(value: object) -> TypeGuard[float]:
    """JSON knows integers that no float can hold, and Python takes booleans for numbers."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return abs(value) <= sys.float_info.max


def _read_texts(value: object) -> tuple[str, ...]:
    return tuple(v for v in value if isinstance(v, str)) if isinstance(value, list) else ()


def quote(value: object) -> str:
    """A wrong answer as JSON spells it, cut, on one line."""
    text = json.dumps(value, ensure_ascii=True)
    return text if len(text) <= _EXCERPT else f"{text[:_EXCERPT]}…"


def _explain_wrong(name: str, what: str) -> EvaluatorError:
    return EvaluatorError(f"evaluator {name!r} {what}")
