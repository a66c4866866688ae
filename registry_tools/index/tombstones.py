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
from typing import Annotated

import msgspec
from msgspec import Meta

from agentevals.evaluator.index import Removed
from agentevals.evaluator.manifest import VERSION, Line, Name
from agentevals.files import yaml_strict
from agentevals.files.places import quote
from agentevals.model.errors import ConfigError, Problem
from agentevals.model.noun import Noun
from registry_tools.manifests.registry import FOLDER

FILE = f"{FOLDER}/.tombstones.yaml"
_SAYS_SOMETHING = re.compile(rb"^[ \t]*[^ \t\r\n#]", re.MULTILINE)
_LARGEST = 4 << 20  # bytes; a registry may grow old

_Version = Annotated[str, Meta(pattern=VERSION)]


class _Removal(Noun, frozen=True, forbid_unknown_fields=True, kw_only=True):
    reason: Line
    replaced_by: Name = ""


class Transfer(Noun, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The numeric ids of the new maintainers."""

    to: Annotated[tuple[Annotated[int, Meta(ge=1)], ...], Meta(min_length=1)]
    reason: Line


class Tombstones(Noun, frozen=True, forbid_unknown_fields=True):
    """The content of the file; without a file it is empty."""

    removed: dict[Name, _Removal] = {}
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


def read(content: bytes | None) -> Tombstones:
    """Parse the file, or raise ConfigError with every problem."""
    if content is None or not _SAYS_SOMETHING.search(content):
        return Tombstones()
    document = yaml_strict.read(content, _LARGEST)
    if document.problems:
        raise ConfigError(
            Problem(message=problem.advice, path=FILE, at=problem.at)
            for problem in document.problems
        )
    try:
        return msgspec.convert(document.value, Tombstones)
    except msgspec.ValidationError as error:
        known = "it has 'removed', 'transferred' and 'yanked', each with names in it"
        raise ConfigError(
            [Problem(message=f"{quote(str(error), 200)[1:-1]}; {known}", path=FILE)]
        ) from None
