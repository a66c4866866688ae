"""`fixtures`: the file of fixtures is there, and each says what goes in and what must come out."""

from collections.abc import Callable, Iterator
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from agentevals.files import yaml_strict
from agentevals.files.document_places import quote
from agentevals.files.yaml_strict import StrictDocument
from agentevals.model.noun import Noun
from agentevals.model.plugins import Table
from agentevals.model.results import Severity
from registry_tools.manifests import manifest_paths, manifest_settings
from registry_tools.manifests.registry_entry import Entry
from registry_tools.manifests.registry_finding import Finding, Rule
from registry_tools.manifests.registry_folder import Registry

RULE = Rule(
    id="fixtures",
    severity=Severity.ERROR,
    title="Each fixture has an input and an expected result",
    why=(
        "We run them twice before we accept an evaluator, and again after each "
        "change. A fixture without an expectation proves nothing. `NOT_EVALUATED`"
        " is accepted only if the fixture expects it."
    ),
    bad="fixtures:\n  - name: polite\n    input: {invocations: []}",
    good="fixtures:\n  - name: polite\n    input:\n      invocations: [{user_content: Hi, "
    "final_response: Good day!}]\n    expect: {score: 1.0}",
)
_USUAL = "fixtures.yaml"  # is read where it lies, whether or not a manifest names it
_LARGEST = 1 << 20
_MOST = 200
_NOT_EVALUATED = "NOT_EVALUATED"
# knows the file exactly, and is slow to import: asked only about files that may be wrong
_READERS: Table[Callable[[bytes, str], Any]] = Table(
    "reader", {"fixtures": "registry_tools.manifests.manifest_fixtures:read"}
)


class _Written(Noun, frozen=True, forbid_unknown_fields=True):
    """A part of what is surely right; whatever else there may be is for the reader to judge."""


class _Call(_Written, frozen=True):
    """A call with its answer."""

    name: str
    args: dict[str, Any] = {}
    id: str = ""
    response: Any = None


class _Turn(_Written, frozen=True):
    """A turn, as nearly all fixtures have it."""

    invocation_id: str = ""
    user_content: str = ""
    final_response: str | None = None
    tool_calls: tuple[_Call, ...] = ()


class _Input(_Written, frozen=True):
    """The input of an evaluator."""

    invocations: tuple[_Turn, ...] = ()
    expected_invocations: tuple[_Turn, ...] | None = None


class _Expected(_Written, frozen=True):
    """The result that must come out."""

    score: Annotated[float, Meta(ge=0, le=1)] | None = None
    status: Literal["PASSED", "FAILED", "NOT_EVALUATED"] | None = None
    tolerance: Annotated[float, Meta(ge=0, le=1)] = 0

    def __post_init__(self) -> None:
        if self.score is None and self.status is None:
            raise ValueError


class _Fixture(_Written, frozen=True):
    """One input with what is expected of it."""

    name: Annotated[str, Meta(min_length=1, max_length=100)]
    input: _Input
    expect: _Expected
    config: dict[str, Any] = {}


class _Fixtures(_Written, frozen=True):
    """The file."""

    fixtures: Annotated[tuple[_Fixture, ...], Meta(min_length=1, max_length=_MOST)]

    def __post_init__(self) -> None:
        if len({fixture.name for fixture in self.fixtures}) < len(self.fixtures):
            raise ValueError


def check(entry: Entry, _: Registry) -> Iterator[Finding]:
    named = entry.get_text("fixtures")
    if named and (wrong := manifest_paths.report_path(entry, RULE, "fixtures")):
        yield wrong
        return
    path = named or _USUAL
    if path not in entry.files:
        return
    content = entry.read_bytes(path, _LARGEST + 1)
    document = yaml_strict.read(content, _LARGEST)
    if _is_surely_right(document):
        yield from _check_settings(entry, path, document)
        return
    for problem in _READERS["fixtures"](content, path).problems:
        yield entry.report_problem(path, RULE, problem)


def _check_settings(entry: Entry, path: str, document: StrictDocument) -> Iterator[Finding]:
    """Compare the settings of fixtures with the schema, unless no score is expected of them."""
    for index, fixture in enumerate(document.value["fixtures"]):
        config = fixture.get("config", {})
        if fixture["expect"].get("status") == _NOT_EVALUATED:
            continue
        for misfit in manifest_settings.find_wrong_settings(
            entry.values.get("config_schema"), config
        ):
            where = ("fixtures", index, *(("config", *misfit.where) if misfit.where else ("name",)))
            message = f"the fixture {quote(fixture['name'])}: {misfit.message}"
            at = document.locate(where, key=misfit.of_key)
            yield entry.report_in(path, RULE, message, at, fix=misfit.fix)


def _is_surely_right(document: StrictDocument) -> bool:
    if document.problems:
        return False
    try:
        msgspec.convert(document.value, _Fixtures)
    except msgspec.ValidationError:
        return False
    return True
