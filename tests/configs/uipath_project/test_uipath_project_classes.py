import json
import os
import shutil

import pytest

from agentevals.configs.uipath_project import find_custom_folder, uipath_project_classes
from agentevals.model.errors import InputError
from tests.support import DATA

PROJECT = DATA / "foreign/uipath"
BEFORE = """
from uipath.eval.evaluators import BaseEvaluationCriteria, BaseEvaluator, BaseEvaluatorConfig
from uipath.eval.models import NumericEvaluationResult


class Criteria(BaseEvaluationCriteria):
    pass


class Other(BaseEvaluationCriteria):
    pass


class Config(BaseEvaluatorConfig[Criteria]):
    name: str = "Mine"


"""
IDENTITY = "    @classmethod\n    def get_evaluator_id(cls):\n        return 'Mine'\n\n"
METHOD = "    async def evaluate(self, execution, criteria):\n        return None\n\n\n"
MINE = "class Mine(BaseEvaluator[Criteria, Config, str]):\n"


@pytest.fixture
def project(tmp_path):
    shutil.copytree(PROJECT, tmp_path, dirs_exist_ok=True)
    return tmp_path


@pytest.fixture
def custom(project):
    return project / "evals/evaluators/custom"


def read(path):
    return json.loads(path.read_text())


def refused(project, name="mine.py"):
    with pytest.raises(InputError) as error:
        uipath_project_classes.register(name, project)
    return str(error.value)


@pytest.mark.parametrize(
    "given",
    ["my_custom_evaluator", "my_custom_evaluator.py",
     "evals/evaluators/custom/my_custom_evaluator.py"],
)  # fmt: skip
def test_the_files_of_a_class_are_those_of_the_documents(project, custom, given):
    types, evaluator = uipath_project_classes.register(given, project)

    assert types == custom / "types/my-custom-evaluator-types.json"
    assert evaluator == custom.parent / "my-custom-evaluator.json"
    assert read(evaluator) == {
        "version": "1.0",
        "id": "MyCustomEvaluator",
        "evaluatorTypeId": "file://types/my-custom-evaluator-types.json",
        "evaluatorSchema": "file://my_custom_evaluator.py:MyCustomEvaluator",
        "description": "Custom evaluator with domain-specific logic.",
        "evaluatorConfig": {
            "name": "MyCustomEvaluator",
            "description": "",
            "defaultEvaluationCriteria": None,
            "threshold": 0.8,
            "caseSensitive": False,
        },
    }
    assert read(types)["evaluationCriteriaSchema"]["properties"] == {
        "expected_values": {
            "items": {"type": "string"},
            "title": "Expected Values",
            "type": "array",
        }
    }


@pytest.mark.parametrize("layout", ["evals", "evaluations"])
def test_the_folder_that_exists_is_used(tmp_path, layout):
    (tmp_path / layout).mkdir()

    path = uipath_project_classes.add("my-thing", tmp_path)

    assert path == tmp_path / layout / "evaluators/custom/my_thing.py"
    assert [file.parent.name for file in uipath_project_classes.register(path.name, tmp_path)] == [
        "types",
        "evaluators",
    ]


def test_without_either_it_is_that_of_the_documents(tmp_path):
    assert find_custom_folder(tmp_path) == tmp_path / "evals/evaluators/custom"


def test_a_file_that_exists_is_not_written_over(tmp_path):
    uipath_project_classes.add("my-thing", tmp_path)

    with pytest.raises(InputError, match="exists already"):
        uipath_project_classes.add("my_thing", tmp_path)


def test_every_evaluator_of_a_file_is_registered(project, custom):
    other = MINE.replace("Mine", "Second") + IDENTITY.replace("Mine", "Second") + METHOD
    (custom / "mine.py").write_text(BEFORE + MINE + IDENTITY + METHOD + other)

    names = [path.name for path in uipath_project_classes.register("mine", project)]

    assert names == ["mine-types.json", "mine.json", "second-types.json", "second.json"]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("class Mine: pass", "Could not find a class inheriting from BaseEvaluator in mine.py"),
        (BEFORE + MINE + METHOD, "Error getting evaluator ID"),
        (BEFORE + MINE + IDENTITY.replace("return", "raise") + METHOD,
         "Error getting evaluator ID: exceptions must derive from BaseException"),
        (BEFORE + MINE.replace("[Criteria", "[Other") + IDENTITY + METHOD,
         "Type inconsistency in Mine: Config Config expects criteria type Criteria"),
        (BEFORE + MINE + IDENTITY, "abstract method"),
        (BEFORE.replace('    name: str = "Mine"', "    pass") + MINE + IDENTITY + METHOD,
         "Error inferring evaluator config: Config has no default for 'name'; give it one"),
        (BEFORE.replace('    name: str = "Mine"', "    pass") + MINE.replace("[Criteria", "[Other")
         + IDENTITY + METHOD, "Type inconsistency in Mine"),
        (BEFORE + MINE.replace("str]", "int]") + IDENTITY + METHOD, "Invalid justification type"),
        ("x = = 1", "it raised SyntaxError"),
        ("import sys; sys.exit(0)", "called sys.exit(0)"),
        ("open('/etc/shadow', 'a')", "PermissionError"),
    ],
)  # fmt: skip
def test_what_cannot_be_registered_says_why_and_leaves_nothing(project, custom, text, why):
    (custom / "mine.py").write_text(text)

    assert why in refused(project)
    assert not (custom / "types").exists()


