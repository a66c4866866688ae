"""Run third-party programs. This is the only place where that happens.

Every program gets an environment built from nothing, a process group that is ended as a whole,
limits, and as much isolation as the machine offers. `docs/isolation.md` has the promises.
"""

import math
import os
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Required, TypedDict, Unpack

from agentevals.model.errors import EvaluatorError
from agentevals.sandbox import launcher_client
from agentevals.sandbox import sandboxed_program as runner
from agentevals.sandbox.closed_paths import find_closed
from agentevals.sandbox.launcher import BEST, LEVELS, ONLY, WHERE_POSSIBLE, Order
from agentevals.sandbox.launcher.preloading import LAST, find_stage
from agentevals.sandbox.program_rights import NOTHING, Rights
from agentevals.sandbox.program_starts import Program, Start, count_cpu_seconds, lend, serve_hosts
from agentevals.sandbox.sandboxed_program import Allowance, Finished

__all__ = [
    "BEST", "LEVELS", "Finished", "Rights", "describe", "describe_limits", "prepare_program",
    "run_installer", "run_program", "start",
]  # fmt: skip

# V8 reserves half a GiB for each thread, of which it uses some MiB
_RESERVED = {"node": 16 << 10}


class Options(TypedDict, total=False):
    """Names the options of `prepare_program`."""

    timeout: Required[float]
    folder: Required[Path]
    works_in: Path | None
    rights: Rights
    memory_mb: int
    env: Mapping[str, str]
    readable: Sequence[Path]
    packages: Sequence[Path]
    writable: Sequence[Path]
    level: str


def run_program(command: Sequence[str], *, stdin: bytes, **options: Unpack[Options]) -> Finished:
    """Run an evaluator on one input, as `prepare_program` explains."""
    return prepare_program(command, **options).run(stdin)


def prepare_program(  # noqa: PLR0913 -- every permission is named where it is given
    command: Sequence[str],
    *,
    timeout: float,
    folder: Path,
    works_in: Path | None = None,
    rights: Rights = NOTHING,
    memory_mb: int = 1024,
    env: Mapping[str, str] = {},
    readable: Sequence[Path] = (),
    packages: Sequence[Path] = (),
    writable: Sequence[Path] = (),
    level: str = BEST,
) -> Start:
    """Return an evaluator that can be run. It reads `folder`, and writes to a scratch folder only.

    Of what it reads, histories, keys and credentials stay closed; `packages` are folders of
    installed ones, which hold none. It works in the scratch folder, which is its HOME and TMPDIR,
    too; or in the folder `works_in`, which it reads as well. All else that it may use are its
    `rights`; `env` are variables of ours. The `timeout` is for one input.

    The command starts with a path below `folder`, an absolute path, or a name on our PATH. A
    Python script for our own interpreter (`[sys.executable, "evaluator.py"]`) starts in about a
    millisecond; everything else is started as a program.
    """
    program = Program.find(command, folder)
    if works_in and not works_in.is_dir():
        msg = f"cannot be started: the folder {str(works_in)!r} does not exist"
        raise EvaluatorError(msg)
    read = (*readable, *rights.files)
    order = Order(
        argv=program.argv,
        script=program.script,
        folder=program.folder,
        env=build_environment({**rights.build_variables(), **env}),
        preload=find_stage(program.argv[0]) if program.script else 0,
        works_in=str(works_in.absolute()) if works_in else "",
        network=rights.network,
        hosts=_choose_hosts(rights),
        subprocess=program.starts_others if rights.subprocess is None else rights.subprocess,
        readable=[*_make_absolute([*read, *packages]), *rights.find_certificates()],
        closed=_find_closed([Path(program.folder), *([works_in] if works_in else ()), *read]),
        links=rights.links,
        writable=_make_absolute(writable),
        level=level,
        cpu_seconds=count_cpu_seconds(timeout),
        memory_mb=memory_mb,
        reserve_mb=_RESERVED.get(Path(program.argv[0]).name, 0),
    )
    return Start(program, order, timeout, rights, tuple(packages), tuple(writable))


def _choose_hosts(rights: Rights) -> str:
    if not rights.reachable:
        return ""
    return ONLY if rights.hosts else WHERE_POSSIBLE


def run_installer(  # noqa: PLR0913
    command: Sequence[str],
    *,
    timeout: float,
    folder: Path,
    rights: Rights = NOTHING,
    env: Mapping[str, str] = {},
    readable: Sequence[Path] = (),
    on_line: Callable[[str], None] | None = None,
    level: str = BEST,
) -> Finished:
    """Run a package installer. It writes to `folder` as well, and starts what it likes.

    `on_line` is called with every line that it prints, as it is printed.
    """
    program = Program.find(command, folder)
    order = Order(
        argv=program.argv,
        script=program.script,
        folder=program.folder,
        env=build_environment({**rights.build_variables(), **env}),
        network=rights.network,
        hosts=_choose_hosts(rights),
        readable=[*_make_absolute(readable), *rights.find_certificates()],
        closed=_find_closed(readable),
        writable=[program.folder],
        level=level,
        cpu_seconds=math.ceil(timeout) * (os.cpu_count() or 1) + 1,
        memory_mb=4096,
        file_mb=4096,
        watched=False,
        open_files=1024,
        processes=1024,
    )
    with lend([folder]), serve_hosts(order, rights) as granted:
        allowance = Allowance(timeout=timeout, proxy=granted, on_line=on_line)
        return replace(runner.run(order, b"", allowance), rights=rights)


def start(stage: int = LAST) -> None:
    """Begin to start what runs programs: it takes a tenth of a second, which others can use.

    The `stage` is how much it imports, see `launcher.preloading`.
    """
    if stage > _begun.get(os.getpid(), -1):
        _begun[os.getpid()] = stage
        threading.Thread(target=_preload, args=(stage,), daemon=True).start()


def _preload(stage: int) -> None:
    # the first program will say it, to whom it concerns
    with suppress(EvaluatorError, OSError):
        launcher_client.get_launcher().preload(stage)


_begun: dict[int, int] = {}  # the stage that was asked for, by process


def describe() -> str:
    """Return this machine's isolation for the report: `strict (own user, landlock 7, seccomp)`."""
    return launcher_client.get_launcher().isolation


def describe_limits() -> str:
    """Return how this machine limits the memory of a program with all that it starts."""
    return launcher_client.get_launcher().limits


def _make_absolute(paths: Sequence[Path]) -> list[str]:
    return [str(path.absolute()) for path in paths]


def _find_closed(folders: Sequence[Path]) -> list[str]:
    every = dict.fromkeys(folder.absolute() for folder in folders)
    return [path for folder in every for path in find_closed(folder)]


def build_environment(extras: Mapping[str, str]) -> dict[str, str]:
    """Return the variables of every program, and the given ones."""
    built = {
        "LANG": "C.UTF-8",
        "PATH": os.pathsep.join(
            (str(Path(sys.executable).parent), "/usr/local/bin", "/usr/bin", "/bin")
        ),
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONHASHSEED": "0",
        "PYTHONIOENCODING": "utf-8",
        "PYTHONUTF8": "1",
    }
    return built | dict(extras)
