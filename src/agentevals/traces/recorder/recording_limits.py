"""The limits of a recording: after so many tokens, or seconds, the recorded command is ended."""

import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from agentevals.text.wording import plural
from agentevals.traces import loaders
from agentevals.traces import turns as converting

_SHORTEST, _LONGEST = 0.1, 5.0  # seconds between two looks
_SHARE = 5  # looking takes at most one of so many parts of the time


@dataclass(frozen=True, kw_only=True)
class Limits:
    """The most that a recording may take; None is without a limit."""

    tokens: int | None = None
    seconds: float | None = None


class Growing(Protocol):
    """Files of a recording that goes on."""

    def take_changed(self) -> Iterable[Path]:
        """Return the files that have grown since this was asked last."""
        ...


@dataclass
class Watch:
    """Tells which limit a recording has passed. Tokens are counted from the spans that arrive."""

    limits: Limits
    files: Growing
    passed: str = ""
    _began: float = field(default_factory=time.monotonic)
    _tokens: dict[Path, int] = field(default_factory=dict)
    _uncounted: dict[Path, int] = field(default_factory=dict)
    _pause: float = _SHORTEST

    @property
    def pause(self) -> float | None:
        """The seconds until the next look; None where there is no limit."""
        if self.limits.tokens is None and self.limits.seconds is None:
            return None
        if self.limits.seconds is None:
            return self._pause
        left = self._began + self.limits.seconds - time.monotonic()
        return max(0.0, left) if self.limits.tokens is None else max(0.0, min(left, self._pause))

    def look(self) -> bool:
        """Return whether a limit is passed, and keep which one."""
        seconds = self.limits.seconds
        if seconds is not None and time.monotonic() - self._began >= seconds:
            self.passed = f"the command was ended after {seconds:g} s, as --max-seconds says"
        elif found := self.check_tokens():
            self.passed = f"{found}, and was ended"
        return bool(self.passed)

    def check_tokens(self) -> str:
        """Return that more tokens were used than the limit; an empty text if they were not."""
        most = self.limits.tokens
        if most is None or (spent := self._count()) <= most:
            return ""
        return f"the command has used {spent:,} tokens, more than --max-tokens {most:,}"

    def explain_uncounted(self) -> str:
        """Return which model calls no limit can hold; an empty text if all were counted."""
        uncounted = sum(self._uncounted.values()) if self.limits.tokens is not None else 0
        if not uncounted:
            return ""
        calls = plural(uncounted, "model call")
        return f"--max-tokens could not count {calls}: the recording has no token counts of them"

    def _count(self) -> int:
        """Count the tokens anew in the files that have grown."""
        began = time.monotonic()
        for path in self.files.take_changed():
            self._tokens[path], self._uncounted[path] = _count_tokens(path)
        took = time.monotonic() - began
        self._pause = min(_LONGEST, max(_SHORTEST, _SHARE * took))
        return sum(self._tokens.values())


def _count_tokens(path: Path) -> tuple[int, int]:
    """Count tokens, and the model calls without any count that did not fail."""
    spent = uncounted = 0
    for conversation in converting.converse(loaders.load([path]).traces, group_by="trace"):
        for call in (call for turn in conversation.turns for call in turn.model_calls):
            spent += (call.input_tokens or 0) + (call.output_tokens or 0)
            unknown = call.input_tokens is None and call.output_tokens is None
            uncounted += unknown and not call.failed
    return spent, uncounted
