"""A program that judges, from its command to how it ended, run in the sandbox."""

import hashlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from agentevals.files.project_paths import find_project
from agentevals.graders.programs.code_judge_commands import Command
from agentevals.graders.programs.program_grants import NO_LOAN, Loan
from agentevals.model.errors import EvaluatorError, InputError
from agentevals.sandbox import isolation
from agentevals.sandbox.closed_paths import is_closed
from agentevals.sandbox.isolation import BEST, Finished
from agentevals.sandbox.launcher import preloading
from agentevals.sandbox.program_batches import Outcome
from agentevals.sandbox.program_starts import Question, Start

_LARGEST = 16 << 20  # of a file that counts as what judges


@dataclass(frozen=True, kw_only=True)
class JudgeProgram:
    """A command, where it works, and what it may use.

    A relative path in the command means a file in `cwd`, else one in `beside`: the folder of
    the config. Both are readable to it, and the folders of the files that the command names
    as far as these lie in the project.
    """

    command: str | Sequence[str]
    cwd: Path = field(default_factory=Path.cwd)
    beside: Path | None = None
    timeout: float = 120
    memory_mb: int = 1024
    level: str = BEST

    def problems(self) -> list[str]:
        """List what would keep it from being started, without starting it."""
        try:
            self._check_folder()
            self._parse_command().build_argv(prepare=False)
        except (EvaluatorError, InputError) as error:
            return [str(error)]
        return []

    def compute_digest(self) -> str:
        """A digest of the files that the command names; empty where it names none."""
        try:
            files = self._parse_command().files
        except InputError:
            return ""
        digests = [_digest_file(path) for path in files]
        return hashlib.sha256("\n".join(digests).encode()).hexdigest() if digests else ""

    def prepare(self) -> None:
        """Begin to start what will run it."""
        try:
            script = self._parse_command().script
        except InputError:
            script = None
        isolation.start(preloading.find_stage(str(script)) if script else 0)

    def run(self, message: bytes, *, name: str, loan: Loan = NO_LOAN) -> Finished:
        """Run it to its end for the evaluator of that name, or raise what keeps it from that."""
        with _naming(name):
            return self._prepare(loan).run(message)

    def run_batch(
        self, questions: Sequence[Question], *, name: str, loan: Loan = NO_LOAN
    ) -> list[Outcome]:
        """Run it once for several cases of the evaluator of that name."""
        with _naming(name):
            outcomes = self._prepare(loan).run_batch(questions)
        return [
            EvaluatorError(f"evaluator {name!r} {one}") if isinstance(one, EvaluatorError) else one
            for one in outcomes
        ]

    def _prepare(self, loan: Loan) -> Start:
        self._check_folder()
        command = self._parse_command()
        argv, packages = command.build_argv(loan.rights)
        return isolation.prepare_program(
            argv,
            timeout=self.timeout,
            folder=self.cwd,
            works_in=self.cwd,
            rights=loan.rights,
            memory_mb=self.memory_mb,
            env=loan.env,
            readable=[*self._list_readable(command)],
            packages=packages,
            level=self.level,
        )

    @property
    def _beside(self) -> Path:
        return self.beside or self.cwd

    @property
    def _project(self) -> Path:
        return find_project(self._beside)

    def _parse_command(self) -> Command:
        return Command.parse(self.command, self.cwd, self._beside)

    def _check_folder(self) -> None:
        if not _is_folder(self.cwd):
            msg = f"cannot be started: its 'cwd' {str(self.cwd)!r} is no folder"
            raise InputError(msg)
        folder, project = self.cwd.resolve(), self._project
        if not folder.is_relative_to(project):
            msg = (
                f"cannot be started: its 'cwd' {str(self.cwd)!r} lies outside of the project "
                f"{str(project)!r}; name a folder in it"
            )
            raise InputError(msg)
        if is_closed(folder.relative_to(project)):
            msg = f"cannot be started: its 'cwd' {str(self.cwd)!r} is closed to programs"
            raise InputError(msg)

    def _list_readable(self, command: Command) -> Iterator[Path]:
        if self._beside != self.cwd:
            yield self._beside
        project = self._project
        for folder in dict.fromkeys(path.parent for path in command.files):
            real = folder.resolve()
            if real.is_relative_to(project) and not is_closed(real.relative_to(project)):
                yield folder


@contextmanager
def _naming(name: str) -> Iterator[None]:
    """Say in every error of the block whose it is."""
    try:
        yield
    except InputError as error:
        msg = f"evaluator {name!r}: {error}"
        raise InputError(msg) from error
    except EvaluatorError as error:
        msg = f"evaluator {name!r} {error}"
        raise EvaluatorError(msg) from error


def _is_folder(path: Path) -> bool:
    try:
        return path.is_dir()
    except (OSError, ValueError):
        return False


def _digest_file(path: Path) -> str:
    try:
        if path.stat().st_size <= _LARGEST:
            return hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError:
        pass
    return ""
