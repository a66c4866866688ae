"""What ours has to say of a recorded test, and which decisions ask for it where it differs."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from tests.conformance.agentv_model import RefusedError, Said, band, clamp
from tests.conformance.agentv_model.cases import Desk, judge_case, require_entries
from tests.conformance.reading import ShapeError
from tests.conformance.rows import Difference, differences

Recorded = dict[str, Any]


@dataclass(frozen=True)
class Expected:
    """The outcome that ours must have, and the decisions of each evaluator and of the whole."""

    outcome: Recorded
    evaluators: tuple[frozenset[str], ...] = ()
    whole: frozenset[str] = frozenset()

    def find_decision(self, where: str) -> str:
        """The decision that asks for another value here than was recorded, or nothing."""
        first, _, rest = where.partition("/")
        number = rest.partition("/")[0]
        if first == "evaluators" and number.isdecimal() and int(number) < len(self.evaluators):
            return min(self.evaluators[int(number)], default="")
        return min(self.whole.union(*self.evaluators), default="")


def expect(
    case: Recorded, recorded: Recorded, answer: str, scripted: Mapping[str, str]
) -> Expected:
    """Judge a test by the decisions. What only a recording can know is taken from there."""
    desk = Desk(case["test"], case["agent"], answer, scripted)
    try:
        said = [
            desk.judge(entry) or _take_recorded(recorded, number)
            for number, entry in enumerate(require_entries(case["test"]))
        ]
    except RefusedError as error:
        return Expected({"refused": True}, whole=frozenset({error.decision}))
    said = list(_name_apart(said))
    score, verdict = judge_case(said, _read_threshold(case["test"]))
    outcome = {
        "score": score,
        "verdict": verdict,
        "passes": verdict == "pass",
        "evaluators": [_tell(one) for one in said],
    }
    return Expected(outcome, tuple(one.decisions for one in said), _decide(said))


def _read_threshold(test: Recorded) -> float:
    execution = test.get("execution") or {}
    return float(execution.get("threshold", 0.8))


def _decide(said: list[Said]) -> frozenset[str]:
    gated = {"3.9"} if any(one.misses_gate for one in said) else set[str]()
    judged = [one for one in said if one.score is not None]
    weighs = not judged or any(one.weight for one in judged)
    return frozenset(gated | (set() if weighs else {"1.10"}))


def _take_recorded(recorded: Recorded, number: int) -> Said:
    """A program that nobody here knows."""
    return _read_recorded(of_evaluator(recorded, number))


def _read_recorded(one: Recorded) -> Said:
    verdict = one["verdict"]
    return Said(
        score=clamp(one["score"]),
        hits=tuple(one["hits"]),
        misses=tuple(one["misses"]),
        name=one["name"],
        weight=one.get("weight", 1.0),
        passed=None if verdict == band(one["score"]) else verdict == "pass",
        children=tuple(map(_read_recorded, one.get("children") or ())),
    )


def of_evaluator(recorded: Recorded, number: int) -> Recorded:
    """What was recorded of one evaluator, or a ShapeError."""
    try:
        return recorded["evaluators"][number]
    except LookupError as error:
        msg = f"only a recording can know what evaluator {number} says, and none is there"
        raise ShapeError(msg) from error


def _name_apart(said: list[Said]) -> Iterator[Said]:
    """A name is one line, and no other evaluator of the test has it (1.1)."""
    taken = set[str]()
    for one in said:
        plain = " ".join(one.name.split()) if not one.name.isprintable() else one.name
        name, number = plain, 2
        while name in taken:
            name, number = f"{plain}-{number}", number + 1
        taken.add(name)
        yield one if name == one.name else replace(one, name=name).by("1.1")


def _tell(one: Said) -> Recorded:
    return {"verdict": one.verdict, "failed": one.failed, **_tell_points(one)}


def _tell_points(one: Said) -> Recorded:
    told: Recorded = {"name": one.name, "score": one.score}
    if one.score is None:
        return told
    told |= {"hits": list(one.hits), "misses": list(one.misses)}
    children = [_tell_points(child) for child in one.children]
    return told | ({"children": children} if children else {})


def compare(
    told: Recorded, expected: Expected, found: Recorded
) -> tuple[list[tuple[str, Difference]], list[Difference]]:
    """The differences that decisions ask for, and those that nothing does."""
    explained, wrong = [], list(differences(expected.outcome, found))
    for one in differences(told, expected.outcome):
        if decision := expected.find_decision(one.where):
            explained.append((decision, one))
        else:
            wrong.append(Difference(f"{one.where} (by the decisions)", one.recorded, one.ours))
    return explained, wrong
