"""Where recordings come from, by what they say and how they arrived, and of which agent they are.

What a recording says in a committed file is a claim.
"""

from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import Any

import msgspec

from agentevals.model.noun import Noun

PREFIX = "agentevals.record."  # of the attributes of the resource
ATTEMPT = f"{PREFIX}attempt"


class Provenance(Noun, frozen=True, omit_defaults=False):
    """The facts that `record` knew: digests of the agent, the commit, the time, the command.

    `agents` has a digest for each config that lists the files of the agent. The `attempt` is
    counted from 1 where the command was repeated.
    """

    agents: tuple[str, ...] = ()
    commit: str = ""
    dirty: bool = False
    time: str = ""
    command: str = ""
    attempt: int | msgspec.UnsetType = msgspec.UNSET

    @property
    def attributes(self) -> dict[str, Any]:
        """The attributes that a resource gets."""
        known = ((name, getattr(self, name)) for name in self.__struct_fields__)
        return {f"{PREFIX}{name}": value for name, value in known if value is not msgspec.UNSET}


def read_provenance(resources: Iterable[Mapping[str, Any]]) -> Provenance | None:
    """Return the provenance of the resources; none where they have none, or not all the same."""
    found = {tuple(sorted(_read(resource).items())) for resource in resources}
    if len(found) != 1:
        return None
    known = dict(found.pop())
    return Provenance(**known) if known else None


def read_attempt(resource: Mapping[str, Any]) -> int:
    """Return the attempt that a resource was recorded in: 0 where the command was not repeated."""
    attempt = resource.get(ATTEMPT)
    return attempt if type(attempt) is int and attempt > 0 else 0


def _read(resource: Mapping[str, Any]) -> dict[str, Any]:
    given = {name: resource.get(f"{PREFIX}{name}") for name in Provenance.__struct_fields__}
    known: dict[str, Any] = {name: v for name, v in given.items() if isinstance(v, str) and v}
    if isinstance(given["dirty"], bool):
        known["dirty"] = given["dirty"]
    if read_attempt(resource):
        known["attempt"] = given["attempt"]
    if isinstance(given["agents"], list | tuple):
        known["agents"] = tuple(one for one in given["agents"] if isinstance(one, str))
    return known if set(known) - {"dirty", "attempt"} else {}


class Arrival(StrEnum):
    """The way of a trace into the workspace. What was committed may have been written by hand."""

    COMMITTED = "committed"
    CHANGED = "changed"  # committed, and different now
    RECORDED = "this-run"  # from a step of the workflow run
    UNKNOWN = "unknown"  # no commit to compare it with


class Freshness(Noun, frozen=True, omit_defaults=False):
    """The number of cases whose recording is of the agent as it is now, was before, or may be.

    It `decides` if nothing else keeps the pull request from being merged.
    """

    fresh: int = 0
    stale: int = 0
    unknown: int = 0
    agent_listed: bool = False
    agent_changed: bool = False
    missing: bool = False  # not one recording arrived
    decides: bool = False

    @property
    def is_complete(self) -> bool:
        return not self.stale and not self.unknown and not self.missing

    def describe(self) -> str:
        """Say how many recordings are not fresh, in one phrase."""
        if self.missing:
            return "no recording of the agent arrived"
        cases = self.fresh + self.stale + self.unknown
        count = self.stale or self.unknown
        of = f"{count:,} of {cases:,} recordings" if cases > 1 else "the only recording"
        verb = "is" if count == 1 or cases == 1 else "are"
        if self.stale:
            which = "the agent before it was changed" if self.agent_changed else "another version"
            return f"{of} {verb} of {which}"
        return f"{of} may be of another version of the agent"
