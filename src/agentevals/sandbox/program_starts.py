"""A program that is ready to be started: for one input, or for a batch of them."""

import math
import os
import re
import shutil
import sys
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Self

from agentevals.model.errors import EvaluatorError
from agentevals.model.plugins import Lazy
from agentevals.sandbox import launcher_client
from agentevals.sandbox import sandboxed_program as runner
from agentevals.sandbox.kept_program_outputs import Answer, Attempt, get_attempt
from agentevals.sandbox.launcher import LEVELS, Order
from agentevals.sandbox.program_batches import VARIABLE, Outcome, ask_batch
from agentevals.sandbox.program_rights import Rights
from agentevals.sandbox.program_surroundings import describe_surroundings
from agentevals.sandbox.sandboxed_program import Allowance, Finished

if TYPE_CHECKING:
    from agentevals.sandbox import host_proxy
else:  # most programs have no hosts
    host_proxy = Lazy("agentevals.sandbox.host_proxy")

_PYTHON = re.compile(r"python(3(\.\d+)?)?")
# otherwise a compiled file can say that it need not be what its source says, and is run instead
_CHECKED = ("--check-hash-based-pycs", "always")
_ALONE = re.compile(r"python(3(\.\d+)?)?|node")  # what needs no other program to be of use
_MOST_FILES = 20  # of a folder, which are looked into once a program has failed


class Question(NamedTuple):
    """An input of a batch, and where its answer may be kept."""

    message: bytes
    attempt: Attempt | None = None


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


@dataclass(frozen=True)
class Start:
    """A program with all that it may do."""

    program: Program
    order: Order
    timeout: float  # of one input
    rights: Rights
    packages: tuple[Path, ...]
    writable: tuple[Path, ...]

    def run(self, stdin: bytes) -> Finished:
        """Run it on one input, unless its output was kept."""
        attempt = get_attempt()
        name = self._name(attempt, stdin)
        if attempt and (known := self._find(attempt, name)):
            return known
        finished = self._run(stdin, self.timeout)
        if attempt and name and finished.exit_code == 0:
            attempt.note(name, _make_answer(finished))
        return finished

    def run_batch(self, questions: Sequence[Question]) -> list[Outcome]:
        """Run it once for all inputs whose output was not kept.

        It has the time of all of them. Each answer is as if it had been printed alone.
        """
        order = replace(self.order, env={**self.order.env, VARIABLE: "1"})
        return replace(self, order=order).run_lines(questions)

    def run_lines(self, questions: Sequence[Question]) -> list[Outcome]:
        """Run it once, if its order says already that it gets lines."""
        names = [self._name(one.attempt, one.message) for one in questions]
        kept = [
            one.attempt and self._find(one.attempt, name)
            for one, name in zip(questions, names, strict=True)
        ]
        asked = [at for at, known in enumerate(kept) if known is None]
        answered = ask_batch([questions[at].message for at in asked], self.timeout, self._run)
        for at, outcome in zip(asked, answered, strict=True):
            attempt = questions[at].attempt
            if attempt and names[at] and isinstance(outcome, Finished):
                attempt.note(names[at], _make_answer(outcome))
        found = iter(answered)
        return [known or next(found) for known in kept]

    def _run(self, stdin: bytes, timeout: float) -> Finished:
        order = replace(self.order, cpu_seconds=count_cpu_seconds(timeout))
        with lend(self.writable), serve_hosts(order, self.rights) as granted:
            finished = runner.run(order, stdin, Allowance(timeout=timeout, proxy=granted))
        return self._complete(finished)

    def _complete(self, finished: Finished) -> Finished:
        return replace(finished, files=tuple(self.program.list_files()), rights=self.rights)

    def _find(self, attempt: Attempt, name: str) -> Finished | None:
        known = attempt.find(name) if name else None
        if known is None:
            return None
        finished = Finished(
            stdout=known.stdout,
            stderr=known.stderr,
            exit_code=0,
            isolation=known.isolation,
            seconds=0.0,
        )
        return self._complete(finished)

    def _name(self, attempt: Attempt | None, stdin: bytes) -> str:
        """Return the name that the output is kept by; empty if it may depend on anything else.

        Variables are secrets mostly, hosts and other programs may answer otherwise the next time,
        and without isolation a program may read everything.
        """
        if attempt is None:
            return ""
        order = self.order
        is_alone = not (self.rights.env or order.network or order.hosts or order.subprocess)
        isolation = (
            launcher_client.get_launcher().isolation
            if is_alone and not order.writable
            else LEVELS[0]
        )
        if isolation.startswith(LEVELS[0]) or order.level == LEVELS[0]:
            return ""
        aside = attempt.runs.folder
        material = describe_surroundings(order, stdin, self.packages, isolation, aside)
        return "" if material is None else attempt.runs.make_name(material)


def count_cpu_seconds(timeout: float) -> int:
    """Return the CPU time of a program that may take so long."""
    return math.ceil(timeout) + 1


def _make_answer(finished: Finished) -> Answer:
    return Answer(stdout=finished.stdout, stderr=finished.stderr, isolation=finished.isolation)


def serve_hosts(order: Order, rights: Rights) -> "AbstractContextManager[host_proxy.Proxy | None]":
    """Open the proxy that leads to the granted hosts, if there are some."""
    return host_proxy.serve(rights) if order.hosts else nullcontext()


@contextmanager
def lend(folders: Sequence[Path]) -> Iterator[None]:
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
