"""The seams of a registry: what lies there is listed, and what is listed has a page or a test."""

from pathlib import Path

import pytest

from registry_tools import cli, rules
from registry_tools.cli import formats
from tests.support import DOCS

HOME = Path(rules.__file__).parents[1]
PLACES = {"rules": "rules", "formats": "cli/formats", "commands": "cli/commands"}
TESTS = Path(__file__).parent
TABLES = {
    "rules": rules.RULES.ours.values(),
    "formats": formats.FORMATS.ours.values(),
    "commands": [command.target for command in cli.COMMANDS.values()],
}


@pytest.mark.parametrize("seam", TABLES)
def test_what_lies_there_is_listed(seam):
    there = {path.stem for path in (HOME / PLACES[seam]).glob("*.py") if path.stem != "__init__"}
    listed = {target.partition(":")[0].rpartition(".")[2] for target in TABLES[seam]}

    assert there == listed


@pytest.mark.parametrize("name", sorted(rules.RULES.ours))
def test_every_rule_has_a_page(name):
    assert (DOCS / "rules" / f"{name}.md").is_file(), "run `make docs`, which writes it"


@pytest.mark.parametrize("name", sorted(set(cli.COMMANDS) - {"publish"}))
def test_every_command_has_its_test(name):
    module = cli.COMMANDS[name].target.partition(":")[0].rpartition(".")[2]
    assert (TESTS / PLACES["commands"] / f"test_{module}.py").is_file()
