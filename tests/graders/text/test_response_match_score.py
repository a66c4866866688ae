import pytest

from agentevals.graders.grader import Services
from agentevals.graders.text.response_match_score import ResponseMatch
from agentevals.model.cases import Status
from agentevals.model.conversations import Turn
from tests.support import paired


def grade(actual, expected, **settings):
    grader = ResponseMatch(name="answer", **settings)
    turns = [Turn(response=text) for text in actual]
    wanted = None if expected is None else [Turn(response=text) for text in expected]
    return grader.grade(paired(turns, wanted), Services())


@pytest.mark.parametrize(
    ("actual", "expected", "score"),
    [
        ("The capital of France is Paris.", "the capital of france is PARIS", 1),
        ("The capital of France is Paris", "Paris", 2 / 7),
        ("apple banana", "car truck", 0),
        ("a b a b a", "a a b", 0.75),
        ("running", "run", 1),
        ("the 3 files", "3 file", 0.8),
        ("", "hello", 0),
        (None, "hello", 0),
        ("hello", None, 0),
        (None, None, 0),
        ("!!!", "???", 0),
        ("Привет, мир!", "привет мир", 1),
        ("北京", "北京是中国的首都", 0.4),
    ],
)
def test_score(actual, expected, score):
    assert grade([actual], [expected]).score == pytest.approx(score, abs=1e-9)


def test_the_score_is_the_mean_over_the_turns_and_the_threshold_judges_it():
    result = grade(["yes", "no"], ["yes", "maybe"])

    assert result.score == 0.5
    assert result.per_turn == (1.0, 0.0)
    assert result.status is None


def test_turns_that_one_side_lacks_are_said_and_the_others_scored():
    result = grade(["yes"], ["yes", "no"])

    assert result.score == 1
    assert result.details == {"missing_turns": 1, "unexpected_turns": 0}


def test_equally_long_conversations_have_no_details():
    assert grade(["yes"], ["yes"]).details == {}


def test_a_miss_names_the_turn_and_the_cause():
    result = grade(["yes", "no", None, "so"], ["yes", "never", "well", None], threshold=0.6)

    assert result.misses == (
        "turn 2: ROUGE-1 is 0.0000, below 0.6; the answer was “no”, expected “never”",
        "turn 3: ROUGE-1 is 0.0000, below 0.6; the agent said nothing, expected “well”",
        "turn 4: the eval set states no final response to compare with",
    )


def test_without_turns_there_is_nothing_to_judge():
    for actual, expected in (([], []), (["yes"], None)):
        assert grade(actual, expected).status is Status.NOT_EVALUATED
