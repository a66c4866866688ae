"""The repository checks its own promises: every plug-in is listed, tested and documented."""

import re
from pathlib import Path

import pytest

from agentevals.action.previous import SOURCES
from agentevals.action.surfaces import SURFACES
from agentevals.cli import COMMANDS
from agentevals.conventions import CONVENTIONS
from agentevals.dialects import DIALECTS
from agentevals.dialects.agentevals.top import OUTPUT_FORMATS
from agentevals.exports import EXPORTS
from agentevals.github.events import EVENTS, OTHER
from agentevals.graders import BUILTINS, GRADERS
from agentevals.loaders import LOADERS
from agentevals.reporters import REPORTERS
from agentevals.runner import inputs
from tests.support import DOCS

TESTS = Path(__file__).parent
SOURCE = TESTS.parent / "src" / "agentevals"

# what lies in the folder of a seam and is no plug-in: it is shared by those that are
SHARED = {
    "cli": {
        "ahead",
        "completion",
        "earlier",
        "lazy",
        "logs",
        "options",
        "output",
        "progress",
        "registering",
        "streams",
        "surroundings",
    },
    "loaders": {"otlp", "reading"},
    "dialects": {"building"},
    "exports": {"folder", "reading", "rows", "streaming", "texts"},
    "github/events": {"parts"},
    "action/previous": {"file"},
}
SEAMS = {
    "graders": list(GRADERS.ours.values()),
    "loaders": list(LOADERS.ours.values()),
    "conventions": list(CONVENTIONS.ours.values()),
    "dialects": list(DIALECTS.ours.values()),
    "reporters": list(REPORTERS.ours.values()),
    "cli": [c.target for c in COMMANDS.values() if c.target.startswith("agentevals.")],
    "exports": list(EXPORTS.ours.values()),
    "github/events": list(EVENTS.ours.values()),
    "action/previous": list(SOURCES.ours.values()),
    "action/surfaces": list(SURFACES.ours.values()),
}
PROGRAMS = {"code", "remote"}  # headed by how they are written in a config
PLUGINS = [
    (seam, target.partition(":")[0].rpartition(".")[2])
    for seam, targets in SEAMS.items()
    for target in targets
]
# tested together, because it is what they agree on that matters
TESTED_TOGETHER = {"conventions": "test_conventions.py"}


@pytest.mark.parametrize("seam", SEAMS)
def test_every_plug_in_is_listed_in_its_table(seam):
    found = {path.stem for path in (SOURCE / seam).iterdir() if not path.name.startswith("__")}

    listed = {name for kind, name in PLUGINS if kind == seam}
    assert found == SHARED.get(seam, set()) | listed


@pytest.mark.parametrize(("seam", "name"), PLUGINS)
def test_every_plug_in_has_its_test_in_the_mirrored_place(seam, name):
    assert (TESTS / seam / TESTED_TOGETHER.get(seam, f"test_{name}.py")).is_file()


@pytest.mark.parametrize("name", sorted(SHARED["cli"] - {"progress", "surroundings"}))
def test_what_commands_share_is_tested_as_well(name):
    assert (TESTS / "cli" / f"test_{name}.py").is_file()


@pytest.mark.parametrize("name", GRADERS.ours)
def test_every_evaluator_type_has_a_heading(name):
    name = f"type: {name}" if name in PROGRAMS else name
    pages = (
        DOCS / f"{page}.md"
        for page in ("graders", "judge", "evaluators", "agentv", "uipath", "adk")
    )
    headings = [
        h for page in pages for h in re.findall(r"^#+ (.+)$", page.read_text(), re.MULTILINE)
    ]

    assert headings.count(name) == 1


def test_every_builtin_is_an_evaluator_type():
    assert set(BUILTINS) <= set(GRADERS.ours)


@pytest.mark.parametrize("name", GRADERS.ours)
def test_a_grader_says_the_type_under_which_it_is_listed(name):
    assert GRADERS[name].type == name


def test_a_config_knows_the_output_formats_that_there_are():
    assert list(OUTPUT_FORMATS.ours) == list(REPORTERS.ours)


@pytest.mark.parametrize(
    ("table", "page"),
    [(REPORTERS, "output"), (LOADERS, "traces")],
    ids=["output formats", "trace formats"],
)
def test_every_format_is_described(table, page):
    text = (DOCS / f"{page}.md").read_text()

    assert [name for name in table.ours if f"| `{name}` |" not in text] == []


@pytest.mark.parametrize(
    ("names", "page"),
    [
        ([EXPORTS[name].FILE for name in EXPORTS.ours], "report-files"),
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
    assert set(SURFACES.ours) - {"files"} <= inputs.defaults().keys()


def test_links_between_pages_lead_somewhere():
    pages = [*DOCS.glob("*.md"), DOCS.parent / "README.md"]
    links = [
        (page.name, link)
        for page in pages
        for link in re.findall(r"\]\(([^)#:\s]+)(?:#[^)]*)?\)", page.read_text())
        if not (page.parent / link).exists()
    ]

    assert links == []
