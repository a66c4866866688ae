"""`python -m tests.conformance FOLDER [SYSTEM…]`: a line per system, exit 1 for a wrong row."""

import argparse
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Protocol

from tests.conformance import adk, agentevals, agentv, uipath
from tests.conformance.rows import Row


class System(Protocol):
    """What a system's module provides: the comparison of every row it finds in its folder."""

    def rows(self, folder: Path) -> Iterator[Row]: ...


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
    return max(_system(name, given.folder / name) for name in names)


def _system(name: str, folder: Path) -> int:
    rows = list(SYSTEMS[name].rows(folder))
    wrong = [row for row in rows if row.unexplained]
    deviating = [row for row in rows if row.explained and not row.unexplained]
    decisions = Counter(decision for row in deviating for decision in row.decisions)
    listed = ", ".join(f"§{decision} x{n}" for decision, n in sorted(decisions.items()))
    equal = len(rows) - len(wrong) - len(deviating)
    print(
        f"{name}: {len(rows)} rows compared, {equal} equal, "
        f"{len(deviating)} deviating by decision{f' ({listed})' if listed else ''}, "
        f"{len(wrong)} wrong"
    )
    for row in wrong:
        print(f"  wrong: {row.name}")
        for difference in row.unexplained[:6]:
            print(f"    {difference}")
    if not rows:
        print(f"  {folder} holds no row that can be compared")
    return 1 if wrong or not rows else 0


if __name__ == "__main__":
    sys.exit(main())
