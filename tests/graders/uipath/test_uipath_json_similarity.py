import pytest

from agentevals.graders.grader import Services, result_of
from agentevals.graders.uipath.uipath_json_similarity import JsonSimilarity
from tests.graders.uipath.cases import of


@pytest.mark.parametrize(
    ("output", "wanted", "settings", "score"),
    [
        ({"a": 8}, {"a": 10}, {}, 0.8),
        ({"a": "kitten"}, {"a": "sitting"}, {}, 4 / 7),
        ({"r": {"a": 1}}, {"r": {"a": 1}}, {"target_output_key": "r"}, 1),
        ("abc\nabd", "abc\nabc", {"line_by_line_evaluator": True}, 5 / 6),
    ],
)
def test_score(output, wanted, settings, score):
    grader = JsonSimilarity(name="j", expected_output=wanted, **settings)

    assert grader.grade(of(output), Services()).score == pytest.approx(score)


def test_what_is_too_deep_is_an_error_and_no_bug():
    deep = '{"a":' * 900 + "1" + "}" * 900

    result = result_of(JsonSimilarity(name="j", expected_output=deep), of(deep), Services())
    assert result.score == 1 or "nested too deeply" in result.error


@pytest.mark.parametrize(
    ("output", "misses"),
    [
        (
            {"a": 8, "b": {"c": 1, "more": 2}},
            ("1.8 of 3 values match", "'a' is 8.0, not 10.0", "'d' is missing, not 'x'"),
        ),
        ("text", ("0 of 3 values match", "the output is 'text', not {'a': 10.0, ")),
    ],
)
def test_a_miss_says_which_values_differ(output, misses):
    wanted = {"a": 10, "b": {"c": 1}, "d": "x"}
    grader = JsonSimilarity(name="j", expected_output=wanted)

    found = grader.grade(of(output), Services()).misses

    assert len(found) == len(misses)
    assert all(said.startswith(start) for said, start in zip(found, misses, strict=True))
