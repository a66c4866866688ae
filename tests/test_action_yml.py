"""`action.yml` says what the code does: a workflow is written by it, and nothing else."""

from pathlib import Path

import pytest
import yaml

from agentevals.github.runner import inputs
from agentevals.github.runner.inputs import COMPUTED, Inputs
from agentevals.github.runner.step_outputs import OUTPUTS

MANIFEST = yaml.safe_load((Path(__file__).parents[1] / "action.yml").read_text())
FIELDS = {name.replace("_", "-"): field for name, field in Inputs.model_fields.items()}


def test_the_inputs_are_those_of_the_code_in_its_order():
    assert list(MANIFEST["inputs"]) == list(FIELDS)


@pytest.mark.parametrize("name", FIELDS)
def test_an_input_is_described_as_in_the_code(name):
    assert MANIFEST["inputs"][name] == {
        "description": FIELDS[name].description,
        "required": False,
        "default": inputs.list_defaults()[name],
    }


def test_the_outputs_are_those_of_the_code_in_its_order():
    assert list(MANIFEST["outputs"].items()) == [
        (name, {"description": description}) for name, description in OUTPUTS.items()
    ]


def test_what_the_manifest_gives_by_default_is_what_the_code_takes_as_nothing_given():
    given = {
        f"INPUT_{name.upper()}": entry["default"]
        for name, entry in MANIFEST["inputs"].items()
        if name not in COMPUTED
    }

    assert inputs.read(given) == Inputs()
    assert inputs.find_warnings(given) == []


def test_the_token_comes_from_github_unless_somebody_gives_another():
    assert MANIFEST["inputs"]["github-token"]["default"] == "${{ github.token }}"


def test_it_runs_in_a_container():
    assert MANIFEST["runs"]["using"] == "docker"


def test_the_marketplace_gets_a_picture():
    assert set(MANIFEST["branding"]) == {"icon", "color"}


# of Feather, and the colours that GitHub knows
COLOURS = {"white", "black", "yellow", "blue", "green", "orange", "red", "purple", "gray-dark"}
DESCRIPTION = 125  # characters that the Marketplace shows


def test_the_marketplace_shows_what_the_page_about_releases_says():
    page = (Path(__file__).parents[1] / "docs/release.md").read_text(encoding="utf-8")
    brand = MANIFEST["branding"]

    assert f"| Name | {MANIFEST['name']} |" in page
    assert f"| Description | {MANIFEST['description']} |" in page
    assert f"| Icon and colour | {brand['icon']}, {brand['color']} |" in page
    assert len(MANIFEST["description"]) <= DESCRIPTION
    assert brand["color"] in COLOURS
