import pytest

from agentevals.graders.grader import Services
from agentevals.graders.text.regex import Pattern, Regex
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


@pytest.mark.parametrize(
    ("pattern", "flags", "text"),
    [
        (r"(?<year>\d{4})-\k<year>", "", "2024-2024"),
        (r"(?P<year>\d{4})", "", "2024"),
        (r"(?<=\$)42", "", "$42"),
        (r"\p{Lu}", "u", "É"),
        (r"\u{1F600}", "u", "😀"),
        (r"\\u{1}", "", "\\u"),
        (r"[(]{3}", "", "((("),
        (r"^(\d{3}-){20}$", "", "123-" * 20),
        ("a{1000}", "", "a" * 1000),
        ("^b$", "m", "a\nb"),
        ("[[a]", "", "["),
    ],
)
def test_what_javascript_writes_is_understood(pattern, flags, text):
    assert Pattern(pattern, flags).occurs_in(text)


@pytest.mark.parametrize(("pattern", "text"), [("^b$", "a\nb"), ("a.b", "a\nb"), ("A", "a")])
def test_without_flags_nothing_is_lenient(pattern, text):
    assert not Pattern(pattern).occurs_in(text)


@pytest.mark.parametrize(
    ("pattern", "flags", "message"),
    [
        ("(", "", "missing"),
        (r"\k<>", "", "bad escape"),
        (r"\u{110000}", "", "bad hex escape"),
        ("a", "gg", "'g' is there twice"),
        ("a", "x", "no flag 'x'"),
        ("(" * 3000, "", "nested too deeply"),
        ("a" * 20_001, "", "at most 20,000 characters"),
        ("((a{1000}){1000}){1000}", "", "more than 20,000 parts"),
        ("(?:(?:a{100}){100}){3}", "", "more than 20,000 parts"),
        ("a{9999999999}", "", "more than 20,000 parts"),
        ("a(?R)?b", "", "cannot contain itself"),
    ],
)
def test_what_cannot_be_compiled_says_why(pattern, flags, message):
    with pytest.raises(ValueError, match=message):
        Pattern(pattern, flags)


def test_a_pattern_is_written_as_in_javascript():
    assert str(Pattern("a.b", "gi")) == "/a.b/gi"
