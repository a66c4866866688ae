"""How far two runs can be compared: only where they judged the same things in the same way."""

from collections.abc import Iterator
from dataclasses import dataclass

from agentevals.compare.baselines import Baseline
from agentevals.model.results import Identity

_LISTED = 4  # names in a sentence


@dataclass(frozen=True, kw_only=True)
class Common:
    """What both runs have in common. `obstacles` keep their verdicts from being compared."""

    differing: frozenset[str]
    changed_cases: frozenset[str]
    obstacles: tuple[str, ...]

    @property
    def whole(self) -> bool:
        """Whether whole cases, and not only some evaluators, can be compared."""
        return not self.obstacles

    def holds(self, evaluator: str) -> bool:
        """Whether both runs judge alike by it; what is a case's own counts with the case."""
        return evaluator not in self.differing


def common(head: Identity, baseline: Baseline) -> Common:
    """What the run at hand shares with its baseline."""
    base = baseline.identity
    same_judge = head.judge == base.judge
    judged = {*head.judged, *base.judged}
    obstacles = list(_obstacles(head, base, judged=bool(judged), same_judge=same_judge))
    if baseline.unjudged:
        names = _list_names(list(baseline.unjudged))
        obstacles.append(f"no judge was asked about the base, which only one can judge: {names}")
    differing = {
        name
        for name in (*head.evaluators, *base.evaluators)
        if base.evaluators.get(name) != head.evaluators.get(name)
    }
    changed = {
        name for name, digest in head.cases.items() if base.cases.get(name, digest) != digest
    }
    return Common(
        differing=frozenset(differing | (set() if same_judge else judged) | {*baseline.unjudged}),
        changed_cases=frozenset(changed),
        obstacles=tuple(obstacles),
    )


def _obstacles(head: Identity, base: Identity, *, judged: bool, same_judge: bool) -> Iterator[str]:
    names = {**base.evaluators, **head.evaluators}
    sides = {name: (base.evaluators.get(name), head.evaluators.get(name)) for name in names}
    added = [name for name, (before, _) in sides.items() if before is None]
    removed = [name for name, (_, now) in sides.items() if now is None]
    changed = [name for name, (before, now) in sides.items() if before and now and before != now]
    for verb, which in (("changed", changed), ("added", added), ("removed", removed)):
        if which:
            noun = "evaluator was" if len(which) == 1 else "evaluators were"
            yield f"{noun} {verb}: {_list_names(which)}"
    if judged and not same_judge:
        yield "another judge, or other settings of it"
    if head.rules != base.rules:
        yield "other rules for when a case passes"


def _list_names(names: list[str]) -> str:
    rest = len(names) - _LISTED
    return ", ".join(names[:_LISTED]) + (f" and {rest} more" if rest > 0 else "")
