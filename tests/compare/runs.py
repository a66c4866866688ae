"""Runs to compare: what was judged, case by case, in one line each."""

from collections.abc import Iterable, Sequence
from datetime import date
from typing import Any

import msgspec

from agentevals.compare import baselines, comparison
from agentevals.model.cases import Status
from agentevals.model.completeness import Fact, Gap, Presence
from agentevals.model.outcome import Origin, Outcome
from agentevals.model.policy import Policy
from agentevals.model.results import CaseReport, Evaluation, Finding, Identity, Result
from agentevals.run import verdict
from agentevals.run.attempts import Places

TODAY = date(2026, 11, 18)
ORIGIN = Origin(source="merge-base", commit="b" * 40)


def result(name: str, score: float | None, *, threshold: float = 0.5, **fields: Any) -> Result:
    """One evaluator's word; no score is not evaluated."""
    if score is None:
        status = Status.NOT_EVALUATED
    else:
        status = Status.PASSED if score >= threshold else Status.FAILED
    fields = {"status": status, "type": name, **fields}
    return Result(name=name, score=score, threshold=threshold, **fields)


def unknown(
    name: str = "path",
    fact: Fact = Fact.TOOL_CALLS,
    *,
    evidence: str = "a model's output is not in the span",
    remedy: str = "Set CAPTURE=true, and record again",
    **fields: Any,
) -> Result:
    """An evaluator that could not judge, because a fact was not recorded."""
    gap = Gap(fact=fact, presence=Presence.UNKNOWN, evidence=evidence, remedy=remedy)
    details = {"reason": gap.reason, "gap": gap}
    return result(name, None, misses=(gap.reason,), details=details, **fields)


def case(name: str, *results: Result, policy: Policy | None = None, **fields: Any) -> CaseReport:
    """A case with these results, and the verdict that follows."""
    judged = _case(name, results, policy or Policy(), (), None)
    return msgspec.structs.replace(judged, **fields)


def run(
    scores: dict[str, float | list[float] | dict[str, float | None] | None],
    *,
    identity: Identity | None = None,
    policy: Policy | None = None,
    calls: dict[str, tuple[str, ...]] | None = None,
    amounts: dict[str, dict[str, Any]] | None = None,
    **fields: Any,
) -> Evaluation:
    """A run by the scores of its cases: one score, several of repeats, or one per evaluator."""
    policy = policy or Policy()
    cases = []
    for name, given in scores.items():
        repeats = given if isinstance(given, list) else [given]
        for each in repeats:
            named = each if isinstance(each, dict) else {"path": each}
            results = tuple(result(evaluator, score) for evaluator, score in named.items())
            cases.append(
                _case(name, results, policy, (calls or {}).get(name, ()), (amounts or {}).get(name))
            )
    return report(cases, identity=identity, policy=policy, **fields)


def report(
    cases: list[CaseReport],
    *,
    identity: Identity | None = None,
    policy: Policy | None = None,
    **fields: Any,
) -> Evaluation:
    """A run of these cases, with the counts that follow; those of one name are attempts."""
    policy = policy or Policy()
    places = Places()
    for case in cases:
        places.add(case)
    joined = places.join(cases, policy)
    tally = verdict.Tally(attempts=len(cases) if joined is not cases else 0)
    for case in joined:
        tally.add(case)
    names = tuple(dict.fromkeys(r.name for case in cases for r in case.results))
    return Evaluation(
        title="evals.yaml",
        cases=joined,
        score=tally.score,
        counts=tally.counts,
        evaluators=names,
        identity=identity or Identity(evaluators=dict.fromkeys(names, "e1"), rules="r1"),
        policy=policy,
        **fields,
    )


def settled(
    cases: Sequence[CaseReport],
    policy: Policy | None = None,
    findings: Iterable[Finding] = (),
) -> Outcome:
    """What these cases come to on their own."""
    return against(report([*cases], policy=policy, findings=tuple(findings)))


def _case(
    name: str,
    results: tuple[Result, ...],
    policy: Policy,
    calls: tuple[str, ...],
    performance: dict[str, Any] | None,
) -> CaseReport:
    score = verdict.score_of(results)
    return CaseReport(
        case_id=name,
        verdict=verdict.judge_case(results, score, policy),
        score=score,
        results=results,
        calls=calls,
        performance=performance or {},
        lacks_evidence=verdict.lacks_evidence(results, score, policy) or msgspec.UNSET,
    )


def against(
    head: Evaluation, base: Evaluation | None = None, *, reason: str = "", **fields: Any
) -> Outcome:
    """What the head means beside the base."""
    baseline: baselines.Baseline | baselines.NoBaseline = baselines.NoBaseline(reason=reason)
    if base is not None:
        baseline = baselines.make_baseline(base, ORIGIN)
    return comparison.settle(head, baseline, config="evals.yaml", today=TODAY, **fields)
