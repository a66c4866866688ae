"""A round: cases are run by the real system, and ours is compared with what came of them."""

import re
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from tests.conformance.__main__ import SYSTEMS as COMPARISONS
from tests.conformance.rows import Difference, Row
from tests.differential.systems import Case, System
from tests.frameworks.installing import Installed

_NUMBER = re.compile(r"/\d+(?=/|$)")


def compare(name: str, system: System, cases: Sequence[Case], results: Sequence[Any]) -> list[Row]:
    """The comparison of each case, in their order; a case without a row has one that says so."""
    with tempfile.TemporaryDirectory() as folder:
        system.write(Path(folder), cases, results)
        found = {row.name.rpartition("/")[2]: row for row in COMPARISONS[name].rows(Path(folder))}
    return [found.get(case.name) or _miss(case) for case in cases]


def _miss(case: Case) -> Row:
    return Row(case.name, unexplained=(Difference("row", "a comparison", "none was made"),))


def find_wrong(
    name: str, system: System, cases: Sequence[Case], installed: Installed
) -> list[set[str]]:
    """What each case is wrong about: the places of differences, without the numbers in them.

    Nothing for a case that cannot be run any more; the others are run without it.
    """
    apart = [replace(case, name=f"{case.name}-{at}") for at, case in enumerate(cases)]
    try:
        rows = compare(name, system, apart, system.run(apart, installed))
    except Exception:  # noqa: BLE001 -- what is left of a case may be none any more
        if len(cases) == 1:
            return [set()]
        halves = cases[: len(cases) // 2], cases[len(cases) // 2 :]
        return [each for half in halves for each in find_wrong(name, system, half, installed)]
    return [list_places(row) for row in rows]


def list_places(row: Row) -> set[str]:
    """The places of what is wrong, whichever of several cases, turns or calls it is."""
    return {_NUMBER.sub("/*", difference.where) for difference in row.unexplained}


def check_driver(
    system: System, cases: Sequence[Case], results: Sequence[Any], installed: Installed
) -> Iterator[str]:
    """Whether the command that people type says the same as the library that we drive."""
    for case, driven in zip(cases, results, strict=True):
        typed = system.run_command(case, installed)
        if driven != typed:
            yield f"{case.name}: the library gave {driven!r}, the command {typed!r}"
