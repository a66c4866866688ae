"""The sandboxed program of one evaluator: a copy of the files that the registry would publish."""

import hashlib
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from agentevals.custom_evaluators import runtime_for
from agentevals.evaluator import evaluator_files
from agentevals.files import atomic_files
from agentevals.model.cases import Grade
from agentevals.model.errors import EvaluatorError
from agentevals.sandbox import (
    allowed_hosts,
    isolation,
    isolation_promises,
    program_environments,
    wire_protocol,
)
from agentevals.sandbox.isolation import LEVELS, Finished
from agentevals.sandbox.isolation_promises import CheckedPromise
from agentevals.sandbox.package_installers import Installer
from agentevals.sandbox.program_runtimes import PythonRuntime
from agentevals.sandbox.program_starts import Question, Start
from agentevals.text import tracebacks
from agentevals.text.terminal import plain
from registry_tools.manifests.registry_entry import Entry
from registry_tools.manifests.registry_folder import Registry
from registry_tools.rules import capabilities

_LARGEST = 64 << 20  # of one file; the rule `files` allows far less
_SAID = 400  # characters of what a program wrote about its own end
_SHOWN = 600  # and of a sentence about it
_TRIES = 2  # one of the promises is about time, which a busy machine may not keep


@cache
def find_objection(level: str) -> str:
    """Return why nothing may run; "" when every promise of the sandbox holds.

    Found out once in a process, whose launcher stays the same.
    """
    why = ""
    for _ in range(_TRIES):
        try:
            why = judge_promises(*isolation_promises.check(), level)
        except EvaluatorError as error:
            return str(error)
        if not why:
            break
    return why


def judge_promises(available: str, checked: Sequence[CheckedPromise], level: str) -> str:
    """Return the reason for checked promises."""
    if LEVELS.index(available.partition(" ")[0]) < LEVELS.index(level):
        return f"this machine has only the isolation {available}, and {level!r} was asked for"
    broken = [one for one in checked if one.outcome is isolation_promises.Outcome.BROKEN]
    said = "; ".join(f"{one.promise}: it {', '.join(one.achieved[:2])}" for one in broken)
    return f"a promise of the sandbox does not hold: {said}" if broken else ""


@dataclass(frozen=True)
class Grants:
    """Nothing, unless it is said."""

    network: tuple[str, ...] = ()
    environment: tuple[tuple[str, str], ...] = ()
    files: tuple[Path, ...] = ()
    subprocess: bool = False
    judge_port: int = 0  # of a judge that is served on this machine

    def __bool__(self) -> bool:
        return bool(self.network or self.environment or self.files or self.subprocess)

    @property
    def rights(self) -> isolation.Rights:
        """The rights of one run: what is not granted is refused."""
        return isolation.Rights(
            hosts=tuple(map(allowed_hosts.Host.parse, self.network)),
            served=(allowed_hosts.Host("127.0.0.1", self.judge_port),) if self.judge_port else (),
            env=dict(self.environment),
            files=self.files,
            subprocess=self.subprocess,
        )

    def __str__(self) -> str:
        """Describe the permissions for a reviewer."""
        names = [name for name, _ in self.environment]
        given = (
            f"connections to {', '.join(self.network)}" if self.network else "",
            f"the values of {', '.join(names)}" if names else "",
            f"{', '.join(map(str, self.files))} to read" if self.files else "",
            "other programs to start" if self.subprocess else "",
        )
        return "; ".join(part for part in given if part)


def grant(entry: Entry, registry: Registry, environ: Mapping[str, str]) -> Grants:
    """Grant the capabilities of the manifest that this machine has; none if they are invalid."""
    if entry.manifest is None or any(capabilities.check(entry, registry)):
        return Grants()
    asked = entry.manifest.capabilities
    return Grants(
        network=asked.network,
        environment=tuple((name, environ[name]) for name in asked.environment if name in environ),
        files=tuple(Path(name) for name in asked.files if _is_shared(Path(name), entry.root)),
        subprocess=asked.subprocess,
    )


def _is_shared(path: Path, root: Path) -> bool:
    """Return whether a file belongs to the machine, not to its user or this registry."""
    if not path.is_absolute() or not path.exists():
        return False
    found = path.resolve()
    own = (Path.home().resolve(), root.resolve())
    return not any(found.is_relative_to(one) or one.is_relative_to(found) for one in own)


@dataclass(frozen=True)
class Outcome:
    """The outcome of one run: a grade, or the reason why there is none."""

    grade: Grade | None = None
    failure: str = ""
    late: bool = False


def _describe_crash(stderr: str) -> str:
    """Return what was raised and in which line, or the end of what was printed."""
    if tracebacks.is_crash(stderr):
        return tracebacks.shorten_error(stderr)
    return stderr[-_SAID:].strip()


