import pytest

from agentevals.graders.grader import Services
from agentevals.graders.uipath.uipath_legacy_csv_exact_match import LegacyCsvExactMatch
from agentevals.model.errors import EvaluatorError
from tests.graders.uipath.cases import of

WANTED = {"content": "name,age,city\nJo,3,Rome\nAnn,4,Oslo\n"}


def grade(output, columns, wanted=WANTED, **settings):
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
def test_score(output, columns, score):
    assert grade(output, columns).score == score


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

    assert grade(text, "Name", wanted, **settings).score == score


def test_the_table_is_at_the_end_of_a_path():
    wanted = {"files": [{"csv": "name\nJo"}]}
    settings = {"wanted": wanted, "target_output_key": "files[0].csv"}

    assert grade(wanted, "name", **settings).score == 1
    assert grade({"files": [{"csv": "name\nEve"}]}, "name", **settings).score == 0
    with pytest.raises(EvaluatorError, match="the agent's output holds no table; check 'target"):
        grade({"files": []}, "name", **settings)


def test_a_column_that_is_not_there_is_an_error():
    with pytest.raises(EvaluatorError, match="the agent's output has no column city"):
        grade({"content": "name\nJo"}, "name,city")
