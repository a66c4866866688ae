"""The cases of a report as JSON: written on every core where there are many."""

from collections.abc import Callable, Iterable, Sequence
from itertools import chain

from agentevals.files.workers import can_fork, count_cores, cut_range, do_parts
from agentevals.model.results import CaseReport
from agentevals.text import json_

_PART = 128  # cases
_WORTH_IT = 2048  # cases, below which another process costs more than it saves


def write_cases(
    cases: Sequence[CaseReport], make: Callable[[CaseReport], Iterable[object]], *, level: int
) -> json_.Items | json_.Parts:
    """Return what is made of each case as items of an array, which lies that many levels deep."""
    workers = count_cores()
    if len(cases) < _WORTH_IT or workers == 1 or not can_fork():
        return json_.Items(chain.from_iterable(map(make, cases)))

    parts = cut_range(range(len(cases)), _PART)

    def write(part: int) -> str:
        made = chain.from_iterable(make(cases[place]) for place in parts[part])
        return json_.join_items(made, level=level)

    return json_.Parts(do_parts(write, len(parts), workers))
