"""The protocol with programs that are not ours: a Case as EvalInput, an EvalResult as a Grade."""

import codecs
import json
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import msgspec

from agentevals.model.cases import Grade, Status
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


class _EvalInput(msgspec.Struct):
    protocol_version: str
    metric_name: str
    threshold: float
    config: Mapping[str, Any]
    invocations: list[_Invocation]
    expected_invocations: list[_Invocation] | None


class Asked(msgspec.Struct, frozen=True):
    """What one evaluator is asked to judge by: its name, its threshold and its own settings."""

    metric_name: str
    threshold: float = 0.5
    config: Mapping[str, Any] = {}


def eval_input(
    asked: Asked,
    turns: Sequence[Turn],
    expected: Sequence[Turn] | None = None,
    performance: Mapping[str, Any] | None = None,
    turn_performance: Sequence[Mapping[str, Any]] = (),
) -> bytes:
    """What an evaluator reads on stdin. `performance` is the conversation's, told on every turn."""
    try:
        invocations = [_invocation(turn) for turn in turns]
        for turn, invocation in zip(turns, invocations, strict=True):
            invocation.performance_metrics = performance
            invocation.trace_id = turn.trace_id or None
            invocation.span_id = turn.span_id or None
        for invocation, figures in zip(invocations, turn_performance, strict=False):
            invocation.turn_performance_metrics = figures
        goldens = None if expected is None else [_invocation(turn) for turn in expected]
        return _encoded(
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


def _invocation(turn: Turn) -> _Invocation:
    return _Invocation(
        invocation_id=turn.turn_id,
        user_content=turn.user,
        final_response=turn.response or None,
        intermediate_steps=_Steps(
            [_ToolCall(call.name, call.args or {}, call.call_id) for call in turn.tool_calls],
            [_response(call) for call in turn.tool_calls if call.answered or call.failed],
        ),
    )


def _response(call: ToolCall) -> _ToolResponse:
    return _ToolResponse(
        name=call.name,
        output=_as_text(call.response),
        status="error" if call.failed else None,
        id=call.call_id,
        response=call.response,
    )


def _as_text(response: Any) -> str:
    if response is None:
        return ""
    if isinstance(response, str):
        return response
    return json.dumps(response, sort_keys=True, ensure_ascii=False, default=str)


def _encoded(message: _EvalInput) -> bytes:
    try:
        return msgspec.json.encode(message)
    except UnicodeEncodeError:  # half of a surrogate pair, which JSON can spell and UTF-8 cannot
        text = json.dumps(msgspec.to_builtins(message), ensure_ascii=False, separators=(",", ":"))
        return text.encode(errors="replace")


def grade(stdout: bytes, *, name: str) -> Grade:
    """What an evaluator wrote on stdout, or an EvaluatorError that says what is wrong with it."""
    answer = object_in(stdout, name)
    details = _details(answer.get("details"), name)
    status = _status(answer.get("status"), name)
    issues = _texts(details.get("issues"))
    reasons = (details.get(key) for key in ("explanation", "reasoning", "rationale", "reason"))
    reasoning = next((text for text in reasons if isinstance(text, str)), "")
    return Grade(
        score=_score(answer, name),
        status=status,
        misses=issues or ((reasoning,) if reasoning and status is Status.NOT_EVALUATED else ()),
        reasoning=reasoning,
        per_turn=tuple(_per_turn(answer, name)),
        details=details,
    )


def object_in(stdout: bytes, name: str) -> dict[str, Any]:
    """The one JSON object that a program printed, or an EvaluatorError that names it."""
    if not stdout.strip():
        raise _wrong(name, "printed nothing; one JSON object with a 'score' belongs on stdout")
    try:
        answer = msgspec.json.decode(stdout.removeprefix(codecs.BOM_UTF8))
    except UnicodeDecodeError as error:
        raise _wrong(name, f"printed bytes that are not UTF-8 ({error.reason})") from error
    except (msgspec.DecodeError, RecursionError) as error:
        raise _wrong(name, _not_json(stdout)) from error
    if not isinstance(answer, dict):
        raise _wrong(name, f"printed {shown(answer)}; one JSON object was expected")
    return answer


def _not_json(stdout: bytes) -> str:
    """Nearly always a print that was meant for a person; NaN is the next most likely."""
    text = stdout.decode(errors="replace").strip()
    last = text.rpartition("\n")[2]
    if last != text and last.startswith("{"):
        return (
            f"printed more than its result, first {shown(text)}; "
            "print to stderr, or let @evaluator of the SDK see to it"
        )
    if "NaN" in text or "Infinity" in text:
        return f"printed {shown(text)}; NaN and Infinity are not JSON"
    return f"printed {shown(text)}, which is not JSON; one JSON object was expected"


def _score(answer: Mapping[str, Any], name: str) -> float:
    if "score" not in answer:
        raise _wrong(name, f"gave no 'score', only {shown(list(answer))}")
    score = answer["score"]
    if not is_number(score):
        raise _wrong(name, f"gave the score {shown(score)}; a number from 0 to 1 was expected")
    if not 0 <= score <= 1:
        raise _wrong(name, f"gave the score {score}; it must be from 0 to 1")
    return float(score)


def _status(status: object, name: str) -> Status | None:
    if status is None:
        return None
    if not isinstance(status, str) or status not in _OPINIONS:
        known = ", ".join(_OPINIONS)
        raise _wrong(name, f"gave the status {shown(status)}; known are {known} or null")
    return _OPINIONS[status]


def _per_turn(answer: Mapping[str, Any], name: str) -> Iterable[float | None]:
    scores = answer.get("per_invocation_scores", [])
    if not isinstance(scores, list) or not all(s is None or is_number(s) for s in scores):
        what = "a list of numbers and nulls was expected"
        raise _wrong(name, f"gave the per_invocation_scores {shown(scores)}; {what}")
    return (None if score is None else float(score) for score in scores)


def _details(details: object, name: str) -> dict[str, Any]:
    if details is None:
        return {}
    if not isinstance(details, dict):
        raise _wrong(name, f"gave the details {shown(details)}; an object or null was expected")
    return details


def is_number(value: object) -> bool:
    """JSON knows integers that no float can hold, and Python takes booleans for numbers."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return abs(value) <= sys.float_info.max


def _texts(value: object) -> tuple[str, ...]:
    return tuple(v for v in value if isinstance(v, str)) if isinstance(value, list) else ()


def shown(value: object) -> str:
    """A wrong answer as JSON spells it, cut, on one line."""
    text = json.dumps(value, ensure_ascii=True)
    return text if len(text) <= _EXCERPT else f"{text[:_EXCERPT]}…"


def _wrong(name: str, what: str) -> EvaluatorError:
    return EvaluatorError(f"evaluator {name!r} {what}")
