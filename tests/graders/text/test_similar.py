import sys

import pytest

from agentevals.graders.grader import Services, grade_case
from agentevals.graders.text.similar import Similar
from agentevals.model.cases import Status
from tests import wordllama_stand_in
from tests.support import case


@pytest.fixture(autouse=True)
def installed(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(wordllama_stand_in.written_to(tmp_path))
    monkeypatch.delitem(sys.modules, "wordllama", raising=False)


@pytest.mark.parametrize(
    ("value", "score", "status"),
    [
        ("abc", 1.0, Status.PASSED),
        (["xyz", "abc"], 1.0, Status.PASSED),
        ("xyz", 0.5, Status.FAILED),
    ],
)
def test_the_nearest_text_counts(value, score, status):
    result = grade_case(Similar(name="s", value=value), case("abc"), Services())

    assert result.score == pytest.approx(score)
    assert result.status is status


def test_a_sentence_says_how_near():
    grade = Similar(name="s", value=["xyz", "abc"]).grade(case("abc"), Services())

    assert grade.hits == ('Output is similar to "abc" (similarity: 1.00, threshold: 0.75)',)
    assert len(grade.details["similarities"]) == 2


@pytest.mark.parametrize("answer", ["", "  \n", None])
def test_an_empty_answer_is_like_nothing(answer):
    assert Similar(name="s", value="abc").grade(case(answer), Services()).score == 0


@pytest.mark.parametrize("value", ["", [], [""], 5, None])
def test_there_has_to_be_a_text(value):
    with pytest.raises(ValueError, match="value"):
        Similar(name="s", value=value)


def test_it_is_said_beforehand_whether_texts_can_be_compared():
    assert Similar(name="s", value="abc").problems() == []
