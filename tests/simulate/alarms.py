"""How often a pull request that changes nothing is red."""

from collections.abc import Iterator
from functools import partial
from random import Random

from agentevals.model.outcome import FailOn
from agentevals.model.policy import Limit, Policy
from tests.compare.runs import against, run
from tests.simulate.agents import NO_LIMITS, Agent, PullRequest
from tests.simulate.promises import FEWER, LARGE, Cell, Promise

GROUP, WHOLE = "false alarms", "whole runs"
SIZES = (2, 3, 5, 10, 30, 100, 300)
NOISES = (0.0, 0.01, 0.05, 0.1, 0.2)

RUN = Promise(
    "false alarm", "a pull request that changes nothing fails by `fail-on: regressed` in 5 % of "
    "runs or fewer, limits included", "red", most=0.05,
)  # fmt: skip
GATES = Promise(
    "false gate", "limits fail a pull request that changes nothing in 5 % of runs or fewer",
    "gate", most=0.05,
)  # fmt: skip
DEFAULT = Promise(
    "default config", "without limits, which is what `agentevals init` writes, no gate fails it",
    "gate", most=0.0,
)  # fmt: skip

_CONFIGS = 10
_STRICT = Policy(limits={"pass_rate": Limit(max_drop=0.0)})
# The limits of the example in docs/configs.md against the base.
LIMITS = Policy(
    limits={
        "pass_rate": Limit(max_drop=0.02),
        "score": Limit(max_drop=0.03),
        "evaluator:grader 0": Limit(max_drop=0.05),
    }
)


def list_cells() -> Iterator[Cell]:
    """Yield agents with every noise, and with whatever else may raise alarms."""
    for attempts in (1, 3, 10):
        for noise in NOISES:
            for size in SIZES if noise else (2, 30):  # nothing ever differs
                name = f"{noise * 100:g} % of the runs fail, {_count(attempts)}"
                yield _cell(name, Agent(noise, attempts), size)
    for name, agent, policy, sizes in _list_others():
        for size in sizes:
            yield _cell(name, agent, size, policy)
    yield from _list_whole()


def _list_whole() -> Iterator[Cell]:
    """Yield steps of several configs, and runs that are settled as the action does."""
    for size in (10, 30):
        trial = partial(_try_configs, Agent(0.2), size)
        yield Cell(GROUP, "20 %, limits, 10 configs", size, trial, (RUN, GATES), share=FEWER)
    for noise in (0.01, 0.05, 0.2):
        for size in (5, 30, 100):
            trial = partial(_try_whole, noise, size)
            name = f"{noise * 100:g} % of the runs fail, 1 attempt"
            share = FEWER if size >= LARGE else 1.0
            yield Cell(WHOLE, name, size, trial, (RUN, DEFAULT), share=share)


def _list_others() -> Iterator[tuple[str, Agent, Policy, tuple[int, ...]]]:
    few, plain = (5, 10, 30, 100), NO_LIMITS
    yield "a fifth of the cases are coin flips", Agent(0.5, noisy=0.2), plain, (*few, 300)
    yield "a fifth are coin flips, 3 attempts", Agent(0.5, 3, noisy=0.2), plain, few
    yield "a judge of the same recordings, 5 %", Agent(0.05, recorded=True), plain, few
    yield "a judge of the same recordings, 20 %", Agent(0.2, recorded=True), plain, few
    yield "5 %, 5 runs of history", Agent(0.05, history=5), plain, few
    yield "20 %, 20 runs of history", Agent(0.2, history=20), plain, few
    yield "5 %, limits", Agent(0.05, graders=1), LIMITS, few
    yield "20 %, limits", Agent(0.2, graders=1), LIMITS, few
    yield "5 %, 3 attempts, limits", Agent(0.05, 3, graders=1), LIMITS, few
    yield "5 %, 20 graders", Agent(0.05, graders=20), plain, (5, 10, 30)


def _count(attempts: int) -> str:
    return f"{attempts} attempt{'s' * (attempts > 1)}"


def _cell(name: str, agent: Agent, size: int, policy: Policy = NO_LIMITS) -> Cell:
    is_long = size > LARGE or agent.graders * size >= 30
    promises = (RUN, GATES) if policy.limits else (RUN,)
    trial = partial(_try, agent, size, policy)
    return Cell(GROUP, name, size, trial, promises, share=FEWER if is_long else 1.0)


def _try(agent: Agent, size: int, policy: Policy, random: Random) -> dict[str, bool]:
    judged = frozenset({"tools"}) if agent.recorded else frozenset[str]()
    changed = PullRequest(agent.run(random, size), policy, judged)
    red = changed.decide().proven
    if not policy.limits:
        return {"red": red}
    gate = any(one.fails for one in changed.judge())
    return {"red": red or gate, "gate": gate}


def _try_configs(agent: Agent, size: int, random: Random) -> dict[str, bool]:
    """Judge ten configs of one step, whose limits allow no drop at all."""
    several = [
        PullRequest(agent.run(random, size), _STRICT, configs=_CONFIGS) for _ in range(_CONFIGS)
    ]
    gate = any(one.fails for changed in several for one in changed.judge())
    return {"red": gate or any(changed.decide().proven for changed in several), "gate": gate}


def _try_whole(noise: float, size: int, random: Random) -> dict[str, bool]:
    """Settle the run as the action does, by each `fail-on`."""
    base, head = (
        run({f"case {at}": float(random.random() >= noise) for at in range(size)}) for _ in range(2)
    )
    ends = {
        one: against(head, base, fail_on=one)
        for one in (FailOn.REGRESSED, FailOn.ANY_FLIP, FailOn.FAILED)
    }
    return {
        "red": ends[FailOn.REGRESSED].exit_code == 1,
        "gate": any(gate.fails for gate in ends[FailOn.REGRESSED].gates),
        "any flip": ends[FailOn.ANY_FLIP].exit_code == 1,
        "failed": ends[FailOn.FAILED].exit_code == 1,
    }


def expect_failed(noise: float, size: int) -> float:
    """Return how often any case fails."""
    return 1 - (1 - noise) ** size


def expect_flip(noise: float, size: int) -> float:
    """Return how often any case falls."""
    return 1 - (1 - noise * (1 - noise)) ** size
