import pytest

from agentevals.graders.llm.questions import Ballot, Panel, has_majority
from agentevals.model.errors import EvaluatorError, UnavailableError
from tests.graders.llm.questions.scripted import BROKE, USELESS, ScriptedJudge, invalid, valid


def decided(*answers):
    judge = ScriptedJudge(*answers)
    return Panel(judge, len(answers)).ask_validity("?")


@pytest.mark.parametrize(
    ("votes", "met"),
    [((True,), True), ((True, False), False), ((True, True, False), True), ((), False)],
)
def test_a_majority_is_more_than_half(votes, met):
    assert has_majority(votes) is met


def test_the_reason_is_one_of_those_who_carried_it():
    ballot = decided(invalid("no"), valid("yes"), valid("sure"))

    assert ballot == Ballot(met=True, votes=(False, True, True), reasoning="yes")
    assert ballot.counts == {"yes": 2, "no": 1}


def test_a_tie_is_not_enough():
    assert decided(valid(), invalid("hm")) == Ballot(False, (True, False), "hm")


def test_an_answer_that_cannot_be_used_counts_for_nobody():
    assert decided(valid(), USELESS, USELESS).votes == (True,)


def test_no_usable_answer_at_all_is_an_error():
    with pytest.raises(EvaluatorError, match="none of 2 answers could be used; the last: gave no"):
        decided(USELESS, USELESS)


@pytest.mark.parametrize("error", [BROKE, UnavailableError("down")])
def test_what_another_answer_cannot_mend_ends_it_at_once(error):
    judge = ScriptedJudge(error)

    with pytest.raises(type(error), match=str(error)):
        Panel(judge, 5).ask_validity("?")
    assert len(judge.prompts) == 1
