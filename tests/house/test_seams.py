"""The repository checks its own promises: every plug-in is listed, tested and documented."""

import re
from pathlib import Path

import pytest

from agentevals.action.baseline_sources import SOURCES
from agentevals.action.destinations import DESTINATIONS
from agentevals.cli import COMMANDS
from agentevals.configs.dialects import DIALECTS
from agentevals.github.events import EVENTS, OTHER
from agentevals.github.runner import inputs
from agentevals.graders import BUILTINS, GRADERS
from agentevals.report.outputs import FILES, OUTPUTS
from agentevals.traces.conventions import CONVENTIONS
from agentevals.traces.loaders import LOADERS
from tests.house.imports import imported, modules, named
from tests.support import DOCS

TESTS = Path(__file__).parents[1]
SEAMS = {
    "graders": GRADERS.ours.values(),
    "traces/loaders": LOADERS.ours.values(),
    "traces/conventions": CONVENTIONS.ours.values(),
    "configs/dialects": DIALECTS.ours.values(),
    "report/outputs": OUTPUTS.ours.values(),
    "cli/commands": [command.target for command in COMMANDS.values() if command.target],
    "github/events": EVENTS.ours.values(),
    "action/baseline_sources": SOURCES.ours.values(),
    "action/destinations": DESTINATIONS.ours.values(),
}
PROGRAMS = {"code", "remote"}  # headed by how they are written in a config
PLUGINS = [
    (seam, target.partition(":")[0]) for seam, targets in SEAMS.items() for target in targets
]
# one module tests them all: conventions have to agree, and loaders and dialects have samples
TESTED_TOGETHER = {
    "configs/dialects": "test_dialects.py",
    "traces/conventions": "test_conventions.py",
    "traces/loaders": "test_formats.py",
}


@pytest.mark.parametrize("seam", SEAMS)
def test_every_module_of_a_seam_is_listed_or_shared(seam):
    home = f"agentevals.{seam.replace('/', '.')}"
    there = {name for name in modules() if name.startswith(f"{home}.")}
    packages = {name.rpartition(".")[0] for name in modules()}
    used = {target for module in modules() for target in imported(module) | named(module)}
    listed = {module for kind, module in PLUGINS if kind == seam}

    assert listed <= there
    assert there - used - packages - listed == set()


@pytest.mark.parametrize(("seam", "module"), PLUGINS)
def test_every_plug_in_has_its_test_in_the_mirrored_place(seam, module):
    *folders, name = module.split(".")[1:]
    place = TESTS.joinpath(*folders, TESTED_TOGETHER.get(seam, f"test_{name}.py"))

    assert place.is_file(), f"write its test: {place.relative_to(TESTS.parent)}"


@pytest.mark.parametrize("name", GRADERS.ours)
def test_every_evaluator_type_has_a_heading(name):
    name = f"type: {name}" if name in PROGRAMS else name
    pages = [
        DOCS / f"{page}.md"
        for page in (
            "graders",
            "judge",
            "evaluators",
            "remote-evaluators",
            "agentv-evaluators",
            "agentv-judges",
            "uipath",
            "adk",
        )
    ]
    headings = [
        h for page in pages for h in re.findall(r"^#+ (.+)$", page.read_text(), re.MULTILINE)
    ]

    where = ", ".join(f"docs/{page.name}" for page in pages)
    assert headings.count(name) == 1, f"describe it once, below a heading {name!r}, in: {where}"


def test_every_output_format_has_its_module():
    assert [name for name in OUTPUTS.ours if not callable(OUTPUTS[name].render)] == []


def test_every_builtin_is_an_evaluator_type():
    assert set(BUILTINS) <= set(GRADERS.ours)


@pytest.mark.parametrize("name", GRADERS.ours)
def test_a_grader_says_the_type_under_which_it_is_listed(name):
    assert GRADERS[name].type == name


@pytest.mark.parametrize(
    ("table", "page"),
    [(OUTPUTS, "output"), (LOADERS, "traces")],
    ids=["output formats", "trace formats"],
)
def test_every_format_is_described(table, page):
    text = (DOCS / f"{page}.md").read_text()

    missing = [name for name in table.ours if f"| `{name}` |" not in text]
    assert not missing, f"describe in a row '| `{missing[0]}` | …' of docs/{page}.md"


@pytest.mark.parametrize("name", sorted(set(DIALECTS.ours) - {"agentevals"}))
def test_every_config_dialect_is_described(name):
    named = re.search(rf"\({name}\.md\)|`{name}`", (DOCS / "configs.md").read_text())

    assert named, f"docs/configs.md neither names `{name}` nor links {name}.md"


@pytest.mark.parametrize(
    ("names", "page"),
    [
        ([FILES[name].FILE for name in FILES.ours], "report-files"),
        (sorted(set(EVENTS.ours) - {OTHER}), "action"),
        (list(SOURCES.ours), "action"),
    ],
    ids=["files", "events", "sources of baselines"],
)
def test_every_word_that_github_or_a_person_uses_is_in_a_table_of_its_page(names, page):
    rows = [row for row in (DOCS / f"{page}.md").read_text().splitlines() if row.startswith("| `")]
    first = "".join(row.split(" | ")[0] for row in rows)

    assert [name for name in names if f"`{name}`" not in first] == []


def test_every_surface_of_github_can_be_switched_off():
    assert set(DESTINATIONS.ours) - {"files"} <= inputs.list_defaults().keys()


def test_the_page_for_developers_names_places_that_exist():
    rows = [row for row in (DOCS / "development.md").read_text().splitlines() if row[:2] == "| "]
    places = re.findall(r"`([\w.-]+/[^`\s:]*)", "\n".join(rows))
    folders = {re.split(r"[<{]", place)[0].rpartition("/")[0] for place in places if "<" in place}
    files = {place for place in places if "<" not in place and "{" not in place}
    homes = (DOCS.parent, DOCS.parent / "src/agentevals")

    assert folders
    assert [
        place
        for place in sorted(folders | files)
        if not any((home / place).exists() for home in homes)
    ] == []


def test_links_between_pages_lead_somewhere():
    pages = [*DOCS.glob("*.md"), *DOCS.parent.glob("*.md")]
    links = [
        (page.name, link)
        for page in pages
        for link in re.findall(r"\]\(([^)#:\s]+)(?:#[^)]*)?\)", page.read_text())
        if not (page.parent / link).exists()
    ]

    assert links == []
