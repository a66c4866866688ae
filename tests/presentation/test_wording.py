import pytest

from agentevals.model import Status
from agentevals.presentation import wording
from agentevals.report import Result


@pytest.mark.parametrize(
    ("number", "text"),
    [(1, "1.00"), (0.999, "0.99"), (0.8119, "0.81"), (0, "0.00"), (None, wording.NOTHING)],
)
def test_a_score_in_two_digits(number, text):
    assert wording.score(number) == text


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

    assert (wording.scored(result), wording.needed(result)) == (scored, needed)