@dataclass(frozen=True, kw_only=True)
class SandboxedProgram:
    """A program that can be run again and again, each time as if it were the first."""

    name: str
    home: Path
    shown: str
    command: list[str]
    readable: tuple[Path, ...]
    grants: Grants
    level: str
    timeout: float

    def run(self, message: bytes) -> Outcome:
        """Run the program once: the message on stdin, the result on stdout."""
        began = time.monotonic()
        try:
            return Outcome(wire_protocol.read_grade(self._exchange(message), name=self.name))
        except EvaluatorError as error:
            late = time.monotonic() - began >= self.timeout * 0.9
            return Outcome(failure=self.shorten(str(error)), late=late)

    def run_batch(self, messages: Sequence[bytes]) -> list[Outcome]:
        """Run the program once on several messages, a line each."""
        try:
            answers = self._prepare().run_batch([Question(message) for message in messages])
        except EvaluatorError as error:
            return [Outcome(failure=self.shorten(str(error)))] * len(messages)
        return [self._read(answer) for answer in answers]

    def _read(self, answer: Finished | EvaluatorError) -> Outcome:
        if isinstance(answer, EvaluatorError):
            return Outcome(failure=self.shorten(str(answer)))
        try:
            return Outcome(wire_protocol.read_grade(answer.stdout, name=self.name))
        except EvaluatorError as error:
            return Outcome(failure=self.shorten(str(error)))

    def _prepare(self) -> Start:
        return isolation.prepare_program(
            self.command,
            timeout=self.timeout,
            folder=Path(self.command[-1]).parent,
            rights=self.grants.rights,
            packages=self.readable,
            level=self.level,
        )

    def _exchange(self, message: bytes) -> bytes:
        finished = self._prepare().run(message)
        if finished.exit_code != 0:
            said = _describe_crash(finished.stderr)
            msg = f"exited with code {finished.exit_code}{f': {said}' if said else ''}"
            raise EvaluatorError(msg)
        return finished.stdout

    def shorten(self, text: str) -> str:
        """Return output of a program as one short line, without the path of the copy and without
        the values that it was given."""
        told = text.removeprefix(f"evaluator {self.name!r} ")
        told = told.replace(str(self.home), self.shown)
        for _, value in self.grants.environment:
            told = told.replace(value, "…") if value else told
        return plain(told, _SHOWN)


@contextmanager
def open_program(
    entry: Entry, grants: Grants, *, level: str, timeout: float
) -> Iterator[SandboxedProgram]:
    """Copy the entry's files and yield its program; EvaluatorError where it cannot run.

    Files that no index would list are not copied: compiled, binary, long or ignored ones.
    """
    assert entry.manifest is not None  # noqa: S101 -- the caller runs only what can be read
    with TemporaryDirectory(prefix="agentevals-smoke-") as folder:
        home = Path(folder, entry.name)
        _copy(entry, home)
        Path(folder).chmod(0o755)
        command, readable = _build_command(home / entry.manifest.entrypoint, _keep_lock(entry))
        yield SandboxedProgram(
            name=entry.name,
            home=home,
            shown=entry.folder,
            command=command,
            readable=readable,
            grants=grants,
            level=level,
            timeout=timeout,
        )


def _copy(entry: Entry, home: Path) -> None:
    for file in evaluator_files.drop_compiled(entry.files):
        content = entry.read_bytes(file, _LARGEST)
        if evaluator_files.find_unreviewable(content):
            continue
        target = home / file
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)
    for path in (home, *home.rglob("*")):
        path.chmod(0o755 if path.is_dir() else 0o644)


def _keep_lock(entry: Entry) -> Path | None:
    """Keep the requirements at a lasting path, by which an environment is known."""
    path = find_requirements(entry)
    if not path:
        return None
    content = entry.read_bytes(path, _LARGEST)
    return keep("locks", f"{hashlib.sha256(content).hexdigest()}/requirements.txt", content)


def find_requirements(entry: Entry) -> str:
    """Return the file that the manifest names, or the one that the engine finds by itself."""
    named = entry.manifest.requirements if entry.manifest else ""
    path = named or "requirements.txt"
    return path if path in entry.files else ""


def _build_command(program: Path, lock: Path | None) -> tuple[list[str], tuple[Path, ...]]:
    try:
        runtime = runtime_for(program)
        if lock is None or not isinstance(runtime, PythonRuntime):
            return runtime.build_command(program), ()
    except RuntimeError as error:
        raise EvaluatorError(str(error)) from error
    own = program_environments.prepare(lock, _Hashed())
    return PythonRuntime(own.python).build_command(program), (own.folder,)


class _Hashed(Installer):
    """Installs nothing that has no hash."""

    def install(self, python: Path, *what: str) -> list[str]:
        return super().install(python, "--require-hashes", *what)


def keep(kind: str, name: str, content: bytes) -> Path:
    """Keep a file of the cache with this content."""
    path = find_root() / kind / name
    if find(kind, name) == content:
        return path
    path.parent.mkdir(parents=True, exist_ok=True)
    atomic_files.write(path, content)
    return path


def find(kind: str, name: str) -> bytes | None:
    """Return the content of a file of the cache, None when there is none."""
    with suppress(OSError):
        return (find_root() / kind / name).read_bytes()
    return None


def find_root() -> Path:
    return atomic_files.find_user_cache() / "smoke"
