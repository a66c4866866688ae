"""Control groups: limits of the kernel on the memory and processes of a program as a whole.

They are used where a hierarchy is there and open to us: version 2 where it is delegated, or the
controller of memory of version 1. A trial shows that the kernel counts in them.
https://docs.kernel.org/admin-guide/cgroup-v2.html
"""

import mmap
import os
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

MEASURED = "measured ten times a second"  # what holds where there are none
_MIB = 1 << 20
_IN_TRIAL = 8 * _MIB
_PROCESSES_IN_TRIAL = 16
_KILLED = "oom_kill"
_SPARE_MB = 256
_ENDLESS = -1
_PREFIX = "agentevals-"
_PROCESSES = Path("/proc")
_MOUNTED = Path("/proc/self/mountinfo")
_MEMBER = Path("/proc/self/cgroup")


@dataclass
class Group:
    """The group of one program with all that it starts."""

    folder: Path
    version: int
    spare_mb: int
    limits: tuple[int, int] = (0, 0)

    def limit(self, memory_mb: int, processes: int) -> None:
        """Set its limits, unless it has them; that takes a while."""
        if self.limits == (memory_mb, processes):
            return
        most = (memory_mb + self.spare_mb) * _MIB
        if self.version > 1:
            files = {"memory.max": most, "memory.oom.group": 1, "pids.max": processes}
            swap, allowed = "memory.swap.max", 0
        else:
            files = {"memory.limit_in_bytes": most}
            swap, allowed = "memory.memsw.limit_in_bytes", most
            with suppress(OSError):  # with swap it must never be less than without
                _write(self.folder / swap, _ENDLESS)
        for name, value in files.items():
            _write(self.folder / name, value)
        with suppress(OSError):  # a kernel without swap has no such file
            _write(self.folder / swap, allowed)
        self.limits = memory_mb, processes

    def add(self, pid: int) -> None:
        _write(self.folder / "cgroup.procs", pid)

    def was_short(self) -> bool:
        """Return whether the kernel has ended a process of it for want of memory."""
        name = "memory.events" if self.version > 1 else "memory.oom_control"
        counts = dict(line.split() for line in _read(self.folder / name).splitlines())
        return counts.get(_KILLED, "0") != "0"

    def remove(self) -> None:
        with suppress(OSError):  # one that is still ending holds it; the last to go removes it
            self.folder.rmdir()


@dataclass(frozen=True)
class Groups:
    """A folder of groups that is ours, in a hierarchy of version 1 or 2."""

    folder: Path
    version: int
    # for what lies in memory because a scratch folder does
    spare_mb: int = 0
    free: list[Group] = field(default_factory=list)

    @classmethod
    def find(cls, scratch: str) -> "Groups | None":
        """Return ours, if this machine has a hierarchy for it that counts memory."""
        spare_mb = _SPARE_MB if _lies_in_memory(scratch) else 0
        for version, place in _list_places():
            _sweep(place)
            found = cls(place / f"{_PREFIX}{os.getpid()}", version, spare_mb)
            _remove(found.folder)  # of one that had our number before
            try:
                found.open()
            except OSError:
                found.close()
                continue
            return found
        return None

    def __str__(self) -> str:
        return f"control group, version {self.version}"

    def open(self) -> None:
        """Make the folder, and try whether the kernel counts in it; OSError if not."""
        self.folder.mkdir()
        if self.version > 1:
            _write(self.folder / "cgroup.subtree_control", "+memory +pids")
        self._try()

    def close(self) -> None:
        """Remove the folder, and groups whose programs have ended since."""
        _remove(self.folder)

    def make(self, name: str, memory_mb: int, processes: int) -> Group:
        """Make the group of a program, with its limits; or take one whose program has ended."""
        if self.free:
            group = self.free.pop()
            group.limit(memory_mb, processes)
            return group
        group = Group(self.folder / name, self.version, self.spare_mb)
        group.folder.mkdir()
        try:
            group.limit(memory_mb, processes)
        except OSError:
            group.remove()
            raise
        return group

    def take_back(self, group: Group) -> None:
        """Keep the group of a program that has ended for another one."""
        if group.was_short():
            group.remove()
        else:
            self.free.append(group)

    def _try(self) -> None:
        """Have a process take memory in a group, and look whether it was counted there."""
        group = self.make("trial", 2 * _IN_TRIAL // _MIB, _PROCESSES_IN_TRIAL)
        read, write = os.pipe()
        child = os.fork()
        if child == 0:
            _take(read, _IN_TRIAL)
        try:
            group.add(child)
            os.write(write, b"x")
            os.waitpid(child, os.WUNTRACED)
            counted = _read_usage(group.folder)
        finally:
            with suppress(ProcessLookupError):
                os.kill(child, 9)
            os.waitpid(child, 0)
            os.close(read)
            os.close(write)
            group.remove()
        if counted < _IN_TRIAL:
            msg = "the kernel does not count memory there"
            raise OSError(msg)


def _take(begin: int, size: int) -> None:
    """Take memory once it is told to, stop, and end."""
    with suppress(BaseException):
        os.read(begin, 1)
        held = mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
        for start in range(0, size, mmap.PAGESIZE):
            held[start] = 1
        os.kill(os.getpid(), 19)
    os._exit(0)


def _read_usage(folder: Path) -> int:
    text = _read(folder / "memory.current") or _read(folder / "memory.usage_in_bytes")
    return int(text or 0)


def _list_places() -> Iterator[tuple[int, Path]]:
    """Yield folders in which groups could be made, with the version of their hierarchy."""
    own = [line.split(":", 2) for line in _read(_MEMBER).splitlines()]
    for line in _read(_MOUNTED).splitlines():
        before, _, after = line.partition(" - ")
        kind, _, options = after.split(" ", 2)
        root, top = before.split()[3:5]
        two = kind == "cgroup2"
        if not two and not (kind == "cgroup" and "memory" in options.split(",")):
            continue
        for _, controllers, path in own:
            if (not controllers) if two else ("memory" in controllers.split(",")):
                place = Path(top) / os.path.relpath(path, root)
                # no group of version 2 has both processes and groups with limits, but for the first
                yield (2 if two else 1), place.parent if two and path != root else place


def _sweep(place: Path) -> None:
    """Remove the groups of launchers that were killed before they could."""
    for folder in _list_folders(place):
        name, _, pid = folder.name.rpartition("-")
        if f"{name}-" == _PREFIX and not (_PROCESSES / pid).exists():
            _remove(folder)


def _remove(folder: Path) -> None:
    """Remove a folder of groups, unless there is somebody in one of them."""
    for path in (*_list_folders(folder), folder):
        with suppress(OSError):
            path.rmdir()


def _lies_in_memory(path: str) -> bool:
    device = os.stat(path).st_dev  # noqa: PTH116 -- no time for a Path
    number = f"{os.major(device)}:{os.minor(device)}"
    return any(
        line.split()[2] == number and " - tmpfs " in line for line in _read(_MOUNTED).splitlines()
    )


def _list_folders(folder: Path) -> list[Path]:
    try:
        return [path for path in folder.iterdir() if path.is_dir()]
    except OSError:
        return []


def _write(path: Path, value: int | str) -> None:
    with path.open("w") as file:
        file.write(str(value))


def _read(path: Path) -> str:
    try:
        return path.read_text()
    except OSError:
        return ""
