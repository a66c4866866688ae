"""The subject of a page: an entry of the index, with what lies beside its manifest."""

import re
from dataclasses import dataclass, field
from typing import Any

from agentevals.evaluator.registry_index import IndexEntry
from agentevals.files import yaml_strict
from registry_tools.evidence import evidence_measuring
from registry_tools.evidence.evidence_measuring import Evidence
from registry_tools.manifests import manifest_fixtures
from registry_tools.manifests.manifest_fixtures import Fixture
from registry_tools.manifests.registry_entry import Entry

_PAGE = "README.md"
_LONGEST = 1_500  # characters of what its page says first
_YAML = re.compile(r"^```yaml\n(.*?)^```", re.MULTILINE | re.DOTALL)
_SHOWN = ("threshold", "timeout", "judge", "config")  # its page never gives it rights here


@dataclass(frozen=True)
class Subject:
    """An evaluator, its own words about itself, its fixtures, and what was measured of it.

    `usage` are the settings of an entry in a config, as its page shows one.
    """

    entry: IndexEntry
    about: str = ""
    usage: dict[str, Any] = field(default_factory=dict)
    fixtures: tuple[Fixture, ...] = ()
    evidence: Evidence | None = None

    @property
    def example(self) -> Fixture | None:
        """A fixture that shows a config with which it judges, and is content."""
        judged = [one for one in self.fixtures if one.expect.status != "NOT_EVALUATED"]
        return next((one for one in judged if one.config), None)


def read_subject(listed: IndexEntry, entry: Entry) -> Subject:
    """Read what the folder has; a file that cannot be read is missing on the page."""
    path = manifest_fixtures.find_file(entry)
    read = (
        manifest_fixtures.read(entry.read_bytes(path, manifest_fixtures.LARGEST + 1), path)
        if path
        else None
    )
    said = _read_page(entry)
    return Subject(
        listed,
        _read_about(said, listed.description),
        _read_usage(said, listed.name),
        read.fixtures if read else (),
        evidence_measuring.read_evidence(entry),
    )


def _read_page(entry: Entry) -> str:
    if _PAGE not in entry.files:
        return ""
    return entry.read_bytes(_PAGE, 1 << 20).decode(errors="replace")


def _read_usage(text: str, name: str) -> dict[str, Any]:
    """Return the settings of the first entry of a config that names it."""
    for block in _YAML.findall(text):
        document = yaml_strict.read(block.encode())
        value = {} if document.problems else document.value
        entries = value.get("evaluators") if isinstance(value, dict) else None
        for one in entries if isinstance(entries, list) else ():
            if isinstance(one, dict) and one.get("name") == name:
                return {key: one[key] for key in _SHOWN if key in one}
    return {}


def _read_about(text: str, description: str) -> str:
    """Return the first paragraphs of its page: before any table, code or heading."""
    paragraphs = []
    for part in text.split("\n\n"):
        plain = part.strip()
        if plain.startswith(("|", "```", "##", "<", "Name this registry")):
            break
        if plain and not plain.startswith("#") and plain != description:
            paragraphs.append(" ".join(plain.split()))
    return "\n\n".join(paragraphs)[:_LONGEST]
