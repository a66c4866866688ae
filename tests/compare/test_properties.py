"""What holds of any two runs, also of those that hold nonsense."""

import math
from typing import Any

import msgspec
from hypothesis import given, settings
from hypothesis import strategies as st

from agentevals.compare import baselines, comparison
from agentevals.model.cases import Status
from agentevals.model.outcome import Change, Kind, Outcome
from agentevals.model.policy import Limit, Policy, Unsure
from agentevals.model.results import CaseReport, Identity, Report
from agentevals.run import verdict
from tests.compare.runs import ORIGIN, TODAY, report, result

NAMES = ("path", "tone")
IDENTITY = Identity(evaluators=dict.fromkeys(NAMES, "e1"), rules="r1")
ABSURD = st.sampled_from([-1e308, -1.0, -1e-300, 0.0, 5e-324, 1e-300, 1e15, 1e308, 10**400])
AMOUNTS = st.none() | ABSURD | st.floats(0, 1e6) | st.text(max_size=2)
MARGINS = st.none() | st.sampled_from([0.0, 5e-324, 1e-300, 1e-9]) | st.floats(0, 1)
LIMITS = st.builds(Limit, at_least=MARGINS, max_drop=MARGINS) | st.builds(
    Limit, at_most=MARGINS, max_ratio=MARGINS.map(lambda m: None if m is None else 1 + m)
)
POLICIES = st.builds(
    Policy,
    limits=st.dictionaries(
        st.sampled_from(["pass_rate", "score", "evaluator:path", "cost", "tokens", "latency"]),
        LIMITS,
    ),
    on_inconclusive=st.sampled_from(Unsure),
    max_baseline_age_days=st.none() | st.sampled_from([1e-300, 3.0, 1e300]),
)
PLAIN = st.just(Policy())
FREE = Limit()


def performance(tokens: Any, latency: Any, cost: Any) -> dict[str, Any]:
    return {
        "tokens": {"total": tokens},
        "latency": {"overall": {"count": 1, "median": latency}},
        "cost": {"total": cost},
    }


@st.composite
def cases(draw: st.DrawFn, scores: st.SearchStrategy[float | None]) -> CaseReport:
    """A case of one of a few names, so that the two runs share some and repeat some."""
    results = tuple(result(name, draw(scores)) for name in NAMES)
    if draw(st.integers(0, 9)) == 0:
        results = (*results[1:], result("path", None, status=Status.ERROR, error="broke"))
    score = verdict.score_of(results)
    return CaseReport(
        case_id=draw(st.sampled_from("abcdefgh")),
        verdict=verdict.judge_case(results, score, Policy()),
        score=score,
        results=results,
        performance=draw(st.builds(performance, AMOUNTS, AMOUNTS, AMOUNTS)),
    )


def runs(
    scores: st.SearchStrategy[float | None], policies: st.SearchStrategy[Policy]
) -> st.SearchStrategy[Report]:
    return st.builds(
        lambda found, policy: report(found, identity=IDENTITY, policy=policy),
        st.lists(cases(scores), max_size=14),
        policies,
    )


SCORES = st.none() | st.sampled_from([0.0, 0.25, 0.5, 1.0])
NONSENSE = SCORES | st.sampled_from([-1e308, -0.5, 5e-324, 1e15, 1e308])


def between(head: Report, base: Report) -> Outcome:
    baseline = baselines.make_baseline(base, msgspec.structs.replace(ORIGIN, made_at="2026-11-17"))
    return comparison.settle(head, baseline, config="evals.yaml", today=TODAY)


@given(runs(NONSENSE, POLICIES), runs(NONSENSE, POLICIES))
@settings(deadline=None, max_examples=40)
def test_nonsense_is_not_evaluated_and_never_raises(head, base):
    section = between(head, base)

    back = msgspec.json.decode(
        msgspec.json.encode(msgspec.structs.replace(section, report=None)), type=Outcome
    )
    numbers = [
        number
        for row in section.gates
        for number in (
            row.difference,
            *(side.value for side in (row.head, row.base) if side),
            *((row.interval.low, row.interval.high) if row.interval else ()),
        )
        if number is not None
    ]
    assert back.gates == section.gates
    assert all(map(math.isfinite, numbers))
    assert all(0 <= row.p_value <= 1 for row in section.gates if row.p_value is not None)


@given(runs(NONSENSE, POLICIES))
@settings(deadline=None, max_examples=40)
def test_a_run_against_itself_flips_nothing(run):
    section = between(run, run)

    compared = [row for row in section.gates if row.pairs]
    without = {
        row.change for row in compared if not run.policy.limits.get(row.figure, FREE).compares
    }
    assert without <= {Change.UNCHANGED}
    same = {Change.UNCHANGED, Change.KEPT, Change.EQUIVALENT, Change.UNDERPOWERED}
    assert {row.change for row in compared} <= same
    assert section.counts.regressed == section.counts.fixed == 0
    assert section.counts.added == section.counts.removed == 0


MIRRORED = {Change.REGRESSED: Change.IMPROVED, Change.IMPROVED: Change.REGRESSED}


@given(runs(SCORES, PLAIN), runs(SCORES, PLAIN))
@settings(deadline=None, max_examples=40)
def test_with_base_and_head_swapped_everything_is_mirrored(one, other):
    there, back = between(one, other), between(other, one)

    mirrored = {row.figure: row for row in back.gates}
    for row in [row for row in there.gates if row.pairs and not row.is_ratio]:
        twin = mirrored[row.figure]
        assert math.isclose(row.p_value, twin.p_value, rel_tol=1e-4)
        assert MIRRORED.get(row.change, row.change) == twin.change
        assert math.isclose(row.difference, -twin.difference, abs_tol=1e-12)
    assert (there.counts.added, there.counts.removed) == (back.counts.removed, back.counts.added)
    assert of_kind(there, Kind.REGRESSED) == of_kind(back, Kind.FIXED)


def of_kind(section: Outcome, kind: Kind) -> set[str]:
    return {shown.case_id for shown in section.highlights if shown.kind is kind}
