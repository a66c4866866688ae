"""Agents that change nothing, or something that is known, and their recorded runs."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from random import Random
from statistics import fmean

from agentevals.compare import agent_decline
from agentevals.compare.case_pairs import Pair
from agentevals.compare.case_summaries import BaseCase, Judgement
from agentevals.compare.figures import Measured, measure, names
from agentevals.compare.gate_table import judge_gates
from agentevals.compare.highlights import stand_side_by_side
from agentevals.model.cases import Status
from agentevals.model.outcome import Against, Gate
from agentevals.model.policy import Policy
from agentevals.model.results import Decline, Verdict
from tests.simulate.pull_requests import COMMON


@dataclass(frozen=True)
class Agent:
    """An agent whose runs fail by chance, one as often as the other, or only in some of its cases.

    With a `drop`, so many of its cases fail now in every run. A `grader` gives scores between 0
    and 1, which differ from run to run, beside those that pass or fail.
    """

    noise: float
    attempts: int = 1
    noisy: float = 1.0  # the share of the cases that fail now and then
    drop: float = 0.0
    history: int = 0  # earlier runs of the base
    graders: int = 0
    recorded: bool = False  # once, and both sides judge the same recordings

    def run(self, random: Random, cases: int) -> list[Pair]:
        """Return its cases on both sides."""
        return [self._run_case(random, f"case {at}") for at in range(cases)]

    def _run_case(self, random: Random, name: str) -> Pair:
        fails = self.noise if self.noisy == 1 or random.random() < self.noisy else 0.0
        now = 1.0 if self.drop and random.random() < self.drop else fails
        earlier = "".join("pf"[random.random() < fails] for _ in range(self.history))
        return Pair(
            name,
            head=tuple(self._record(random, now, "") for _ in range(self.attempts)),
            base=tuple(self._record(random, fails, earlier) for _ in range(self.attempts)),
        )

    def _record(self, random: Random, fails: float, earlier: str) -> BaseCase:
        passed = random.random() >= fails
        if not (self.graders or earlier or self.recorded):
            return _PLAIN[passed]
        scores = {
            f"grader {at}": min(1.0, max(0.5, random.gauss(0.8, 0.08)))
            for at in range(self.graders)
        }
        return _make(passed, scores, earlier, "recording" if self.recorded else "")


def _make(
    passed: bool, scores: Mapping[str, float], earlier: str = "", recording: str = ""
) -> BaseCase:
    outcomes = {"tools": Judgement(Status.PASSED if passed else Status.FAILED, float(passed))}
    outcomes |= {name: Judgement(Status.PASSED, score) for name, score in scores.items()}
    return BaseCase(
        "",
        Verdict.PASS if passed else Verdict.FAIL,
        fmean([float(passed), *scores.values()]),
        outcomes=outcomes,
        earlier=earlier,
        recording=recording,
    )


_PLAIN = {passed: _make(passed, {}) for passed in (True, False)}


NO_LIMITS = Policy()


def make_cases(number: int, *, was: bool, now: bool) -> list[Pair]:
    """Return cases that all passed, or failed, on the base, and all do now."""
    return [Pair(f"{was} {now} {at}", (_PLAIN[now],), (_PLAIN[was],)) for at in range(number)]


@dataclass(frozen=True)
class PullRequest:
    """The cases of a pull request on both sides, and what the product makes of them."""

    pairs: list[Pair]
    policy: Policy = NO_LIMITS
    judged: frozenset[str] = frozenset()
    configs: int = 1  # of the same step, which share one chance of a false alarm

    @cached_property
    def rows(self) -> list[Measured]:
        """Its figures, with those of single evaluators where there are several."""
        evaluators = list(self.pairs[0].head[0].outcomes)
        wanted = names(evaluators, self.policy.limits)
        return [measure(figure, self.pairs, comparable=True) for figure in wanted]

    def decide(self) -> Decline:
        """Return the decision of `fail-on: regressed`."""
        limited = any(limit.compares for limit in self.policy.limits.values())
        return agent_decline.find_decline(
            stand_side_by_side(self.pairs, COMMON),
            self.rows,
            judged=self.judged,
            alpha=agent_decline.FALSE_ALARMS / self.configs / (2 if limited else 1),
        )

    def judge(self) -> tuple[Gate, ...]:
        """Return its gates."""
        return judge_gates(self.rows, self.policy, Against(), self.configs)
