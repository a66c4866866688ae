"""One request to GitHub: its path, and its errors, each with a sentence that says what to do."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum, auto
from typing import Any, TypeVar
from urllib.parse import quote

import msgspec

from agentevals import web
from agentevals.model.errors import InputError, UnavailableError
from agentevals.text.terminal import plain

LARGEST = 64 * 1024 * 1024  # bytes of one answer: a page of hundred very long comments
_TIMEOUT = 30.0
_TRIES = 4

Query = Mapping[str, str | int]
Made = TypeVar("Made")
_LONGEST = 300  # characters of what GitHub says
_NOT_OURS = ("not accessible by integration", "not accessible by personal access token")
_ONLY_APPS = "authenticate via a GitHub App"


def build_path(*parts: str | int) -> str:
    """Return the path of an address. A name with unusual characters cannot lead elsewhere."""
    names = [name for part in parts for name in str(part).split("/")]
    if any(name in {"", ".", ".."} for name in names):
        msg = f"{'/'.join(map(str, parts))!r} is no address within GitHub's API; "
        raise InputError(msg + "look for empty names and for '..'")
    return "/" + "/".join(quote(name, safe="") for name in names)


@dataclass(frozen=True, kw_only=True)
class Purpose:
    """The purpose of a request, in words that follow "to", and the `permissions:` it needs."""

    deed: str
    needs: str = ""


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


class RefusedError(UnavailableError):
    """GitHub answered, and the answer is no. `status` is 0 where GraphQL said it."""

    def __init__(self, message: str, status: int = 0) -> None:
        super().__init__(message)
        self.status = status


class BadTokenError(RefusedError):
    """The token is wrong, or over."""


class NotFoundError(RefusedError):
    """There is no such thing, or the token may not see it."""


class LockedError(RefusedError):
    """The conversation is locked, or switched off, or what was asked for has expired."""


class InvalidError(RefusedError):
    """GitHub finds the request itself wrong."""


class PermissionMissingError(RefusedError):
    """The token lacks a permission, `pull-requests: write` for example."""

    def __init__(self, message: str, status: int, permission: str) -> None:
        super().__init__(message, status)
        self.permission = permission

    @property
    def lines(self) -> str:
        """The lines to add to the workflow. Naming one permission takes all others away."""
        return f"permissions:\n  contents: read\n  {self.permission}\n"


class LostAnswerError(UnavailableError):
    """The connection broke before the answer came: whether it was done has to be looked up."""


class RateLimitedError(UnavailableError):
    """GitHub asks for a longer wait than our limit."""


class _Fault(msgspec.Struct):
    message: str = ""
    field: str = ""
    code: str = ""


class _Complaint(msgspec.Struct):
    message: str = ""
    errors: Any = None


def read_reason(body: bytes) -> str:
    """Return GitHub's own words, with all details, as one harmless line."""
    try:
        complaint = msgspec.json.decode(body, type=_Complaint)
    except (msgspec.DecodeError, RecursionError):
        return "no reason given"
    details = complaint.errors if isinstance(complaint.errors, list) else []
    reasons = [complaint.message, *(_read_detail(detail) for detail in details)]
    return plain("; ".join(reason for reason in reasons if reason), _LONGEST) or "no reason given"


def _read_detail(detail: Any) -> str:
    if isinstance(detail, str):
        return detail
    try:
        fault = msgspec.convert(detail, _Fault)
    except msgspec.ValidationError:
        return ""
    return fault.message or f"{fault.field} {fault.code}".strip()


def make_error(response: web.Response, purpose: Purpose) -> RefusedError:
    """Return the error for an answer that is a refusal."""
    status, reason = response.status, read_reason(response.body)
    start = f"GitHub refuses to {purpose.deed} ({status}"
    match status:
        case 401:
            advice = "check the input 'github-token'"
            return BadTokenError(f"{start}): {reason}; {advice}", status)
        case 403:
            return _make_forbidden_error(start, reason, purpose)
        case 404:
            hint = f", and if it does: whether the token has '{purpose.needs}'"
            advice = f"check that it exists{hint if purpose.needs else ''}"
            return NotFoundError(f"{start}): {reason}; {advice}", status)
        case 410:
            return LockedError(f"{start}): {reason}", status)
        case 422:
            return InvalidError(f"{start}): {reason}", status)
        case _:
            return RefusedError(f"{start}): {reason}", status)


def _make_forbidden_error(start: str, reason: str, purpose: Purpose) -> RefusedError:
    if any(words in reason for words in _NOT_OURS) and purpose.needs:
        return _make_permission_error(f"{start})", purpose, 403)
    if _ONLY_APPS in reason:
        advice = "only the workflow's own GITHUB_TOKEN, or that of a GitHub App, can do that"
        return PermissionMissingError(f"{start}): {advice}", 403, purpose.needs)
    if "locked" in reason:
        return LockedError(f"{start}): {reason}", 403)
    return RefusedError(f"{start}): {reason}", 403)


def _make_permission_error(start: str, purpose: Purpose, status: int) -> PermissionMissingError:
    error = PermissionMissingError("", status, purpose.needs)
    advice = "the token does not have this permission; add these lines to the workflow:"
    error.args = (f"{start}: {advice}\n{error.lines}",)
    return error


def make_graphql_error(errors: list[dict[str, Any]], purpose: Purpose) -> RefusedError:
    """Return the error for an answer of GraphQL, which refuses with status 200."""
    first = errors[0] if errors else {}
    reason = plain(str(first.get("message", "no reason given")), _LONGEST)
    start = f"GitHub refuses to {purpose.deed}"
    if first.get("type") == "NOT_FOUND":
        return NotFoundError(f"{start}: {reason}")
    if any(words in reason for words in _NOT_OURS) and purpose.needs:
        return _make_permission_error(start, purpose, 0)
    return RefusedError(f"{start}: {reason}")
