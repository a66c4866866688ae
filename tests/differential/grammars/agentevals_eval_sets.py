"""Eval sets in the format of ADK, with cases that some trace answers and some that none does."""

from typing import Any

from pydantic.alias_generators import to_camel

from tests.differential.draw import Draw
from tests.differential.grammars.agentevals_turns import Turn

FORMS = ("uses", "events", "none", "uses with answers", "null")


def make_eval_set(draw: Draw, conversations: list[list[Turn]]) -> dict[str, Any]:
    """An eval set with these cases, in order."""
    cases = [_write_case(draw, number, turns) for number, turns in enumerate(conversations)]
    found: dict[str, Any] = {"eval_set_id": "set", "eval_cases": cases}
    return found | ({"name": "orders", "description": "d"} if draw.chance(0.2) else {})


def _write_case(draw: Draw, number: int, turns: list[Turn]) -> dict[str, Any]:
    written = [_write_turn(draw, at, turn) for at, turn in enumerate(turns)]
    case = {"eval_id": f"case-{number}", "conversation": written}
    return (
        _spell_camel(case)
        if draw.choose("spelling", ("snake", "snake", "camel")) == "camel"
        else case
    )


def _write_turn(draw: Draw, number: int, turn: Turn) -> dict[str, Any]:
    written: dict[str, Any] = {"user_content": _content("user", turn["user"])}
    if draw.chance(0.8):
        written["invocation_id"] = f"expected-{number}"
    if draw.choose("expected answer", ("text", "text", "text", "text", "none")) == "text":
        written["final_response"] = _content("model", turn["answer"])
    data = _write_data(draw.choose("form", FORMS), turn)
    return written | ({} if data is None else {"intermediate_data": data})


def _content(role: str, text: str) -> dict[str, Any]:
    return {"role": role, "parts": [{"text": text}]}


def _write_data(form: str, turn: Turn) -> dict[str, Any] | None:
    calls = [_write_call(call) for call in turn["calls"]]
    if form == "events":
        events = [
            {"author": "agent", "content": {"role": "model", "parts": [{"function_call": call}]}}
            for call in calls
        ]
        return {"invocation_events": events}
    if form.startswith("uses"):
        answered = [
            {"name": call["name"], "response": {"result": "r"}, "id": f"e{number}"}
            for number, call in enumerate(calls)
        ]
        return {"tool_uses": calls, "tool_responses": answered if "answers" in form else []}
    return None


def _write_call(call: Turn) -> dict[str, Any]:
    if isinstance(call["args"], dict):
        return {"name": call["name"], "args": call["args"]}
    return {"name": call["name"], "args": {"value": call["args"]}}


_USERS_OWN = frozenset({"args", "response"})


def _spell_camel(value: Any) -> Any:
    if isinstance(value, dict):
        return {
            to_camel(key): inner if key in _USERS_OWN else _spell_camel(inner)
            for key, inner in value.items()
        }
    return [_spell_camel(inner) for inner in value] if isinstance(value, list) else value
