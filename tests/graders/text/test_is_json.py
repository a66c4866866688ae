import pytest

from agentevals.graders.grader import Services
from agentevals.graders.text.is_json import IsJson
from agentevals.model.errors import EvaluatorError
from tests.support import case


@pytest.mark.parametrize(
    "answer",
    [
        '{"a": 1}',
        "  [1, 2]\n",
        "42",
        '"x"',
        "null",
        '{"a":1,"a":2}',
        "1e999",
        '"\\ud800"',
        "9" * 9000,
    ],
)
def test_any_value_of_json_will_do(answer):
    assert IsJson(name="j").grade(case(answer), Services()).score == 1


@pytest.mark.parametrize(
    "answer",
    [
        *("", "no", "{'a':1}", "NaN", "Infinity", "\ufeff{}", "01", "[1,]", "1 2", "\u00a01"),
        "```json\n{}\n```",
        '"a\nb"',
    ],
)
def test_what_is_nearly_json_is_not(answer):
    assert IsJson(name="j").grade(case(answer), Services()).misses == ("Output is not valid JSON",)


def test_an_answer_that_nobody_can_read_is_no_judgement():
    with pytest.raises(EvaluatorError, match="nested too deeply"):
        IsJson(name="j").grade(case("[" * 200_000 + "]" * 200_000), Services())
