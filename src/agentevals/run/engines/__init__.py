"""Engines: where the partitions of a run are judged, if not in this process.

To add one: write a module with `connect`, then list it here; a package of your own names it in the
entry-point group `agentevals.engines`.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Protocol, TypeVar

from agentevals.model.errors import InputError
from agentevals.model.plugins import Table

Shared = TypeVar("Shared")
Item = TypeVar("Item")
Done = TypeVar("Done")


class Cluster(Protocol):
    """Workers that share the storage with the traces, and have this version of agentevals."""

    @property
    def workers(self) -> int:
        """The number of tasks that are done at a time."""
        ...

    def map(
        self,
        work: Callable[[Shared, Item], Done],
        shared: Shared,
        items: Sequence[Item],
    ) -> Iterator[tuple[int, Done]]:
        """Yield `work(shared, item)` of each item with its place, in any order.

        All of them can be pickled. An item whose worker is lost is done again by another.
        """
        ...


class Engine(Protocol):
    """A module of this folder."""

    def connect(self, scheduler: str) -> AbstractContextManager[Cluster]:
        """Return the workers behind an address, as long as they are needed.

        Raise UnavailableError if nobody answers, or InputError if a package is missing.
        """
        ...


ENGINES: Table[Engine] = Table(
    "engine", {"dask": "agentevals.run.engines.dask"}, group="agentevals.engines"
)


def connect(name: str | None, scheduler: str) -> AbstractContextManager[Cluster | None]:
    """Return the workers of an engine; none if no engine is named."""
    if name:
        return ENGINES[name].connect(scheduler)
    if scheduler:
        msg = f"--scheduler {scheduler}: say whose it is, as in --engine dask"
        raise InputError(msg)
    return nullcontext()
