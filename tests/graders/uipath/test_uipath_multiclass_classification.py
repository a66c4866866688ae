import pytest

from agentevals.graders.grader import Services, result_of
from agentevals.graders.uipath.uipath_multiclass_classification import MulticlassClassification
from agentevals.model.errors import EvaluatorError
from tests.graders.uipath.cases import of


def classifier(expected, **settings):
    return MulticlassClassification(
        name="c", expected_class=expected, classes=("A", "b"), **settings
    )


def test_letter_case_makes_no_other_class():
    assert classifier("a").grade(of("A"), Services()).score == 1


@pytest.mark.parametrize(
    ("expected", "label", "why"),
    [("a", "z", "the predicted class 'z'"), ("z", "a", "the expected class 'z'")],
)
def test_a_class_that_nobody_listed_is_an_error(expected, label, why):
    with pytest.raises(EvaluatorError, match=why):
        classifier(expected).grade(of(label), Services())


@pytest.mark.parametrize(
    ("settings", "value"),
    [
        ({}, 2 / 3),
        ({"averaging": "micro"}, 2 / 3),
        ({"metric_type": "recall"}, 3 / 4),
    ],
)
def test_all_cases_together(settings, value):
    said = [("a", "a"), ("a", "b"), ("b", "b")]
    results = [result_of(classifier(want), of(got), Services()) for want, got in said]

    overall = classifier("a", **settings).overall(results, Services())
    assert overall["reduce_scores"] == pytest.approx(value)
