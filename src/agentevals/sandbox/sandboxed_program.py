"""Run one third-party program, from its order to its output, as far as somebody needs that."""

import json
import os
import select
import signal
import socket
import time
from collections.abc import Callable
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from agentevals.model.errors import EvaluatorError
from agentevals.model.plugins import Lazy
from agentevals.sandbox import launcher_client
from agentevals.sandbox.launcher import TERMINATE, Order
from agentevals.sandbox.program_rights import NOTHING, Rights

if TYPE_CHECKING:
    from agentevals.sandbox import failure_hints, granted_sockets
    from agentevals.sandbox.host_proxy import Proxy
else:  # most programs have no hosts, and do not fail
    failure_hints = Lazy("agentevals.sandbox.failure_hints")
    granted_sockets = Lazy("agentevals.sandbox.granted_sockets")

_CHUNK = 1 << 16
_STDERR_SHOWN = 2000  # characters
# a program is asked to end before it is made to, within the time that it has
_GRACE = 0.1
# how long the launcher may take to end a program and to say so
_PATIENCE = 0.15
_CLOSED_ON_EXEC = getattr(socket, "MSG_CMSG_CLOEXEC", 0)  # macOS has no such files to receive
MIB = 1 << 20


@dataclass(frozen=True, kw_only=True)
class Finished:
    """A program that ended by itself. A negative exit code is the signal that ended it."""

    stdout: bytes
    stderr: str
    exit_code: int
    isolation: str
    seconds: float
    # its files and rights, by which it is told what it has missed
    files: tuple[Path, ...] = ()
    rights: Rights = NOTHING

    @property
    def stderr_end(self) -> str:
        """The end of stderr, where a traceback says most."""
        said = self.stderr.strip()
        return said if len(said) <= _STDERR_SHOWN else f"…{said[-_STDERR_SHOWN:]}"

    def describe_end(self, what: str, printed: str = "") -> str:
        """Say that it failed, first with what it raised and what would grant it what it missed."""
        said = self.stderr_end
        first = failure_hints.write_first_line(said, self.files, self.rights) if said else ""
        told = "; ".join(filter(None, (printed, first or said)))
        head = f"{what}: {told}" if told else what
        return f"{head}\n{said}" if first else head

    def find_hint(self, error: str) -> str:
        """Return what would grant it what it missed, by an error of its own."""
        return failure_hints.explain(error, self.files, self.rights)

    def explain(self, error: str) -> str:
        """Add to an error of its own what would grant it what it missed."""
        hint = self.find_hint(error)
        first, _, others = error.partition("\n")
        told = f"{first.rstrip('.')}. {hint}" if hint else first
        return f"{told}\n{others}" if others else told


class LateError(EvaluatorError):
    """A program took longer than it may, and was ended. It has what the program had printed."""

    def __init__(self, message: str, finished: Finished) -> None:
        super().__init__(message)
        self.finished = finished


@dataclass(frozen=True, kw_only=True)
class Allowance:
    """Limits of a program: time, the size of its output, and the hosts that it may reach."""

    timeout: float
    proxy: "Proxy | None" = None
    stdout_mb: int = 16
    on_line: Callable[[str], None] | None = None


def run(order: Order, stdin: bytes, allowance: Allowance) -> Finished:
    """Run a program to its end, or end it and raise EvaluatorError."""
    with ExitStack() as ours:
        (out, their_out), (err, their_err) = _open_pipe(ours), _open_pipe(ours)
        with their_out, their_err:
            sent = launcher_client.send(order, stdin, their_out.fileno(), their_err.fileno())
        launcher, channel = sent
        ours.enter_context(channel)
        return _Run(launcher, channel, (out, err), allowance).finish()


def _open_pipe(ours: ExitStack) -> tuple[int, IO[bytes]]:
    read, write = os.pipe()
    os.set_blocking(read, False)
    return ours.enter_context(os.fdopen(read, "rb", 0)).fileno(), os.fdopen(write, "wb", 0)


