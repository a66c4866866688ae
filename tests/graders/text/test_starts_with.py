import pytest

from agentevals.graders.grader import Services
from agentevals.graders.text.starts_with import StartsWith
from tests.support import case


@pytest.mark.parametrize(
    ("answer", "value", "score"),
    [
        ("Hello there", "  Hello ", 1),
        ("\ufeff\n Hello", "Hello", 1),
        ("Oh, Hello", "Hello", 0),
        ("hello", "Hello", 0),
    ],
)
def test_white_space_around_both_does_not_matter(answer, value, score):
    assert StartsWith(name="s", value=value).grade(case(answer), Services()).score == score


def test_a_sentence_says_the_text_as_it_was_written():
    grade = StartsWith(name="s", value=" Hi ").grade(case("no"), Services())

    assert grade.misses == ('Output does not start with " Hi "',)
