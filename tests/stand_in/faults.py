"""What goes wrong, by script."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from tests.stand_in.exchange import Answer, Request
from tests.stand_in.world import World


@dataclass
class Fault:
    """Something that happens to the next `times` requests whose path holds the pattern.

    With a `status` that is the answer; without one the connection is closed, unless there is
    `meanwhile`: that is done to the world before the request is answered as usual. After the
    effect (`after_effect`) only the answer is lost, not what was asked for.
    """

    method: str
    pattern: str
    status: int | None = None
    body: Any = None
    headers: dict[str, str] = field(default_factory=dict)
    times: int = 1
    after_effect: bool = False
    meanwhile: Callable[[World], object] | None = None
    skip: int = 0

    def strikes(self, request: Request) -> bool:
        if self.times < 1 or request.method != self.method:
            return False
        if not re.search(self.pattern, request.path):
            return False
        if self.skip:
            self.skip -= 1
            return False
        self.times -= 1
        return True

    @property
    def answer(self) -> Answer:
        if self.status is None:
            return Answer(cut=True)
        message = {"message": f"scripted {self.status}"} if self.body is None else self.body
        return Answer(self.status, message, headers=self.headers)


def rate_limited(method: str, pattern: str, *, reset: int, **facts: Any) -> Fault:
    """The hourly limit is used up."""
    headers = {"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": str(reset)}
    body = {"message": "API rate limit exceeded for installation ID 1."}
    return Fault(method, pattern, 403, body, headers, **facts)


def slow_down(method: str, pattern: str, *, retry_after: str = "", **facts: Any) -> Fault:
    """A secondary limit."""
    headers = {"Retry-After": retry_after} if retry_after else {}
    body = {"message": "You have exceeded a secondary rate limit. Please wait a few minutes."}
    return Fault(method, pattern, 403, body, headers, **facts)
