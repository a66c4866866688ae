from pathlib import Path

import pytest

from agentevals.graders.uipath import uipath_executions


@pytest.mark.parametrize(
    ("file", "project"),
    [
        ("a/evals/evaluators/custom/x.py", "a"),
        ("a/evaluations/evaluators/custom/x.py", "a"),
        ("a/other/evaluators/custom/x.py", "a/other/evaluators/custom"),
        ("a/evaluators/custom/x.py", "a/evaluators/custom"),
        ("a/custom/x.py", "a/custom"),
        ("a/x.py", "a"),
    ],
)
def test_the_project_of_a_class_is_where_its_layout_begins(tmp_path, file, project):
    assert uipath_executions.find_project(tmp_path / file) == tmp_path / project


@pytest.mark.parametrize("file", ["/x.py", "/custom/x.py", "/evaluators/custom/x.py"])
def test_a_class_at_the_very_top_is_its_own_project(file):
    assert uipath_executions.find_project(Path(file)) == Path(file).parent


def test_a_project_ends_at_the_top_of_its_repository_and_of_the_files(tmp_path):
    (tmp_path / "evals" / ".git").mkdir(parents=True)

    assert (
        uipath_executions.find_project(tmp_path / "evals/evaluators/custom/x.py")
        == tmp_path / "evals"
    )
    assert uipath_executions.find_project(Path("/evals/evaluators/custom/x.py")) == Path("/evals")


def test_imports_are_looked_for_nearby_first(tmp_path):
    custom = tmp_path / "evals" / "evaluators" / "custom"

    assert uipath_executions.list_roots(custom / "x.py") == [custom, custom.parent, tmp_path]
    assert uipath_executions.list_roots(tmp_path / "x.py") == [tmp_path]
