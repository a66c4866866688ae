"""Memory and disk that a program takes with all that it started, where no limit counts them.

Limits of the kernel count for one process; and a file that was deleted while it is open, or
mapped, is in no folder.
"""

import os
import stat
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from agentevals.sandbox.launcher import kernel

_PAGE = os.sysconf("SC_PAGE_SIZE")
_BLOCK = 512
_KIB = 1024
_DELETED = "(deleted)"
_MOST_AREAS = 100_000  # of memory, of all processes of a program


def list_groups() -> dict[int, list[int]]:
    """Return the processes below this one, by the group that each is in."""
    groups: dict[int, list[int]] = defaultdict(list)
    found = [os.getpid()]
    while found:
        parent = found.pop()
        for child in _list_children(parent):
            found.append(child)
            with suppress(ProcessLookupError):
                groups[os.getpgid(child)].append(child)
    return groups


def measure_memory(pids: Iterable[int], most: int) -> int:
    """Return the bytes of memory that processes have; what they share counts once.

    To tell what is shared takes long, so that it is only done where the plain sum is over `most`.
    """
    members = list(pids)
    resident = sum(map(_read_resident, members))
    if resident <= most:
        return resident
    return sum(_read_proportional(pid) or _read_resident(pid) for pid in members)


def measure_deleted(pids: Iterable[int]) -> int:
    """Return the bytes of files that processes have open or mapped, and that have no name.

    It is more than any limit where they have too many areas of memory: to look at each would
    take so long that what they have could not be measured several times a second.
    """
    sizes: dict[tuple[int, int], int] = {}
    areas = 0
    for pid in pids:
        with _seeing_as(pid):
            mapped = _read(f"/proc/{pid}/maps").splitlines()
            areas += len(mapped)
            if areas > _MOST_AREAS:
                return sys.maxsize
            sizes.update(_list_deleted(mapped))
            sizes.update(_list_open(pid))
    return sum(sizes.values())


def _list_children(pid: int) -> Iterator[int]:
    try:
        tasks = list(os.scandir(f"/proc/{pid}/task"))
    except OSError:
        return
    for task in tasks:
        yield from map(int, _read(f"{task.path}/children").split())


def _read_resident(pid: int) -> int:
    fields = _read(f"/proc/{pid}/statm").split()
    return int(fields[1]) * _PAGE if fields else 0


def _read_proportional(pid: int) -> int:
    """Return 0 where it cannot be known."""
    with _seeing_as(pid):
        lines = _read(f"/proc/{pid}/smaps_rollup").splitlines()
    return next((int(line.split()[1]) * _KIB for line in lines if line.startswith("Pss:")), 0)


def _list_open(pid: int) -> Iterator[tuple[tuple[int, int], int]]:
    try:
        entries = list(os.scandir(f"/proc/{pid}/fd"))
    except OSError:
        return
    for entry in entries:
        with suppress(OSError):
            found = entry.stat()
            if stat.S_ISREG(found.st_mode) and not found.st_nlink:
                yield (found.st_dev, found.st_ino), found.st_blocks * _BLOCK


def _list_deleted(mapped: Iterable[str]) -> Iterator[tuple[tuple[int, int], int]]:
    for line in mapped:
        if line.endswith(_DELETED):
            addresses, _, _, device, inode, *_ = line.split()
            begin, end = (int(address, 16) for address in addresses.split("-"))
            major, minor = (int(number, 16) for number in device.split(":"))
            yield (os.makedev(major, minor), int(inode)), end - begin


@contextmanager
def _seeing_as(pid: int) -> Iterator[None]:
    """Look with the eyes of a process's user: in a container, root may not look into others."""
    try:
        user = Path(f"/proc/{pid}").stat().st_uid if os.geteuid() == 0 else 0
    except OSError:
        user = 0
    kernel.set_file_user(user)
    try:
        yield
    finally:
        kernel.set_file_user(0)


def _read(path: str) -> str:
    try:
        return Path(path).read_text(encoding="utf-8", errors="replace")
    except OSError:  # it has ended, or hides itself
        return ""
