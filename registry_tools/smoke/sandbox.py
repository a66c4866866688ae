"""The sandbox of smoke runs: its promises, checked here, and the permissions of a program."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from agentevals.model.errors import EvaluatorError
from agentevals.sandbox import promises
from agentevals.sandbox.isolation import LEVELS
from agentevals.sandbox.promises import CheckedPromise, Outcome
from registry_tools.manifests.entry import Entry
from registry_tools.manifests.registry import Registry
from registry_tools.rules import capabilities

_TRIES = 2  # one of the promises is about time, which a busy machine may not keep


@cache
def find_objection(level: str) -> str:
    """Return why nothing may run; "" when every promise of the sandbox holds.

    Found out once in a process, whose launcher stays the same.
    """
    why = ""
    for _ in range(_TRIES):
        try:
            why = judge_promises(*promises.check(), level)
        except EvaluatorError as error:
            return str(error)
        if not why:
            break
    return why


def judge_promises(available: str, checked: Sequence[CheckedPromise], level: str) -> str:
    """Return the reason for checked promises."""
    if LEVELS.index(available.partition(" ")[0]) < LEVELS.index(level):
        return f"this machine has only the walls {available}, and {level!r} was asked for"
    broken = [one for one in checked if one.outcome is Outcome.BROKEN]
    said = "; ".join(f"{one.promise}: it {', '.join(one.achieved[:2])}" for one in broken)
    return f"a promise of the sandbox does not hold: {said}" if broken else ""


@dataclass(frozen=True)
class Grants:
    """Nothing, unless it is said."""

    network: tuple[str, ...] = ()
    environment: tuple[tuple[str, str], ...] = ()
    files: tuple[Path, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.network or self.environment or self.files)

    def __str__(self) -> str:
        """Describe the permissions for a reviewer."""
        names = [name for name, _ in self.environment]
        given = (
            f"the network, not only {', '.join(self.network)}" if self.network else "",
            f"the values of {', '.join(names)}" if names else "",
            f"to read {', '.join(map(str, self.files))}" if self.files else "",
        )
        return "; ".join(part for part in given if part)


def grant(entry: Entry, registry: Registry, environ: Mapping[str, str]) -> Grants:
    """Grant the capabilities of the manifest that this machine has; none if they are invalid."""
    if entry.manifest is None or any(capabilities.check(entry, registry)):
        return Grants()
    asked = entry.manifest.capabilities
    return Grants(
        network=asked.network,
        environment=tuple((name, environ[name]) for name in asked.environment if name in environ),
        files=tuple(Path(name) for name in asked.files if _is_shared(Path(name), entry.root)),
    )


def _is_shared(path: Path, root: Path) -> bool:
    """Return whether a file belongs to the machine, not to its user or this registry."""
    if not path.is_absolute() or not path.exists():
        return False
    found = path.resolve()
    own = (Path.home().resolve(), root.resolve())
    return not any(found.is_relative_to(one) or one.is_relative_to(found) for one in own)
