import pytest
from pydantic import ValidationError

from agentevals.graders.grader import NO_EVAL_SET, Services
from agentevals.graders.llm.openai_eval import OpenAIEval
from agentevals.graders.text.text_metrics import METRICS
from agentevals.model.cases import Status
from agentevals.model.conversations import Turn
from tests.support import paired

LABELS = {
    "type": "label_model",
    "model": "m",
    "input": [{"role": "user", "content": "Rate: {{ item.actual_response }}"}],
    "labels": ["good", "bad"],
    "passing_labels": ["good"],
}


def similar(metric="fuzzy_match", **settings):
    wanted = {"type": "text_similarity", "evaluation_metric": metric}
    return OpenAIEval(name="sim", grader=wanted, **settings)


def grade(grader, actual, expected):
    turns = [Turn(response=text) for text in actual]
    wanted = None if expected is None else [Turn(response=text) for text in expected]
    return grader.grade(paired(turns, wanted), Services())


def test_the_score_is_the_mean_over_the_turns():
    result = grade(similar(threshold=0.8), ["done: 4", "you are welcome"], ["done: 4", "welcome"])

    assert result.per_turn == (1.0, pytest.approx(14 / 22))
    assert result.score == pytest.approx((1 + 14 / 22) / 2)
    assert result.status is None
    assert result.details == {
        "evaluation_metric": "fuzzy_match",
        "result_counts": {"passed": 1, "failed": 1, "total": 2},
    }
    said = "the answer was “you are welcome”, expected “welcome”"
    assert result.misses == (f"turn 2: fuzzy_match is 0.6364, below 0.8; {said}",)


@pytest.mark.parametrize("metric", list(METRICS))
def test_every_metric_can_be_asked_for(metric):
    assert grade(similar(metric), ["the cat sat"], ["the cat sat"]).score == 1


def test_without_an_eval_set_there_is_nothing_to_compare_with():
    result = grade(similar(), ["hello"], None)

    assert result.status is Status.NOT_EVALUATED
    assert result.details == {"reason": NO_EVAL_SET}


def test_a_missing_turn_is_said_and_not_taken_for_an_empty_answer():
    result = grade(similar(), ["hello"], ["hello", "bye"])

    assert result.per_turn == (1.0,)
    assert result.details["missing_turns"] == 1


def test_a_silent_agent_scores_nothing():
    result = grade(similar(), [None], ["hello"])

    assert result.score == 0
    said = "the agent said nothing, expected “hello”"
    assert result.misses == (f"turn 1: fuzzy_match is 0.0000, below 0.5; {said}",)


def test_an_expectation_without_a_text_is_left_out():
    result = grade(similar(), ["a", "b"], ["a", None])

    assert result.score == 1
    assert result.per_turn == (1.0, None)
    assert result.details["result_counts"] == {"passed": 1, "failed": 0, "total": 1}
    assert result.misses == ("turn 2: the eval set states no final response to compare with",)


def test_an_eval_set_without_any_text_leaves_nothing_to_judge():
    assert grade(similar(), ["a"], [None]).status is Status.NOT_EVALUATED


@pytest.mark.parametrize(
    ("grader", "message"),
    [
        ({"type": "text_similarity", "evaluation_metric": "rouge_9"}, "rouge_1"),
        ({"type": "text_similarity"}, "evaluation_metric"),
        ({"type": "string_check"}, "label_model"),
        ({"type": "text_similarity", "evaluation_metric": "bleu", "foo": 1}, "foo"),
        (LABELS | {"passing_labels": ["great"]}, "'great', which is not one of 'labels'"),
        (LABELS | {"passing_labels": []}, "passing_labels"),
        (LABELS | {"labels": []}, "labels"),
        (LABELS | {"input": [{"role": "user", "content": "{{ item.x }}"}]}, "nothing is called"),
        (LABELS | {"input": []}, "input"),
        (LABELS | {"input": [{"role": "user", "content": ""}]}, "content"),
    ],
)
def test_a_grader_that_cannot_work_is_refused(grader, message):
    with pytest.raises(ValidationError, match=message):
        OpenAIEval(name="x", grader=grader)


def test_the_criterion_of_a_similarity_is_what_the_api_documents():
    grader = similar("bleu", threshold=0.7)

    assert grader.grader.build_criterion("sim", 0.7) == {
        "type": "text_similarity",
        "name": "sim",
        "input": "{{ item.actual_response }}",
        "reference": "{{ item.expected_response }}",
        "evaluation_metric": "bleu",
        "pass_threshold": 0.7,
    }


def test_the_criterion_of_labels_is_what_the_api_documents():
    grader = OpenAIEval(name="quality", grader=LABELS)

    assert grader.grader.build_criterion("quality", 0.5) == LABELS | {"name": "quality"}
