"""A hostile program: tries what no evaluator may do, and prints what it achieved.

Run inside the sandbox, as a script: `probe.py ATTEMPT ARGUMENTS…`. It prints nothing when
everything was refused. Only the standard library, nothing of ours.
"""

import contextlib
import ctypes
import mmap
import os
import signal
import socket
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

_PTRACE_SEIZE = 0x4206  # unlike PTRACE_ATTACH it does not stop whom it hits


def environments(*pids: str) -> Iterator[str]:
    """Read the environment of other processes: that is where tokens are."""
    every = (path.name for path in _list("/proc") if path.name.isdigit())
    for pid in {*pids, str(os.getppid()), *every} - {str(os.getpid())}:
        yield from _try(f"read the environment of process {pid}", _read, f"/proc/{pid}/environ")


def files(*paths: str) -> Iterator[str]:
    """Read what the user has, and what is world-readable but nobody's business."""
    for path in (*paths, "/proc/1/cmdline", "/proc/net/tcp", "/etc/shadow"):
        yield from _try(f"read {path}", _read, path)
    for folder in ("/", "/tmp", "/home", "/root", *(str(Path(p).parent) for p in paths)):  # noqa: S108
        yield from _try(f"listed {folder}", lambda folder=folder: list(Path(folder).iterdir()))


def writes(*folders: str) -> Iterator[str]:
    """Create, change, rename, link and remove files outside of the scratch folder."""
    here = Path(__file__)
    for folder in (*folders, str(here.parent), "/tmp", "/var/tmp", "/dev/shm", "/run", "/usr"):  # noqa: S108
        yield from _try(f"wrote to {folder}", _create, Path(folder, "agentevals-probe"))
    yield from _try("changed its own text", here.open, "a")
    mode = here.stat().st_mode
    with contextlib.suppress(OSError):
        here.chmod(0o777)
    if here.stat().st_mode != mode:
        yield "changed the mode of its own file"
    for folder in folders:
        file = Path(folder, "file")
        yield from _try(f"linked to {file}", os.link, file, Path.home() / "link")
        yield from _try(f"cut {file}", os.truncate, file, 0)
    for change in (lambda: here.rename(here.with_name("renamed")), here.unlink):
        yield from _try("renamed or removed itself", change)


def tcp(port: str) -> Iterator[str]:
    """Connect, and listen."""
    yield from _try("connected over TCP", _connect, socket.AF_INET, ("127.0.0.1", int(port)))
    yield from _try("listened over TCP", lambda: socket.create_server(("127.0.0.1", 0)))


def neighbour(port: str) -> Iterator[str]:
    """Reach another port than the granted one, knowing of a proxy or not."""
    place = f"127.0.0.1:{port}"
    for line in (f"CONNECT {place}", f"GET http://{place}/", "GET /"):
        yield from _try(f"reached {place}: {line}", _ask, place, line)
    yield from _try("listened over TCP", lambda: socket.create_server(("127.0.0.1", 0)))
    yield from _try("sent a datagram", lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM))


def udp(port: str) -> Iterator[str]:
    """Send a datagram: what a query of names is made of."""
    yield from _try(
        "sent a datagram",
        lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(
            b"x", ("127.0.0.1", int(port))
        ),
    )
    yield from _try("listed network interfaces", socket.if_nameindex)


def sockets(*paths: str) -> Iterator[str]:
    """Talk to a daemon on this machine, the one of Docker above all."""
    for path in (*paths, "/var/run/docker.sock", "/run/docker.sock", "\0agentevals-probe"):
        yield from _try(f"connected to {path!r}", _connect, socket.AF_UNIX, path)


def signals(*pids: str) -> Iterator[str]:
    """Reach the processes around it."""
    for pid in (*map(int, pids), os.getppid()):
        yield from _try(f"could signal process {pid}", os.kill, pid, 0)
    yield from _try("could signal process 1", os.kill, 1, 0)


def memory_of_others(*pids: str) -> Iterator[str]:
    """Look into the processes around it."""
    libc = ctypes.CDLL(None, use_errno=True)
    for pid in (*map(int, pids), os.getppid()):
        if libc.ptrace(_PTRACE_SEIZE, pid, None, None) == 0:
            yield f"attached to process {pid}"
        piece = (ctypes.c_size_t * 2)(id(libc), 8)  # an address that is likely there too
        if libc.process_vm_readv(pid, piece, 1, piece, 1, 0) > 0:
            yield f"read the memory of process {pid}"
        yield from _try(f"opened {pid}/mem", os.open, f"/proc/{pid}/mem", os.O_RDONLY)


def privileges() -> Iterator[str]:
    """Get back what was taken away."""
    for name in ("setuid", "setgid"):
        if os.getuid() != 0:
            yield from _try(f"{name}(0) worked", getattr(os, name), 0)
    status = Path("/proc/self/status")
    libc = ctypes.CDLL(None, use_errno=True)
    for name, flag in (("user", 0x10000000), ("mount", 0x20000), ("network", 0x40000000)):
        if libc.unshare(flag) == 0:
            yield f"made a {name} namespace"
    yield from _try("changed its root folder", os.chroot, Path.home())
    with contextlib.suppress(OSError):
        if "NoNewPrivs:\t0" in status.read_text():
            yield "could gain rights from a setuid program"


