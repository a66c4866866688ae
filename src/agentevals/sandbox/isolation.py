"""Running programs that are not ours: the one place where that happens.

Every program gets an environment built from nothing, a process group that is ended as a whole,
limits, and as much isolation as the machine offers. `docs/isolation.md` has the promises.
"""

import math
import os
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from agentevals.model.errors import EvaluatorError
from agentevals.sandbox import client, runner
from agentevals.sandbox.imports import LAST, find_stage
from agentevals.sandbox.order import BEST, LEVELS, Order
from agentevals.sandbox.program import Program, build_environment, find_certificates
from agentevals.sandbox.runner import Allowance, Finished

__all__ = ["BEST", "LEVELS", "Finished", "describe", "run_installer", "run_program", "start"]


def run_program(  # noqa: PLR0913 -- every permission is named where it is given
    command: Sequence[str],
    *,
    stdin: bytes,
    timeout: float,
    folder: Path,
    works_in: Path | None = None,
    network: bool = False,
    port: int = 0,
    memory_mb: int = 1024,
    env: Mapping[str, str] = {},
    readable: Sequence[Path] = (),
    writable: Sequence[Path] = (),
    level: str = BEST,
) -> Finished:
    """Run an evaluator. It reads `folder`, and writes to a scratch folder only.

    It works in the scratch folder, which is its HOME and TMPDIR, too; or in the folder
    `works_in`, which it reads as well. Without the network it may be granted one port of TCP.

    The command starts with a path below `folder`, an absolute path, or a name on our PATH. A
    Python script for our own interpreter (`[sys.executable, "evaluator.py"]`) starts in about a
    millisecond; everything else is started as a program.
    """
    program = Program.find(command, folder)
    if works_in and not works_in.is_dir():
        msg = f"cannot be started: the folder {str(works_in)!r} does not exist"
        raise EvaluatorError(msg)
    order = Order(
        argv=program.argv,
        script=program.script,
        folder=program.folder,
        env=build_environment(env, network=network),
        preload=find_stage(program.argv[0]) if program.script else 0,
        works_in=str(works_in.absolute()) if works_in else "",
        network=network,
        port=0 if network else port,
        readable=[*_absolute(readable), *(find_certificates() if network else ())],
        writable=_absolute(writable),
        level=level,
        cpu_seconds=math.ceil(timeout) + 1,
        memory_mb=memory_mb,
    )
    with _lend(writable):
        return runner.run(order, stdin, Allowance(timeout=timeout))


def run_installer(  # noqa: PLR0913
    command: Sequence[str],
    *,
    timeout: float,
    folder: Path,
    env: Mapping[str, str] = {},
    readable: Sequence[Path] = (),
    on_line: Callable[[str], None] | None = None,
    level: str = BEST,
) -> Finished:
    """Run a package installer. It reaches the network, and writes to `folder` as well.

    `on_line` is called with every line that it prints, as it is printed.
    """
    program = Program.find(command, folder)
    order = Order(
        argv=program.argv,
        script=program.script,
        folder=program.folder,
        env=build_environment(env, network=True),
        network=True,
        readable=[*_absolute(readable), *find_certificates()],
        writable=[program.folder],
        level=level,
        cpu_seconds=math.ceil(timeout) * (os.cpu_count() or 1) + 1,
        memory_mb=4096,
        file_mb=4096,
        watched=False,
        open_files=1024,
        processes=1024,
    )
    with _lend([folder]):
        return runner.run(order, b"", Allowance(timeout=timeout, on_line=on_line))


def start(stage: int = LAST) -> None:
    """Begin to start what runs programs: it takes a tenth of a second, which others can use.

    The `stage` is how much it imports, see `imports`.
    """
    if stage > _begun.get(os.getpid(), -1):
        _begun[os.getpid()] = stage
        threading.Thread(target=_preload, args=(stage,), daemon=True).start()


def _preload(stage: int) -> None:
    # the first program will say it, to whom it concerns
    with suppress(EvaluatorError, OSError):
        client.get_launcher().preload(stage)


_begun: dict[int, int] = {}  # the stage that was asked for, by process


def describe() -> str:
    """Return this machine's isolation for the report: `strict (own user, landlock 7, seccomp)`."""
    return client.get_launcher().isolation


def _absolute(paths: Sequence[Path]) -> list[str]:
    return [str(path.absolute()) for path in paths]


@contextmanager
def _lend(folders: Sequence[Path]) -> Iterator[None]:
    """The launcher's child gives them away; take them back, whatever became of the program."""
    owners = {folder: folder.stat() for folder in folders}
    try:
        yield
    finally:
        for folder, owner in owners.items():
            if folder.stat().st_uid != owner.st_uid:
                _own(folder, owner.st_uid, owner.st_gid)


def _own(top: Path, user: int, group: int) -> None:
    for folder, _, files in os.walk(top):
        os.chown(folder, user, group)
        for name in files:
            os.chown(Path(folder, name), user, group, follow_symlinks=False)
