"""Turns of a trace that lacks spans: what is below a lost span may be a part of another turn."""

from collections.abc import Sequence
from typing import Protocol

from agentevals.model.conversations import Span
from agentevals.traces.turns.tree import SpanTree

TORN = "the span above it was not recorded, and it may be a part of another turn of the trace"
PARTLY_TORN = "a span was not recorded, and what is below it may be a part of this turn"
_SERVED = frozenset({"url.path", "http.target", "http.route", "rpc.method"})  # as servers write


class Tearable(Protocol):
    """A turn in the making."""

    anchor: Span
    torn: str


def find_torn(turn: Tearable, *, says: bool) -> tuple[str, str] | None:
    """Return the evidence that a question, or an answer, may be of another turn, and a remedy.

    A turn that lost what is below it is asked, and has answered, what its own span `says`.
    """
    return (turn.torn, "") if turn.torn and not (says and turn.torn == PARTLY_TORN) else None


def mark_torn(turns: Sequence[Tearable], tree: SpanTree) -> None:
    """Mark the turns of a trace if some are below a lost span.

    A turn alone is whole: the lost span is that of who has called the program. So are those that a
    server was asked for, one after the other, by a program that was not recorded.
    """
    if len(turns) < 2:  # noqa: PLR2004 -- a turn alone
        return
    tops = [tree.find_top(turn.anchor) for turn in turns]
    if not any(top.parent_id for top in tops):
        return
    if all(top.parent_id and not _SERVED.isdisjoint(top.attributes) for top in tops):
        return
    for turn, top in zip(turns, tops, strict=True):
        turn.torn = TORN if top.parent_id else PARTLY_TORN
