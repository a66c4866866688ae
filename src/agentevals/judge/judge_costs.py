"""The costs of judging: counted against a budget, and saved by answers that are kept on disk.

The same question is paid for once. Neither keys nor prompts are kept.
"""

import hashlib
import logging
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, fields
from pathlib import Path
from threading import Condition
from typing import Any

import msgspec

from agentevals.files import atomic_files
from agentevals.judge import AnswerMemory
from agentevals.judge.judge_settings import JudgeBudget, Prices
from agentevals.model.errors import EvaluatorError

log = logging.getLogger(__name__)

_LARGEST = 1_000_000  # bytes of an answer that is kept


@dataclass
class Cost:
    """Calls and tokens of one call or of many."""

    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0

    def __add__(self, other: "Cost") -> "Cost":
        return Cost(*(getattr(self, f.name) + getattr(other, f.name) for f in fields(self)))

    def __sub__(self, other: "Cost") -> "Cost":
        return Cost(*(getattr(self, f.name) - getattr(other, f.name) for f in fields(self)))

    @property
    def tokens(self) -> int:
        return self.input_tokens + self.output_tokens

    def money(self, prices: Prices) -> float:
        return (self.input_tokens * prices.input + self.output_tokens * prices.output) / 1_000_000


class Meter:
    """Shared by all threads of a run. A call is only made when the most it can cost is left."""

    def __init__(self, budget: JudgeBudget, prices: Prices | None) -> None:
        self._budget, self._prices = budget, prices
        self._changed = Condition()
        self._spent, self._reserved, self._cached = Cost(), Cost(), 0
        self._hosts: set[str] = set()

    @contextmanager
    def call(self, at_most: Cost) -> Iterator[Cost]:
        """Reserves the most a call can cost; what it did cost is written into what is handed out.

        A call that fails costs nothing.
        """
        self._reserve(at_most)
        actual = Cost()
        try:
            yield actual
        finally:
            with self._changed:
                self._reserved -= at_most
                self._spent += actual
                self._changed.notify_all()

    def count_cached(self) -> None:
        with self._changed:
            self._cached += 1

    def add_host(self, host: str) -> None:
        """Keep the name of a host that was asked."""
        with self._changed:
            self._hosts.add(host)

    def _reserve(self, at_most: Cost) -> None:
        with self._changed:
            while limit := self._find_exceeded(self._spent + self._reserved + at_most):
                # others may turn out cheaper than what they have reserved
                if not self._reserved.calls:
                    raise EvaluatorError(self._build_refusal(limit))
                self._changed.wait()
            self._reserved += at_most

    def _find_exceeded(self, cost: Cost) -> str:
        budget = self._budget
        money = cost.money(self._prices) if self._prices else 0.0
        used = {"max_calls": cost.calls, "max_tokens": cost.tokens, "max_cost": money}
        limits = {name: getattr(budget, name) for name in used}
        over = (n for n, limit in limits.items() if limit is not None and used[n] > limit)
        return next(over, "")

    def _build_refusal(self, limit: str) -> str:
        allowed = getattr(self._budget, limit)
        return (
            f"the judge's budget is spent: another call could exceed '{limit}' ({allowed:g}) after "
            f"{self._spent.calls} calls and {self._spent.tokens} tokens; raise it in 'judge.budget'"
        )

    def to_dict(self) -> dict[str, Any]:
        """The count for the report; money only where prices are known."""
        with self._changed:
            counted: dict[str, Any] = {
                "calls": self._spent.calls,
                "cached": self._cached,
                "input_tokens": self._spent.input_tokens,
                "output_tokens": self._spent.output_tokens,
            }
            if self._prices:
                counted["cost"] = round(self._spent.money(self._prices), 6)
            if self._hosts:
                counted["hosts"] = sorted(self._hosts)
        limits = self._budget.model_dump(exclude_none=True)
        return counted | ({"budget": limits} if limits else {})


_COUNTED = ("calls", "cached", "input_tokens", "output_tokens")


def add_usage(
    usages: Iterable[dict[str, Any]], prices: tuple[float, float] | None
) -> dict[str, Any]:
    """Return the cost of judging of a run whose parts have these, as `Meter.to_dict` tells it."""
    used = [usage for usage in usages if usage]
    hosts = sorted({host for usage in used for host in usage.get("hosts", ())})
    added: dict[str, Any] = {}
    for usage in used:
        counts = {name: added.get(name, 0) + usage[name] for name in _COUNTED if name in usage}
        added = usage | counts
    if prices and "cost" in added:
        cost = Cost(0, added["input_tokens"], added["output_tokens"])
        added["cost"] = round(cost.money(Prices(input=prices[0], output=prices[1])), 6)
    return added | ({"hosts": hosts} if hosts else {})


def digest(*parts: Any) -> str:
    """A name for a question that only the very same question has."""
    return hashlib.sha256(msgspec.json.encode(parts, order="deterministic")).hexdigest()


class AnswerCache:
    """One small file per answer, readable by its owner. A cache that fails costs money, no run."""

    def __init__(self, directory: Path | None, memory: AnswerMemory | None = None) -> None:
        self._directory, self._memory = directory, memory

    def get(self, name: str) -> Any:
        """Return the answer of this name, or None. Somebody may have changed a file."""
        answer = self._recall(name)
        if answer is not None and self._memory:
            self._memory.keep(name, answer)
        return answer

    def _recall(self, name: str) -> Any:
        known = self._memory.recall(name) if self._memory else None
        return self._read(name) if known is None else known

    def _read(self, name: str) -> Any:
        if self._directory is None:
            return None
        path = self._find_path(name)
        try:
            if path.stat().st_size > _LARGEST:
                return None
            return msgspec.json.decode(path.read_bytes())
        except (OSError, msgspec.DecodeError, RecursionError):
            return None

    def put(self, name: str, answer: dict[str, Any]) -> None:
        if self._memory:
            self._memory.keep(name, answer)
        if self._directory is None:
            return
        try:
            path = self._find_path(name)
            path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            atomic_files.write(path, msgspec.json.encode(answer))
        except OSError as error:
            log.warning("%s: judge answers are not kept: %s", self._directory, error.strerror)
            self._directory = None

    def _find_path(self, name: str) -> Path:
        directory = self._directory or Path()
        return directory / name[:2] / f"{name}.json"
