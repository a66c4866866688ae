"""Run third-party programs. This is the only place where that happens.

Every program gets an environment built from nothing, a process group that is ended as a whole,
limits, and as much isolation as the machine offers. `docs/isolation.md` has the promises.
"""

import math
import os
import re
import shutil
import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Self

from agentevals.model.errors import EvaluatorError
from agentevals.model.plugins import Lazy
from agentevals.sandbox import client
from agentevals.sandbox import program as runner
from agentevals.sandbox.closed import find_closed
from agentevals.sandbox.kept_runs import Answer, Attempt, get_attempt
from agentevals.sandbox.launcher import BEST, LEVELS, ONLY, WHERE_POSSIBLE, Order
from agentevals.sandbox.launcher.preloading import LAST, find_stage
from agentevals.sandbox.program import Allowance, Finished
from agentevals.sandbox.rights import NOTHING, Rights
from agentevals.sandbox.surroundings import describe_surroundings

if TYPE_CHECKING:
    from agentevals.sandbox import proxy
else:  # most programs have no hosts
    proxy = Lazy("agentevals.sandbox.proxy")

__all__ = [
    "BEST", "LEVELS", "Finished", "Rights", "describe", "describe_limits", "run_installer",
    "run_program", "start",
]  # fmt: skip

_PYTHON = re.compile(r"python(3(\.\d+)?)?")
# otherwise a compiled file can say that it need not be what its source says, and is run instead
_CHECKED = ("--check-hash-based-pycs", "always")
# V8 reserves half a GiB for each thread, of which it uses some MiB
_RESERVED = {"node": 16 << 10}
_ALONE = re.compile(r"python(3(\.\d+)?)?|node")  # what needs no other program to be of use

_MOST_FILES = 20  # of a folder, which are looked into once a program has failed


def run_program(  # noqa: PLR0913 -- every permission is named where it is given
    command: Sequence[str],
    *,
    stdin: bytes,
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
) -> Finished:
    """Run an evaluator. It reads `folder`, and writes to a scratch folder only.

    Of what it reads, histories, keys and credentials stay closed; `packages` are folders of
    installed ones, which hold none.
    It works in the scratch folder, which is its HOME and TMPDIR, too; or in the folder
    `works_in`, which it reads as well. All else that it may use are its `rights`; `env` are
    variables of ours.

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
        cpu_seconds=math.ceil(timeout) + 1,
        memory_mb=memory_mb,
        reserve_mb=_RESERVED.get(Path(program.argv[0]).name, 0),
    )
    attempt = get_attempt()
    name = _name_run(attempt, order, stdin, packages, rights) if attempt else ""
    if attempt and name and (known := attempt.find(name)):
        return Finished(
            stdout=known.stdout,
            stderr=known.stderr,
            exit_code=0,
            isolation=known.isolation,
            seconds=0.0,
            files=tuple(program.list_files()),
            rights=rights,
        )
    with _lend(writable), proxy.serve(rights) if order.hosts else nullcontext() as granted:
        finished = runner.run(order, stdin, Allowance(timeout=timeout, proxy=granted))
    if attempt and name and finished.exit_code == 0:
        attempt.note(name, _make_answer(finished))
    return replace(finished, files=tuple(program.list_files()), rights=rights)


def _name_run(
    attempt: Attempt, order: Order, stdin: bytes, packages: Sequence[Path], rights: Rights
) -> str:
    """Return the name that the output is kept by; empty if it may depend on anything else.

    Variables are secrets mostly, hosts and other programs may answer otherwise the next time, and
    without isolation a program may read everything.
    """
    is_alone = not (rights.env or order.network or order.hosts or order.subprocess)
    isolation = describe() if is_alone and not order.writable else LEVELS[0]
    if isolation.startswith(LEVELS[0]) or order.level == LEVELS[0]:
        return ""
    material = describe_surroundings(order, stdin, packages, isolation, attempt.runs.folder)
    return "" if material is None else attempt.runs.make_name(material)


def _make_answer(finished: Finished) -> Answer:
    return Answer(stdout=finished.stdout, stderr=finished.stderr, isolation=finished.isolation)


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
    with _lend([folder]), proxy.serve(rights) if order.hosts else nullcontext() as granted:
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
        client.get_launcher().preload(stage)


_begun: dict[int, int] = {}  # the stage that was asked for, by process


def describe() -> str:
    """Return this machine's isolation for the report: `strict (own user, landlock 7, seccomp)`."""
    return client.get_launcher().isolation


def describe_limits() -> str:
    """Return how this machine limits the memory of a program with all that it starts."""
    return client.get_launcher().limits


def _make_absolute(paths: Sequence[Path]) -> list[str]:
    return [str(path.absolute()) for path in paths]


def _find_closed(folders: Sequence[Path]) -> list[str]:
    return [path for folder in folders for path in find_closed(folder.absolute())]


@contextmanager
def _lend(folders: Sequence[Path]) -> Iterator[None]:
    """The launcher's child gives them away; take them back, whatever became of the program."""
    owners = {folder: folder.stat() for folder in folders}
    try:
        yield
    finally:
        for folder, owner in owners.items():
            if folder.stat().st_uid != owner.st_uid:
                _take_back(folder, owner.st_uid, owner.st_gid)


def _take_back(top: Path, user: int, group: int) -> None:
    """Change owners by open folders: whoever has not ended yet may put links in place of others."""
    os.chown(top, user, group, follow_symlinks=False)
    for _, folders, files, place in os.fwalk(top):
        for name in (*folders, *files):
            with suppress(FileNotFoundError):
                os.chown(name, user, group, dir_fd=place, follow_symlinks=False)


@dataclass(frozen=True)
class Program:
    """A command whose paths are absolute. For a script, `argv` starts with the script."""

    argv: list[str]
    script: bool
    folder: str

    def list_files(self) -> Iterator[Path]:
        """Yield its own files: those among its words, or else what lies in its folder."""
        named = [Path(word) for word in self.argv if word.startswith(self.folder)]
        yield from named or islice(Path(self.folder).glob("*.py"), _MOST_FILES)

    @property
    def starts_others(self) -> bool:
        """Return whether its language is of no use without other programs, as that of a shell."""
        return not (self.script or _ALONE.fullmatch(Path(self.argv[0]).name))

    @classmethod
    def find(cls, command: Sequence[str], folder: Path) -> Self:
        """Find it, or say why it cannot be started."""
        where = folder.absolute()
        if not where.is_dir():
            msg = f"cannot be started: the folder {str(folder)!r} does not exist"
            raise EvaluatorError(msg)
        executable, *arguments = command
        found = _find(executable, where)
        if found == str(Path(sys.executable).absolute()) and arguments and arguments[0][:1] != "-":
            return cls([str(where / arguments[0]), *arguments[1:]], script=True, folder=str(where))
        options = _CHECKED if _PYTHON.fullmatch(Path(found).name) else ()
        return cls([found, *options, *arguments], script=False, folder=str(where))


def _find(executable: str, where: Path) -> str:
    found = str(where / executable) if os.sep in executable else shutil.which(executable)
    if found is None or not Path(found).is_file():
        msg = f"cannot be started: {executable!r} was not found"
        raise EvaluatorError(msg)
    if not os.access(found, os.X_OK):
        msg = f"cannot be started: {executable!r} is not executable; `chmod +x` makes it so"
        raise EvaluatorError(msg)
    return found


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
