"""`make simulate SEED=n`: try all promises of docs/statistics.md. The last line says what broke."""

import argparse
import sys
from collections.abc import Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import replace
from functools import partial
from itertools import chain
from random import Random
from time import monotonic, process_time

from agentevals.compare.statistics import subset_bounds
from tests.simulate import alarms, coverage, limits, power, tables
from tests.simulate.promises import Cell, Seen, Trial, find_broken, try_cell

SEED = "1"
_RUNS, _LONG = 1_000, 4_000
_RESAMPLES = 399  # of the short program: as few as the product takes for many cases


def main() -> int:
    """Try all cells, print the tables, and return 1 if a promise is broken."""
    parser = argparse.ArgumentParser(prog="python -m tests.simulate", description=__doc__)
    parser.add_argument("--seed", default=SEED, help="Any text; the same one gives the same runs")
    parser.add_argument(
        "--long", action="store_true", help="Four times as many runs, resampled as the product does"
    )
    parser.add_argument("--runs", type=int, help="The number of runs of a cell")
    parser.add_argument("--only", default="", help="Only the cells whose name has this text")
    parser.add_argument("--write", action="store_true", help="Write the tables of the page")
    words = parser.parse_args()
    runs = words.runs or (_LONG if words.long else _RUNS)
    cells = [cell for cell in list_cells() if words.only in cell.name]
    seen = _try_all(cells, words.seed, runs, shorten=not words.long)
    if words.write:
        tables.write(seen, words.seed, runs)
    else:
        print("\n".join(tables.describe(seen, words.seed, runs)))
    broken = find_broken(seen)
    print("broken: " + "; ".join(map(str, broken)) if broken else "every promise is kept")
    return 1 if broken else 0


def list_cells() -> Iterator[Cell]:
    """Yield the cells of all promises."""
    return chain.from_iterable(group.list_cells() for group in (coverage, limits, alarms, power))


def _try_all(cells: list[Cell], seed: str, runs: int, *, shorten: bool) -> list[Seen]:
    """Try the cells on every core, the large ones first, and return them in their order."""
    started, found = monotonic(), dict[str, Seen]()
    with ProcessPoolExecutor() as pool:
        largest = sorted(cells, key=lambda cell: -cell.cases)
        waiting = [pool.submit(_try, cell, seed, runs, shorten) for cell in largest]
        for number, done in enumerate(as_completed(waiting), start=1):
            one = done.result()
            found[one.cell.name] = one
            if number % 20 == 0:
                passed = monotonic() - started
                print(f"{number} of {len(cells)} cells, {passed:.0f} s", file=sys.stderr)
    return [found[cell.name] for cell in cells]


def _try(cell: Cell, seed: str, runs: int, shorten: bool) -> Seen:
    started = process_time()
    seen = try_cell(
        replace(cell, trial=partial(_shorten, cell.trial)) if shorten else cell, seed, runs
    )
    seen.cell = cell
    seen.seconds = process_time() - started
    return seen


def _shorten(trial: Trial, random: Random) -> Mapping[str, bool]:
    """Draw few subsets of the cases, but others in every run: the same few err the same way."""
    subset_bounds.RESAMPLES, subset_bounds._SEED = _RESAMPLES, random.getrandbits(32)
    return trial(random)


if __name__ == "__main__":
    sys.exit(main())
