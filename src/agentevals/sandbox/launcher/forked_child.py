"""The life of a forked child: from a copy of the launcher to the program that was ordered."""

import _imp
import atexit
import builtins
import errno
import gc
import json
import marshal
import os
import resource
import signal
import socket
import sys
import threading
from contextlib import suppress
from importlib.machinery import SourceFileLoader
from types import ModuleType, TracebackType
from typing import Any, NoReturn

from agentevals.sandbox.launcher import Order, scratch_folder
from agentevals.sandbox.launcher.kernel import PR_SET_PDEATHSIG, prctl
from agentevals.sandbox.launcher.process_isolation import Machine

_STANDARD = (0, 1, 2)
_MIB = 1 << 20
_NOT_STARTED = 127
_WHY_NOT_EXECUTED = {
    errno.ENOENT: "names an interpreter in its first line that does not exist",
    errno.ENOEXEC: "is neither a program for this machine nor has a first line with `#!`",
    errno.EACCES: "or the interpreter in its first line may not be executed",
}
# the channel, the order, and the three standard streams
FILES = 5
_LONGEST = 1 << 13  # bytes that tell a user and a path
# the launcher bounds its own descriptors, so that none can lie above
MOST_OPEN_FILES = 1024
_OUTPUT_LOST = 120
# the launcher's own modules; they are kept, because taking them apart takes time as well
_hidden: dict[str, ModuleType] = {}


def wait(machine: Machine, place: socket.socket) -> NoReturn:
    """Do what needs no order, wait for one, and become the program; end if none comes."""
    with _Reporting(place):  # nobody listens there
        launcher = os.getppid()
        _leave_launcher()
        _close_all_but(place.fileno(), *machine.prepare())
        message, files, _, _ = socket.recv_fds(place, _LONGEST, FILES)
        if message:
            place.close()
            _run(machine, launcher, files, *marshal.loads(message))  # noqa: S302
        os._exit(0)


def _run(machine: Machine, launcher: int, files: list[int], user: int, folder: str) -> NoReturn:
    """Become the program. `files` are the channel, the order, and the three standard streams."""
    channel = socket.socket(fileno=files[0])
    with _Reporting(channel):
        order = Order.decode(os.pread(files[1], os.fstat(files[1]).st_size, 0))
        isolation = machine.select(order)
        owner = user if isolation.own_user else None
        scratch_folder.make(folder, order.links, owner)
        _take_streams(files[2:], owner)
        for path in order.writable:
            scratch_folder.give(path, owner)
        os.umask(0o022 if order.writable else 0o077)
        os.chdir(_find_folder(order, folder))
        _limit(order, own_user=isolation.own_user)
        listeners = machine.isolate(order, isolation, user, folder)
        _die_with(launcher)
        news = b'{"pid": %d, "isolation": "%s"}\n' % (os.getpid(), str(isolation).encode())
        socket.send_fds(channel, [news], listeners)
        env = {"HOME": folder, "TMPDIR": folder, **order.env}
        if order.script:
            _close_all_but()
            _run_script(order.argv, env)
        channel.set_inheritable(False)  # it reports a failed start
        _close_all_but(channel.fileno())
        _execute(order.argv, env)
    raise AssertionError  # the program has ended, or failed to start


class _Reporting:
    """Tells our own process why a program did not start, and never returns to the launcher."""

    def __init__(self, channel: socket.socket) -> None:
        self._channel = channel

    def __enter__(self) -> None:
        """Nothing: the preparations begin."""

    def __exit__(self, _kind: object, error: BaseException | None, _trace: object) -> None:
        failed = json.dumps({"failed": _explain(error)}).encode()
        with suppress(OSError):  # nobody listens any more
            self._channel.sendall(failed + b"\n")
        os._exit(_NOT_STARTED)


def _explain(error: BaseException | None) -> str:
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename}: {error.strerror}" if error.filename else error.strerror
    return str(error) or type(error).__name__


def _leave_launcher() -> None:
    """A process group that can be ended as a whole, and no terminal."""
    os.setsid()
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)


def _find_folder(order: Order, scratch_folder: str) -> str:
    if order.works_in:
        return order.works_in
    return order.folder if order.folder in order.writable else scratch_folder


def _take_streams(files: list[int], user: int | None) -> None:
    for number, file in zip(_STANDARD, files, strict=True):
        if user is not None and number:
            os.fchown(file, user, user)  # so that /dev/stdout and /dev/stderr can be opened
        os.dup2(file, number)


