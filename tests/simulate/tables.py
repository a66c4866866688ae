"""What the simulation has seen, as the tables of docs/statistics-measured.md."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

from tests.simulate import alarms, coverage, limits, power
from tests.simulate.promises import Promise, Seen, find_broken

PAGE = Path(__file__).parents[2] / "docs" / "statistics-measured.md"
PROMISES = (
    coverage.HOLDS, coverage.NARROW, *limits.PROMISES, alarms.RUN, alarms.GATES, alarms.DEFAULT,
    power.FOUND, power.NOT_MORE, power.DECIDES,
)  # fmt: skip
_BLOCK = re.compile(r"(?<=<!-- simulated: )([a-z ]+)( -->\n).*?(?=<!-- end -->)", re.DOTALL)
_WIDE = 0.96

_Cell = Callable[[Seen], str]


def write(seen: Sequence[Seen], seed: str, runs: int) -> None:
    """Write the tables between the marks of the page."""
    told = {name: "\n".join(lines) for name, lines in _list_tables(seen, seed, runs)}
    text = PAGE.read_text(encoding="utf-8")
    new = _BLOCK.sub(lambda mark: f"{mark[1]}{mark[2]}{told[mark[1]]}\n", text)
    PAGE.write_text(new, encoding="utf-8")


def describe(seen: Sequence[Seen], seed: str, runs: int) -> Iterator[str]:
    """Yield the tables, one below the other."""
    for name, lines in _list_tables(seen, seed, runs):
        yield from (f"## {name}", "", *lines, "")


_Tables = Iterator[tuple[str, list[str]]]


def _list_tables(seen: Sequence[Seen], seed: str, runs: int) -> _Tables:
    groups: dict[str, list[Seen]] = {}
    for one in seen:
        groups.setdefault(one.cell.group, []).append(one)
    yield "promises", [*_sum_up(seen, seed, runs)]
    yield "coverage", [*_spread(groups.get(coverage.GROUP, ()), _write_coverage, _explain)]
    yield "limits", [*_spread(groups.get(limits.GROUP, ()), _write_limit)]
    yield "alarms", [*_spread(groups.get(alarms.GROUP, ()), _write_share("red"))]
    yield "whole runs", [*_list_whole(groups.get(alarms.WHOLE, ()))]
    yield "drops", [*_spread(groups.get(power.DROPS, ()), _write_share("found"))]
    yield "needed cases", [*_spread(groups.get(power.NEEDS, ()), _write_share("kept"))]


def _sum_up(seen: Sequence[Seen], seed: str, runs: int) -> Iterator[str]:
    """Yield the promises, each with the cell that is nearest to breaking it, or beyond."""
    broken = {one.promise for one in find_broken([*seen])}
    total = max(one.cell.share for one in seen) * runs
    yield f"Seed `{seed}`, {total:,.0f} runs in most of {len(seen):,} cells."
    yield ""
    yield "| promise | says | cells | the worst | kept |"
    yield "|---|---|---|---|---|"
    for promise in PROMISES:
        asked = [one for one in seen if promise in one.cell.promises and one.tried[promise.event]]
        if asked:
            worst = max(asked, key=lambda one: _miss(promise, one))
            share, tried = worst.find_share(promise.event), worst.tried[promise.event]
            told = f"{_percent(share)} of {tried:,} ({worst.cell.name})"
            kept = "**no**" if promise in broken else "yes"
            yield f"| {promise.name} | {promise.sentence} | {len(asked)} | {told} | {kept} |"


def _miss(promise: Promise, seen: Seen) -> float:
    share = seen.find_share(promise.event) or 0.0
    return promise.least - share if promise.least else share - promise.most


def _spread(seen: Iterable[Seen], write_cell: _Cell, explain: _Cell | None = None) -> Iterator[str]:
    """Yield a row for each kind of run, with a column for each number of cases."""
    rows: dict[str, dict[int, Seen]] = {}
    for one in seen:
        rows.setdefault(one.cell.kind, {})[one.cell.cases] = one
    sizes = sorted({size for row in rows.values() for size in row})
    more = ["why wide"] if explain else []
    yield f"| cases | {' | '.join([*map(str, sizes), *more])} |"
    yield "|---|" + "---|" * (len(sizes) + len(more))
    for kind, row in rows.items():
        cells = [write_cell(row[size]) if size in row else "" for size in sizes]
        cells += [explain(row[max(row)])] if explain else []
        yield f"| {kind} | {' | '.join(cells)} |"


def _write_coverage(seen: Seen) -> str:
    """Write how often the interval held the value; if it is wide, how often t's would have."""
    share, by_t = seen.find_share("covered"), seen.find_share("t")
    if share is None:
        return "-"
    told = f"{share * 100:.1f}"
    return f"{told} ({(by_t or 0.0) * 100:.0f})" if share > _WIDE else told


def _explain(seen: Seen) -> str:
    return seen.cell.reason


def _write_limit(seen: Seen) -> str:
    return " / ".join(_percent(seen.find_share(event)) for event in ("broken at", "kept at"))


def _write_share(event: str) -> _Cell:
    return lambda seen: _percent(seen.find_share(event))


def _list_whole(seen: Iterable[Seen]) -> Iterator[str]:
    yield "| runs | cases | `regressed` | `any-flip` | by the formula | `failed` | by the formula |"
    yield "|---|---|---|---|---|---|---|"
    for one in seen:
        noise, size = float(one.cell.kind.split("%")[0]) / 100, one.cell.cases
        told = (
            one.find_share("red"), one.find_share("any flip"), alarms.expect_flip(noise, size),
            one.find_share("failed"), alarms.expect_failed(noise, size),
        )  # fmt: skip
        yield f"| {one.cell.kind} | {size} | {' | '.join(map(_percent, told))} |"


def _percent(share: float | None) -> str:
    return "-" if share is None else f"{share * 100:.1f} %"
