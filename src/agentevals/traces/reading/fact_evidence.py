"""The facts that messages do not show, by the evidence that something of them is missing."""

from collections.abc import Mapping
from typing import Any

from msgspec.structs import replace

from agentevals.model.completeness import UNCOUNTED_TOKENS, Fact, Gap, Presence
from agentevals.model.conversations import Turn
from agentevals.traces.attribute_values import has_some
from agentevals.traces.reading import MalformedError

Lacks = dict[Fact, str]  # why a fact is not known

WHOLE_LOG = "Give the log as the program wrote it, with all of its lines and fields"
WHOLE_MESSAGES = (
    "Record every message with its role, content and tool calls, and these with id, name and "
    "arguments"
)


def require(fields: Mapping[str, Any], *keys: str, of: str) -> None:
    """Refuse a record that lacks what its format always has: nobody knows what it said."""
    for key in keys:
        if key not in fields:
            msg = f"has {of} without {key!r}, so it is skipped; record it again with all fields"
            raise MalformedError(msg)


def add_gaps(
    turn: Turn, lacks: Lacks, remedy: str, *, null_args: bool = False, totals: bool = False
) -> Turn:
    """Return the turn with its gaps: those named, and what its calls and requests tell.

    With `null_args`, arguments of None were recorded as null and are known. With `totals`, the
    tokens of all requests together are known.
    """
    own = {} if totals else _find_in_requests(turn)
    found = {**_find_in_calls(turn, null_args=null_args), **own, **lacks}
    if not found:
        return turn
    gaps = tuple(
        Gap(fact=fact, presence=Presence.UNKNOWN, evidence=found[fact], remedy=remedy)
        for fact in Fact
        if fact in found
    )
    if Fact.QUESTION in found:
        turn = replace(turn, user="")  # a part of a question is another one
    if Fact.ANSWER not in found or turn.response is None:
        return replace(turn, gaps=gaps)
    # an earlier text is not the answer
    return replace(turn, gaps=gaps, response=None, intermediate=(*turn.intermediate, turn.response))


def _find_in_calls(turn: Turn, *, null_args: bool) -> Lacks:
    found: Lacks = {}
    for call in turn.tool_calls:
        if not call.name:
            found[Fact.TOOL_CALLS] = "a tool call has no name"
        elif call.args is None and not null_args:
            found.setdefault(Fact.ARGUMENTS, f"the call of {call.name!r} has none")
    return found


def _find_in_requests(turn: Turn) -> Lacks:
    """Some counts without the others are less than what was used."""
    calls = [call for call in turn.model_calls if not call.failed]
    partial = has_some(n for call in calls for n in (call.input_tokens, call.output_tokens))
    return {Fact.TOKENS: UNCOUNTED_TOKENS} if partial else {}
