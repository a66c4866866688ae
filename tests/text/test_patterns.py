import pytest

from agentevals.text.patterns import Pattern


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


def test_it_is_written_as_in_javascript():
    assert str(Pattern("a.b", "gi")) == "/a.b/gi"
