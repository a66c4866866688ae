"""`report.json` of somebody else: of a fork, say, which may have written anything into it."""

import json
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import Any, TypeVar

import msgspec

from agentevals.files import json_reader
from agentevals.files.document_places import DEEPEST, quote
from agentevals.model.errors import InputError
from agentevals.model.noun import Noun
from agentevals.model.outcome import Outcome, Place
from agentevals.model.plugins import suggestion
from agentevals.model.results import Finding, Report
from agentevals.model.review import SCHEMA_VERSION, Review
from agentevals.report.outputs.report import Document
from agentevals.sandbox import cancelling
from agentevals.text.terminal import plain

_EXIT_CODES = {*range(5), *cancelling.EXIT_CODES}
_WIDEST = 2**63  # integers beyond it are no figure of a run
_SHOWN = 300  # characters of a complaint
_UNLIKE = (
    "not valid JSON: a key stands twice in one object, a number is too large or none, "
    f"or it is nested deeper than {DEEPEST} levels"
)


class Limits(Noun, frozen=True):
    """The most that is read: bytes, values, characters of one text, items of one list or object."""

    size: int = 64 * 2**20
    values: int = 4_000_000
    text: int = 2**20
    items: int = 200_000


# of a file on one's own machine, or of a trusted run: what a run of 10,000 cases writes, and more
OWN = Limits(size=256 * 2**20, values=16_000_000)


def read(source: Path | bytes, *, limits: Limits = Limits()) -> Review:  # noqa: B008 -- frozen
    """The review, if this is one and nothing but one. An InputError says what is wrong.

    That it has the shape of a review does not make it true: who it is about (`scene`) and
    whether it may be published, the reader has to know from elsewhere.
    """
    document = _document(source, limits)
    return _convert(Review, document, source)


def read_run(source: Path | bytes) -> Review | Report:
    """A review, or the report of one run, as `-o report` writes it."""
    document = _document(source, OWN)
    if "sections" in document:
        return _convert(Review, document, source)
    return _convert(Document, document, source)


_Noun = TypeVar("_Noun", bound=msgspec.Struct)


@contextmanager
def _name_source(source: Path | bytes) -> Iterator[None]:
    """Every complaint begins with what it is about."""
    name = "the report" if isinstance(source, bytes) else plain(str(source), _SHOWN)
    try:
        yield
    except InputError as error:
        msg = f"{name}: {error}"
        raise InputError(msg) from None


def _document(source: Path | bytes, limits: Limits) -> dict[str, Any]:
    with _name_source(source):
        content = source if isinstance(source, bytes) else _content(source, limits)
        return _read(content, limits)


def _convert(kind: type[_Noun], document: dict[str, Any], source: Path | bytes) -> _Noun:
    with _name_source(source):
        try:
            found = msgspec.convert(document, kind)
        except msgspec.ValidationError as error:
            msg = f"not a report: {plain(str(error), _SHOWN)}"
            raise InputError(msg) from None
        _check_known(found, document, "$")
        return found


def _content(path: Path, limits: Limits) -> bytes:
    """At most one byte more than is read."""
    try:
        with open(path, "rb", opener=_opener) as file:
            return file.read(limits.size + 1)
    except (OSError, ValueError) as error:  # a ValueError is a NUL in the path
        why = getattr(error, "strerror", None) or str(error)
        msg = f"cannot be read: {why.lower()}"
        raise InputError(msg) from None


def _opener(path: str, flags: int) -> int:
    """Neither through a link nor from a pipe, a folder or a device."""
    file = os.open(path, flags | os.O_NOFOLLOW | os.O_NONBLOCK)
    if not stat.S_ISREG(os.fstat(file).st_mode):
        os.close(file)
        msg = "it is not a file"
        raise OSError(msg)
    return file


