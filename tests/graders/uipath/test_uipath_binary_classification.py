import pytest
from pydantic import ValidationError

from agentevals.graders.grader import Services, result_of
from agentevals.graders.uipath.uipath_binary_classification import BinaryClassification
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
    results = [result_of(classifier(want), of({"l": got}), Services()) for want, got in said]

    overall = classifier("spam", metric_type=metric).overall(results, Services())
    assert overall["reduce_scores"] == pytest.approx(value)


def test_there_must_be_a_class_to_look_for():
    with pytest.raises(ValidationError):
        BinaryClassification(name="c", expected_class="a", positive_class="")
