"""Promises about third-party programs, each with an attempt to break it on this machine."""

import os
import socket
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from agentevals.model.errors import EvaluatorError
from agentevals.sandbox.allowed_hosts import Host
from agentevals.sandbox.isolation import Rights, describe, describe_limits, run_program
from agentevals.sandbox.launcher.control_groups import MEASURED

_PROBE = Path(__file__).with_name("probe.py")
_MOST_PROCESSES = 128
_CLOSED = (".env", "tool/.git/config", "deep/keys/id_rsa")
_ANOTHER_PORT = 1
_STARTS_OTHERS = Rights(subprocess=True)  # some attempts need several processes
_TIMEOUT = 0.6
# the time that ending a process group may take beyond the limit
_TOLERANCE = 0.3


class Outcome(StrEnum):
    """The outcome of an attempt to break a promise."""

    HELD = "held"
    UNAVAILABLE = "not available here"
    BROKEN = "BROKEN"


@dataclass(frozen=True)
class CheckedPromise:
    """A promise, whether it held, and if not what the probe achieved."""

    promise: str
    outcome: Outcome
    achieved: tuple[str, ...] = ()


@dataclass(frozen=True)
class Scene:
    """Things on this machine that a probe could reach."""

    secret: str
    folder: str
    tcp: str
    udp: str
    unix: str

    @property
    def us(self) -> str:
        return str(os.getpid())


@dataclass(frozen=True)
class _Promise:
    """A sentence, what it needs (a word of what this machine offers), and the attempt."""

    sentence: str
    needs: str
    attempt: Callable[[Scene], list[str]]


def check() -> tuple[str, list[CheckedPromise]]:
    """Return the isolation that this machine offers, and the outcome of every promise."""
    isolation = describe()
    offered = f"{isolation}, {describe_limits()}, {sys.platform}"
    with _prepare_scene() as scene:
        return isolation, [_check(promise, offered, scene) for promise in _PROMISES]


def _check(promise: _Promise, offered: str, scene: Scene) -> CheckedPromise:
    achieved = tuple(promise.attempt(scene))
    promised = promise.needs in offered
    failed = Outcome.BROKEN if promised else Outcome.UNAVAILABLE
    return CheckedPromise(promise.sentence, failed if achieved else Outcome.HELD, achieved)


def _probe(
    attempt: str,
    *arguments: str,
    timeout: float = 20,
    rights: Rights = _STARTS_OTHERS,
    memory_mb: int = 1024,
) -> list[str]:
    with tempfile.TemporaryDirectory(prefix="agentevals-check-") as folder:
        probe = Path(folder, _PROBE.name)
        probe.write_bytes(_PROBE.read_bytes())
        for name in _CLOSED:
            (probe.parent / name).parent.mkdir(parents=True, exist_ok=True)
            (probe.parent / name).write_text("secret")
        # so that it is not their modes which protect them
        probe.chmod(0o666)
        probe.parent.chmod(0o777)
        command = [sys.executable, str(probe), attempt, *arguments]
        finished = run_program(
            command,
            stdin=b"",
            timeout=timeout,
            folder=probe.parent,
            rights=rights,
            memory_mb=memory_mb,
        )
    if finished.exit_code != 0:
        return [f"the probe failed: {finished.stderr.strip()[-300:]}"]
    return finished.stdout.decode().splitlines()


def _is_ended(why: str, attempt: str, *arguments: str, memory_mb: int = 1024) -> list[str]:
    """Return what it achieved before it was ended for the reason `why`: nothing."""
    try:
        return _probe(attempt, *arguments, memory_mb=memory_mb) or [f"was not ended: {attempt}"]
    except EvaluatorError as error:
        return [] if why in str(error) else [str(error)]


def _time_is_kept(_: Scene) -> list[str]:
    began = time.monotonic()
    try:
        return _probe("stubborn", timeout=_TIMEOUT) or ["went on after its time"]
    except EvaluatorError:
        late = time.monotonic() - began - _TIMEOUT
        return [f"took {late:.1f} s more than it had"] if late > _TOLERANCE else []


def _one_host_is_all(scene: Scene) -> list[str]:
    other = Host("127.0.0.1", _ANOTHER_PORT)
    try:
        return _probe("neighbour", scene.tcp, rights=Rights(hosts=(other,)))
    except EvaluatorError:
        return []  # where one alone cannot be granted, none is


