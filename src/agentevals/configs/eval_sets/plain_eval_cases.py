"""Eval cases in the words that ADK and `bless` write: read without a look at every other spelling.

What is written otherwise is left to `adk`, which knows all spellings and says what is wrong. Both
make equal expectations of what both can read.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import msgspec
from msgspec import UNSET, UnsetType

from agentevals.configs.eval_sets import large_eval_sets
from agentevals.configs.eval_sets.adk_contents import pair_responses
from agentevals.configs.eval_sets.large_eval_sets import KeptCase, Shelf
from agentevals.configs.plan import Expectation
from agentevals.files import json_reader
from agentevals.files.document_places import DEEPEST
from agentevals.files.spool import UNSTORABLE
from agentevals.model.conversations import ToolCall, Turn

_LINES = {".jsonl", ".ndjson"}

_Nothing = Annotated[list[Any], msgspec.Meta(max_length=0)]


class _Plain(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True, gc=False):
    """Its members stand in the order of those of `adk`, because a turn keeps them as they are."""


class _Text(_Plain):
    text: str | None = None


class _Content(_Plain):
    role: str | None = None
    parts: list[_Text] | None = None

    @property
    def text(self) -> str:
        return "\n".join([part.text for part in self.parts or () if part.text])


class _Call(_Plain):
    name: str
    args: dict[str, Any] | None = None
    id: str | None = None


class _Response(_Plain):
    name: str | None = None
    response: Any = None
    id: str | None = None


class _Done(_Plain):
    tool_uses: list[_Call] | None = None
    tool_responses: list[_Response] | None = None
    intermediate_responses: _Nothing | None = None


class _Invocation(_Plain, kw_only=True):
    invocation_id: str | UnsetType = UNSET
    user_content: _Content
    final_response: _Content | None = None
    intermediate_data: _Done | None = None
    creation_timestamp: float | UnsetType = UNSET

    def turn(self, *, invocations: bool) -> Turn:
        done, answer = self.intermediate_data, self.final_response
        calls: tuple[ToolCall, ...] = ()
        if done and (done.tool_uses or done.tool_responses):
            paired, left = pair_responses(done.tool_uses or (), done.tool_responses or ())
            if left:
                raise ValueError  # `adk` has words for it
            calls = tuple(paired)
        return Turn(
            turn_id=self.invocation_id or "",
            user=self.user_content.text,
            response=None if answer is None else answer.text,
            tool_calls=calls,
            invocation=msgspec.to_builtins(self) if invocations else {},
        )


class _Case(_Plain):
    eval_id: str
    conversation: list[_Invocation]
    creation_timestamp: float = 0.0

    def keep(self, *, invocations: bool = True) -> KeptCase:
        turns = tuple([one.turn(invocations=invocations) for one in self.conversation])
        return KeptCase(self.eval_id, turns)


class _Set(_Plain):
    eval_set_id: str
    eval_cases: list[_Case]
    name: str | None = None
    description: str | None = None
    creation_timestamp: float = 0.0


_decode_case = msgspec.json.Decoder(_Case).decode


def read_set(record: dict[str, Any]) -> tuple[str, Sequence[Expectation]] | None:
    """Return the id of an eval set and its cases; None if any of it is written otherwise."""
    try:
        found = msgspec.convert(record, _Set)
        return found.eval_set_id, [case.keep().expectation() for case in found.eval_cases]
    except (ValueError, RecursionError):
        return None


def read_case(record: dict[str, Any]) -> Expectation | None:
    """Return an eval case; None if any of it is written otherwise."""
    try:
        return msgspec.convert(record, _Case).keep().expectation()
    except (ValueError, RecursionError):
        return None


def read_file(
    path: Path, *, invocations: bool = True
) -> tuple[str | None, Sequence[Expectation]] | None:
    """Return the id of the set in a file, if it has one, and its cases.

    None if any of it is written otherwise. The values of JSON take several times the memory of
    what is read out of them, so that only those of one case are there at a time.
    """
    shelf = Shelf()
    try:
        with large_eval_sets.open_file(path) as file:
            is_set = path.suffix.lower() not in _LINES
            eval_set_id = file.read_outline() if is_set else None
            written, around = (file.cut_items(), 2) if is_set else (file.list_lines(), 0)
            for each in written:
                case = _read_alone(each, around, invocations=invocations)
                if not shelf.add(case, len(each)):
                    return None
    except (OSError, ValueError, RecursionError, *UNSTORABLE):
        return None  # the slow way tells what is wrong
    cases = shelf.list_cases()
    return (eval_set_id, cases) if cases else None


def _read_alone(written: bytes, around: int, *, invocations: bool) -> KeptCase:
    """Return a case that lies so many levels deep in its file, or raise a ValueError."""
    if case := _read_canonical(written, around):
        return case.keep(invocations=invocations)
    record = json_reader.load("[" * around + written.decode() + "]" * around)
    for _ in range(around):
        record = record[0]
    return msgspec.convert(record, _Case).keep(invocations=invocations)


def _read_canonical(written: bytes, around: int) -> _Case | None:
    """Return a case that is what writing it anew gives: no key in it stands there twice."""
    if around + written.count(b"{") + written.count(b"[") > DEEPEST:
        return None
    try:
        case = _decode_case(written)
        return (
            case if msgspec.json.encode(case) == msgspec.json.format(written, indent=-1) else None
        )
    except (ValueError, RecursionError):
        return None  # the slow way tells what is wrong
