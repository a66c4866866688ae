"""The traces that both sides are measured on."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

_START = 1_700_000_000_000_000_000
_MS = 1_000_000
_QUESTION = "What is the weather in Rome?"

# a typed document of OTLP in a program of its own
TYPED_DOCUMENT = """\
import gc, time, pathlib, msgspec
class AnyValue(msgspec.Struct, gc=False):
    stringValue: str | None = None
    intValue: str | int | None = None
    doubleValue: float | None = None
    boolValue: bool | None = None
class KeyValue(msgspec.Struct, gc=False):
    key: str
    value: AnyValue
class Event(msgspec.Struct):
    name: str = ""
    timeUnixNano: str | int = 0
    attributes: list[KeyValue] = []
class Span(msgspec.Struct):
    traceId: str
    spanId: str
    name: str
    startTimeUnixNano: str | int
    endTimeUnixNano: str | int
    parentSpanId: str = ""
    kind: int = 0
    attributes: list[KeyValue] = []
    events: list[Event] = []
class ScopeSpans(msgspec.Struct):
    spans: list[Span] = []
class ResourceSpans(msgspec.Struct):
    scopeSpans: list[ScopeSpans] = []
class Document(msgspec.Struct):
    resourceSpans: list[ResourceSpans] = []
"""

EVALUATOR = """\
from agentevals_evaluator_sdk import EvalInput, EvalResult, evaluator


@evaluator
def score(given: EvalInput) -> EvalResult:
    answered = [1.0 if turn.final_response else 0.0 for turn in given.invocations]
    return EvalResult(score=sum(answered) / len(answered), per_invocation_scores=answered)


if __name__ == "__main__":
    score.run()
"""


def small_traces(path: Path, count: int) -> None:
    """Traces of four spans each: an agent, two model calls, a tool."""
    spans = [span for number in range(count) for span in _trace(number)]
    path.write_text(json.dumps(make_document(spans)), encoding="utf-8")


def eval_set(path: Path, count: int = 0) -> None:
    """One case, which every small trace answers; or one for each of so many large lines."""
    cases = [_case(f"rome-{n}", _ask(n)) for n in range(1, count + 1)] or [_case("rome", _ask())]
    path.write_text(json.dumps({"eval_set_id": "s", "eval_cases": cases}), encoding="utf-8")


def _case(name: str, question: str) -> dict[str, Any]:
    turn = {
        "invocation_id": "g1",
        "user_content": {"role": "user", "parts": [{"text": question}]},
        "final_response": {"role": "model", "parts": [{"text": "It is sunny in Rome today."}]},
        "intermediate_data": {"tool_uses": [{"name": "weather", "args": {"city": "Rome"}}]},
    }
    return {"eval_id": name, "conversation": [turn]}


def _ask(number: int = 0) -> str:
    return f"What is the weather in Rome on day {number}?" if number else _QUESTION


def three_evaluators(folder: Path) -> Path:
    """A config of three Python evaluators that use the SDK."""
    lines = ["evaluators:"]
    for name in ("first", "second", "third"):
        (folder / f"{name}.py").write_text(EVALUATOR, encoding="utf-8")
        lines += [f"  - name: {name}", "    type: code", f"    path: ./{name}.py"]
    config = folder / "eval_config.yaml"
    config.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return config


def large_document(path: Path, megabytes: int) -> None:
    """One OTLP document of model calls with long messages."""
    size, spans, number = 0, [], 0
    while size < megabytes * 2**20:
        batch = [_model_call(number + offset, words=60) for offset in range(100)]
        number += len(batch)
        spans += batch
        size += len(json.dumps(batch))
    path.write_text(json.dumps(make_document(spans)), encoding="utf-8")


def large_lines(path: Path, megabytes: int) -> int:
    """OTLP JSON lines until the file is large enough, one small trace each. Return their number."""
    template = json.dumps(make_document(list(_trace(0, words=400))), separators=(",", ":"))
    trace_id = f"{1:032x}"
    with path.open("w", encoding="utf-8") as file:
        written = number = 0
        while written < megabytes * 2**20:
            number += 1
            line = template.replace(trace_id, f"{number:032x}").replace(_QUESTION, _ask(number))
            written += file.write(line + "\n")
    return number


def make_document(spans: list[dict[str, Any]]) -> dict[str, Any]:
    resource = {"attributes": _attributes({"service.name": "bench"})}
    scope = {"scope": {"name": "bench"}, "spans": spans}
    return {"resourceSpans": [{"resource": resource, "scopeSpans": [scope]}]}


def _trace(number: int, words: int = 0) -> Iterator[dict[str, Any]]:
    padding = "lorem ipsum " * words
    asked = [make_message("user", {"type": "text", "content": _QUESTION})]
    call = {"type": "tool_call", "id": "c1", "name": "weather", "arguments": {"city": "Rome"}}
    answer = make_message(
        "assistant", {"type": "text", "content": "It is sunny in Rome." + padding}
    )
    tool = {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "weather",
        "gen_ai.tool.call.id": "c1",
        "gen_ai.tool.call.arguments": '{"city": "Rome"}',
        "gen_ai.tool.call.result": '{"sky": "sunny"}',
    }
    agent = {"gen_ai.operation.name": "invoke_agent"}
    yield make_span((number, 1, 0), "invoke_agent bench", (0, 900), agent)
    yield make_span(
        (number, 2, 1), "chat m", (10, 300), make_chat(asked, [make_message("assistant", call)])
    )
    yield make_span((number, 3, 1), "execute_tool weather", (310, 400), tool)
    yield make_span((number, 4, 1), "chat m", (410, 800), make_chat(asked, [answer]))


def _model_call(number: int, words: int) -> dict[str, Any]:
    asked = [make_message("user", {"type": "text", "content": "lorem ipsum dolor " * words})]
    answer = [make_message("assistant", {"type": "text", "content": "sit amet " * words})]
    return make_span((number, 1, 0), "chat m", (0, 500), make_chat(asked, answer))


def make_chat(asked: list[Any], answered: list[Any]) -> dict[str, Any]:
    return {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": "scripted",
        "gen_ai.request.model": "m",
        "gen_ai.usage.input_tokens": 100,
        "gen_ai.usage.output_tokens": 20,
        "gen_ai.input.messages": json.dumps(asked),
        "gen_ai.output.messages": json.dumps(answered),
    }


def make_message(role: str, part: dict[str, Any]) -> dict[str, Any]:
    return {"role": role, "parts": [part]}


def make_span(
    place: tuple[int, int, int],
    name: str,
    milliseconds: tuple[int, int],
    attributes: dict[str, Any],
) -> dict[str, Any]:
    """`place` is the trace's number, the span's and its parent's (0 for none)."""
    number, index, parent = place
    begun = _START + number * 1000 * _MS
    start, end = milliseconds
    return {
        "traceId": f"{number + 1:032x}",
        "spanId": f"{number * 8 + index:016x}",
        **({"parentSpanId": f"{number * 8 + parent:016x}"} if parent else {}),
        "name": name,
        "kind": 1,
        "startTimeUnixNano": str(begun + start * _MS),
        "endTimeUnixNano": str(begun + end * _MS),
        "attributes": _attributes(attributes),
        "status": {"code": 1},
    }


def _attributes(values: dict[str, Any]) -> list[dict[str, Any]]:
    return [
        {"key": key, "value": {"intValue": str(v)} if isinstance(v, int) else {"stringValue": v}}
        for key, v in values.items()
    ]
