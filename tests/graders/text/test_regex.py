import pytest

from agentevals.graders.grader import Services
from agentevals.graders.text.regex import Regex
from agentevals.model.errors import EvaluatorError
from tests.support import case


@pytest.mark.parametrize(
    ("answer", "settings", "score"),
    [
        ("Good morning Bob", {"value": "Good (morning|evening)"}, 1),
        ("xxabcxx", {"value": "abc"}, 1),
        ("xxabcxx", {"value": "abc", "flags": "y"}, 0),
        ("GOOD", {"value": "good"}, 0),
        ("GOOD", {"value": "good", "flags": "i"}, 1),
        ("", {"value": "^$"}, 1),
    ],
)
def test_it_matches_anywhere(answer, settings, score):
    assert Regex(name="r", **settings).grade(case(answer), Services()).score == score


def test_a_sentence_says_pattern_and_flags():
    grader = Regex(name="r", value="a.b", flags="s")

    assert grader.grade(case("a\nb"), Services()).hits == (
        "Output matches pattern /a.b/s (flags: s)",
    )
    assert grader.grade(case("a"), Services()).reasoning == "Output does not match pattern /a.b/s"


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"value": "([unclosed"}, "unterminated character set"),
        ({"value": "x", "flags": "q"}, "there is no flag 'q'"),
        ({"value": ""}, "at least 1"),
    ],
)
def test_a_pattern_that_is_not_right_is_refused_before_anything_runs(settings, message):
    with pytest.raises(ValueError, match=message):
        Regex(name="r", **settings)


def test_a_pattern_that_never_ends_is_no_judgement():
    grader = Regex(name="r", value="(a|a)*$")

    with pytest.raises(EvaluatorError, match="takes longer than"):
        grader.grade(case("a" * 40 + "b"), Services())


def test_it_is_called_after_the_beginning_of_its_pattern():
    assert Regex.usual_name({"value": "Good (morning|afternoon|evening)"}) == (
        "regex-Good (morning|afternoon|evenin"
    )
