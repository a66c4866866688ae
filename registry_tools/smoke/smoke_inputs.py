"""Inputs that evaluators of every registry are given: an ordinary one, and hostile ones."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from agentevals_evaluator_sdk.types import PROTOCOL_VERSION

Message = dict[str, Any]

_LETTERS = "\0 \u202e \ufeff \ufffd \U0001d538 e\u0301 \U0001f469\u200d\U0001f680 \u2028 ''\"\\`"
_LONG = "The answer is 42. " * 12_000  # about 200 KB
_TURNS = 100


def build_ordinary(name: str, schema: Mapping[str, Any]) -> Message:
    """Build an ordinary input; the config has the examples of its schema."""
    turns = [
        _build_turn(
            "What is the weather in Rome?", "It is sunny in Rome.", "weather", {"city": "Rome"}
        ),
        _build_turn("And in Oslo?", "In Oslo it rains.", "weather", {"city": "Oslo"}),
    ]
    return _build_message(name, _collect_examples(schema), turns, turns)


def build_hostile(
    name: str, config: Mapping[str, Any], usual: Message
) -> Iterator[tuple[str, bytes]]:
    """Build hostile inputs, each with its name. `usual` is an input that fits `config`."""
    for what, turns, expected in _build_conversations():
        yield what, encode(_build_message(name, config, turns, expected))
    yield "without a config", encode({**usual, "config": {}})
    yield "with settings that are null", encode({**usual, "config": dict.fromkeys(config)})
    nothing = {"protocol_version": PROTOCOL_VERSION, "metric_name": name}
    yield "without anything but a name", encode(nothing)


def encode(message: Message) -> bytes:
    """Encode a message as the engine sends it."""
    return json.dumps(message, ensure_ascii=False).encode(errors="replace")


def _build_conversations() -> Iterator[tuple[str, list[Message], list[Message] | None]]:
    usual = _build_turn("Hello", "Hello, how can I help?", "greet", {})
    letters = _build_turn(_LETTERS, _LETTERS, _LETTERS, {_LETTERS: [None, True, {"": 1e308}]})
    yield "no turns", [], []
    yield "a turn that lacks everything", [{}], None
    yield "a turn without words", [{"user_content": "", "final_response": None}], [usual]
    yield "odd letters", [letters], [letters]
    yield "a long answer", [{**usual, "user_content": _LONG, "final_response": _LONG}], [usual]
    yield "many turns", [usual] * _TURNS, [usual]
    yield "figures that are none", [{**usual, "performance_metrics": {"tokens": None}}], None


def _build_turn(user: str, answer: str, tool: str, arguments: Mapping[str, Any]) -> Message:
    return {
        "invocation_id": "turn",
        "user_content": user,
        "final_response": answer,
        "intermediate_steps": {
            "tool_calls": [{"name": tool, "args": arguments, "id": "1"}],
            "tool_responses": [{"name": tool, "output": answer, "id": "1", "response": answer}],
        },
        "performance_metrics": None,
    }


def _build_message(
    name: str, config: Mapping[str, Any], turns: list[Message], expected: list[Message] | None
) -> Message:
    return {
        "protocol_version": PROTOCOL_VERSION,
        "metric_name": name,
        "threshold": 0.5,
        "config": config,
        "invocations": turns,
        "expected_invocations": expected,
    }


def _collect_examples(schema: Mapping[str, Any]) -> Message:
    """Collect the values that a schema has as examples."""
    properties = schema.get("properties")
    found = properties.items() if isinstance(properties, dict) else ()
    shown = ((key, _list_examples(one)) for key, one in found if isinstance(one, dict))
    return {key: values[0] for key, values in shown if values}


def _list_examples(schema: Mapping[str, Any]) -> list[Any]:
    if "default" in schema:
        return [schema["default"]]
    listed = schema.get("examples") or schema.get("enum")
    return listed if isinstance(listed, list) else []
