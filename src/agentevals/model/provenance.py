"""Where a recording comes from, as it says itself. In a committed file that is a claim."""

from collections.abc import Iterable, Mapping
from typing import Any

from agentevals.model.noun import Noun

PREFIX = "agentevals.record."  # of the attributes of the resource


class Provenance(Noun, frozen=True, omit_defaults=False):
    """The facts that `record` knew: digests of the agent, the commit, the time, the command.

    `agents` has a digest for each config that lists the files of the agent.
    """

    agents: tuple[str, ...] = ()
    commit: str = ""
    dirty: bool = False
    time: str = ""
    command: str = ""

    @property
    def attributes(self) -> dict[str, Any]:
        """The attributes that a resource gets."""
        return {f"{PREFIX}{name}": getattr(self, name) for name in self.__struct_fields__}


def read_provenance(resources: Iterable[Mapping[str, Any]]) -> Provenance | None:
    """Return the provenance of the resources; none where they have none, or not all the same."""
    found = {tuple(sorted(_read(resource).items())) for resource in resources}
    if len(found) != 1:
        return None
    known = dict(found.pop())
    return Provenance(**known) if known else None


def _read(resource: Mapping[str, Any]) -> dict[str, Any]:
    given = {name: resource.get(f"{PREFIX}{name}") for name in Provenance.__struct_fields__}
    known: dict[str, Any] = {name: v for name, v in given.items() if isinstance(v, str) and v}
    if isinstance(given["dirty"], bool):
        known["dirty"] = given["dirty"]
    if isinstance(given["agents"], list | tuple):
        known["agents"] = tuple(one for one in given["agents"] if isinstance(one, str))
    return known if set(known) - {"dirty"} else {}
