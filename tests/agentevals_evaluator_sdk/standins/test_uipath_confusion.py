import pytest

from agentevals_evaluator_sdk.standins.uipath.standin_confusion import (
    Confusion,
    measure_classes,
    measure_one_class,
)

PAIRS = [("a", "a"), ("a", "b"), ("b", "b"), ("z", "a")]


@pytest.mark.parametrize(
    ("metric", "value"), [("precision", 1 / 2), ("recall", 1 / 2), ("f-score", 1 / 2)]
)
def test_one_class_is_told_from_all_others(metric, value):
    assert measure_one_class("a", PAIRS, metric, 1.0) == value


@pytest.mark.parametrize(("beta", "value"), [(0.5, 5 / 6), (1.0, 2 / 3), (2.0, 5 / 9)])
def test_above_one_the_f_score_favours_recall(beta, value):
    precise = [("a", "a"), ("b", "a")]

    assert measure_one_class("a", precise, "f-score", beta) == pytest.approx(value)


def test_what_is_none_of_the_classes_is_not_counted_among_them():
    assert measure_classes("ab", PAIRS, "recall", "micro", 1.0) == 2 / 3


def test_rows_are_what_was_predicted_and_a_stranger_is_a_miss():
    confusion = Confusion(("a", "b"), [*PAIRS, ("a", "z")])

    assert confusion.matrix == [[1, 1], [0, 1]]
    assert confusion.count(0) == (1, 1, 1)
    assert confusion.scored == 4


def test_nothing_to_count_is_no_division_by_zero():
    confusion = Confusion((), [])

    assert confusion.measure("precision", "micro", 1.0) == 0
    assert confusion.measure("fscore", "macro", 1.0) == 0
    assert measure_one_class("a", [], "f-score", 2.0) == 0
