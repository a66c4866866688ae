import pytest
from hypothesis import given
from hypothesis import strategies as st

from registry_tools.rules import similar_name
from tests.registry_tools import registries


def slow(one, other):
    """Optimal string alignment, as textbooks have it."""
    table = [[i + j for j in range(len(other) + 1)] for i in range(len(one) + 1)]
    for i in range(1, len(one) + 1):
        for j in range(1, len(other) + 1):
            swapped = i > 1 and j > 1 and one[i - 2 : i] == other[j - 2 : j][::-1]
            table[i][j] = min(
                table[i - 1][j] + 1,
                table[i][j - 1] + 1,
                table[i - 1][j - 1] + (one[i - 1] != other[j - 1]),
                table[i - 2][j - 2] + 1 if swapped else i + j,
            )
    return table[-1][-1]


@given(st.text("abc", max_size=9), st.text("abc", max_size=9))
def test_the_distance_is_that_of_the_textbook_up_to_where_it_gives_up(one, other):
    assert min(similar_name.measure_distance(one, other, 2), 3) == min(slow(one, other), 3)


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("contains", "contain", True),
        ("contains", "contians", True),
        ("regex_match", "regex_batch", True),
        ("regex_match", "regex_catch", True),
        ("equals", "equips", False),  # two edits, and fewer than eight letters
        ("json", "jsun", False),  # fewer than five letters
        ("tool_use", "tool-use", False),  # the same name, which another rule is about
        ("contains", "container_of", False),
    ],
)
def test_names_are_similar_by_their_length_and_distance(one, other, expected):
    assert similar_name.is_similar(one, other) is expected


def test_names_that_differ_in_digits_only_are_a_series():
    assert similar_name.find_similar(["top_1_answer", "top_2_answer", "top_10_answer"]) == {}


@given(st.sets(st.text("abcd", min_size=3, max_size=10), max_size=12))
def test_no_similar_pair_is_overlooked(several):
    found = similar_name.find_similar(several)

    for one in several:
        others = sorted(o for o in several if o != one and similar_name.is_similar(one, o))
        assert found.get(one, []) == others


@pytest.mark.parametrize(
    ("name", "other", "expected"),
    [
        ("equa1s", "equals", True), ("equals", "equa1s", False), ("c0ntains", "contains", True),
        ("level1", "level2", False), ("json1", "json", False), ("equals", "equals", False),
    ],
)  # fmt: skip
def test_a_digit_in_the_place_of_a_letter_imitates_a_name(name, other, expected):
    assert similar_name.imitates(name, other) is expected


def test_a_name_that_looks_like_another_is_an_error_of_that_one(tmp_path):
    registries.write(tmp_path, "equals")
    registries.write(tmp_path, "equa1s")
    found = {one.entry: (one.rule, one.severity.value) for one in registries.findings(tmp_path)}

    assert found == {
        "equa1s": ("similar-name", "error"), "equals": ("similar-name", "warning"),
    }  # fmt: skip
