import pytest

from agentevals.errors import EvaluatorError
from agentevals.graders.uipath_legacy_csv_exact_match import LegacyCsvExactMatch
from agentevals.grading import Services
from tests.uipath.cases import of

WANTED = {"content": "name,age,city\nJo,3,Rome\nAnn,4,Oslo\n"}


def grade(output, columns):
    grader = LegacyCsvExactMatch(name="t", expected_output=WANTED, target_sub_output_key=columns)
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


def test_a_column_that_is_not_there_is_an_error():
    with pytest.raises(EvaluatorError, match="the agent's output has no column city"):
        grade({"content": "name\nJo"}, "name,city")
