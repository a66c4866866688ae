"""Work on every core: its parts are done in processes forked from this one, and come in order."""

import gc
import os
import pickle
import selectors
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from contextvars import ContextVar
from dataclasses import dataclass, field
from struct import Struct
from typing import Generic, NoReturn, TypeVar

MOST_PARTS = 8192  # their numbers all wait in one pipe, whose size is 64 KiB

Done = TypeVar("Done")

_NUMBER = Struct("<I")
_HEAD = Struct("<IQ")  # the number of a part, and the bytes of what it came to
_PIECE = 1 << 20


_most: ContextVar[int | None] = ContextVar("most cores", default=None)


def use_cores(most: int | None) -> None:
    """Let this process use so many cores at most from now on; as many as there are if None."""
    _most.set(most)


def count_cores() -> int:
    """Return the number of cores that this process may use."""
    can_tell = hasattr(os, "sched_getaffinity")
    found = (len(os.sched_getaffinity(0)) if can_tell else os.cpu_count()) or 1
    return min(found, _most.get() or found)


def can_fork() -> bool:
    """Return whether work can be done in forked processes: a thread would be lost in them."""
    return hasattr(os, "fork") and threading.active_count() == 1


def cut_range(whole: range, least: int) -> list[range]:
    """Return parts of a range, of so many numbers at least, that are not too many to be done."""
    size = max(least, -(-len(whole) // MOST_PARTS))
    return [whole[at : at + size] for at in range(0, len(whole), size)]


def do_parts(work: Callable[[int], Done], parts: int, workers: int) -> Iterator[Done]:
    """Yield what part 0, part 1 and so on come to.

    A part whose worker was killed, or that raises an error, is done in this process.
    """
    pool = _Pool(work, parts, workers)
    try:
        for part in range(parts):
            yield pool.wait(part)
    finally:
        pool.close()


@dataclass
class _Worker:
    """A forked process, and what has come from it."""

    pid: int
    results: int  # a file descriptor
    received: bytearray = field(default_factory=bytearray)


class _Pool(Generic[Done]):
    def __init__(self, work: Callable[[int], Done], parts: int, workers: int) -> None:
        self._work = work
        self._done: dict[int, bytes] = {}
        self._selector = selectors.DefaultSelector()
        self._workers: list[_Worker] = []
        numbers, tasks = os.pipe()
        os.write(tasks, b"".join(map(_NUMBER.pack, range(parts))))
        os.close(tasks)
        try:
            for _ in range(workers):
                self._start(numbers)
        finally:
            os.close(numbers)

    def wait(self, part: int) -> Done:
        while part not in self._done and self._selector.get_map():
            for key, _ in self._selector.select():
                self._receive(key.data)
        if part not in self._done:
            return self._work(part)
        done: Done = pickle.loads(self._done.pop(part))  # noqa: S301 -- from a fork of our own
        return done

    def close(self) -> None:
        """End every worker, whatever it is doing."""
        for worker in self._workers:
            with suppress(ProcessLookupError):
                os.kill(worker.pid, signal.SIGKILL)
            with suppress(ChildProcessError):
                os.waitpid(worker.pid, 0)
        for key in list(self._selector.get_map().values()):
            os.close(key.fd)
        self._selector.close()

    def _start(self, numbers: int) -> None:
        results, told = os.pipe()
        pid = os.fork()
        if not pid:
            inherited = [results, *(worker.results for worker in self._workers)]
            _serve(self._work, numbers, told, inherited)
        os.close(told)
        worker = _Worker(pid, results)
        self._workers.append(worker)
        self._selector.register(results, selectors.EVENT_READ, worker)

    def _receive(self, worker: _Worker) -> None:
        piece = os.read(worker.results, _PIECE)
        if not piece:
            self._selector.unregister(worker.results)
            os.close(worker.results)
        received = worker.received
        received += piece
        while len(received) >= _HEAD.size:
            part, size = _HEAD.unpack_from(received)
            end = _HEAD.size + size
            if len(received) < end:
                return
            self._done[part] = bytes(memoryview(received)[_HEAD.size : end])
            del received[:end]


def _serve(
    work: Callable[[int], object], numbers: int, told: int, inherited: Sequence[int]
) -> NoReturn:
    """Do parts until none is left; nothing of this process may outlive it, or be printed twice."""
    try:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent hears it too, and ends this
        for descriptor in inherited:
            os.close(descriptor)
        gc.freeze()  # what is shared with other processes is not looked at, and not copied
        while taken := os.read(numbers, _NUMBER.size):
            (part,) = _NUMBER.unpack(taken)
            done = pickle.dumps(work(part), protocol=pickle.HIGHEST_PROTOCOL)
            _write(told, _HEAD.pack(part, len(done)) + done)
    finally:
        os._exit(0)  # what it has not told is done again, and any error is raised there


def _write(descriptor: int, data: bytes) -> None:
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(descriptor, rest) :]
