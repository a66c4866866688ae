"""What is known of the noise of a case: how its earlier recordings ended on the base."""

import msgspec
import pytest

from agentevals.compare import baselines, case_history, comparison
from agentevals.compare.baselines import Baseline, NoBaseline
from agentevals.compare.settlement import review_of
from agentevals.model.cases import Status
from agentevals.model.outcome import Outcome
from agentevals.model.results import CaseReport, Evaluation, Identity, Verdict
from agentevals.model.review import Scene
from tests.compare.runs import ORIGIN, TODAY, case, report, result, run

PASSED, FAILED = result("path", 1.0), result("path", 0.0)
BROKEN = result("path", None, status=Status.ERROR, error="boom")
JUDGING = Identity(evaluators={"path": "e1"}, rules="r1", cases={"a": "d1"})


def recorded(name: str, *ends: str, identity: Identity = JUDGING) -> Evaluation:
    """A run of one case, an attempt for each letter; its recordings have the name."""
    results = {"p": PASSED, "f": FAILED, "e": BROKEN}
    cases = [
        msgspec.structs.replace(case("a", results[end]), recording=f"{name}{at}")
        for at, end in enumerate("".join(ends))
    ]
    return report(cases, identity=identity)


def settle(evaluation: Evaluation, baseline: Baseline | NoBaseline) -> Outcome:
    return comparison.settle(evaluation, baseline, config="evals.yaml", today=TODAY)


def keep(outcome: Outcome) -> Baseline:
    """The run as a later one is compared with it."""
    kept = baselines.make_from_outcome(outcome, review_of(Scene(), [outcome]), ORIGIN)
    assert kept is not None
    return kept


def push(*runs: Evaluation) -> Baseline:
    """What is known after these runs of the base branch, each compared with the one before."""
    kept: Baseline | NoBaseline = NoBaseline(reason="")
    for each in runs:
        kept = keep(settle(each, kept))
    assert isinstance(kept, Baseline)
    return kept


def earlier(known: Baseline) -> list[str]:
    return [each.earlier for each in known.cases]


def test_the_first_run_knows_none():
    assert earlier(push(recorded("mon", "p"))) == [""]


def test_each_run_adds_the_attempts_of_the_one_before():
    known = push(recorded("mon", "p"), recorded("tue", "f"), recorded("wed", "p"))

    assert earlier(known) == ["pf"]


def test_all_attempts_of_a_case_have_its_history():
    known = push(recorded("mon", "ppf"), recorded("tue", "pp"))

    assert earlier(known) == ["ppf", "ppf"]


def test_the_last_ten_are_kept():
    known = push(recorded("mon", "ffpp"), *(recorded(f"day {at}", "pp") for at in range(5)))

    assert earlier(known)[0] == "p" * 10


def test_a_recording_counts_once_however_many_runs_have_judged_it():
    known = push(recorded("mon", "f"), recorded("tue", "p"), *[recorded("wed", "p")] * 3)

    assert earlier(known) == ["fp"]


def test_recordings_that_nobody_can_tell_apart_all_count():
    known = push(*[run({"a": 1}, identity=JUDGING)] * 3)

    assert earlier(known) == ["pp"]


def test_what_nobody_could_judge_leaves_no_letter_and_forgets_nothing():
    known = push(recorded("mon", "p"), recorded("tue", "e"), recorded("wed", "pe"))

    assert set(earlier(known)) == {"p"}


def test_a_borderline_case_has_not_failed():
    def scored(name: str) -> CaseReport:
        return msgspec.structs.replace(
            case("a", PASSED), recording=name, verdict=Verdict.BORDERLINE
        )

    known = push(report([scored("mon")]), report([scored("tue")]))

    assert earlier(known) == ["p"]


@pytest.mark.parametrize(
    "change",
    [{"cases": {"a": "d2"}}, {"evaluators": {"path": "e2"}}, {"rules": "r2"}],
    ids=["expectation", "evaluator", "rules"],
)
def test_what_is_judged_in_another_way_begins_anew(change):
    other = msgspec.structs.replace(JUDGING, **change)

    known = push(recorded("mon", "p"), recorded("tue", "f"), recorded("wed", "p", identity=other))
    later = push(
        *(recorded("mon", "p"), recorded("tue", "f")),
        *(recorded(day, "p", identity=other) for day in ("wed", "thu")),
    )

    assert earlier(known) == [""]
    assert earlier(later) == ["p"]


def test_a_case_that_comes_knows_none_and_one_that_goes_is_forgotten():
    known = push(run({"a": 1}), run({"a": 0, "b": 1}), run({"b": 0}))

    assert [(each.case_id, each.earlier) for each in known.cases] == [("b", "p")]


def test_a_run_without_any_writes_no_member():
    outcome = settle(recorded("mon", "p"), NoBaseline(reason=""))

    assert outcome.earlier is msgspec.UNSET


# ---- a base that is evaluated just now


def test_what_is_scored_now_gets_the_history_of_the_run_that_was_kept():
    kept = push(recorded("mon", "p"), recorded("tue", "f"))
    again = baselines.make_baseline(recorded("tue", "f"), ORIGIN)
    anew = baselines.make_baseline(recorded("wed", "p"), ORIGIN)

    assert earlier(case_history.recall_earlier(again, kept)) == ["p"]
    assert earlier(case_history.recall_earlier(anew, kept)) == ["pf"]


def test_a_case_of_which_something_else_is_expected_recalls_nothing():
    kept = push(recorded("mon", "p"), recorded("tue", "f"))
    other = msgspec.structs.replace(JUDGING, cases={"a": "d2"})
    scored = baselines.make_baseline(recorded("wed", "p", identity=other), ORIGIN)

    assert earlier(case_history.recall_earlier(scored, kept)) == [""]


def test_what_was_not_judged_in_full_recalls_nothing():
    kept = push(recorded("mon", "p"), recorded("tue", "f"))
    scored = baselines.make_baseline(recorded("wed", "p"), ORIGIN)

    unjudged = msgspec.structs.replace(scored, unjudged=("path",))

    assert case_history.recall_earlier(unjudged, kept) == unjudged


# ---- in a check run


def test_it_is_packed_and_dropped_before_what_evaluators_said():
    known = push(*(run({f"{n * 7919:x}": (n + day) % 2 for n in range(500)}) for day in range(9)))
    known = msgspec.structs.replace(known, trend=msgspec.structs.replace(known.trend, strips={}))
    whole = baselines.pack(known, 60_000)
    assert whole is not None

    tight = baselines.pack(known, len(whole) - 1)

    assert baselines.unpack(whole) == known
    assert tight is not None
    left = baselines.unpack(tight)
    assert {each.earlier for each in left.cases} == {""}
    assert all(each.outcomes for each in left.cases)
