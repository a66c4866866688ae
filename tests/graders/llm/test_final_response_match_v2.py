import pytest

from agentevals.graders.llm.final_response_match_v2 import FinalResponseMatch
from agentevals.model.cases import Status
from agentevals.model.errors import EvaluatorError
from tests.graders.llm.questions.scripted import BROKE, USELESS, invalid, judged, valid
from tests.support import paired, turn


def graded(case, *answers, **settings):
    grader = FinalResponseMatch(name="match", **settings)
    return judged(grader, case, *answers)


@pytest.fixture
def one_turn():
    return paired([turn("four", user="2+2")], [turn("4", user="2+2")])


@pytest.mark.parametrize(
    ("answers", "score"),
    [
        ([valid(), valid(), invalid()], 1.0),
        ([valid(), invalid(), invalid()], 0.0),
        ([valid(), invalid()], 0.0),
        ([valid(), USELESS, USELESS], 1.0),
        ([valid()], 1.0),
    ],
)
def test_the_majority_of_usable_answers_decides_and_a_tie_is_invalid(one_turn, answers, score):
    grade, judge = graded(one_turn, *answers, num_samples=len(answers))

    assert (grade.score, grade.per_turn) == (score, (score,))
    assert len(judge.prompts) == len(answers)


def test_the_score_is_valid_turns_over_judged_turns():
    case = paired(
        [turn("a"), turn("b"), turn("c")],
        [turn("a"), turn("x"), turn(None)],
    )
    grade, judge = graded(case, valid(), invalid("not x"))

    assert grade.score == 0.5
    assert grade.per_turn == (1.0, 0.0, None)
    assert grade.misses == ("turn 2: not the expected answer: not x",)
    assert grade.details["judgements"][1] == {
        "invocation_id": "i1",
        "valid": False,
        "votes": {"valid": 0, "invalid": 1},
        "reasoning": "not x",
    }
    assert len(judge.prompts) == 2


def test_without_a_reason_the_turn_is_named_alone(one_turn):
    assert graded(one_turn, invalid(""))[0].misses == ("turn 1: not the expected answer",)


def test_question_answer_and_reference_are_shown_as_material(one_turn):
    _, judge = graded(one_turn, valid())

    shown = judge.prompts[0]
    for name, text in (("USER", "2+2"), ("AGENT ANSWER", "four"), ("REFERENCE ANSWER", "4")):
        assert f"<<<{name} " in shown
        assert f">>>\n{text}\n<<<END" in shown


def test_no_answer_is_judged_as_an_empty_one():
    grade, judge = graded(paired([turn(None)], [turn("4")]), invalid("says nothing"))

    assert grade.score == 0
    assert ">>>\n\n<<<END" in judge.prompts[0]


def test_missing_turns_are_said():
    grade, _ = graded(paired([turn("4")], [turn("4"), turn("5")]), valid())

    assert grade.details["missing_turns"] == 1


def test_an_eval_set_without_answers_leaves_nothing_to_judge():
    grade, _ = graded(paired([turn("4")], [turn(None)]), valid())

    assert grade.status is Status.NOT_EVALUATED


@pytest.mark.parametrize("broken", [[USELESS], [valid(), BROKE]])
def test_a_judge_that_fails_is_an_error_and_no_score(one_turn, broken):
    with pytest.raises(EvaluatorError):
        graded(one_turn, *broken, num_samples=2)
