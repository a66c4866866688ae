"""Dask: partitions are tasks of a scheduler, which gives those of a lost worker to another one."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from typing import Any

from agentevals.model.errors import InputError, UnavailableError
from agentevals.run.engines import Done, Item, Shared

_INSTALL = (
    "--engine dask: its packages are missing here; install dask and distributed beside agentevals, "
    "or the extra 'dask' of agentevals-action"
)


@contextmanager
def connect(scheduler: str) -> Iterator["_Workers"]:
    """Yield the workers of a scheduler, such as `tcp://10.0.0.1:8786`."""
    try:
        distributed = import_module("distributed")
    except ImportError:
        raise InputError(_INSTALL) from None
    if not scheduler:
        msg = "--engine dask: say where the scheduler is, as in --scheduler tcp://HOST:8786"
        raise InputError(msg)
    try:
        client = distributed.Client(scheduler, set_as_default=False)
    except (OSError, ValueError) as error:
        msg = f"--scheduler {scheduler}: {error}; check the address, and that it has been started"
        raise UnavailableError(msg) from error
    with client:
        yield _Workers(distributed, client)


class _Workers:
    def __init__(self, distributed: Any, client: Any) -> None:
        self._distributed, self._client = distributed, client

    @property
    def workers(self) -> int:
        """The number of threads of all workers there are now."""
        return sum(self._client.nthreads().values())

    def map(
        self, work: Callable[[Shared, Item], Done], shared: Shared, items: Sequence[Item]
    ) -> Iterator[tuple[int, Done]]:
        """Yield what each item comes to, as they are done; earlier items are begun first."""
        everywhere = self._client.scatter(shared, broadcast=True, hash=False)
        tasks = {
            self._client.submit(work, everywhere, item, pure=False, priority=-at): at
            for at, item in enumerate(items)
        }
        done = self._distributed.as_completed(tasks, loop=self._client.loop, with_results=True)
        try:
            for task, result in done:
                yield tasks.pop(task), result
                task.release()
        except self._distributed.KilledWorker as error:
            msg = f"--engine dask: workers were lost several times over the same files: {error}"
            raise UnavailableError(msg) from error
