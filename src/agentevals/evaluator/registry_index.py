"""The index of a registry: `index.json`, `index.yaml`, and the manifest of each evaluator.

An index comes from outside. Each problem is one sentence, and an entry that cannot be used only
affects itself.
"""

import hashlib
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any

import msgspec
from msgspec import Meta
from msgspec.structs import replace

from agentevals.evaluator import evaluator_manifest as manifests
from agentevals.files.document_places import quote
from agentevals.model.errors import UnavailableError
from agentevals.model.noun import Noun

SCHEMA = 1  # another number is for readers that know what changed
LARGEST = 256 << 20  # bytes of an index, or of the list of half a million entries
_SHOWN = 3  # remarks that an error repeats
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}([T ][0-9:.]{5,15}(Z|[+-]\d{2}:?\d{2})?)?", re.ASCII)

Digest = Annotated[str, Meta(pattern=r"^[0-9a-f]{64}$(?!\n)")]
Commit = Annotated[str, Meta(pattern=r"^([0-9a-f]{40}|[0-9a-f]{64})?$(?!\n)")]
Files = dict[Annotated[str, Meta(min_length=1, max_length=500)], Digest]
Text = Annotated[str, Meta(max_length=20_000)]
Name = Annotated[str, Meta(min_length=1, max_length=200, pattern=r"^\S+$(?!\n)")]


class Capabilities(manifests.Capabilities, frozen=True, forbid_unknown_fields=False):
    """As a manifest has them; a newer registry may know more of them."""


class Maintainer(manifests.Maintainer, frozen=True, forbid_unknown_fields=False):
    """As a manifest has them."""


class Runtime(manifests.Runtime, frozen=True, forbid_unknown_fields=False):
    """As a manifest has it."""


class Earlier(Noun, frozen=True, kw_only=True):
    """A version that was published before; its files are those of its commit."""

    version: Text
    commit: Commit = ""
    path: Text = ""
    sha256: Digest
    files: Files = {}
    yanked: Text = ""
    updated: Text = msgspec.field(default="", name="lastUpdated")


class IndexEntry(Noun, frozen=True):
    """One evaluator. The first seven keys are the predecessor's; an old index has no others.

    `commit` is the last one that changed its folder: its files are there.
    """

    name: Name
    description: Text = ""
    language: Text = ""
    path: Text = ""
    tags: tuple[Text, ...] = ()
    author: Text = ""
    updated: Text = msgspec.field(default="", name="lastUpdated")
    version: Text = ""
    license: Text = ""
    entrypoint: Text = ""
    commit: Commit = ""
    files: Files = {}
    sha256: Digest | None = None
    size: int = 0
    capabilities: Capabilities = Capabilities()
    config_schema: dict[str, Any] | str = {}
    runtime: Runtime = Runtime()
    requirements: Text = ""
    needs: tuple[Text, ...] = ()
    fixtures: Text = ""
    deterministic: bool = True
    deprecated: Text = ""
    yanked: Text = ""
    replaced_by: Text = ""
    aliases: tuple[Text, ...] = ()
    maintainers: tuple[Maintainer, ...] = ()
    level: Text = ""
    earlier: tuple[Earlier, ...] = ()


class Removed(Noun, frozen=True):
    """Why an evaluator is not listed any more."""

    reason: Text
    replaced_by: Text = ""


class Index(Noun, frozen=True, kw_only=True):
    """Everything that a registry lists. `remarks` are the entries that had to be skipped."""

    generated: Text = msgspec.field(default="", name="generatedAt")
    schema: int = SCHEMA
    commit: Commit = ""
    evaluators: tuple[IndexEntry, ...]
    removed: dict[str, Removed] = {}
    remarks: tuple[Text, ...] = ()


def digest(files: Mapping[str, str]) -> str:
    """Return the hash of the lines that `sha256sum` prints for the files, sorted by code point."""
    listed = "".join(f"{files[name]}  {name}\n" for name in sorted(files))
    return hashlib.sha256(listed.encode("utf-8", "surrogatepass")).hexdigest()


def parse(content: bytes, *, where: str) -> Index:
    """Parse an index in JSON or YAML; UnavailableError where the content is none."""
    if len(content) > LARGEST:
        raise _build_refusal(where, f"it has more than {LARGEST >> 20} MB")
    if content.lstrip()[:1] != b"{":
        return _convert_leniently(_parse_yaml(content, where), where)
    try:
        found = _DECODER.decode(content)
    except msgspec.ValidationError:
        return _convert_leniently(_parse_json(content, where), where)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise _build_refusal(where, f"it is not JSON: {error}") from None
    _check(found.schema, where)
    return _drop_rivals(replace(found, remarks=()) if found.remarks else found)


