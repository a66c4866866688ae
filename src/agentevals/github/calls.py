"""One request to GitHub, and the paths that requests are made to."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum, auto
from typing import Any, TypeVar
from urllib.parse import quote

from agentevals.github.refusals import LostAnswerError, Purpose
from agentevals.model.errors import InputError

LARGEST = 64 * 1024 * 1024  # bytes of one answer: a page of hundred very long comments
JSON, RAW = "application/vnd.github+json", "application/vnd.github.raw+json"
_TIMEOUT = 30.0
_TRIES = 4

Query = Mapping[str, str | int]
Made = TypeVar("Made")


def path(*parts: str | int) -> str:
    """A path out of names that may hold anything: none of them leads to another place."""
    names = [name for part in parts for name in str(part).split("/")]
    if any(name in {"", ".", ".."} for name in names):
        msg = f"{'/'.join(map(str, parts))!r} is no address within GitHub's API; "
        raise InputError(msg + "look for empty names and for '..'")
    return "/" + "/".join(quote(name, safe="") for name in names)


class Again(Enum):
    """Whether a request may be made another time.

    Anyway; only where GitHub refused it for its rate, so that nothing was done; or never,
    because what it says may be wrong by then.
    """

    ANYWAY = auto()
    IF_REFUSED = auto()
    NEVER = auto()


@dataclass(frozen=True, kw_only=True)
class Call:
    """One request. `empty` is what a listing says when there is nothing."""

    method: str
    url: str
    purpose: Purpose
    document: Any = None
    accept: str = JSON
    writes: bool = False
    again: Again = Again.ANYWAY
    timeout: float = _TIMEOUT
    max_bytes: int = LARGEST
    empty: Any = None


def once(make: Callable[[], Made], find: Callable[[], Made | None]) -> Made:
    """Have something made that must not be there twice: look for it where the answer was lost."""
    tries = _TRIES
    while True:
        tries -= 1
        try:
            return make()
        except LostAnswerError:
            if (found := find()) is not None:
                return found
            if not tries:
                raise
