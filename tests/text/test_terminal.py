import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentevals.text.terminal import Ink, Pen, block, clip, line, pad, plain, width, wrap

ANYTHING = st.text(alphabet=st.characters(codec=None, categories=None), max_size=60)


@pytest.mark.parametrize(
    ("text", "columns"),
    [
        ("plain", 5),
        ("日本語", 6),
        ("e\u0301te\u0301", 3),
        ("👩‍👩‍👧", 2),
        ("👍🏽", 2),
        ("1️⃣", 2),
        ("🇫🇷", 2),
        ("\u1112\u1161\u11ab", 2),
        ("", 0),
    ],
)
def test_width(text, columns):
    assert width(text) == columns


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b[31mred", "␛[31mred"),
        ("a\nb\t c", "a b c"),
        ("\u202egnp", "\\u{202e}gnp"),
        ("\x00", "␀"),
        ("half \ud800", "half \\u{d800}"),
        ("x" * 5000, "x" * 4000 + "…"),
    ],
)
def test_what_a_terminal_would_obey_becomes_visible(text, shown):
    assert plain(text) == shown


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("  ::error::x", "  \u2236:error::x\n"),
        ("\x1b[31m::error::x", "\x1b[31m\u2236:error::x\n"),
        ("a ##[error] b", "a ##(error] b\n"),
        ("std::string  ", "std::string\n"),
    ],
)
def test_a_line_is_never_a_command_of_the_runner(text, shown):
    assert line(text) == shown


@given(ANYTHING, st.integers(min_value=1, max_value=30))
def test_clipping_never_exceeds_the_columns(text, columns):
    assert width(clip(text, columns)) <= columns


@given(ANYTHING, st.integers(min_value=2, max_value=30))
def test_padding_gives_exactly_the_columns(text, columns):
    assert width(pad(plain(text), columns)) == columns


@given(ANYTHING, st.integers(min_value=4, max_value=30), st.integers(min_value=1, max_value=4))
def test_wrapping_keeps_to_its_lines_and_columns(text, columns, lines):
    wrapped = wrap(plain(text), columns, lines)

    assert len(wrapped) <= lines
    assert max(map(width, wrapped)) <= columns


def test_words_are_wrapped_whole_and_loses_nothing():
    text = "one two three four five six"

    assert wrap(text, 10, 9) == ["one two", "three four", "five six"]


def test_a_block_keeps_the_lines_of_a_traceback():
    assert block("Traceback:\n  File x\n\nError", 20, 8) == ["Traceback:", "File x", "Error"]


def test_a_pen_without_colour_writes_only_text():
    assert Pen()("x", Ink.BAD) == "x"
    assert Pen(colour=True)("x", Ink.BAD, Ink.STRONG) == "\x1b[31;1mx\x1b[0m"
