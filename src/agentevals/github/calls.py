"""One request to GitHub, and the paths that requests are made to."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum, auto
from typing import Any, TypeVar
from urllib.parse import quote

from agentevals.github.refusals import LostAnswerError, Purpose
from agentevals.model.errors import InputError

LARGEST = 64 * 1024 * 1024  # bytes of one answer: a page of hundred very long comments
_TIMEOUT = 30.0
_TRIES = 4

Query = Mapping[str, str | int]
Made = TypeVar("Made")


def build_path(*parts: str | int) -> str:
    """Return the path of an address. A name with unusual characters cannot lead elsewhere."""
    names = [name for part in parts for name in str(part).split("/")]
    if any(name in {"", ".", ".."} for name in names):
        msg = f"{'/'.join(map(str, parts))!r} is no address within GitHub's API; "
        raise InputError(msg + "look for empty names and for '..'")
    return "/" + "/".join(quote(name, safe="") for name in names)


class Again(Enum):
    """The cases in which a request may be sent again.

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
    writes: bool = False
    again: Again = Again.ANYWAY
    timeout: float = _TIMEOUT
    max_bytes: int = LARGEST
    empty: Any = None


def make_once(make: Callable[[], Made], find: Callable[[], Made | None]) -> Made:
    """Create something that must not exist twice: if the answer was lost, look for it."""
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
