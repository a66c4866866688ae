"""Waiting and retrying: for GitHub's rate limits, and after failures."""

import math
import threading
import time
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field

import msgspec

from agentevals import web
from agentevals.github.api_calls import RateLimitedError, read_reason
from agentevals.model.errors import UnavailableError
from agentevals.model.noun import Noun

_LIMITING = ("rate limit", "abuse detection")
_BROKEN = 500  # where the server's own troubles begin
_LONGEST_NUMBER = 12  # digits of a header that is still taken for a number of seconds


class RetryPolicy(Noun, frozen=True):
    """The number of tries of a request, and of seconds to wait.

    GitHub asks for a second between writes, and for at least a minute where it limits without
    saying for how long. `total` bounds all waiting of one run, whatever GitHub asks for. A request
    that went on failing for `in_trouble` seconds is not made again, and those after it are made
    `tries_in_trouble` times; where nothing was answered at all, none is for `rest` seconds. A gate
    must not hang because GitHub is down. `one_try` is the longest that one request may take.

    `settling` is longer than reading a comment and writing it takes anybody. What is still there
    after that long has been read by whoever writes next, and so it stays.
    """

    tries: int = 5
    tries_in_trouble: int = 2
    between_writes: float = 1.0
    after_trouble: float = 1.0
    after_limit: float = 60.0
    total: float = 300.0
    in_trouble: float = 45.0
    rest: float = 60.0
    one_try: float = math.inf
    settling: float = 5.0

    def compute_backoff(self, attempt: int) -> float:
        """Return the pause after so many failed tries."""
        return self.after_trouble * 2.0 ** (attempt - 1)


RETRY_POLICY = RetryPolicy()
# for who has seconds left to say that a run is over
HURRY = RetryPolicy(
    tries=2,
    between_writes=0.0,
    after_trouble=0.2,
    total=0.5,
    in_trouble=1.0,
    rest=0.0,
    one_try=2.0,
    settling=1.0,
)


@dataclass(frozen=True)
class Trouble:
    """A failed try, and how long to wait before the next one.

    `refused` means that GitHub did nothing; `silent` means that no answer came.
    """

    problem: str
    pause: float
    refused: bool = False
    silent: bool = False


@dataclass(frozen=True)
class Clock:
    """The time, in seconds since 1970 as GitHub counts, and a way to let it pass."""

    now: Callable[[], float] = time.time
    sleep: Callable[[float], None] = time.sleep


CLOCK = Clock()


@dataclass
class Pace:
    """The waits so far, and the time of the last write. It never allows two writes at once."""

    policy: RetryPolicy
    clock: Clock
    waited: float = 0.0
    written: float = 0.0
    writing: AbstractContextManager[object] = field(default_factory=threading.Lock)
    trouble: str = ""
    silent_since: float = -math.inf

    def hurry(self) -> None:
        """Stop waiting from now on, even for the end of another write."""
        self.policy, self.waited, self.writing = HURRY, 0.0, nullcontext()

    def wait_to_write(self) -> None:
        since = self.clock.now() - self.written
        rest = self.policy.between_writes - since
        if 0 < rest <= self.policy.between_writes:
            self.clock.sleep(rest)

    def note_write(self) -> None:
        self.written = self.clock.now()

    def count_tries(self, deed: str) -> int:
        """Return how often to send a request, or raise an UnavailableError just after giving up."""
        if 0 <= self.clock.now() - self.silent_since < self.policy.rest:
            msg = f"GitHub is not asked to {deed}, because it was given up a moment ago: "
            raise UnavailableError(msg + self.trouble)
        return self.policy.tries_in_trouble if self.trouble else self.policy.tries

    def give_up(self, trouble: Trouble) -> None:
        """Remember that a request has failed each time."""
        self.trouble = trouble.problem
        if trouble.silent:
            self.silent_since = self.clock.now()

    def recover(self) -> None:
        self.trouble = ""

    def wait(self, seconds: float, reason: str) -> None:
        """Wait, or raise a RateLimitedError if that exceeds the limit of the run."""
        left = self.policy.total - self.waited
        if seconds > left:
            msg = f"GitHub: {reason}; going on would take a wait of {_format(seconds)}, and "
            raise RateLimitedError(msg + f"{_format(left)} are left; run the job again later")
        self.waited += seconds
        self.clock.sleep(seconds)


def _format(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 36_000 else "more than ten hours"  # noqa: PLR2004


def find_trouble(
    response: web.Response, now: float, policy: RetryPolicy, attempt: int
) -> Trouble | None:
    """Return the reason to try again, or None if the answer would stay the same."""
    problem = f"answered {response.status}"
    if _is_limited(response):
        return Trouble(problem, _compute_wait(response, now, policy, attempt), refused=True)
    return Trouble(problem, policy.compute_backoff(attempt)) if response.status >= _BROKEN else None


def _compute_wait(response: web.Response, now: float, policy: RetryPolicy, attempt: int) -> float:
    """Follow GitHub's order: the requested wait, the end of the hour, or longer each time."""
    if (asked := _read_number(response, "retry-after")) is not None:
        return asked
    reset = _read_number(response, "x-ratelimit-reset")
    if reset is not None and response.headers.get("x-ratelimit-remaining") == "0":
        return max(0.0, reset - now) + 1
    return policy.after_limit * 2.0 ** (attempt - 1)


def _is_limited(response: web.Response) -> bool:
    if response.status == 429:  # noqa: PLR2004 -- Too Many Requests
        return True
    if response.status == 403:  # noqa: PLR2004 -- Forbidden
        words = read_reason(response.body).lower()
        return "retry-after" in response.headers or any(sign in words for sign in _LIMITING)
    return response.status == 200 and _is_limited_by_graphql(response.body)  # noqa: PLR2004 -- OK


class _Kind(msgspec.Struct):
    type: str = ""


class _Kinds(msgspec.Struct):
    errors: list[_Kind] = []


def _is_limited_by_graphql(body: bytes) -> bool:
    if b"RATE_LIMITED" not in body:
        return False
    try:
        errors = msgspec.json.decode(body, type=_Kinds).errors
    except (msgspec.DecodeError, RecursionError):
        return False
    return any(error.type == "RATE_LIMITED" for error in errors)


def _read_number(response: web.Response, header: str) -> float | None:
    value = response.headers.get(header, "")
    usable = value.isascii() and value.isdigit() and len(value) <= _LONGEST_NUMBER
    return float(value) if usable else None
