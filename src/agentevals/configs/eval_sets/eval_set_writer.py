"""Good recordings become expectations: an ADK EvalSet that eval set readers accept.

A fact that a recording does not show is not written, and the case says that it is not known.
"""

import json
import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, groupby
from typing import Any

from agentevals.configs.config_graders import find_free_name
from agentevals.configs.eval_sets.adk_eval_set import NOT_RECORDED
from agentevals.model.completeness import Fact
from agentevals.model.conversations import Conversation, ToolCall, Turn
from agentevals.text.redaction import fold_question

_WORDS = 8  # of the first user text that make a name
_LONGEST = 60  # characters of a name
# an id that somebody chose is made of words and short numbers; a random one mixes them
_WORD = r"(?:(?:[A-Z]?[^\W\d_A-Z]{2,})+|[A-Z]{2,6}|[^\W\d_])\d{0,4}|\d{1,4}"
_CHOSEN = re.compile(rf"(?:{_WORD})(?:[\W_]+(?:{_WORD}))*")
_LEFT_OUT = (Fact.ANSWER, Fact.TOOL_CALLS)  # the facts that an absent key could also deny
# what a case has instead of a conversation, and what is not known of the one it had
_REPLACED = ("conversation_scenario", "conversationScenario", NOT_RECORDED)

EvalSet = dict[str, Any]


def write_eval_set(
    conversations: Iterable[Conversation], *, eval_set_id: str, older: EvalSet | None = None
) -> tuple[EvalSet, list[str]]:
    """Return the eval set, and the ids of the cases that were written anew.

    Of an older set only the conversations of these cases are replaced: other cases, and what
    people have added to these, stay. Cases stand in the order of time: the order of files, and
    ids, are others with every recording.
    """
    whole: EvalSet = older or {"eval_set_id": eval_set_id, "eval_cases": []}
    cases: list[dict[str, Any]] = list(whole["eval_cases"])
    written: list[str] = []
    for conversation in sorted(conversations, key=_build_order_key):
        at = _find_position(conversation, cases, written)
        if at is None:
            taken = {_get_eval_id(case) for case in cases}
            cases.append({"eval_id": find_free_name(_name(conversation), taken)})
            at = len(cases) - 1
        kept = {key: value for key, value in cases[at].items() if key not in _REPLACED}
        cases[at] = kept | _write_case(conversation)
        written.append(_get_eval_id(cases[at]))
    return whole | {"eval_cases": cases}, written


def find_twins(conversations: Iterable[Conversation]) -> list[list[Conversation]]:
    """Return conversations that begin alike and are equally long: nothing tells them apart."""
    alike: dict[tuple[str, int], list[Conversation]] = {}
    for conversation in conversations:
        if not conversation.case_id and not conversation.turns[0].find_gap(Fact.QUESTION):
            opening = fold_question(conversation.turns[0].user)
            alike.setdefault((opening, len(conversation.turns)), []).append(conversation)
    return [each for each in alike.values() if len(each) > 1]


def _build_order_key(conversation: Conversation) -> tuple[int, str, str]:
    """Order by time. What began at the same moment is ordered by what was asked and done.

    Conversations without a time stay in the order in which they were given.
    """
    turns = conversation.turns
    start = min((turn.start_ns for turn in turns), default=0)
    if not start:
        return 0, "", ""
    return start, _name(conversation), json.dumps(list(_write_turns(conversation)), sort_keys=True)


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
        if fold_question(_get_opening(case)) == fold_question(conversation.turns[0].user):
            openings.append(at)
    return openings[0] if len(openings) == 1 else None


def _get_eval_id(case: dict[str, Any]) -> str:
    return str(case.get("eval_id") or case.get("evalId"))


def _get_opening(case: dict[str, Any]) -> str:
    """The older set has been read before, so its shape is known."""
    first: dict[str, Any] = next(iter(case.get("conversation") or ()), {})
    said = first.get("user_content") or first.get("userContent") or {}
    return "\n".join(part["text"] for part in said.get("parts") or () if part.get("text"))


def _name(conversation: Conversation) -> str:
    """Return the name of the recording, or one made of the user's first words.

    The id of a conversation may be another one with every recording; that is no name.
    """
    if conversation.case_id:
        return conversation.case_id
    given = conversation.conversation_id
    if given not in conversation.trace_ids and _CHOSEN.fullmatch(given):
        return given
    said = unicodedata.normalize("NFKC", conversation.turns[0].user).casefold()
    words = re.findall(r"[^\W_]+", said)[:_WORDS]
    return "-".join(words)[:_LONGEST].strip("-") or "case"


def _write_case(conversation: Conversation) -> dict[str, Any]:
    turns = list(_write_turns(conversation))
    unknown = {
        written["invocation_id"]: facts
        for written, turn in zip(turns, conversation.turns, strict=True)
        if (facts := [fact.value for fact in _LEFT_OUT if turn.find_gap(fact)])
    }
    return {"conversation": turns, **({NOT_RECORDED: unknown} if unknown else {})}


def _write_turns(conversation: Conversation) -> Iterator[dict[str, Any]]:
    """Turns are numbered: the ids of a recording would change with every recording."""
    for number, turn in enumerate(conversation.turns, start=1):
        said = [] if turn.find_gap(Fact.QUESTION) else [turn.user]
        written = {
            "invocation_id": f"turn-{number}",
            "user_content": _write_content("user", *said),
        }
        if turn.response is not None and not turn.find_gap(Fact.ANSWER):
            written["final_response"] = _write_content("model", turn.response)
        if not turn.find_gap(Fact.TOOL_CALLS):
            written["intermediate_data"] = _write_calls(turn)
        yield written


def _write_content(role: str, *said: str) -> dict[str, Any]:
    return {"role": role, "parts": [{"text": text} for text in said]}


def _write_calls(turn: Turn) -> dict[str, Any]:
    calls = _order_calls(turn.tool_calls)
    both = [(_write_id(call, number), call) for number, call in enumerate(calls, 1)]
    return {
        "tool_uses": [{**own, **_write_call(call)} for own, call in both],
        "tool_responses": [{**own, **_write_response(call)} for own, call in both if call.answered],
        "intermediate_responses": [],
    }


def _write_id(call: ToolCall, number: int) -> dict[str, str]:
    if not call.call_id:
        return {}
    return {"id": call.call_id if _CHOSEN.fullmatch(call.call_id) else f"call-{number}"}


def _order_calls(calls: Iterable[ToolCall]) -> list[ToolCall]:
    """Order calls that began at the same moment by what they ask for, and no longer by ids."""
    groups: Iterator[Sequence[ToolCall]] = (
        list(alike) for _, alike in groupby(calls, key=lambda call: (call.timed, call.start_ns))
    )
    return list(chain.from_iterable(_order_simultaneous(alike) for alike in groups))


def _order_simultaneous(calls: Sequence[ToolCall]) -> Sequence[ToolCall]:
    if not calls[0].timed:
        return calls  # in the order of the messages
    return sorted(calls, key=lambda call: json.dumps(_write_call(call), sort_keys=True))


def _write_call(call: ToolCall) -> dict[str, Any]:
    stated = {} if call.args is None else {"args": call.args}
    return {"name": call.name, **stated}


def _write_response(call: ToolCall) -> dict[str, Any]:
    """ADK wants an object; anything else is put into one, as ADK itself does."""
    given = call.response
    if call.failed and call.error and given is None:
        given = {"error": call.error}
    return {
        "name": call.name,
        "response": given if isinstance(given, dict) else {"result": given},
    }
