"""Good recordings become expectations: an ADK EvalSet that eval set readers accept."""

import re
import unicodedata
from collections.abc import Iterable, Iterator
from typing import Any

from agentevals.configs.building import find_free_name
from agentevals.model.conversations import Conversation, ToolCall

_WORDS = 8  # of the first user text that make a name
_LONGEST = 60  # characters of a name
_RANDOM = re.compile(r"[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}|[0-9a-f]{32}", re.IGNORECASE)
# what a case has instead of a conversation
_SCENARIO = ("conversation_scenario", "conversationScenario")

EvalSet = dict[str, Any]


def write_eval_set(
    conversations: Iterable[Conversation], *, eval_set_id: str, older: EvalSet | None = None
) -> tuple[EvalSet, list[str]]:
    """Return the eval set, and the ids of the cases that were written anew.

    Of an older set only the conversations of these cases are replaced: other cases, and what
    people have added to these, stay.
    """
    whole: EvalSet = older or {"eval_set_id": eval_set_id, "eval_cases": []}
    cases: list[dict[str, Any]] = list(whole["eval_cases"])
    written: list[str] = []
    for conversation in conversations:
        at = _find_position(conversation, cases, written)
        if at is None:
            taken = {_get_eval_id(case) for case in cases}
            cases.append({"eval_id": find_free_name(_name(conversation), taken)})
            at = len(cases) - 1
        kept = {key: value for key, value in cases[at].items() if key not in _SCENARIO}
        cases[at] = kept | {"conversation": list(_write_turns(conversation))}
        written.append(_get_eval_id(cases[at]))
    return whole | {"eval_cases": cases}, written


def find_twins(conversations: Iterable[Conversation]) -> list[list[Conversation]]:
    """Return conversations that begin alike and are equally long: nothing tells them apart."""
    alike: dict[tuple[str, int], list[Conversation]] = {}
    for conversation in conversations:
        if not conversation.case_id:
            opening = _normalise(conversation.turns[0].user)
            alike.setdefault((opening, len(conversation.turns)), []).append(conversation)
    return [each for each in alike.values() if len(each) > 1]


def _find_position(
    conversation: Conversation, cases: list[dict[str, Any]], written: list[str]
) -> int | None:
    """Return the older case that this conversation answers: by its id, else by its only opening."""
    name = _name(conversation)
    openings: list[int] = []
    for at, case in enumerate(cases):
        if _get_eval_id(case) in written:
            continue
        if _get_eval_id(case) == name:
            return at
        if _normalise(_get_opening(case)) == _normalise(conversation.turns[0].user):
            openings.append(at)
    return openings[0] if len(openings) == 1 else None


def _get_eval_id(case: dict[str, Any]) -> str:
    return str(case.get("eval_id") or case.get("evalId"))


def _get_opening(case: dict[str, Any]) -> str:
    """The older set has been read before, so its shape is known."""
    first: dict[str, Any] = next(iter(case.get("conversation") or ()), {})
    said = first.get("user_content") or first.get("userContent") or {}
    return "\n".join(part["text"] for part in said.get("parts") or () if part.get("text"))


def _normalise(said: str) -> str:
    return " ".join(said.split()).casefold()


def _name(conversation: Conversation) -> str:
    """Return the name of the recording, or one made of the user's first words.

    The id of a conversation may be another one with every recording; that is no name.
    """
    if conversation.case_id:
        return conversation.case_id
    given = conversation.conversation_id
    if given not in conversation.trace_ids and not _RANDOM.search(given):
        return given
    said = unicodedata.normalize("NFKC", conversation.turns[0].user).casefold()
    words = re.findall(r"[^\W_]+", said)[:_WORDS]
    return "-".join(words)[:_LONGEST].strip("-") or "case"


def _write_turns(conversation: Conversation) -> Iterator[dict[str, Any]]:
    """Turns are numbered: the ids of a recording would change with every recording."""
    for number, turn in enumerate(conversation.turns, start=1):
        response, calls = turn.response, turn.tool_calls
        yield {
            "invocation_id": f"turn-{number}",
            "user_content": _write_content("user", turn.user),
            **({} if response is None else {"final_response": _write_content("model", response)}),
            "intermediate_data": {
                "tool_uses": [_write_call(call) for call in calls],
                "tool_responses": [_write_response(call) for call in calls if call.answered],
                "intermediate_responses": [],
            },
        }


def _write_content(role: str, said: str) -> dict[str, Any]:
    return {"role": role, "parts": [{"text": said}]}


def _write_call(call: ToolCall) -> dict[str, Any]:
    stated = {} if call.args is None else {"args": call.args}
    return {**_write_id(call), "name": call.name, **stated}


def _write_response(call: ToolCall) -> dict[str, Any]:
    """ADK wants an object; anything else is put into one, as ADK itself does."""
    given = call.response
    if call.failed and call.error and given is None:
        given = {"error": call.error}
    return {
        **_write_id(call),
        "name": call.name,
        "response": given if isinstance(given, dict) else {"result": given},
    }


def _write_id(call: ToolCall) -> dict[str, str]:
    return {"id": call.call_id} if call.call_id else {}