def _memory_is_limited_by_kernel(_: Scene) -> list[str]:
    if describe_limits() == MEASURED:
        return ["memory is only measured here, as no control group is open to us"]
    return _is_ended("MiB of memory", "hoard", "90", memory_mb=200)


def _scratch_is_removed(_: Scene) -> list[str]:
    left = _probe("scratch")
    return [f"left {path}" for path in left if Path(path).exists()]


def _state_is_not_seen(_: Scene) -> list[str]:
    return [*_probe("traces"), *_probe("traces")]


_PROMISES = (
    _Promise(
        "it cannot read the environment of other processes",
        "strict",
        lambda scene: _probe("environments", scene.us),
    ),
    _Promise(
        "it cannot read files outside of its folder",
        "strict",
        lambda scene: _probe("files", scene.secret),
    ),
    _Promise(
        "histories, keys and credentials in its folder stay closed",
        "landlock",
        lambda _: _probe("read_closed"),
    ),
    _Promise(
        "it cannot watch or mark files of others",
        "seccomp",
        lambda scene: _probe("watch", scene.secret),
    ),
    _Promise(
        "it cannot write files outside of its scratch folder",
        "strict",
        lambda scene: _probe("writes", scene.folder),
    ),
    _Promise("it cannot use TCP", "seccomp", lambda scene: _probe("tcp", scene.tcp)),
    _Promise("granted one host, it reaches no other", "seccomp", _one_host_is_all),
    _Promise(
        "it cannot use UDP or see the network", "seccomp", lambda scene: _probe("udp", scene.udp)
    ),
    _Promise(
        "it cannot talk to daemons over UNIX sockets",
        "seccomp",
        lambda scene: _probe("sockets", scene.unix),
    ),
    _Promise(
        "it cannot signal other processes", "strict", lambda scene: _probe("signals", scene.us)
    ),
    _Promise(
        "it cannot look into other processes",
        "seccomp",
        lambda scene: _probe("memory_of_others", scene.us),
    ),
    _Promise("it cannot regain privileges", "seccomp", lambda _: _probe("privileges")),
    _Promise(
        "it cannot start processes without end",
        "own user",
        lambda _: _probe("processes", str(_MOST_PROCESSES)),
    ),
    _Promise("it cannot take all memory", "linux", lambda _: _probe("memory")),
    _Promise(
        "it cannot take all memory with processes that it starts",
        "linux",
        lambda _: _is_ended("MiB of memory", "hoard", "40", memory_mb=200),
    ),
    _Promise(
        "the kernel itself limits that memory, at every moment",
        "control group",
        _memory_is_limited_by_kernel,
    ),
    _Promise(
        "it cannot take memory that counts for no process",
        "seccomp",
        lambda _: _probe("hide_memory"),
    ),
    _Promise(
        "it cannot take the disk with deleted files",
        "linux",
        lambda _: _is_ended("left more than", "hoard_files"),
    ),
    _Promise("what it prints is capped", "", lambda _: _is_ended("printed more than", "endless")),
    _Promise("it ends in time, with all that it started", "", _time_is_kept),
    _Promise("its scratch folder is removed", "", _scratch_is_removed),
    _Promise("the next program sees nothing of it", "", _state_is_not_seen),
)


@contextmanager
def _prepare_scene() -> Iterator[Scene]:
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="agentevals-check-")))
        folder.chmod(0o777)
        secret = folder / "file"
        secret.write_text("secret")
        secret.chmod(0o666)
        tcp = stack.enter_context(socket.create_server(("127.0.0.1", 0)))
        udp = stack.enter_context(socket.socket(socket.AF_INET, socket.SOCK_DGRAM))
        udp.bind(("127.0.0.1", 0))
        unix = stack.enter_context(socket.socket(socket.AF_UNIX))
        path = folder / "socket"
        unix.bind(str(path))
        unix.listen()
        path.chmod(0o777)
        yield Scene(
            secret=str(secret),
            folder=str(folder),
            tcp=str(tcp.getsockname()[1]),
            udp=str(udp.getsockname()[1]),
            unix=str(path),
        )