def test_a_file_that_is_not_there_is_looked_for_under_a_name_like_it(project):
    assert refused(project, "my_custom_evaluater") == (
        "Could not find 'my_custom_evaluater.py' in evals/evaluators/custom folder "
        "(did you mean 'my_custom_evaluator.py'?)"
    )


def test_a_file_elsewhere_is_not_taken_for_one_of_the_same_name(project):
    (project / "elsewhere").mkdir()

    assert "Could not find 'elsewhere/my_custom_evaluator.py'" in refused(
        project, "elsewhere/my_custom_evaluator.py"
    )


def test_an_id_belongs_to_one_evaluator(project, custom):
    (custom.parent / "other.json").write_text('{"id": "MyCustomEvaluator"}')
    (custom.parent / "broken.json").write_text("{")

    assert "has the id 'MyCustomEvaluator', which is that of" in refused(
        project, "my_custom_evaluator"
    )


def test_registering_again_writes_the_files_anew(project):
    assert uipath_project_classes.register(
        "my_custom_evaluator", project
    ) == uipath_project_classes.register("my_custom_evaluator", project)


FORGED = """
import json, os
for file in range(3, 20):
    try:
        os.write(file, json.dumps({{"classes": [{}]}}).encode())
    except OSError:
        pass
os._exit(0)
"""
TOLD = "{{'class': {!r}, 'id': 'x', 'description': None, 'config': {{}}, 'types': {{}}}}"


@pytest.mark.parametrize("name", ["../../../pwned", "/pwned", "a\0b", "a\x1b]0;x\x07", "A" * 300])
def test_a_name_that_is_no_name_of_a_class_becomes_no_name_of_a_file(project, custom, name):
    (custom / "mine.py").write_text(FORGED.format(TOLD.format(name)))

    assert "cannot be the name of a class that is registered" in refused(project)
    assert not [*project.rglob("*.json")]


@pytest.mark.parametrize("told", ["", "5", "{}", "{'class': 'A'}", "{'class': 5, 'id': None}"])
def test_what_a_class_says_about_itself_is_checked(project, custom, told):
    (custom / "mine.py").write_text(FORGED.format(told))

    assert "describe themselves in a way that cannot be written" in refused(project)


def test_two_classes_are_not_written_to_one_file(project, custom):
    other = MINE.replace("Mine(", "mine(") + IDENTITY.replace("'Mine'", "'other'") + METHOD
    (custom / "mine.py").write_text(BEFORE + MINE + IDENTITY + METHOD + other)

    assert "mine and another class would both be mine.json" in refused(project)


@pytest.mark.parametrize("text", ['{"id": "Other"}', "notes of mine", "[]"])
def test_a_file_about_something_else_is_not_written_over(project, custom, text):
    (custom / "mine.py").write_text(BEFORE + MINE + IDENTITY + METHOD)
    (custom.parent / "mine.json").write_text(text)

    assert "mine.json exists already, and is not about mine.py:Mine" in refused(project)
    assert (custom.parent / "mine.json").read_text() == text


def test_what_was_registered_of_a_class_is_written_anew(project, custom):
    (custom / "mine.py").write_text(BEFORE + MINE + IDENTITY + METHOD)
    uipath_project_classes.register("mine", project)
    changed = IDENTITY.replace("'Mine'", "'Changed'")
    (custom / "mine.py").write_text(BEFORE + MINE + changed + METHOD)

    uipath_project_classes.register("mine", project)

    assert read(custom.parent / "mine.json")["id"] == "Changed"


def test_nothing_is_written_through_a_link_that_leads_out_of_the_project(project, custom, tmp_path):
    outside = tmp_path.parent / f"{tmp_path.name}-outside"
    outside.mkdir()
    (custom / "mine.py").write_text(BEFORE + MINE + IDENTITY + METHOD)
    (custom / "types").symlink_to(outside)

    assert "types leads out of the project" in refused(project)
    assert not [*outside.iterdir(), *custom.parent.glob("*.json")]


def test_a_link_is_not_written_to(project, custom):
    (custom / "mine.py").write_text(BEFORE + MINE + IDENTITY + METHOD)
    (custom / "types").mkdir()
    (custom / "types" / "mine-types.json").symlink_to(custom / "mine.py")

    assert "is a link or no file at all" in refused(project)
    assert (custom / "mine.py").read_text().endswith(METHOD)


def test_pipes_and_devices_among_the_evaluators_are_not_read(project, custom):
    os.mkfifo(custom.parent / "pipe.json")
    (custom.parent / "device.json").symlink_to("/dev/zero")

    assert uipath_project_classes.register("my_custom_evaluator", project)


@pytest.mark.parametrize("name", ["x" * 5000, "../mine", "a\nb"])
def test_a_name_that_no_file_of_the_folder_has_is_refused_in_one_line(project, name):
    why = refused(project, name)

    assert why.startswith("Could not find")
    assert "\n" not in why


@pytest.mark.parametrize("name", ["json", "typing", "uipath", "pydantic"])
def test_a_new_class_hides_no_module_that_classes_import(project, name):
    with pytest.raises(InputError, match=f"would hide the module '{name}'"):
        uipath_project_classes.add(name, project)


@pytest.mark.parametrize("target", ["outside", "evals"])
def test_a_new_class_is_not_written_through_a_link(tmp_path, target):
    project = tmp_path / "project"
    for folder in (project, tmp_path / "outside"):
        folder.mkdir()
    links = {"outside": tmp_path / "outside", "evals": project / "evals"}
    (project / "evals").symlink_to(links[target])

    with pytest.raises(InputError, match="leads out of the project"):
        uipath_project_classes.add("mine", project)
    assert not [*(tmp_path / "outside").iterdir()]
