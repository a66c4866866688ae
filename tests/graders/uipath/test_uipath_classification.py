import pytest
from pydantic import ValidationError

from agentevals.graders.grader import Services
from agentevals.graders.grading import grade_case
from agentevals.graders.uipath.uipath_classification import (
    BinaryClassification,
    MulticlassClassification,
)
from agentevals.model.errors import EvaluatorError
from tests.graders.uipath.cases import of


def classifier(expected, **settings):
    return BinaryClassification(
        name="c", expected_class=expected, positive_class="Spam", target_output_key="l", **settings
    )


@pytest.mark.parametrize(("label", "score"), [("SPAM", 1), ("ham", 0)])
def test_letter_case_makes_no_other_class(label, score):
    assert classifier("spam").grade(of({"l": label}), Services()).score == score


@pytest.mark.parametrize(
    ("metric", "value"), [("precision", 1 / 2), ("recall", 1.0), ("f-score", 2 / 3)]
)
def test_all_cases_together(metric, value):
    said = [("spam", "spam"), ("ham", "spam"), ("ham", "ham")]
    results = [grade_case(classifier(want), of({"l": got}), Services()) for want, got in said]

    overall = classifier("spam", metric_type=metric).overall(results, Services())
    assert overall["reduce_scores"] == pytest.approx(value)


def test_there_must_be_a_class_to_look_for():
    with pytest.raises(ValidationError):
        BinaryClassification(name="c", expected_class="a", positive_class="")


def multiclass(expected, **settings):
    return MulticlassClassification(
        name="c", expected_class=expected, classes=("A", "b"), **settings
    )


def test_letter_case_makes_no_other_class_of_several():
    assert multiclass("a").grade(of("A"), Services()).score == 1


@pytest.mark.parametrize(
    ("expected", "label", "why"),
    [("a", "z", "the predicted class 'z'"), ("z", "a", "the expected class 'z'")],
)
def test_a_class_that_nobody_listed_is_an_error(expected, label, why):
    with pytest.raises(EvaluatorError, match=why):
        multiclass(expected).grade(of(label), Services())


@pytest.mark.parametrize(
    ("settings", "value"),
    [
        ({}, 2 / 3),
        ({"averaging": "micro"}, 2 / 3),
        ({"metric_type": "recall"}, 3 / 4),
    ],
)
def test_all_cases_together_with_several_classes(settings, value):
    said = [("a", "a"), ("a", "b"), ("b", "b")]
    results = [grade_case(multiclass(want), of(got), Services()) for want, got in said]

    overall = multiclass("a", **settings).overall(results, Services())
    assert overall["reduce_scores"] == pytest.approx(value)
