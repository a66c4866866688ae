"""Builders that tests share."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from agentevals.model import Case, Conversation, Turn

DATA = Path(__file__).parent / "data"


def turn(response: str | None = "done", user: str = "hello", **fields: Any) -> Turn:
    """One turn of a conversation."""
    return Turn(turn_id="i1", user=user, response=response, **fields)


def conversation(*turns: Turn, name: str = "c1", **fields: Any) -> Conversation:
    """Turns that belong together."""
    return Conversation(conversation_id=name, trace_ids=(name,), turns=turns, **fields)


def case(answer: str | None = "done", **fields: Any) -> Case:
    """A one-turn case whose agent said `answer`."""
    return Case(conversation=conversation(turn(answer)), **fields)


def paired(turns: Iterable[Turn], expected: Iterable[Turn] | None) -> Case:
    """Recorded turns, and those an eval set expects if there is one."""
    wanted = None if expected is None else tuple(expected)
    return Case(conversation=conversation(*turns), expected=wanted)
