import pytest
from pydantic import TypeAdapter, ValidationError

from agentevals.graders.tools.sequences.matching import AllUsed, are_all_used, fits_pattern

USED = TypeAdapter(AllUsed)


@pytest.mark.parametrize(
    ("pattern", "name", "meant"),
    [
        ("search", "Search", True),
        ("search*", "search_web", True),
        ("search*", "research", False),
        ("s?arch", "search", True),
        ("s?arch", "sarch", False),
        ("a[b]", "a[b]", True),
        ("a[b]", "ab", False),
        ("a.b", "axb", False),
        ("*", "two\nlines", True),
        ("", "x", False),
    ],
)
def test_a_pattern_means_names(pattern, name, meant):
    assert fits_pattern(pattern, name) is meant


def test_a_pattern_with_many_stars_takes_no_time():
    assert not fits_pattern("*a" * 200 + "b", "a" * 5000)


@pytest.mark.parametrize(
    ("value", "times", "forbidden", "met"),
    [
        ("a", [1], False, True),
        ("a", [0], False, False),
        (["a", "b"], [1, 0], False, False),
        (["a", "b"], [1, 0], True, True),
        (["a", "b"], [0, 0], True, False),
        ({"name": "a", "min": 2}, [1], False, False),
        ({"name": "a", "min": 2}, [2], False, True),
        ({"name": "a", "max": 2}, [0], False, False),
        ({"name": "a", "max": 2}, [3], False, False),
        ({"name": "a", "max": 0}, [0], False, True),
        ({"name": "a", "min": 2}, [1], True, False),
    ],
)
def test_how_often(value, times, forbidden, met):
    assert are_all_used(USED.validate_python(value), times, forbidden=forbidden) is met


@pytest.mark.parametrize(
    "value",
    [
        "",
        [],
        5,
        [5],
        None,
        {},
        {"min": 1},
        {"name": "a", "min": -1},
        {"name": "a", "min": 2, "max": 1},
        {"name": "a" * 1001},
    ],
)
def test_what_means_nothing_is_refused(value):
    with pytest.raises(ValidationError):
        USED.validate_python(value)