def _limit(order: Order, *, own_user: bool) -> None:
    limits = {
        resource.RLIMIT_CORE: 0,
        resource.RLIMIT_CPU: order.cpu_seconds,
        resource.RLIMIT_DATA: (order.memory_mb + order.reserve_mb) * _MIB,
        resource.RLIMIT_FSIZE: order.file_mb * _MIB,
        resource.RLIMIT_NOFILE: order.open_files,
    }
    if own_user:  # counted per user, and ours runs more than this
        limits[resource.RLIMIT_NPROC] = order.processes
    for name, wanted in limits.items():
        hard = resource.getrlimit(name)[1]
        allowed = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
        resource.setrlimit(name, (allowed, allowed))


def _die_with(launcher: int) -> None:
    if sys.platform != "linux":
        return
    prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != launcher:
        msg = "the launcher ended"
        raise ChildProcessError(msg)


def _close_all_but(*kept: int) -> None:
    """Close inherited files, except the standard streams and these."""
    first = _STANDARD[-1] + 1
    for file in (*sorted(kept), MOST_OPEN_FILES):
        os.closerange(first, file)
        first = file + 1


def _execute(argv: list[str], env: dict[str, str]) -> NoReturn:
    for number in (signal.SIGPIPE, signal.SIGXFSZ):  # ignored by Python, expected by others
        signal.signal(number, signal.SIG_DFL)
    for file in _STANDARD:
        os.set_inheritable(file, True)
    try:
        os.execve(argv[0], argv, env)  # noqa: S606
    except OSError as error:
        why = _WHY_NOT_EXECUTED.get(error.errno or 0, error.strerror)
        msg = f"cannot be started: {argv[0]!r} {why}"
        raise ChildProcessError(msg) from error


def remember_own_modules() -> None:
    """Remember them once, for all programs: each look at them after a fork copies memory."""
    _hidden.update({n: m for n, m in sys.modules.items() if n.partition(".")[0] == "agentevals"})


def _run_script(argv: list[str], env: dict[str, str]) -> NoReturn:
    """Run a script in this process, as `python script.py` would in a new one, then end it."""
    os.environ.clear()
    os.environ.update(env)
    with _Interpreter():
        main = _make_main(argv)
        code = compile(_read_source(argv[0]), argv[0], "exec", dont_inherit=True)
        exec(code, main.__dict__)  # noqa: S102 -- the program that we were asked to run
    raise AssertionError  # the interpreter has ended the process


def _make_main(argv: list[str]) -> ModuleType:
    """A fresh `__main__`, arguments and import path; nothing of the launcher's.

    The text streams are the launcher's own, which never used them: what lies below has changed.
    """
    for name in _hidden:
        del sys.modules[name]
    main = ModuleType("__main__")
    main.__dict__.update(
        __file__=argv[0],
        __builtins__=builtins,
        __loader__=SourceFileLoader("__main__", argv[0]),
        __cached__=None,
    )
    sys.modules["__main__"] = main
    sys.argv[:] = argv
    sys.path.insert(0, os.path.realpath(argv[0]).rpartition("/")[0])
    sys.dont_write_bytecode = True
    # as --check-hash-based-pycs does it: what is compiled must be what the source says
    _imp.check_hash_based_pycs = "always"
    gc.enable()
    return main


def _read_source(path: str) -> bytes:
    try:
        with open(path, "rb", 0) as file:  # noqa: PTH123 -- no time for a Path
            return file.read()
    except OSError as error:
        print(f"can't open file {path!r}: {error}", file=sys.stderr)  # noqa: T201
        raise SystemExit(2) from error


class _Interpreter:
    """The end of a program: what the interpreter does after the last line, or an exception."""

    def __enter__(self) -> None:
        """Nothing: the program begins."""

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        code = _find_exit_code(kind, error, trace)
        threading._shutdown()  # type: ignore[attr-defined]  # noqa: SLF001 -- has no public name
        atexit._run_exitfuncs()  # noqa: SLF001
        flushed = [_flush(stream) for stream in (sys.stdout, sys.stderr)]
        # not `sys.exit`: tearing down every module takes longer than most evaluators
        os._exit(code if all(flushed) else code or _OUTPUT_LOST)


def _find_exit_code(
    kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
) -> int:
    if kind is None or error is None:
        return 0
    if isinstance(error, SystemExit):
        return _convert_exit_code(error.code)
    while trace and trace.tb_frame.f_globals.get("__name__") == __name__:
        trace = trace.tb_next
    sys.excepthook(kind, error.with_traceback(trace), trace)
    return 1


def _convert_exit_code(code: object) -> int:
    if code is None:
        return 0
    if isinstance(code, int):
        return code & 0xFF
    print(code, file=sys.stderr)  # noqa: T201
    return 1


def _flush(stream: Any) -> bool:
    try:
        stream.flush()
    except (OSError, ValueError, AttributeError):
        return False
    return True
