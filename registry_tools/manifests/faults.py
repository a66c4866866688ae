"""What can be wrong with how a manifest is written."""

from dataclasses import dataclass
from typing import Final

from registry_tools.manifests.finding import Edit
from registry_tools.manifests.places import BEGIN, Extent

ENCODING, SIZE, SYNTAX = "encoding", "size", "yaml"
REFERENCES, DUPLICATE, SCALAR = "yaml-references", "duplicate-key", "ambiguous-scalar"
LINES = "line-endings"


class Unread:
    """What stands where a value could not be read; its own finding says why."""

    def __repr__(self) -> str:
        return "(unread)"


UNREAD: Final = Unread()


@dataclass(frozen=True, slots=True)
class Fault:
    """Something wrong with how a manifest is written, and which rule says so."""

    rule: str
    message: str
    extent: Extent = BEGIN
    fix: str = ""
    edit: Edit | None = None
