import pytest

from agentevals.report.overall_figures import Matrix, find_figures, find_matrices
from tests.report.outputs.reports import TOGETHER, report

MATRIX = {
    "metric": "confusion_matrix",
    "classes": ["a", "b"],
    "confusionMatrix": [[2, 1], [0, 3]],
}


def test_a_figure_has_the_name_under_which_it_was_asked_for():
    assert list(find_figures(TOGETHER)) == [
        ("Label, f-score", "0.52"),
        ("Match::precision", "0.6667"),
        ("Own", "0.30"),
    ]


def test_an_error_is_not_hidden():
    found = report(overall={"E": {"error": "reduce_scores raised KeyError"}})

    assert list(find_figures(found)) == [("E", "error: reduce_scores raised KeyError")]


def test_a_matrix_is_one_table():
    assert list(find_matrices(TOGETHER)) == [
        Matrix("Match::confusion_matrix", ("a", "b"), ((2, 1), (0, 3)))
    ]


@pytest.mark.parametrize(
    "said",
    [
        {},
        {"reduce_scores": None, "metric": "f-score"},
        {"reduce_scores": 0.5, "metric": "mean"},
        {"x": {"score": None}},
        {"x": {"score": 0.0, "details": {**MATRIX, "classes": ["a"] * 40}}},
        {"x": {"score": 0.0, "details": {**MATRIX, "classes": 2}}},
        {"x": {"score": 0.0, "details": {**MATRIX, "confusionMatrix": None}}},
        {"x": {"score": 0.0, "details": {**MATRIX, "confusionMatrix": [[1, 2], [3]]}}},
        {"x": {"score": 0.0, "details": {**MATRIX, "confusionMatrix": [[1, 2], ["3", 4]]}}},
        {"x": {"score": True}},
        {"x": {"score": 10**400}},
        {"x": "text"},
    ],
)
def test_what_is_no_figure_is_left_to_those_who_read_json(said):
    found = report(overall={"E": said})

    assert list(find_figures(found)) == [("x", "0.00")] * ("details" in str(said))
    assert list(find_matrices(found)) == []
