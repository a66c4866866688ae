"""The systems that ours is held against, one module for each."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from tests.differential.draw import Draw
from tests.frameworks.installing import Installed


@dataclass(frozen=True)
class Case:
    """Everything a system is given, as JSON, so that it can be made smaller piece by piece."""

    name: str
    given: dict[str, Any]


class System(Protocol):
    """One real system: how cases are made for it, run by it, and kept for conformance to compare.

    `PACKAGES` are pinned. `NODE` is true for packages of npm.
    """

    PACKAGES: tuple[str, ...]
    NODE: bool

    def generate(self, name: str, draw: Draw) -> Case:
        """Make a case by the grammar."""

    def list_reachable(self) -> set[tuple[str, str]]:
        """Every type, setting and value of one that the grammar has to reach, as `Draw` counts."""

    def run(self, cases: Sequence[Case], installed: Installed) -> list[Any]:
        """Run all of them in one process, by the library. What comes is JSON, one for each."""

    def run_command(self, case: Case, installed: Installed) -> Any:
        """Run one by the command that people type; the same JSON comes if the driver is right."""

    def write(self, folder: Path, cases: Sequence[Case], results: Sequence[Any]) -> None:
        """Keep cases and results as the recordings that `tests.conformance` reads.

        The name of a row there ends in that of its case.
        """
