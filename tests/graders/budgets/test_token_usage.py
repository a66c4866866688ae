import pytest

from agentevals.graders.budgets.token_usage import TokensUsed
from agentevals.graders.grader import Services
from agentevals.model.cases import Case
from agentevals.model.conversations import ModelCall
from tests.support import case, conversation, turn

CALL = ModelCall(input_tokens=100, output_tokens=50, cache_read_tokens=10)
USED = Case(conversation=conversation(turn(model_calls=(CALL,))))


def test_every_limit_is_held_against_what_was_used():
    grader = TokensUsed(name="t", max_total=159, max_input=100, max_output=49)

    grade = grader.grade(USED, Services())

    assert grade.score == 0
    assert grade.hits == ("Input tokens 100 <= 100",)
    assert grade.misses == ("Output tokens 50 > 49", "Total tokens 160 > 159")
    assert grade.reasoning == "token-usage input=100, output=50, cached=10, total=160"


def test_limits_that_are_all_kept_pass():
    assert (
        TokensUsed.model_validate({"name": "t", "maxTotal": 160}).grade(USED, Services()).score == 1
    )


def test_tokens_that_were_not_counted_did_not_keep_the_limit():
    assert TokensUsed(name="t", max_total=1).grade(case(), Services()).misses == (
        "No token usage data available in trace",
    )


def test_without_a_limit_there_is_nothing_to_judge():
    with pytest.raises(ValueError, match="write 'max_total', 'max_input' or 'max_output'"):
        TokensUsed(name="t")
