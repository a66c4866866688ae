import pytest

from agentevals.model.cases import Status
from agentevals.model.conversations import ModelCost, RecordingCost
from agentevals.model.results import Finding, Report, Result, Severity, Verdict
from agentevals.text import wording


@pytest.mark.parametrize(
    ("number", "text"),
    [(1, "1.00"), (0.999, "0.99"), (0.8119, "0.81"), (0, "0.00"), (None, wording.NOTHING)],
)
def test_a_score_in_two_digits(number, text):
    assert wording.score(number) == text


@pytest.mark.parametrize(
    ("reason", "text"), [("too long", "not met: too long"), ("", "not met"), (" \n", "not met")]
)
def test_a_reason_that_nobody_gave_leaves_no_colon(reason, text):
    assert wording.add_reason("not met", reason) == text


@pytest.mark.parametrize(
    ("number", "text"),
    [(0.5, "0.50"), (0.8119, "0.8119"), (2 / 3, "0.6667"), (0.999999, "0.9999"), (1.0, "1.00")],
)
def test_a_score_as_exact_as_it_takes(number, text):
    assert wording.exact_score(number) == text


@pytest.mark.parametrize(
    ("milliseconds", "text"),
    [(0.2, "0 ms"), (999, "999 ms"), (1_200, "1.2 s"), (59_999, "60.0 s"), (61_500, "1 min 2 s")],
)
def test_a_duration(milliseconds, text):
    assert wording.duration(milliseconds) == text


@pytest.mark.parametrize(
    ("scale", "score", "scored", "needed"),
    [
        ((0.0, 1.0), 0.4, "0.40", "0.75"),
        ((-1.0, 1.0), 0.4, "-0.20", "0.50 (from -1 to 1)"),
        ((1.0, 5.0), 0.5, "3.00", "4.00 (from 1 to 5)"),
        ((-1.0, 1.0), None, wording.NOTHING, "0.50 (from -1 to 1)"),
    ],
)
def test_people_read_scores_on_the_scale_of_the_evaluator(scale, score, scored, needed):
    result = Result(
        name="n", type="t", status=Status.FAILED, score=score, threshold=0.75, scale=scale
    )

    assert (wording.write_score(result), wording.write_needed(result)) == (scored, needed)


def result(score, *, status=Status.PASSED, **fields):
    return Result(name="n", type="t", status=status, score=score, **fields)


@pytest.mark.parametrize(
    ("score", "threshold", "text"),
    [
        (0.4, 0.5, "0.40, needs 0.50"),
        (0.5, 0.5, "0.50"),
        (0.9, 0.8, "0.90"),
        ((0.9 * 2 + 0.6) / 3, 0.8, "just below 0.80"),
        (0.4, None, "0.40"),
        (None, 0.5, wording.NOTHING),
    ],
)
def test_a_score_needs_only_what_it_does_not_reach(score, threshold, text):
    assert wording.write_judgement(result(score, threshold=threshold)) == text


NAMED = {"missed_gates": ["criterion 'acc' is required and was not met"]}
UNJUDGED = Status.NOT_EVALUATED


@pytest.mark.parametrize(
    ("missed", "gates"),
    [
        (result(0.8), ()),
        (result(0.8, required=0.8), ()),
        (result(0.8, required=0.9), ("required to score 0.90",)),
        (result(0.5, required=0.75, scale=(1, 5)), ("required to score 4.00",)),
        (result(None, status=UNJUDGED, required=0.1), ("required, and was not evaluated",)),
        (result(None, status=Status.ERROR, required=0.1, error="broke"), ()),
        (result(0.8, vetoes=True, details=NAMED), tuple(NAMED["missed_gates"])),
        (result(0.8, details=NAMED), ()),
        (
            result(0.8, vetoes=True, required=0.9, details=NAMED),
            ("required to score 0.90", *NAMED["missed_gates"]),
        ),
        *(
            (
                result(0.8, vetoes=True, details={"missed_gates": odd}),
                ("something in it is required and was missed",),
            )
            for odd in ("x", [1], None)
        ),
    ],
)
def test_every_gate_that_was_missed_is_named(missed, gates):
    assert wording.list_missed_gates(missed) == gates


def headed(verdict, **counts):
    told = {f"cases_{name}": count for name, count in counts.items()}
    known = {"cases": 4, "results_passed": 4} | told
    serious = Finding(severity=Severity.ERROR, rule="x", message="lost")
    findings = () if counts or verdict is Verdict.PASS else (serious,)
    return wording.headline(
        Report(title="t", verdict=verdict, exit_code=0, cases=(), counts=known, findings=findings)
    )


@pytest.mark.parametrize(
    ("verdict", "counts", "text"),
    [
        (Verdict.PASS, {}, "4 cases passed"),
        (Verdict.PASS, {"fail": 1, "accepted": 1}, "3 of 4 cases passed, 1 failure accepted"),
        (Verdict.PASS, {"fail": 1}, "3 of 4 cases passed, 1 failure tolerated"),
        (
            Verdict.PASS,
            {"fail": 3, "accepted": 2},
            "1 of 4 cases passed, 2 failures accepted, 1 failure tolerated",
        ),
        (Verdict.PASS, {"fail": 4, "accepted": 4}, "0 of 4 cases passed, 4 failures accepted"),
        (
            Verdict.BORDERLINE,
            {"fail": 1, "accepted": 1, "borderline": 2},
            "2 of 4 cases borderline, 1 failure accepted",
        ),
        (Verdict.FAIL, {"fail": 1}, "1 of 4 cases failed"),
        (Verdict.FAIL, {"fail": 4}, "4 cases failed"),
        (
            Verdict.FAIL,
            {"fail": 3, "accepted": 1},
            "2 of 4 cases failed, 1 failure accepted",
        ),
        (
            Verdict.FAIL,
            {"fail": 1, "accepted": 1},
            "3 of 4 cases passed, 1 failure accepted",
        ),
        (Verdict.FAIL, {}, "4 cases passed, 1 problem"),
    ],
)
def test_the_headline_is_that_of_the_verdict(verdict, counts, text):
    assert headed(verdict, **counts) == text


COST = RecordingCost(cost=0.0123, calls=3, models=(ModelCost(model="gpt-5", calls=3, cost=0.0123),))
MANY = tuple(ModelCost(model=f"m{number}", calls=1, unpriced=1) for number in range(7))


@pytest.mark.parametrize(
    ("found", "text"),
    [
        (COST, "$0.012 for 3 model calls"),
        (RecordingCost(cost=0.0, calls=1), "$0 for 1 model call"),
        (
            RecordingCost(cost=1.5, calls=9, unpriced=7, models=MANY),
            "at least $1.50 for 9 model calls: unknown for 7 of m0, m1, m2, m3, m4 and 2 more",
        ),
        (
            RecordingCost(calls=2, unpriced=2, models=(ModelCost(model="", calls=2, unpriced=2),)),
            "unknown for 2 model calls of (no name)",
        ),
    ],
)
def test_a_cost_says_what_is_unknown(found, text):
    assert wording.describe_cost(found) == text


@pytest.mark.parametrize(
    ("p_value", "written"), [(0.0, "p < 0.001"), (0.004, "p = 0.004"), (1.0, "p = 1.00")]
)
def test_a_probability_is_never_nought(p_value, written):
    assert wording.write_p(p_value) == written
