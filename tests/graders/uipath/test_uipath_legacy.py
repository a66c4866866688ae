"""The file of scores holds what UiPath's package 2.14.44 gave right outputs and wrong twins."""

import json

import pytest

from agentevals.configs.dialects import compile_plan
from agentevals.graders.grader import Services
from agentevals.graders.uipath.uipath_legacy import (
    LegacyCsvExactMatch,
    LegacyExactMatch,
    LegacyJsonSimilarity,
)
from agentevals.model.errors import ConfigError, EvaluatorError
from tests.graders.uipath.cases import of
from tests.graders.uipath.projects import Project
from tests.support import DATA, case

KINDS = {1: LegacyExactMatch, 6: LegacyJsonSimilarity}
SCORES = DATA / "foreign/uipath_legacy/scores.jsonl"
OLD = {"id": "L", "name": "Old", "category": 0, "type": 1, "createdAt": "", "updatedAt": ""}
LINES = {"line_by_line_evaluation": True, "path": "report"}


@pytest.fixture
def plan_of(tmp_path):
    """The plan of an eval set that one evaluator of before version 1.0 judges."""
    project = Project(tmp_path)

    def plan(wanted, **evaluator):
        project.evaluator({**OLD, **evaluator})
        items = [{"id": "t", "inputs": {"q": "x"}, "expectedOutput": wanted}]
        return compile_plan(project.eval_set(evaluatorRefs=["L"], evaluations=items))

    return plan


def grade(kind, output, wanted, path="summary.status", **settings):
    grader = kind(name="e", expected_output=wanted, **{"target_output_key": path, **settings})
    return grader.grade(of(output), Services())


def test_the_scores_are_those_of_uipath():
    for line in SCORES.read_text().splitlines():
        settings = json.loads(line)
        output, score = settings.pop("output"), settings.pop("score")
        grader = KINDS[settings.pop("type")].model_validate({"name": "e", **settings})

        found = grader.grade(of(output), Services())

        assert found.score == pytest.approx(score), line


@pytest.mark.parametrize("kind", [LegacyExactMatch, LegacyJsonSimilarity])
@pytest.mark.parametrize(
    ("output", "path"),
    [
        ({}, "status"),
        ({"other": 1}, "status"),
        ({"summary": "ok"}, "summary.status"),
        ({"items": []}, "items[0].name"),
        ({"items": {"0": {"name": "ok"}}}, "items[0].name"),
        ({"summary.status": "ok"}, "summary.status"),
        ("ok", "status"),
    ],
)
def test_an_output_that_lacks_the_path_is_wrong(kind, output, path):
    wanted = {"status": "ok", "summary": {"status": "ok"}, "items": [{"name": "ok"}]}

    assert grade(kind, output, wanted, path).score == 0


@pytest.mark.parametrize(("kind", "score"), [(LegacyExactMatch, 0), (LegacyJsonSimilarity, 1)])
def test_an_expected_output_that_lacks_the_path_expects_an_empty_object(kind, score):
    found = grade(kind, {"summary": {"status": "ok"}}, {"status": "ok"})

    assert found.score == score
    assert "the expected output has nothing at 'summary.status'" in found.hits + found.misses


def test_a_grade_names_the_side_that_lacks_the_path():
    missed = grade(LegacyExactMatch, {"other": 1}, {"summary": {"status": "ok"}})
    both = grade(LegacyExactMatch, {"other": 1}, {"other": 1})

    assert missed.misses[0] == "the agent's output has nothing at 'summary.status'"
    assert both.score == 1
    assert both.hits[:2] == (
        "the expected output has nothing at 'summary.status'",
        "the agent's output has nothing at 'summary.status'",
    )


@pytest.mark.parametrize("kind", [LegacyExactMatch, LegacyJsonSimilarity])
def test_a_path_that_neither_side_has_may_be_a_key_with_dots(kind):
    assert grade(kind, {"summary.status": "ok"}, {"summary.status": "ok"}).score == 1
    assert grade(kind, {"summary.status": "xx"}, {"summary.status": "ok"}).score == 0


@pytest.mark.parametrize("kind", [LegacyExactMatch, LegacyJsonSimilarity])
@pytest.mark.parametrize(
    ("wanted", "output", "score"),
    [
        ({"report": ""}, {"report": " \n"}, 1),
        ({"report": ""}, {}, 0),
        ({}, {"report": ""}, 0),
        ({"report": "a\nb"}, {"other": "a\nb"}, 0),
        ({"other": 1}, {"other": 2}, 1),
    ],
)
def test_of_lines_a_side_that_lacks_the_path_has_none(kind, wanted, output, score):
    assert grade(kind, output, wanted, **LINES).score == score


@pytest.mark.parametrize("kind", [LegacyExactMatch, LegacyJsonSimilarity])
def test_lines_are_those_of_the_path(kind):
    wanted, output = {"a": {"b": "x|y"}}, {"a": {"b": "x|z"}}
    settings = {"line_by_line_evaluation": True, "line_delimiter": "|", "path": "a.b"}

    assert grade(kind, output, wanted, **settings).score == 0.5


