"""`make differential SYSTEM=… SEED=… CASES=…`: random cases, run by the real system and by ours.

Exit 1 if one is wrong. What is wrong is made smaller, and kept as a test with --write.
"""

import argparse
import sys
from collections import Counter
from collections.abc import Sequence

from tests.conformance.rows import Row
from tests.differential.comparing import check_driver, compare, find_wrong, list_places
from tests.differential.draw import Draw
from tests.differential.kept import keep
from tests.differential.shrinking import shrink
from tests.differential.systems import Case, System
from tests.differential.table import SYSTEMS
from tests.frameworks.installing import Installed, install

_CHECKED = 50  # one case of so many is run by the command as well
_SHRUNKEN = 5  # wrong cases that are made smaller, each wrong in its own way
_SHOWN = 6  # differences of each


def main() -> int:
    parser = argparse.ArgumentParser(prog="differential", description=__doc__)
    parser.add_argument("system", choices=SYSTEMS)
    parser.add_argument("--seed", default="1", help="Any text; the same one makes the same cases")
    parser.add_argument("--cases", type=int, default=200)
    parser.add_argument("--write", action="store_true", help="Keep wrong cases as tests")
    words = parser.parse_args()
    system = SYSTEMS[words.system]
    installed = install(system.PACKAGES, node=system.NODE)
    cases = [generate(system, words.seed, number) for number in range(words.cases)]
    results = system.run(cases, installed)
    rows = compare(words.system, system, cases, results)
    driver = list(check_driver(system, cases[::_CHECKED], results[::_CHECKED], installed))
    wrong = [(case, row) for case, row in zip(cases, rows, strict=True) if row.unexplained]
    for case, row in wrong:
        _show(case, row)
    for case, row in _choose_distinct(wrong):
        small = _shrink(words.system, system, installed, case, row)
        print(f"smaller: {small.name}: {small.given}", flush=True)
        if words.write:
            keep(words.system, system, small, system.run([small], installed)[0])
    print("\n".join([*driver, _summarize(words.system, words.seed, rows)]))
    return 1 if wrong or driver else 0


def generate(system: System, seed: str, number: int) -> Case:
    """The case with this number of a seed, whatever was made before it."""
    return system.generate(f"{seed}-{number:04}", Draw(f"{seed}/{number}"))


def _show(case: Case, row: Row) -> None:
    print(f"wrong: {case.name}")
    for difference in row.unexplained[:_SHOWN]:
        print(f"    {difference}", flush=True)


def _choose_distinct(wrong: Sequence[tuple[Case, Row]]) -> list[tuple[Case, Row]]:
    """One of each kind: those that are wrong in the same places tell the same."""
    kinds = {frozenset(list_places(row)): (case, row) for case, row in reversed(wrong)}
    return list(reversed(kinds.values()))[:_SHRUNKEN]


def _shrink(name: str, system: System, installed: Installed, case: Case, row: Row) -> Case:
    places = list_places(row)

    def are_wrong(candidates: Sequence[Case]) -> list[bool]:
        found = find_wrong(name, system, candidates, installed)
        return [bool(places & each) for each in found]

    return shrink(case, are_wrong)


def _summarize(name: str, seed: str, rows: Sequence[Row]) -> str:
    wrong = sum(bool(row.unexplained) for row in rows)
    apart = sum(bool(row.incomparable) for row in rows)
    deviating = sum(bool(row.explained) and not row.unexplained for row in rows)
    decisions = Counter(decision for row in rows for decision in row.decisions)
    listed = ", ".join(f"§{decision} x{n}" for decision, n in sorted(decisions.items()))
    return (
        f"{name}, seed {seed}: {len(rows)} cases, {len(rows) - wrong - apart - deviating} equal, "
        f"{deviating} explained{f' ({listed})' if listed else ''}, {wrong} wrong, "
        f"{apart} not comparable"
    )


if __name__ == "__main__":
    sys.exit(main())
