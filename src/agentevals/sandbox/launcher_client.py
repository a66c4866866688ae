"""Our end of the launcher: starting it, keeping it, handing it orders."""

import atexit
import json
import os
import socket
import subprocess
import sys
import tempfile
import threading
from contextlib import suppress
from pathlib import Path
from typing import IO

from agentevals.model.errors import EvaluatorError
from agentevals.sandbox import cancelling
from agentevals.sandbox.launcher import MESSAGE, PRELOAD, UNWATCHED, WATCHED, Order, scratch_folder

with suppress(ImportError):  # Windows has none, and `get_launcher` refuses
    import fcntl

_ROOT = str(Path(__file__).parents[2])
# the package is not importable by itself when it runs from a source tree
_START = (
    "import sys; root, file, base = sys.argv[1:]; root in sys.path or sys.path.append(root); "
    "from agentevals.sandbox.launcher.forking import main; main(int(file), base)"
)
# Nothing is inherited but this, without which some interpreters do not find their own library.
_OF_THE_INTERPRETER = "LD_LIBRARY_PATH"
_ENVIRONMENT = {
    "LANG": "C.UTF-8",
    "PATH": os.defpath,
    "PYTHONHASHSEED": "0",  # the same set, the same order, the same report
    "PYTHONUTF8": "1",
}
_SEALS = 15  # against growing, shrinking, writing, and taking the seals off


class Launcher:
    """A running launcher process."""

    def __init__(self) -> None:
        self.owner = os.getpid()
        self.base = tempfile.mkdtemp(prefix="agentevals-")
        Path(self.base).chmod(0o755)  # what is in it belongs to each program alone
        self._control, theirs = socket.socketpair()
        self._log = tempfile.TemporaryFile()  # noqa: SIM115 -- open as long as the launcher
        with theirs:
            self._process = _start(theirs.fileno(), self.base, self._log)
        greeting = self._read_greeting()
        self.isolation = greeting["isolation"]
        # how the memory of a program with all that it starts is limited
        self.limits = greeting["limits"]

    @property
    def pid(self) -> int:
        return self._process.pid

    def send(self, order: Order, stdin: bytes, stdout: int, stderr: int) -> socket.socket:
        """Have a program started; the channel tells what becomes of it."""
        ours, theirs = socket.socketpair()
        with theirs, open_unnamed_file(order.encode()) as asked, open_unnamed_file(stdin) as given:
            files = [theirs.fileno(), asked.fileno(), given.fileno(), stdout, stderr]
            try:
                kind = WATCHED if order.watched else UNWATCHED
                message = MESSAGE.pack(kind, order.preload, order.memory_mb, order.processes)
                socket.send_fds(self._control, [message], files)
            except OSError:
                ours.close()
                raise
        return ours

    def preload(self, stage: int) -> None:
        """Have it import what programs will, before there is one."""
        self._control.sendall(MESSAGE.pack(PRELOAD, stage, 0, 0))

    def stop(self) -> None:
        """Have it end itself and everything that it started, and do not wait for that."""
        if self.owner == os.getpid():
            with suppress(OSError):  # it has ended
                self._control.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        """End it, and with it everything that it started."""
        self._control.close()
        self._log.close()
        if self.owner != os.getpid():
            return
        try:
            self._process.wait(timeout=2)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        scratch_folder.remove_tree(self.base)  # unless it did so itself

    def _read_greeting(self) -> dict[str, str]:
        greeting = b""
        while not greeting.endswith(b"\n"):
            received = self._control.recv(4096)
            if not received:
                raise EvaluatorError(self._describe_end())
            greeting += received
        told: dict[str, str] = json.loads(greeting)
        return told

    def _describe_end(self) -> str:
        self._log.seek(0)
        last = self._log.read().decode(errors="replace").strip().splitlines()[-1:]
        self.close()
        return f"the process that starts evaluators did not start: {''.join(last) or 'no reason'}"


_current: Launcher | None = None
_lock = threading.Lock()


def get_launcher() -> Launcher:
    """The one of this process, started when it is first needed."""
    global _current  # noqa: PLW0603 -- one per process is the point
    if not hasattr(os, "fork"):
        msg = "needs the sandbox, which Windows does not have; run this in WSL, or in the action"
        raise EvaluatorError(msg)
    with _lock:
        if cancelling.is_cancelled():
            msg = "was not started, because the run was cancelled"
            raise EvaluatorError(msg)
        if _current is None or _current.owner != os.getpid():
            _current = Launcher()
        return _current


def discard(dead: Launcher) -> None:
    """Forget a launcher that ended; the next program gets a new one."""
    global _current  # noqa: PLW0603
    with _lock:
        if _current is dead:
            _current = None
            dead.close()


def stop() -> None:
    """End everything that runs. Takes no lock and waits for nothing: a signal handler calls it."""
    if _current is not None:
        _current.stop()


cancelling.call_first(stop)


@atexit.register
def shut_down() -> None:
    """End this process's launcher, if there is one; who is ending it already is waited for."""
    with _lock:
        current = _current
    if current is not None:
        discard(current)


def send(order: Order, stdin: bytes, stdout: int, stderr: int) -> tuple[Launcher, socket.socket]:
    """Have a program started by a launcher that lives, and which one that is."""
    for _ in range(2):
        living = get_launcher()
        try:
            return living, living.send(order, stdin, stdout, stderr)
        except (BrokenPipeError, ConnectionResetError):
            discard(living)
    msg = "the process that starts evaluators ends at once"
    raise EvaluatorError(msg)


def _start(control: int, base: str, log: IO[bytes]) -> "subprocess.Popen[bytes]":
    environment = _ENVIRONMENT | {
        name: os.environ[name] for name in (_OF_THE_INTERPRETER,) if name in os.environ
    }
    command = [sys.executable, "-sP", "-c", _START, _ROOT, str(control), base]
    # of the same kind as a program's own, which take their place under the same Python objects
    with open_unnamed_file(b"") as stdin:
        started = subprocess.Popen(  # noqa: S603
            command,
            env=environment,
            cwd="/",
            stdin=stdin,
            stdout=subprocess.PIPE,
            stderr=log,
            pass_fds=[control],
            start_new_session=True,
        )
    if started.stdout:
        started.stdout.close()
    return started


def open_unnamed_file(content: bytes) -> IO[bytes]:
    """A file in memory that its reader cannot change, and that is never too full to be written."""
    if sys.platform != "linux":
        file: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115
    else:
        name = os.memfd_create("agentevals", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
        file = os.fdopen(name, "w+b")
    file.write(content)
    file.seek(0)
    if sys.platform == "linux":
        fcntl.fcntl(file, fcntl.F_ADD_SEALS, _SEALS)
    return file