def processes(most: str) -> Iterator[str]:
    """Start more and more processes."""
    started: list[int] = []
    with contextlib.suppress(OSError):
        while len(started) <= int(most):
            pid = os.fork()
            if pid == 0:
                time.sleep(60)
                os._exit(0)
            started.append(pid)
    if len(started) > int(most):
        yield f"started more than {most} processes"
    for pid in started:
        os.kill(pid, signal.SIGKILL)


def memory() -> Iterator[str]:
    """Allocate more than it was granted."""
    with contextlib.suppress(MemoryError):
        bytearray(8 << 30)
        yield "allocated 8 GiB"


def hoard(megabytes: str) -> Iterator[str]:
    """Take memory in many processes, none of which has too much."""
    for _ in range(8):
        if os.fork() == 0:
            held = b"x" * (int(megabytes) << 20)
            time.sleep(20)
            os._exit(len(held) & 1)
    time.sleep(20)
    yield f"took {8 * int(megabytes)} MiB in 8 processes"


def hoard_files() -> Iterator[str]:
    """Take the disk with files that are deleted while they are open."""
    held = []
    for _ in range(6):
        file = os.open(Path.home() / "file", os.O_CREAT | os.O_RDWR)
        held.append(file)
        os.unlink(Path.home() / "file")  # noqa: PTH108
        for _ in range(50):
            os.write(file, bytes(1 << 20))
    time.sleep(20)
    yield f"has {len(held)} deleted files of 50 MiB"


def hide_memory() -> Iterator[str]:
    """Take memory that counts for no process, or hide how much it has."""
    yield from _try("shared memory without a file", mmap.mmap, -1, 4096)
    yield from _try("made a file in memory", lambda: os.close(os.memfd_create("probe")))
    if ctypes.CDLL(None).prctl(4, 0, 0, 0, 0) == 0:
        yield "cannot be looked into"


def watch(path: str) -> Iterator[str]:
    """Learn what others do with their files, and leave marks on these."""
    if ctypes.CDLL(None).inotify_init1(0) >= 0:
        yield "watches names of files"
    yield from _try(f"left a mark on {path}", os.setxattr, path, "user.probe", b"x")


def read_closed() -> Iterator[str]:
    """Read what stays closed in its own folder."""
    for path in (".env", "tool/.git/config", "deep/keys/id_rsa"):
        yield from _try(f"read {path}", _read, str(Path(__file__).parent / path))


def traces() -> Iterator[str]:
    """Find what the program before this one left, and leave the same for the next."""
    home = Path.home()
    if "agentevals_probe" in sys.modules or "AGENTEVALS_PROBE" in os.environ or any(home.iterdir()):
        yield "found what the program before it had left"
    sys.modules["agentevals_probe"] = sys
    os.environ["AGENTEVALS_PROBE"] = "1"
    (home / "left").touch()


def scratch() -> Iterator[str]:
    """Not an attempt: tells where its scratch folder is, and leaves a file in it."""
    (Path.home() / "left").touch()
    yield str(Path.home())


def endless() -> Iterator[str]:
    """Print without end."""
    while os.write(1, b"x" * 65536):
        yield from ()


def stubborn() -> Iterator[str]:
    """Hold the output open in a grandchild that does not want to end."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    if os.fork() == 0:
        os.setsid()
        os.fork()
    time.sleep(60)
    yield ""


def _list(folder: str) -> list[Path]:
    try:
        return list(Path(folder).iterdir())
    except OSError:
        return []


def _try(what: str, attempt: Callable[..., object], *arguments: object) -> Iterator[str]:
    try:
        attempt(*arguments)
    except OSError:
        return
    yield what


def _create(path: Path) -> None:
    path.touch()
    path.unlink()


def _read(path: str) -> bytes:
    with open(path, "rb", 0) as file:  # noqa: PTH123 -- the same call for files that are no files
        return file.read(1)


def _connect(family: int, address: object) -> None:
    with socket.socket(family) as caller:
        caller.settimeout(1)
        caller.connect(address)  # type: ignore[arg-type]


def _ask(place: str, line: str) -> None:
    """Ask for a place; whoever does not refuse it at once has passed the question on."""
    host, _, port = place.partition(":")
    with socket.create_connection((host, int(port)), timeout=1) as caller:
        caller.sendall(f"{line} HTTP/1.1\r\nHost: {place}\r\n\r\n".encode())
        with contextlib.suppress(TimeoutError):
            if b" 403 " in caller.recv(1024):
                raise PermissionError


if __name__ == "__main__":
    for achieved in globals()[sys.argv[1]](*sys.argv[2:]):
        print(achieved)  # noqa: T201
