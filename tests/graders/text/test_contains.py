import pytest

from agentevals.graders.grader import Services
from agentevals.graders.text.contains import Contains
from tests.support import case


@pytest.mark.parametrize(
    ("answer", "value", "score"),
    [
        ("it is DENIED", "DENIED", 1),
        ("it is denied", "DENIED", 0),
        ("", "x", 0),
        (None, "x", 0),
        ("a\r\nb", "a\nb", 0),
        ("cafe\u0301", "caf\u00e9", 0),
        ("price is $5.00 (USD)", "$5.00 (", 1),
    ],
)
def test_a_text_is_found_letter_by_letter(answer, value, score):
    assert Contains(name="c", value=value).grade(case(answer), Services()).score == score


def test_a_sentence_says_what_was_looked_for():
    grader = Contains(name="c", value='"hi"')

    assert grader.grade(case('say "hi"'), Services()).hits == ('Output contains ""hi""',)
    assert grader.grade(case("say"), Services()).misses == ('Output does not contain ""hi""',)


@pytest.mark.parametrize("value", ["", 42, None, ["x"]])
def test_what_is_looked_for_is_a_text(value):
    with pytest.raises(ValueError, match="value"):
        Contains(name="c", value=value)


def test_it_is_called_after_its_text():
    assert Contains.usual_name({"value": "yes"}) == "contains-yes"
    assert Contains.usual_name({"value": 42}) == "contains"