def _read(content: bytes, limits: Limits) -> dict[str, Any]:
    if len(content) > limits.size:
        msg = f"larger than {limits.size:,} bytes; evaluate fewer cases at once"
        raise InputError(msg)
    # commas and brackets are at least as many as values; counted before they fill the memory
    if sum(map(content.count, (b",", b"[", b"{"))) > limits.values:
        msg = f"more than {limits.values:,} values; evaluate fewer cases at once"
        raise InputError(msg)
    document = _parse(content)
    _check_version(document)
    _check_values(document, limits)
    return document


def _parse(content: bytes) -> dict[str, Any]:
    try:
        document = json_reader.load(content.decode())
    except json.JSONDecodeError as error:
        msg = f"not valid JSON: {error.msg.lower()} in line {error.lineno}"
        raise InputError(msg) from None
    except UnicodeError:
        msg = "not UTF-8 text, or half a character in it"
        raise InputError(msg) from None
    except ValueError:
        raise InputError(_UNLIKE) from None
    if not isinstance(document, dict):
        msg = "not a report: it is no object"
        raise InputError(msg)
    return document


def _check_version(document: dict[str, Any]) -> None:
    """Before everything else: it explains whatever else would be wrong."""
    found = document.get("schema_version")
    if found != SCHEMA_VERSION:
        given = f"has the schema version {quote(found)}" if found else "has no schema version"
        msg = f"it {given}, and {SCHEMA_VERSION!r} is read; use one version in both workflows"
        raise InputError(msg)


def _check_values(document: Any, limits: Limits) -> None:
    waiting = [document]
    while waiting:
        value = waiting.pop()
        if isinstance(value, dict | list):
            if len(value) > limits.items:
                msg = f"a list or an object of more than {limits.items:,} items"
                raise InputError(msg)
            waiting += [*value, *value.values()] if isinstance(value, dict) else value
        elif isinstance(value, str) and len(value) > limits.text:
            msg = f"a text of more than {limits.text:,} characters"
            raise InputError(msg)
        elif isinstance(value, int) and not -_WIDEST <= value < _WIDEST:
            msg = "a number of more than 64 bits"
            raise InputError(msg)


def _check_known(found: object, written: Any, where: str) -> None:
    """Side by side: what was read, and what was written, which may hold more."""
    if found is written:
        return
    if isinstance(found, msgspec.Struct):
        _check_members(found, written, where)
        _check_meaning(found, where)
        for name, value in written.items():
            _check_known(getattr(found, name), value, f"{where}.{name}")
    elif isinstance(found, dict):
        for name, value in found.items():
            _check_known(value, written[name], f"{where}[...]")
    elif isinstance(found, list | tuple):
        for at, (value, other) in enumerate(zip(found, written, strict=True)):
            _check_known(value, other, f"{where}[{at}]")


def _check_members(found: msgspec.Struct, written: dict[str, Any], where: str) -> None:
    known = found.__struct_fields__
    for name in written:
        if name not in known:
            near = plain(suggestion(name[:100], list(known)), _SHOWN)
            msg = f"not a report: {where} has an unknown member {plain(quote(name))} {near}"
            raise InputError(msg)


def _check_meaning(found: msgspec.Struct, where: str) -> None:
    """Refuse values that their type allows and that readers of a review could not use."""
    if isinstance(found, Place | Finding) and found.line is not None and found.line < 1:
        msg = f"not a report: {where}.line is {found.line}, and lines count from 1"
        raise InputError(msg)
    if isinstance(found, Place) and not _is_inside(found.path):
        msg = f"not a report: {where}.path is {plain(quote(found.path))}, outside the repository"
        raise InputError(msg)
    if isinstance(found, Review | Outcome | Report) and found.exit_code not in _EXIT_CODES:
        msg = f"not a report: {where}.exit_code is {found.exit_code}, which no run ends with"
        raise InputError(msg)


def _is_inside(path: str) -> bool:
    pure = PurePosixPath(path)
    return bool(path) and not pure.is_absolute() and ".." not in pure.parts and "\\" not in path
