import pytest
from pydantic import ValidationError

from agentevals.graders.grader import Services
from agentevals.graders.grading import grade_case
from agentevals.graders.uipath.uipath_output_checks import Contains, ExactMatch, JsonSimilarity
from agentevals.model.cases import Status
from agentevals.model.conversations import Span
from agentevals.model.results import Result
from tests.graders.uipath.cases import of
from tests.support import case


def grade(output, wanted, **settings):
    grader = ExactMatch(name="e", expected_output=wanted, **settings)
    return grader.grade(of(output), Services())


@pytest.mark.parametrize(
    ("output", "wanted", "settings", "score"),
    [
        ({"a": 1, "b": 2}, {"b": 2, "a": 1.0}, {}, 1),
        ({"a": "X"}, {"a": "x"}, {}, 0),
        ({"a": "X"}, {"a": "x"}, {"target_output_key": "a"}, 1),
        ({"a": "X"}, {"a": "x"}, {"target_output_key": "a", "case_sensitive": True}, 0),
        ("{'a': 1.0}", {"a": 1}, {}, 1),
        ("a ", "a", {}, 0),
        ({"a": True}, {"a": 1}, {}, 1),
        ({"a": "x"}, '{"a": "x"}', {"target_output_key": "a"}, 1),
        ("b", "a", {"negated": True}, 1),
        ("a", "a", {"negated": True}, 0),
        ("a\nX\n\nc", "a\nb\nc\nd", {"line_by_line_evaluator": True}, 0.5),
        ("a|b", "a|c", {"line_by_line_evaluator": True, "line_delimiter": "|"}, 0.5),
        ("", "", {"line_by_line_evaluator": True}, 1),
    ],
)
def test_score(output, wanted, settings, score):
    assert grade(output, wanted, **settings).score == score


def test_a_miss_says_what_was_there():
    assert grade("no", "yes").misses == ("the output is 'no', not 'yes'",)
    assert grade("a\nb", "a\nc", line_by_line_evaluator=True).misses == (
        "line 2: the output is 'b', not 'c'",
    )


def results(*pairs):
    return [
        Result(
            name="e",
            type="t",
            status=Status.PASSED,
            score=float(actual == expected),
            details={"actual": actual, "expected": expected},
        )
        for actual, expected in pairs
    ]


def test_outputs_are_classes_to_what_is_computed_over_all_cases():
    grader = ExactMatch(
        name="e",
        classes=("a", "b"),
        aggregators=[{"type": "precision"}, {"type": "confusion_matrix"}],
    )

    found = grader.overall(results(("A", "a"), ("a", "b"), ("z", "b")), Services())
    assert found["e::precision"]["score"] == 0.25
    assert found["e::confusion_matrix"]["details"]["confusionMatrix"] == [[1, 1], [0, 0]]
    assert found["e::confusion_matrix"]["details"]["nSkipped"] == 0


@pytest.mark.parametrize(
    ("settings", "why"),
    [
        ({}, "need 'classes'"),
        ({"classes": ["a"], "negated": True}, "do not go together with 'negated'"),
        ({"classes": ["a"], "aggregators": [{"type": "fscore", "fValue": 0}]}, "greater than 0"),
        ({"classes": ["a"], "aggregators": [{"type": "median"}]}, "does not match"),
    ],
)
def test_what_cannot_be_computed_is_refused(settings, why):
    with pytest.raises(ValidationError, match=why):
        ExactMatch(name="e", **{"aggregators": [{"type": "recall"}], **settings})


def test_an_output_that_was_not_recorded_is_no_wrong_output():
    grader = ExactMatch(name="e", expected_output={"a": 1})

    grade = grader.grade(case(None), Services())

    assert grade.status is Status.NOT_EVALUATED
    assert "holds no output of the agent" in grade.misses[0]


@pytest.mark.parametrize(
    ("output", "text", "settings", "score"),
    [
        ({"r": "The QUICK fox"}, "quick", {}, 1),
        ({"r": "The QUICK fox"}, "quick", {"case_sensitive": True}, 0),
        ({"r": "fox", "o": "slow"}, "slow", {"target_output_key": "r"}, 0),
        ({"n": 8}, "8.0", {}, 1),
        ({"r": "x"}, "'r'", {}, 1),
        ("anything", "", {}, 1),
        ("abc", "b", {"negated": True}, 0),
        ("abc", "z", {"negated": True}, 1),
        ("err 1\nok", "err", {"line_by_line_evaluator": True}, 0.5),
    ],
)
def test_score_of_contains(output, text, settings, score):
    grader = Contains(name="c", search_text=text, **settings)

    assert grader.grade(of(output), Services()).score == score


