"""The subject of a page: an entry of the index, with what lies beside its manifest."""

from dataclasses import dataclass

from agentevals.evaluator.index import IndexEntry
from registry_tools.evidence import measuring
from registry_tools.evidence.measuring import Evidence
from registry_tools.manifests import fixtures
from registry_tools.manifests.entry import Entry
from registry_tools.manifests.fixtures import Fixture

_PAGE = "README.md"
_LONGEST = 1_500  # characters of what its page says first


@dataclass(frozen=True)
class Subject:
    """An evaluator, its own words about itself, its fixtures, and what was measured of it."""

    entry: IndexEntry
    about: str = ""
    fixtures: tuple[Fixture, ...] = ()
    evidence: Evidence | None = None

    @property
    def example(self) -> Fixture | None:
        """A fixture that shows a config with which it judges, and is content."""
        judged = [one for one in self.fixtures if one.expect.status != "NOT_EVALUATED"]
        return next((one for one in judged if one.config), None)


def read_subject(listed: IndexEntry, entry: Entry) -> Subject:
    """Read what the folder has; a file that cannot be read is missing on the page."""
    path = fixtures.find_file(entry)
    read = fixtures.read(entry.read_bytes(path, fixtures.LARGEST + 1), path) if path else None
    return Subject(
        listed,
        _read_about(entry, listed.description),
        read.fixtures if read else (),
        measuring.read_evidence(entry),
    )


def _read_about(entry: Entry, description: str) -> str:
    """Return the first paragraphs of its page: before any table, code or heading."""
    if _PAGE not in entry.files:
        return ""
    text = entry.read_bytes(_PAGE, 1 << 20).decode(errors="replace")
    paragraphs = []
    for part in text.split("\n\n"):
        plain = part.strip()
        if plain.startswith(("|", "```", "##", "<", "Name this registry")):
            break
        if plain and not plain.startswith("#") and plain != description:
            paragraphs.append(" ".join(plain.split()))
    return "\n\n".join(paragraphs)[:_LONGEST]
