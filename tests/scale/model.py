"""From the cost of a trace to that of a million: arithmetic."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

CORE_HOUR = 0.04  # US dollars for a core of a rented machine
JOB_MINUTE = 0.008  # US dollars for a minute of a runner with two cores
_MILLION, _DAY = 10**6, 10**8
_HOUR, _MINUTE = 3600, 60


class Line(NamedTuple):
    """A cost that begins at a value, and grows with each trace."""

    base: float
    each: float

    def at(self, count: int) -> float:
        return self.base + self.each * count


@dataclass(frozen=True, kw_only=True)
class Costs:
    """What was measured: seconds of CPU, megabytes of the largest process, bytes of a trace."""

    size: float
    alone: Line
    serial: Line  # the part of it that one core does while the others wait
    memory: Line
    command: Line
    command_memory: Line
    workers: Line


class Way(NamedTuple):
    """A way of running: how many machines, with how many cores, and how they are paid."""

    name: str
    machines: int
    cores: int
    is_cluster: bool = False
    is_job: bool = False


WAYS = (
    Way("one machine of 2 cores", 1, 2),
    Way("one machine of 16 cores", 1, 16),
    Way("matrix of 20 jobs of 2 cores", 20, 2, is_job=True),
    Way("cluster of 10 machines of 16 cores", 10, 16, is_cluster=True),
)


def write_tables(costs: Costs) -> str:
    """Return both tables as Markdown."""
    return "\n".join([*_list_slopes(costs), "", *_list_ways(costs), ""])


def _list_slopes(costs: Costs) -> Iterator[str]:
    yield "| cost of a trace | at the start | for each trace |"
    yield "|---|--:|--:|"
    yield f"| bytes of its recording | 0 B | {costs.size:,.0f} B |"
    rows = (
        ("CPU, one machine", costs.alone),
        ("of it on one core, while the others wait", costs.serial),
        ("CPU of the workers of a cluster", costs.workers),
        ("CPU of the command beside a cluster", costs.command),
    )
    for name, line in rows:
        yield f"| {name} | {line.base:.1f} s | {line.each * 1000:.2f} ms |"
    rows = (
        ("memory, one machine", costs.memory),
        ("memory of the command beside a cluster", costs.command_memory),
    )
    for name, line in rows:
        yield f"| {name} | {line.base:.0f} MB | {line.each * 1000:.1f} kB |"


def _list_ways(costs: Costs) -> Iterator[str]:
    first, each = "| way | 10⁶ traces: time", "memory, at most | cost |"
    yield f"{first} | {each} 10⁸ a day: time | {each}"
    yield "|---|--:|--:|--:|--:|--:|--:|"
    for way in WAYS:
        cells = [cell for count in (_MILLION, _DAY) for cell in _list_cells(costs, way, count)]
        yield f"| {way.name} | {' | '.join(cells)} |"


def _list_cells(costs: Costs, way: Way, count: int) -> Iterator[str]:
    seconds = _find_time(costs, way, count)
    yield _write_time(seconds)
    share = count // way.machines
    memory = (costs.command_memory if way.is_cluster else costs.memory).at(
        count if way.is_cluster else share
    )
    yield f"{memory / 1000:,.1f} GB"
    paid = seconds / _HOUR * way.cores * way.machines * CORE_HOUR
    if way.is_job:  # each begun minute of a job counts
        paid = -(-seconds // _MINUTE) * way.machines * JOB_MINUTE
    yield f"${paid:,.2f}"


def _find_time(costs: Costs, way: Way, count: int) -> float:
    """Return the time; the command beside a cluster has one core."""
    if way.is_cluster:
        return costs.workers.at(count) / (way.machines * way.cores) + costs.command.at(count)
    share = count // way.machines
    serial = costs.serial.at(share)
    return serial + (costs.alone.at(share) - serial) / way.cores


def _write_time(seconds: float) -> str:
    if seconds < 2 * _MINUTE:
        return f"{seconds:.0f} s"
    if seconds < 2 * _HOUR:
        return f"{seconds / _MINUTE:.0f} min"
    return f"{seconds / _HOUR:.1f} h"