@pytest.mark.parametrize(
    ("negated", "miss"),
    [
        (False, "the output does not contain 'x'; it is 'Fine'"),
        (True, "the output contains 'fine'"),
    ],
)
def test_a_miss_says_what_the_output_is(negated, miss):
    grader = Contains(name="c", search_text="fine" if negated else "x", negated=negated)

    assert grader.grade(of("Fine"), Services()).misses == (miss,)


@pytest.mark.parametrize(
    ("output", "wanted", "settings", "score"),
    [
        ({"a": 8}, {"a": 10}, {}, 0.8),
        ({"a": "kitten"}, {"a": "sitting"}, {}, 4 / 7),
        ({"r": {"a": 1}}, {"r": {"a": 1}}, {"target_output_key": "r"}, 1),
        ("abc\nabd", "abc\nabc", {"line_by_line_evaluator": True}, 5 / 6),
    ],
)
def test_score_of_json_similarity(output, wanted, settings, score):
    grader = JsonSimilarity(name="j", expected_output=wanted, **settings)

    assert grader.grade(of(output), Services()).score == pytest.approx(score)


def test_what_is_too_deep_is_an_error_and_no_bug():
    deep = '{"a":' * 900 + "1" + "}" * 900

    result = grade_case(JsonSimilarity(name="j", expected_output=deep), of(deep), Services())
    assert result.score == 1 or "nested too deeply" in result.error


@pytest.mark.parametrize(
    ("output", "misses"),
    [
        (
            {"a": 8, "b": {"c": 1, "more": 2}},
            ("1.8 of 3 values match", "'a' is 8, not 10", "'d' is missing, not 'x'"),
        ),
        ("text", ("0 of 3 values match", "the output is 'text', not {'a': 10, ")),
    ],
)
def test_a_miss_says_which_values_differ(output, misses):
    wanted = {"a": 10, "b": {"c": 1}, "d": "x"}
    grader = JsonSimilarity(name="j", expected_output=wanted)

    found = grader.grade(of(output), Services()).misses

    assert len(found) == len(misses)
    assert all(said.startswith(start) for said, start in zip(found, misses, strict=True))


def test_a_list_of_paths_may_name_the_whole_and_is_not_split_into_lines():
    settings = {"target_output_key": ["*"], "line_by_line_evaluator": True}

    found = grade({"a": "x\ny"}, {"a": "x\ny"}, **settings)

    assert (found.score, "line_by_line_results" in found.details) == (1, False)


def test_null_at_the_end_of_a_path_is_expected_like_any_other_value():
    assert grade({"a": None}, {"a": None}, target_output_key="a").score == 1
    assert grade({"a": 1}, {"a": None}, target_output_key="a").score == 0


@pytest.mark.parametrize("negated", [False, True])
def test_a_run_that_failed_has_0(negated):
    root = Span(
        span_id="r", name="root", attributes={"span_type": "eval"}, failed=True, status_message="no"
    )

    found = ExactMatch(name="e", expected_output="x", negated=negated).grade(
        of("", root), Services()
    )

    assert (found.score, found.misses) == (0, ("the agent failed: no",))


def test_the_matrix_names_the_classes_as_they_are_written():
    grader = ExactMatch(name="e", classes=["Yes", "no"], aggregators=[{"type": "precision"}])
    result = Result(
        name="e",
        type="uipath_exact_match",
        status=Status.PASSED,
        score=1,
        details={"actual": "YES", "expected": "yes"},
    )

    told = grader.overall([result], Services())["e::precision"]["details"]

    assert told["classes"] == ["Yes", "no"]
    assert told["perClass"]["Yes"]["tp"] == 1


@pytest.mark.parametrize("classes", [["a", "A"], ["a", " b"], ["a", ""]])
def test_classes_that_no_output_can_be_told_by_are_refused(classes):
    with pytest.raises(ValidationError, match="'classes'"):
        ExactMatch(name="e", classes=classes, aggregators=[{"type": "precision"}])
