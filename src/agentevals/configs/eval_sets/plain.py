"""Eval cases in the words that ADK and `bless` write: read without a look at every other spelling.

What is written otherwise is left to `adk`, which knows all spellings and says what is wrong. Both
make equal expectations of what both can read.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import msgspec
from msgspec import UNSET, UnsetType

from agentevals.configs.eval_sets.pairs import pair_responses
from agentevals.configs.plan import Expectation
from agentevals.files import documents, json_
from agentevals.files.places import DEEPEST
from agentevals.model.conversations import Turn

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
    def texts(self) -> list[str]:
        return [part.text for part in self.parts or () if part.text]


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

    def turn(self) -> Turn:
        done, answer = self.intermediate_data or _Done(), self.final_response
        calls, left = pair_responses(done.tool_uses or (), done.tool_responses or ())
        if left:
            raise ValueError  # `adk` has words for it
        return Turn(
            turn_id=self.invocation_id or "",
            user="\n".join(self.user_content.texts),
            response=None if answer is None else "\n".join(answer.texts),
            tool_calls=tuple(calls),
            invocation=msgspec.to_builtins(self),
        )


class _Case(_Plain):
    eval_id: str
    conversation: list[_Invocation]
    creation_timestamp: float = 0.0

    def expectation(self) -> Expectation:
        turns = tuple([invocation.turn() for invocation in self.conversation])
        return Expectation(
            case_id=self.eval_id, turns=turns, opening=turns[0].user if turns else ""
        )


class _Outline(_Plain):
    """A set whose cases nobody has looked into yet."""

    eval_set_id: str
    eval_cases: list[msgspec.Raw]
    name: str | None = None
    description: str | None = None
    creation_timestamp: float = 0.0


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
        return found.eval_set_id, [case.expectation() for case in found.eval_cases]
    except (ValueError, RecursionError):
        return None


def read_case(record: dict[str, Any]) -> Expectation | None:
    """Return an eval case; None if any of it is written otherwise."""
    try:
        return msgspec.convert(record, _Case).expectation()
    except (ValueError, RecursionError):
        return None


def read_file(
    path: Path, *, invocations: bool = True
) -> tuple[str | None, list[Expectation]] | None:
    """Return the id of the set in a file, if it has one, and its cases.

    None if any of it is written otherwise. The values of JSON take several times the memory of
    what is read out of them, so that only those of one case are there at a time.
    """
    text = documents.read_text(path)
    outline = _list_lines(text) if path.suffix.lower() in _LINES else _list_cases(text)
    if outline is None:
        return None
    eval_set_id, written, around = outline
    cases: dict[str, Expectation] = {}
    for each in written:
        case = _read_alone(each, around)
        if case is None or case.case_id in cases:
            return None
        cases[case.case_id] = case if invocations else case.drop_invocations()
    return (eval_set_id, list(cases.values())) if cases else None


def _read_canonical(written: str, around: int) -> Expectation | None:
    """Return a case that is what writing it anew gives: no key in it stands there twice."""
    if around + written.count("{") + written.count("[") > DEEPEST:
        return None
    data = written.encode()
    try:
        case = _decode_case(data)
        if msgspec.json.encode(case) == msgspec.json.format(data, indent=-1):
            return case.expectation()
    except (ValueError, RecursionError):
        pass  # the slow way tells what is wrong
    return None


def _list_lines(text: str) -> tuple[None, list[str], int]:
    return None, [line for line in text.split("\n") if line.strip()], 0


def _list_cases(text: str) -> tuple[str, list[str], int] | None:
    """Return the id of a set, and each case as it is written."""
    try:
        found = msgspec.json.decode(text, type=_Outline)
        written = [bytes(case).decode() for case in found.eval_cases]
        json_.load(_cut_out(text, written))
    except (ValueError, RecursionError):
        return None
    return found.eval_set_id, written, 2


def _cut_out(text: str, cases: Sequence[str]) -> str:
    """Return a set without its cases: it is short enough to look at every key."""
    start = end = text.index(cases[0]) if cases else 0
    for case in cases:
        at = text.index(case, end)
        if text[end:at].strip() not in {"", ","}:
            raise ValueError
        end = at + len(case)
    return text[:start] + text[end:]


def _read_alone(written: str, around: int) -> Expectation | None:
    """Return a case that lies so many levels deep in its file."""
    if case := _read_canonical(written, around):
        return case
    try:
        record = json_.load("[" * around + written + "]" * around)
    except ValueError:
        return None
    for _ in range(around):
        record = record[0]
    return read_case(record) if isinstance(record, dict) else None
