"""Builders that tests share."""

import subprocess
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from agentevals.model.cases import Case
from agentevals.model.conversations import Conversation, Turn
from tests import forked

DATA = Path(__file__).parent / "data"
UPDATE = "run `make generated` and read the diff"
EXAMPLES = Path(__file__).parents[1] / "examples"
DOCS = Path(__file__).parents[1] / "docs"


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


def agentevals(
    *words: str, cwd: Path | None = None, **variables: str
) -> subprocess.CompletedProcess[str]:
    """The command line, in an environment that is the same everywhere."""
    usual = {"PATH": "/usr/bin:/bin", "HOME": "/nonexistent", "LANG": "C.UTF-8"}
    return forked.run("agentevals", words, cwd=cwd, env=usual | variables)
