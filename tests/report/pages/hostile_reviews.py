"""A review in which everything that comes from elsewhere is hostile, whatever fields it has."""

from collections.abc import Iterator
from enum import Enum
from itertools import cycle
from typing import Any

import msgspec

from agentevals.model.conversations import ModelCost, RecordingCost
from agentevals.model.outcome import Against, Change, Highlight, Kind, Place, Reason, Standing
from agentevals.model.policy import Acceptance
from agentevals.model.results import Finding, Severity, Verdict
from agentevals.model.review import Review
from tests.report.outputs.reports import ARGUMENTS, broken, graded, report, trajectory, unevaluated
from tests.report.outputs.reports import case as case_report
from tests.report.pages.reviews import (
    FAILED,
    FAILING,
    GATES,
    PASSED,
    SCENE,
    TURNED,
    changed_rules,
    reason,
    review,
)

# what the runner says, and not anybody who can open a pull request
TRUSTED = {"server_url", "repository", "head_sha", "run_url"}
# read only where they are hexadecimal digits
DIGESTS = {"digest", "pair", "pairs"}


def hostile(texts: list[str], *, trusted: bool = True) -> Review:
    """Every text of the template replaced, one after the other. Without trust, the scene's too."""
    return _filled(_template(), cycle(texts), DIGESTS | (TRUSTED if trusted else set()))


def _filled(value: Any, texts: Iterator[str], kept: set[str]) -> Any:
    if isinstance(value, Enum):
        return value
    if isinstance(value, str):
        return next(texts)
    if isinstance(value, tuple | list):
        return type(value)(_filled(item, texts, kept) for item in value)
    if isinstance(value, msgspec.Struct):
        fields = {
            name: _filled(getattr(value, name), texts, kept)
            for name in value.__struct_fields__
            if name not in kept
        }
        return msgspec.structs.replace(value, **fields)
    return value


def _template() -> Review:
    section = msgspec.structs.replace(
        FAILING,
        gates=GATES * 3,
        highlights=tuple(_highlights()),
        findings=tuple(_findings()),
        report=_report(),
        leg="leg",
    )
    alone = msgspec.structs.replace(
        section,
        config="other",
        against=Against(state=Change.NO_BASELINE, reason="why"),
        highlights=tuple(h for h in section.highlights if h.kind is not Kind.REGRESSED),
        reproduce="a\nb",
    )
    notes, rules = tuple(_findings()), changed_rules(*TURNED, approved=1)
    return review(section, alone, notes=notes, image="image", scene=SCENE, rules=rules)


def _highlights() -> Iterator[Highlight]:
    known = {
        "case_id": "id",
        "other_name": "other",
        "trace": Place(path="p", line=3),
        "calls_before": ("a", "b", "c"),
        "calls_now": ("a", "d"),
        "reasons": (reason("why", 3), _judged(), reason("more", 0)),
    }
    for kind in Kind:
        for _ in range(6):
            flaky = Standing(verdict=Verdict.FAIL, runs=5, passed=2)
            yield Highlight(kind=kind, was=PASSED, now=flaky, **known)
        yield Highlight(kind=kind, was=FAILED, now=FAILED, accepted=_acceptance(), **known)
        yield Highlight(
            kind=kind, was=FAILED, now=FAILED, accepted=_acceptance(), expired=True, **known
        )


def _judged() -> Reason:
    return reason("text", 4, evaluator="judge", judged=True, score=0.1, threshold=0.5)


def _acceptance() -> Acceptance:
    return Acceptance(case="c", reason="r", until="u", evaluator="e")


def _findings() -> Iterator[Finding]:
    for severity in Severity:
        for line in (None, 0, 7):
            yield Finding(severity=severity, rule="r", message="m", path="p", line=line)


def _report() -> Any:
    results = (
        trajectory(0.0, ARGUMENTS, misses=("a", "b")),
        graded("words", 0.1, misses=("c",), reasoning="d"),
        broken("e", "f"),
        unevaluated("g", "h"),
    )
    models = tuple(ModelCost(model=name, calls=3, unpriced=1, cost=0.5) for name in "mno")
    cost = RecordingCost(cost=1.5, calls=9, unpriced=3, models=models)
    cases = case_report("i", *results), case_report("j", error="k"), case_report("l")
    return msgspec.structs.replace(report(*cases), recording_cost=cost)