def _parse_json(content: bytes, where: str) -> Any:
    try:
        return msgspec.json.decode(content)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise _build_refusal(where, f"it is not JSON: {error}") from None


def _parse_yaml(content: bytes, where: str) -> Any:
    try:
        return manifests.parse_document(content)
    except ValueError as error:
        raise _build_refusal(where, f"it is not YAML: {error}") from None


def _convert_leniently(document: Any, where: str) -> Index:
    """Convert entry by entry, so that one that cannot be used only affects itself."""
    entries = document.get("evaluators") if isinstance(document, dict) else None
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        raise _build_refusal(where, "'evaluators' must be a list of entries")
    _check(document.get("schema"), where)
    try:
        head = msgspec.convert({**document, "evaluators": [], "remarks": []}, Index)
    except msgspec.ValidationError as error:
        raise _build_refusal(where, str(error)) from None
    kept: list[IndexEntry] = []
    remarks: list[str] = []
    for at, entry in enumerate(entries, 1):
        try:
            kept.append(msgspec.convert(_drop_nulls(entry), IndexEntry))
        except msgspec.ValidationError as error:
            who = quote(entry.get("name")) if isinstance(entry.get("name"), str) else f"no. {at}"
            remarks.append(f"entry {who} is skipped: {error}")
    if entries and not kept:
        raise _build_refusal(where, "; ".join(remarks[:_SHOWN]))
    return _drop_rivals(replace(head, evaluators=tuple(kept), remarks=tuple(remarks)))


def _drop_nulls(entry: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in entry.items() if value is not None}


def _check(schema: object, where: str) -> None:
    if isinstance(schema, int) and schema != SCHEMA:
        msg = f"{where}: schema {schema} of an index is not known here; update agentevals"
        raise UnavailableError(msg)


def _drop_rivals(found: Index) -> Index:
    """Drop entries that share a name: nobody can tell which one is meant."""
    names = Counter(entry.name for entry in found.evaluators)
    if len(names) == len(found.evaluators):
        return found
    twice = sorted(name for name in names if names[name] > 1)
    kept = tuple(entry for entry in found.evaluators if names[entry.name] == 1)
    said = (f"{quote(name)} is skipped: it is listed more than once" for name in twice)
    return replace(found, evaluators=kept, remarks=(*found.remarks, *said))


def _build_refusal(where: str, why: str) -> UnavailableError:
    return UnavailableError(f"{where}: not an index of evaluators; {why}")


_DECODER = msgspec.json.Decoder(Index)


@dataclass(frozen=True)
class EvaluatorInfo:
    """One evaluator, as `evaluator list` shows it. `ref` is what a config needs to fetch it."""

    name: str
    description: str
    source: str
    language: str | None = None
    ref: str | None = None
    tags: list[str] = field(default_factory=list)
    author: str | None = None
    last_updated: str | None = None
    version: str | None = None
    license: str | None = None
    deprecated: str | None = None
    yanked: str | None = None
    replaced_by: str | None = None
    aliases: list[str] = field(default_factory=list)
    capabilities: dict[str, Any] = field(default_factory=dict)
    deterministic: bool = True
    sha256: str | None = None


def describe_entry(entry: IndexEntry, source: str) -> EvaluatorInfo:
    """Describe an entry for lists. The predecessor's dates are no dates and are not shown."""
    return EvaluatorInfo(
        name=entry.name,
        description=entry.description,
        source=source,
        language=entry.language or None,
        ref=entry.path or None,
        tags=list(entry.tags),
        author=entry.author or None,
        last_updated=entry.updated if _DATE.fullmatch(entry.updated) else None,
        version=entry.version or None,
        license=entry.license or None,
        deprecated=entry.deprecated or None,
        yanked=entry.yanked or None,
        replaced_by=entry.replaced_by or None,
        aliases=list(entry.aliases),
        capabilities=list_capabilities(entry),
        deterministic=entry.deterministic,
        sha256=entry.sha256,
    )


def list_capabilities(entry: IndexEntry) -> dict[str, Any]:
    """Return the capabilities that differ from the default, which is none."""
    said: dict[str, Any] = msgspec.to_builtins(entry.capabilities)
    lists = {key: list(value) for key, value in said.items() if isinstance(value, tuple)}
    return {key: value for key, value in {**said, **lists}.items() if value}
