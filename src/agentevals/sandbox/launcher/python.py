"""Running a Python script in this process, as `python script.py` would in a new one."""

import _imp
import atexit
import builtins
import gc
import os
import sys
import threading
from importlib.machinery import SourceFileLoader
from types import ModuleType, TracebackType
from typing import Any, NoReturn

_OUTPUT_LOST = 120
# the launcher's own modules; they are kept, because taking them apart takes time as well
_hidden: dict[str, ModuleType] = {}


def prepare() -> None:
    """Once, for all programs: after the fork, whatever is looked at has to be copied."""
    ours = {n: m for n, m in sys.modules.items() if n.partition(".")[0] == "agentevals"}
    _hidden.update(ours)


def run(argv: list[str]) -> NoReturn:
    """Run a script as `__main__`, then end the process."""
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
        code = _exit_code(kind, error, trace)
        threading._shutdown()  # type: ignore[attr-defined]  # noqa: SLF001 -- has no public name
        atexit._run_exitfuncs()  # noqa: SLF001
        flushed = [_flush(stream) for stream in (sys.stdout, sys.stderr)]
        # not `sys.exit`: tearing down every module takes longer than most evaluators
        os._exit(code if all(flushed) else code or _OUTPUT_LOST)


def _exit_code(
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