class _Run:
    """A program that runs, seen through its two output pipes and the launcher's channel."""

    def __init__(
        self,
        launcher: launcher_client.Launcher,
        channel: socket.socket,
        pipes: tuple[int, int],
        allowance: Allowance,
    ) -> None:
        self._launcher, self._channel, self._allowance = launcher, channel, allowance
        self._stdout = Captured(allowance.stdout_mb * MIB)
        self._stderr = Excerpt()
        out, err = pipes
        self._sinks = {out: [self._stdout.add], err: [self._stderr.add]}
        if allowance.on_line:
            for sinks in self._sinks.values():
                sinks.append(Lines(allowance.on_line).add)
        self._poll = select.poll()
        for file in (channel.fileno(), *self._sinks):
            self._poll.register(file, select.POLLIN)
        self._unread = b""
        self._news: dict[str, Any] = {}
        self._supervisors: list[granted_sockets.Supervisor] = []

    def finish(self) -> Finished:
        try:
            return self._finish()
        finally:
            for one in self._supervisors:
                one.close()

    def _finish(self) -> Finished:
        began = time.monotonic()
        late = not self._ends_by(began + self._allowance.timeout)
        if "failed" in self._news:
            raise EvaluatorError(self._news["failed"])
        if "isolation" not in self._news:
            msg = "was ended from outside before it was started"
            raise EvaluatorError(msg)
        for file in self._sinks if "exit" in self._news else ():
            while self._read(file):
                """What it printed last; a process it left behind may still hold the pipe."""
        finished = Finished(
            stdout=self._stdout.content,
            stderr=self._stderr.text,
            exit_code=self._news.get("exit", -signal.SIGKILL),
            isolation=self._news["isolation"],
            seconds=time.monotonic() - began,
        )
        if late:
            msg = f"took longer than {self._allowance.timeout:g} s and was ended"
            raise LateError(msg, finished)
        return finished

    def _ends_by(self, deadline: float) -> bool:
        """Serve the program until it has ended; False if it had to be told to."""
        ask_at = deadline - min(_GRACE, self._allowance.timeout / 10)
        if self._serve_until(ask_at):
            return True
        with suppress(OSError):
            self._channel.sendall(TERMINATE)
        self._serve_until(deadline + _PATIENCE)
        return False

    def _serve_until(self, moment: float) -> bool:
        """Read what comes; True once the program has ended."""
        while "exit" not in self._news:
            left = moment - time.monotonic()
            if left <= 0:
                return False
            for file, event in self._poll.poll(left * 1000):
                if file == self._channel.fileno():
                    self._receive()
                # to ask for more where there is nobody left would take forever
                elif not (event & select.POLLIN and self._serve(file)):
                    self._poll.unregister(file)
        return True

    def _serve(self, file: int) -> bool:
        """False when there is nothing more, now or ever."""
        supervisor = next((one for one in self._supervisors if one.file == file), None)
        return supervisor.answer() if supervisor else self._read(file)

    def _read(self, file: int) -> bool:
        """False when there is nothing more, now or ever."""
        try:
            piece = os.read(file, _CHUNK)
        except BlockingIOError:
            return False
        for sink in self._sinks[file]:
            sink(piece)
        return bool(piece)

    def _receive(self) -> None:
        """Receive news of the launcher, or of its child before it becomes the program."""
        received, files, _, _ = socket.recv_fds(self._channel, _CHUNK, 1, _CLOSED_ON_EXEC)
        for file in files:
            self._supervise(file)
        if not received:
            self._end_group()
        *lines, self._unread = (self._unread + received).split(b"\n")
        for line in lines:
            self._news |= json.loads(line)

    def _supervise(self, file: int) -> None:
        """Answer the calls of a program by which it makes sockets."""
        assert self._allowance.proxy  # noqa: S101 -- its order was made with it
        self._supervisors.append(granted_sockets.Supervisor(file, self._allowance.proxy))
        self._poll.register(file, select.POLLIN)

    def _end_group(self) -> None:
        if group := self._news.get("pid"):
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(group, signal.SIGKILL)
        launcher_client.discard(self._launcher)
        msg = "was lost: the process that starts evaluators was ended from outside"
        raise EvaluatorError(msg)


class Captured:
    """All of it, or EvaluatorError once it is more than anybody needs."""

    def __init__(self, most: int) -> None:
        self._most, self._size = most, 0
        self._pieces: list[bytes] = []

    def add(self, piece: bytes) -> None:
        self._size += len(piece)
        if self._size > self._most:
            msg = f"printed more than {self._most // MIB} MiB to its standard output"
            raise EvaluatorError(msg)
        self._pieces.append(piece)

    @property
    def content(self) -> bytes:
        return b"".join(self._pieces)


class Excerpt:
    """The beginning and the end of a text of any length."""

    def __init__(self, most: int = 64 << 10) -> None:
        self._half = most // 2
        self._head, self._tail = bytearray(), bytearray()
        self._lost = 0

    def add(self, piece: bytes) -> None:
        room = self._half - len(self._head)
        self._head += piece[:room]
        self._tail += piece[room:]
        if len(self._tail) > 2 * self._half:
            self._shorten()

    @property
    def text(self) -> str:
        self._shorten()
        gap = f"\n… {self._lost} bytes omitted …\n".encode() if self._lost else b""
        return bytes(self._head + gap + self._tail).decode("utf-8", "replace")

    def _shorten(self) -> None:
        surplus = max(0, len(self._tail) - self._half)
        self._lost += surplus
        del self._tail[:surplus]


class Lines:
    """Passes on what is printed, line by line as it comes, to whoever shows progress."""

    def __init__(self, tell: Callable[[str], None], longest: int = 8 << 10) -> None:
        self._tell, self._longest = tell, longest
        self._begun = b""

    def add(self, piece: bytes) -> None:
        *lines, self._begun = (self._begun + piece).split(b"\n")
        if len(self._begun) > self._longest:
            lines, self._begun = [*lines, self._begun], b""
        for line in lines:
            self._tell(line.decode("utf-8", "replace").rstrip("\r"))