def test_lines_that_lie_elsewhere_are_not_compared():
    output = {"report": "urn:uipath:cas:file:orchestrator:0a1b2c3d"}

    with pytest.raises(EvaluatorError, match="is a job attachment"):
        grade(LegacyExactMatch, output, {"report": "a"}, **LINES)


def test_a_file_says_that_lines_are_looked_at(plan_of):
    plan = plan_of(
        {"report": "a|b|c"},
        targetOutputKey="report",
        lineByLineEvaluation=True,
        lineDelimiter="|",
    )

    [grader] = plan.expectations[0].graders
    assert grader.grade(case('{"report": "a|x|c"}'), Services()).score == pytest.approx(2 / 3)
    assert plan.findings == ()


def test_an_expected_output_that_lacks_the_path_is_warned_about(plan_of):
    [finding] = plan_of({"status": "ok"}, targetOutputKey="sumary.status").findings

    assert (finding.rule, finding.severity) == ("nothing-at-path", "warning")
    assert finding.message == (
        "evaluator 'Old': the expected output of 't' has nothing at 'sumary.status': an "
        "empty object is expected; check 'targetOutputKey'"
    )


@pytest.mark.parametrize(
    ("evaluator", "why"),
    [
        ({"targetOutputKey": "."}, "'.' names no key; write a path such as 'items[0].name'"),
        ({"lineDelimiter": ""}, "l.json:8:19: 'lineDelimiter' must not be empty"),
        (
            {"category": 1, "type": 5, "lineByLineEvaluation": True},
            "l.json:8:26: 'lineByLineEvaluation' is not for judges",
        ),
    ],
)
def test_what_cannot_be_meant_is_refused_in_its_file(plan_of, evaluator, why):
    with pytest.raises(ConfigError) as error:
        plan_of({"a": 1}, **evaluator)

    assert why in str(error.value)


@pytest.mark.parametrize(
    ("output", "wanted", "key", "score"),
    [
        ({"a": 1, "b": 2}, {"b": 2, "a": 1.0}, "*", 1),
        ({"a": "X"}, {"a": "x"}, "*", 0),
        ({"a": True}, {"a": 1}, "*", 0),
        ({"a": 1, "b": 2}, {"a": 1, "b": 3}, "a", 1),
        ({"b": 2}, {"c": 3}, "a", 1),
        ("x", "x", "*", 1),
    ],
)
def test_score(output, wanted, key, score):
    grader = LegacyExactMatch(name="e", expected_output=wanted, target_output_key=key)

    assert grader.grade(of(output), Services()).score == score


def test_a_score_is_from_0_to_1():
    grader = LegacyJsonSimilarity(name="j", expected_output={"a": 1, "b": "x"})

    assert grader.grade(of({"a": 1, "b": "y"}), Services()).score == 0.5


WANTED = {"content": "name,age,city\nJo,3,Rome\nAnn,4,Oslo\n"}


def grade_csv(output, columns, wanted=WANTED, **settings):
    grader = LegacyCsvExactMatch(
        name="t", expected_output=wanted, target_sub_output_key=columns, **settings
    )
    return grader.grade(of(output), Services())


@pytest.mark.parametrize(
    ("output", "columns", "score"),
    [
        ({"content": "Age,Name\n3,Jo\n4,Ann"}, "Name, Age", 1),
        ({"content": "Age,Name\n3,Jo\n5,Ann"}, "Name,Age", 0),
        ({"content": "Age,Name\n3,Jo\n5,Ann"}, "Name", 1),
        ("name\nJo", "name", 0),
        ('name\n"Jo"\nAnn', "name", 1),
    ],
)
def test_score_of_a_table(output, columns, score):
    assert grade_csv(output, columns).score == score


@pytest.mark.parametrize(
    ("output", "score"),
    [
        ("name,age\nJo,3\nAnn,4", 1),
        ("name,age\nJo,9\nAnn,4", 1),
        ("name,age\nJo,3\nEve,4", 0.5),
        ("name,age\nJo,3", 0.5),
        ("name,age\nJo,3\nAnn,4\nEve,5\nBo,6", 0.5),
        ("name,age", 0),
    ],
)
@pytest.mark.parametrize("delimiter", ["\n", ";"])
def test_each_row_counts_where_lines_are_looked_at(output, score, delimiter):
    text = output.replace("\n", delimiter)
    wanted = {"content": WANTED["content"].replace("\n", delimiter)}
    settings = {"line_by_line_evaluation": True, "line_delimiter": delimiter}

    assert grade_csv(text, "Name", wanted, **settings).score == score


def test_the_table_is_at_the_end_of_a_path():
    wanted = {"files": [{"csv": "name\nJo"}]}
    settings = {"wanted": wanted, "target_output_key": "files[0].csv"}

    assert grade_csv(wanted, "name", **settings).score == 1
    assert grade_csv({"files": [{"csv": "name\nEve"}]}, "name", **settings).score == 0
    with pytest.raises(EvaluatorError, match="the agent's output holds no table; check 'target"):
        grade_csv({"files": []}, "name", **settings)


def test_a_column_that_is_not_there_is_an_error():
    with pytest.raises(EvaluatorError, match="the agent's output has no column city"):
        grade_csv({"content": "name\nJo"}, "name,city")
