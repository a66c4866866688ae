import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentevals.text.terminal import plain
from agentevals.text.text_differences import ROOM, compare_arguments, cut_pair

WORDS = st.text(alphabet=st.sampled_from("ab é\u0301\u00a0\u200b…"), max_size=9)


def test_a_number_and_a_text_are_told_apart():
    found, same = compare_arguments({"a": 1, "b": 2}, {"a": "1", "b": 2})

    assert [(d.write_expected(), d.write_actual()) for d in found] == [("a: 1", 'a: "1"')]
    assert same == 1


def test_nested_arguments_are_named_by_their_path():
    found, same = compare_arguments({"o": {"x": 1, "y": 2}}, {"o": {"x": 1, "y": 3}})

    assert [(d.write_expected(), d.write_actual()) for d in found] == [("o.y: 2", "o.y: 3")]
    assert same == 1


def test_missing_and_empty_arguments_are_told_apart():
    found, _ = compare_arguments(None, {})

    assert (found[0].write_expected(), found[0].write_actual()) == (
        "arguments not stated",
        "no arguments: {}",
    )


def test_a_null_argument_is_not_an_absent_one():
    found, _ = compare_arguments({"a": None}, {})

    assert (found[0].write_expected(), found[0].write_actual()) == ("a: null", "a: absent")


def test_long_texts_are_shown_where_they_differ():
    found, _ = compare_arguments({"t": "x" * 100 + "sunny"}, {"t": "x" * 100 + "rainy"})

    assert found[0].write_expected() == f't: …{"x" * 12}sunny"'
    assert found[0].write_actual() == f't: …{"x" * 12}rainy"'


@given(WORDS, WORDS, WORDS, st.integers(0, 300), st.integers(0, 300))
def test_two_texts_that_differ_are_never_cut_to_the_same(here, there, between, before, after):
    expected, actual = (f"{'x' * before}{word}{between}{'y' * after}" for word in (here, there))
    shown = cut_pair(expected, actual)

    assert (shown[0] != shown[1]) is (expected != actual)
    assert (plain(shown[0]) != plain(shown[1])) is (expected != actual)
    assert max(map(len, shown)) <= 6 * ROOM


@pytest.mark.parametrize(
    ("expected", "actual", "shown"),
    [
        ("caf\u00e9", "cafe\u0301", (r"caf\u00e9", r"cafe\u0301")),
        ("a b", "a  b", ("a b", r"a \u0020b")),
        ("a b", "a\u00a0b", ("a b", r"a\u00a0b")),
        ("x" * 99 + "1" + "y" * 99, "x" * 99 + "y" * 99, None),
    ],
)
def test_what_looks_the_same_is_spelt_out_and_equal_parts_are_left_out(expected, actual, shown):
    assert cut_pair(expected, actual) == (
        shown or (f"…{'x' * 12}1{'y' * 12}…", f"…{'x' * 12}{'y' * 12}…")
    )
