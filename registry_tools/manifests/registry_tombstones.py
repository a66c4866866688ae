"""`evaluators/.tombstones.yaml`: decisions of maintainers about published evaluators.

```yaml
removed:                     # no longer listed, and the name stays taken
  old_name: {reason: it never worked, replaced_by: new_name}
transferred:                 # who maintains it from now on
  politeness: {to: [583231], reason: its author asked for it}
yanked:                      # an earlier version that nobody should get any more
  politeness: {"1.0.0": it crashed on empty answers}
```
"""

import re
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Annotated, Any, NamedTuple

import msgspec
from msgspec import Meta

from agentevals.evaluator.evaluator_manifest import PUBLISHED, VERSION, Line, Name
from agentevals.evaluator.registry_index import Removed
from agentevals.files import yaml_strict
from agentevals.files.yaml_strict import StrictDocument
from agentevals.model.errors import BEGIN, Problem
from agentevals.model.noun import Noun
from registry_tools.manifests import schema_misfits
from registry_tools.manifests.registry_finding import Misfit
from registry_tools.manifests.registry_folder import FOLDER, Registry

FILE = f"{FOLDER}/.tombstones.yaml"
REMOVED, YANKED = "removed", "yanked"

_SAYS_SOMETHING = re.compile(rb"^[ \t]*[^ \t\r\n#]", re.MULTILINE)
_LARGEST = 4 << 20  # bytes; a registry may grow old
_OWN = "x-"

_Published = Annotated[str, Meta(pattern=PUBLISHED, min_length=1, max_length=200)]
_Version = Annotated[str, Meta(pattern=VERSION)]


class Removal(Noun, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The reason why an evaluator was removed, and what to use instead."""

    reason: Line
    replaced_by: Name = ""


class Transfer(Noun, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The numeric ids of the new maintainers."""

    to: Annotated[tuple[Annotated[int, Meta(ge=1)], ...], Meta(min_length=1)]
    reason: Line


class Tombstones(Noun, frozen=True, forbid_unknown_fields=True):
    """The content of the file; without a file it is empty."""

    removed: dict[_Published, Removal] = {}
    transferred: dict[Name, Transfer] = {}
    yanked: dict[Name, dict[_Version, Line]] = {}

    def list_removed(self) -> dict[str, Removed]:
        """Return the removed entries for an index."""
        return {
            name: Removed(reason=said.reason, replaced_by=said.replaced_by)
            for name, said in sorted(self.removed.items())
        }

    def allows(self, name: str, maintainers: frozenset[int]) -> bool:
        """Return whether these may be all maintainers from now on."""
        found = self.transferred.get(name)
        return found is not None and bool(maintainers) and maintainers <= frozenset(found.to)

    def add(self, other: "Tombstones") -> "Tombstones":
        """Return these decisions and those of another; of two about one thing, these count."""
        names = {*self.yanked, *other.yanked}
        return Tombstones(
            {**other.removed, **self.removed},
            {**other.transferred, **self.transferred},
            {n: {**other.yanked.get(n, {}), **self.yanked.get(n, {})} for n in sorted(names)},
        )


class Recorded(NamedTuple):
    """The decisions of the file that can be read, and what is wrong with the others."""

    decisions: Tombstones
    problems: tuple[Problem, ...] = ()


def parse(content: bytes) -> StrictDocument:
    """Parse the file, for the places in it."""
    return yaml_strict.read(content, _LARGEST)


def read(content: bytes | None) -> Recorded:
    """Read the file. A decision that cannot be read costs only itself."""
    if content is None or not _SAYS_SOMETHING.search(content):
        return Recorded(Tombstones())
    document = parse(content)
    found = (
        _describe(document, one) for one in schema_misfits.find_misfits(document.value, _schema())
    )
    return Recorded(_collect(document.value), (*document.problems, *found))


def read_folder(registry: Registry) -> Recorded:
    """Read the file of a working tree; a link is a problem, wherever it leads."""
    path = registry.root / FILE
    if path.is_symlink():
        return report_link()
    return read(path.read_bytes() if path.is_file() else None)


def report_link() -> Recorded:
    """Return the problem of a link at the place of the file."""
    message = "this is a symbolic link, and where it leads does not count"
    return Recorded(Tombstones(), (Problem(message=message, at=BEGIN, fix="write a file there"),))


def _describe(document: StrictDocument, misfit: Misfit) -> Problem:
    at = document.locate(misfit.where, key=misfit.of_key) if misfit.where else BEGIN
    fix, _ = schema_misfits.advise(document, misfit)
    return Problem(message=misfit.message, at=at, fix=fix)


def _collect(value: Any) -> Tombstones:
    """Collect the decisions that can be read, one after the other."""
    found = Tombstones()
    for unit in _list_units(value):
        try:
            found = msgspec.convert(unit, Tombstones).add(found)
        except (msgspec.ValidationError, TypeError):  # it has a problem of its own
            continue
    return found


def _list_units(value: Any) -> Iterator[dict[str, Any]]:
    """Yield a file for each decision."""
    for section in Tombstones.__struct_fields__:
        for name, said in _items(_items_of(value, section)):
            if section == YANKED:
                yield from ({section: {name: {key: why}}} for key, why in _items(said))
            elif isinstance(said, dict):
                kept = {key: one for key, one in said.items() if not str(key).startswith(_OWN)}
                yield {section: {name: kept}}


def _items_of(value: Any, key: str) -> Any:
    return value.get(key) if isinstance(value, dict) else None


def _items(value: Any) -> Iterator[tuple[Any, Any]]:
    if isinstance(value, Mapping):
        yield from value.items()


@cache
def _schema() -> dict[str, Any]:
    return msgspec.json.schema(Tombstones)
