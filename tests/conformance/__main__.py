"""`python -m tests.conformance FOLDER [SYSTEM…]`: a line per system.

Exit 1 for a wrong row, and for a system of which no row can be compared. A row that cannot be
compared is counted and printed with its reason, and alone does not change the exit code.
"""

import argparse
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Protocol

from tests.conformance import adk, agentevals, agentv, uipath
from tests.conformance.rows import Difference, Row


class System(Protocol):
    """What a system's module provides: the comparison of every row it finds in its folder.

    `READS` are the patterns of the files and folders there that it looks at.
    """

    READS: tuple[str, ...]

    def rows(self, folder: Path) -> Iterator[Row]: ...


_LISTED = 5  # rows of one reason

SYSTEMS: dict[str, System] = {
    "agentevals": agentevals,
    "adk": adk,
    "agentv": agentv,
    "uipath": uipath,
}


def main() -> int:
    parser = argparse.ArgumentParser(prog="conformance", description=__doc__)
    parser.add_argument("folder", type=Path, help="holds one folder per system")
    parser.add_argument(
        "systems", nargs="*", help=f"of {', '.join(SYSTEMS)}; default: those that the folder has"
    )
    given = parser.parse_args()
    if unknown := set(given.systems) - set(SYSTEMS):
        parser.error(f"no rows are read yet for {', '.join(sorted(unknown))}")
    there = [name for name in SYSTEMS if (given.folder / name).is_dir()]
    names = given.systems or there
    if not names:
        parser.error(f"{given.folder} has no folder {', '.join(SYSTEMS)}")
    if missing := [name for name in names if not (given.folder / name).is_dir()]:
        parser.error(f"{given.folder} has no folder {', '.join(missing)}")
    strangers = _unread(given.folder, tuple(SYSTEMS))
    if strangers and not given.systems:
        print(f"not read, no system is called that: {strangers}")
    return max(_system(name, given.folder / name) for name in names)


def _system(name: str, folder: Path) -> int:
    every = list(_rows(SYSTEMS[name], folder))
    apart = [row for row in every if row.incomparable]
    rows = [row for row in every if not row.incomparable]
    wrong = [row for row in rows if row.unexplained]
    deviating = [row for row in rows if row.explained and not row.unexplained]
    decisions = Counter(decision for row in deviating for decision in row.decisions)
    listed = ", ".join(f"§{decision} x{n}" for decision, n in sorted(decisions.items()))
    equal = len(rows) - len(wrong) - len(deviating)
    print(
        f"{name}: {len(rows)} rows compared, {equal} equal, "
        f"{len(deviating)} deviating by decision{f' ({listed})' if listed else ''}, "
        f"{len(wrong)} wrong, {len(apart)} not comparable"
    )
    for row in wrong:
        print(f"  wrong: {row.name}")
        for difference in row.unexplained[:6]:
            print(f"    {difference}")
    _print_apart(apart)
    if unread := _unread(folder, SYSTEMS[name].READS):
        print(f"  not read, nothing compares it: {unread}")
    if not rows:
        print(f"  {folder} holds no row that can be compared")
    return 1 if wrong or not rows else 0


def _rows(system: System, folder: Path) -> Iterator[Row]:
    """Every row; if the system's module fails between two of them, what is lost is wrong."""
    try:
        yield from system.rows(folder)
    except Exception as error:  # noqa: BLE001 -- no recording may end in a traceback
        yield Row("further rows", unexplained=(Difference("rows", "some", f"lost: {error!r}"),))


def _unread(folder: Path, patterns: tuple[str, ...]) -> str:
    """The files and folders that match no pattern, pages of text aside."""
    entries = sorted(e for e in folder.iterdir() if not any(map(e.match, patterns)))
    return ", ".join(entry.name for entry in entries if entry.suffix != ".md")


def _print_apart(rows: list[Row]) -> None:
    """The rows that were not compared, by reason."""
    names: dict[str, list[str]] = {}
    for row in rows:
        names.setdefault(row.incomparable, []).append(row.name)
    for reason, each in names.items():
        more = f" and {len(each) - _LISTED} more" if len(each) > _LISTED else ""
        print(f"  not comparable: {', '.join(each[:_LISTED])}{more}: {reason}")


if __name__ == "__main__":
    sys.exit(main())
