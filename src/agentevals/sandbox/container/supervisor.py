"""The first process of a container: runs one program at a time, as it is told on its input.

It is copied into the container and runs in that image's Python, so that it imports nothing of
ours. Every message is a length, a JSON object of that length, and the bytes that it announces.
"""

import ctypes
import json
import os
import select
import signal
import struct
import sys
import time
from typing import Any, NoReturn

from agentevals.sandbox.container.relay import Relay

_CHUNK = 1 << 16
_LENGTH = struct.Struct(">I")
_SCRATCH = "/scratch"
_PR_SET_DUMPABLE = 4
_NOT_STARTED = 127
_MOST_FILES = 1024


def main() -> None:
    """Run programs until the process that orders them is gone."""
    if os.getpid() != 1:
        sys.exit("this ends every process around it; only a container may start it")
    ctypes.CDLL(None).prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0)  # programs have the same user
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    woken = _wake_on_child()
    _send({"version": "{}.{}".format(*sys.version_info)})
    for number, (order, stdin) in enumerate(iter(_receive, None)):
        if "link" in order:  # of a program that has ended
            continue
        folder = f"{_SCRATCH}/{number}"
        outcome, outputs = _run(order, stdin, folder, woken)
        _end_all()
        _empty(_SCRATCH)
        sizes = [len(content) for content in outputs]
        _send({**outcome, "sizes": sizes}, b"".join(outputs))


def _receive() -> "tuple[dict[str, Any], bytes]":
    (size,) = _LENGTH.unpack(_read(_LENGTH.size))
    message: dict[str, Any] = json.loads(_read(size))
    return message, _read(message["size"])


def _read(size: int) -> bytes:
    """Read that many bytes; end where there will be no more."""
    pieces = []
    while size:
        piece = os.read(0, min(size, _CHUNK))
        if not piece:
            sys.exit()
        pieces.append(piece)
        size -= len(piece)
    return b"".join(pieces)


def _send(message: "dict[str, object]", content: bytes = b"") -> None:
    written = json.dumps({**message, "size": len(content)}).encode()
    for piece in (_LENGTH.pack(len(written)), written, content):
        view = memoryview(piece)
        while view:
            view = view[os.write(1, view) :]


def _run(
    order: "dict[str, Any]", stdin: bytes, folder: str, woken: int
) -> "tuple[dict[str, Any], list[bytes]]":
    """Run a program to its end, or to that of its time."""
    os.mkdir(folder, 0o700)  # noqa: PTH102 -- no time for a Path
    for name, goal in order["links"].items():
        os.makedirs(os.path.dirname(f"{folder}/{name}"), exist_ok=True)  # noqa: PTH103, PTH120
        os.symlink(goal, f"{folder}/{name}")  # noqa: PTH211
    files = [_open_unnamed(content) for content in (stdin, b"", b"")]
    poll = select.poll()
    relay = Relay(poll, _send)
    relay.listen(order["ports"])
    pid = os.fork()
    if pid == 0:
        _become(order, files, folder)
    outcome = _wait(pid, time.monotonic() + order["timeout"], woken, poll, relay)
    relay.close()
    outputs = [_read_all(file, order["most"]) for file in files[1:]]
    for file in files:
        os.close(file)
    return outcome, outputs


def _open_unnamed(content: bytes) -> int:
    file = os.open(_SCRATCH, os.O_TMPFILE | os.O_RDWR, 0o600)
    view = memoryview(content)
    while view:
        view = view[os.write(file, view) :]
    os.lseek(file, 0, os.SEEK_SET)
    return file


def _become(order: "dict[str, Any]", files: "list[int]", folder: str) -> NoReturn:
    try:
        os.setsid()
        for number, file in enumerate(files):
            os.dup2(file, number)
        os.closerange(len(files), _MOST_FILES)
        os.chdir(folder)
        for number in (signal.SIGPIPE, signal.SIGXFSZ, signal.SIGCHLD):
            signal.signal(number, signal.SIG_DFL)
        own = {"HOME": folder, "TMPDIR": folder}
        env = {**os.environ, **order["env"], **own}
        os.execvpe(order["argv"][0], order["argv"], env)  # noqa: S606
    except OSError as error:
        os.write(2, f"{order['argv'][0]} cannot be started: {error}\n".encode())
    finally:
        os._exit(_NOT_STARTED)


def _wait(
    pid: int, deadline: float, woken: int, poll: select.poll, relay: Relay
) -> "dict[str, Any]":
    """Wait for the program, and end with whoever ordered it."""
    poll.register(0, select.POLLIN)
    poll.register(woken, select.POLLIN)
    while (left := deadline - time.monotonic()) > 0:
        for file, _ in poll.poll(1000 * left):
            if file == 0:
                message, content = _receive()
                relay.receive(message["link"], message["what"], content)
            elif file == woken:
                os.read(woken, _CHUNK)
            else:
                relay.serve(file)
        code = _find_end(pid)
        if code is not None:
            return {"exit": code, "late": False}
    return {"exit": -signal.SIGKILL, "late": True}


def _find_end(pid: int) -> "int | None":
    """Return the exit code of the program once it has ended; others are orphans of it."""
    while True:
        try:
            ended, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return None
        if ended == pid:
            return os.waitstatus_to_exitcode(status)
        if not ended:
            return None


def _read_all(file: int, most: int) -> bytes:
    """Return what was printed; of more than may be, the beginning and the end."""
    size = os.fstat(file).st_size
    if size <= most:
        return os.pread(file, size, 0)
    return os.pread(file, most // 2, 0) + os.pread(file, most - most // 2 + 1, size - most // 2 - 1)


def _end_all() -> None:
    """End everything in this container but this process, which is its first."""
    try:
        while True:
            os.kill(-1, signal.SIGKILL)
            os.waitpid(-1, 0)
    except (ProcessLookupError, ChildProcessError):
        pass


def _empty(folder: str) -> None:
    for entry in list(os.scandir(folder)):
        if entry.is_dir(follow_symlinks=False):
            os.chmod(entry.path, 0o700)  # noqa: PTH101
            _empty(entry.path)
            os.rmdir(entry.path)  # noqa: PTH106
        else:
            os.unlink(entry.path)  # noqa: PTH108


def _wake_on_child() -> int:
    """Return a file descriptor that becomes readable when a child ends."""
    read, write = os.pipe()
    os.set_blocking(read, False)
    os.set_blocking(write, False)
    signal.set_wakeup_fd(write, warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    return read


if __name__ == "__main__":
    main()
