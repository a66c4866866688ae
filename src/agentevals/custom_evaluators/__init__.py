"""Third-party evaluators: which interpreter runs them, where they run, what they answered.

To add a language, write a Runtime and put it into `_RUNTIMES`; to add a place to run in, write
an EvaluatorBackend and call `register_executor`. An installed package does the same with the
entry-point groups `agentevals.runtimes` and `agentevals.executors`.
"""

import os
import stat
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib import import_module
from itertools import chain
from pathlib import Path
from typing import Any

import msgspec

from agentevals.custom_evaluators.evaluator_backend import Answer, EvaluatorBackend, Permissions
from agentevals.model.cases import Grade
from agentevals.model.conversations import Turn
from agentevals.model.errors import EvaluatorError, InputError, UnavailableError
from agentevals.model.plugins import Table, suggestion
from agentevals.sandbox import isolation, program_environments, wire_protocol
from agentevals.sandbox.isolation import Finished
from agentevals.sandbox.program_batches import Outcome
from agentevals.sandbox.program_rights import Rights
from agentevals.sandbox.program_runtimes import (
    ExecutableRuntime,
    NodeRuntime,
    PythonRuntime,
    Runtime,
)
from agentevals.sandbox.program_starts import Question, Start
from agentevals_evaluator_sdk import EvalInput, EvalResult

__all__ = [
    "CustomEvaluatorRunner",
    "EvaluatorBackend",
    "NodeRuntime",
    "Permissions",
    "PythonRuntime",
    "Runtime",
    "SubprocessBackend",
    "create_executor",
    "get_runtimes",
    "register_executor",
    "supported_extensions",
]

_RUNTIMES: list[Runtime] = [PythonRuntime(), NodeRuntime()]
_EXECUTABLE = ExecutableRuntime()
_FOREIGN_RUNTIMES: Table[type[Runtime]] = Table("runtime", {}, group="agentevals.runtimes")


def get_runtimes() -> list[Runtime]:
    """Every language there is: ours, registered ones, and those of installed packages."""
    return [*_RUNTIMES, *_load_installed()]


def _load_installed() -> Iterator[Runtime]:
    """Looked for only when it is walked to, because that is slow."""
    yield from (_FOREIGN_RUNTIMES[name]() for name in _FOREIGN_RUNTIMES)


def supported_extensions() -> set[str]:
    """The file name endings that some runtime takes."""
    return {extension for runtime in get_runtimes() for extension in runtime.extensions}


def runtime_for(path: Path) -> Runtime:
    """Return the runtime for this file, or raise a RuntimeError that says how to run it."""
    suffix = path.suffix.lower()
    for runtime in chain(_RUNTIMES, _load_installed()):
        if suffix in runtime.extensions:
            return runtime
    if os.access(path, os.X_OK):
        return _EXECUTABLE
    known = ", ".join(sorted(supported_extensions()))
    msg = f"no runtime for {path.name} (known: {known}); or give it a #! line and chmod +x it"
    raise RuntimeError(msg)


class SubprocessBackend(EvaluatorBackend):
    """A local file, run as a child process that is confined as well as this machine can."""

    def __init__(self, path: Path, timeout: float = 30, runtime: Runtime | None = None) -> None:
        self._path = Path(path).absolute()
        self._timeout = timeout
        self._runtime = runtime

    async def run(self, eval_input: EvalInput, metric_name: str) -> EvalResult:
        """As `exchange`, for callers that have and want objects."""
        message = eval_input.model_dump_json().encode()
        in_thread = import_module("asyncio").to_thread
        answer = await in_thread(self.exchange, message, metric_name, Permissions())
        wire_protocol.read_grade(answer.stdout, name=metric_name)
        return EvalResult.model_validate_json(answer.stdout)

    def exchange(self, message: bytes, metric_name: str, permissions: Permissions) -> Answer:
        """Run the program once: the message on stdin, the answer on stdout."""
        command, packages = self._find_command(metric_name, permissions.rights)
        with _naming(metric_name):
            finished = self._run(command, packages, message, permissions)
        if finished.exit_code != 0:
            what = f"evaluator {metric_name!r} exited with code {finished.exit_code}"
            raise EvaluatorError(finished.describe_end(what))
        if not finished.stdout.strip():
            what = f"evaluator {metric_name!r} printed nothing on stdout"
            raise EvaluatorError(finished.describe_end(what))
        return Answer(finished.stdout, finished.isolation)

    def exchange_batch(
        self, questions: Sequence[Question], metric_name: str, permissions: Permissions
    ) -> list[Answer | EvaluatorError]:
        """Run the program once for all messages, each on a line."""
        command, packages = self._find_command(metric_name, permissions.rights)
        with _naming(metric_name):
            outcomes = self._run_batch(command, packages, questions, permissions)
        return [
            EvaluatorError(f"evaluator {metric_name!r} {outcome}")
            if isinstance(outcome, EvaluatorError)
            else Answer(outcome.stdout, outcome.isolation)
            for outcome in outcomes
        ]

    def _find_command(self, metric_name: str, rights: Rights) -> tuple[list[str], tuple[Path, ...]]:
        if missing := self._explain_missing():
            msg = f"evaluator {metric_name!r}: {missing}"
            raise InputError(msg)
        try:
            return self._command(rights)
        except (EvaluatorError, RuntimeError) as error:
            msg = f"evaluator {metric_name!r}: {error}"
            raise EvaluatorError(msg) from error

    def _run(
        self,
        command: list[str],
        packages: Sequence[Path],
        message: bytes,
        permissions: Permissions,
    ) -> Finished:
        return self._prepare(command, packages, permissions).run(message)

    def _run_batch(
        self,
        command: list[str],
        packages: Sequence[Path],
        questions: Sequence[Question],
        permissions: Permissions,
    ) -> list[Outcome]:
        return self._prepare(command, packages, permissions).run_batch(questions)

    def _prepare(
        self, command: list[str], packages: Sequence[Path], permissions: Permissions
    ) -> Start:
        return isolation.prepare_program(
            command,
            timeout=self._timeout,
            folder=self._path.parent,
            rights=permissions.rights,
            env=permissions.env,
            memory_mb=permissions.memory_mb,
            packages=packages,
            level=permissions.level,
        )

    def problems(self) -> list[str]:
        """Check that the program exists, and an interpreter for it."""
        if missing := self._explain_missing():
            return [missing]
        try:
            (self._runtime or runtime_for(self._path)).build_command(self._path)
        except RuntimeError as error:
            return [str(error)]
        return []

    def _explain_missing(self) -> str:
        try:
            found = self._path.stat()
        except (OSError, ValueError):  # a ValueError is a NUL in the path
            what = "does not exist"
        else:
            if stat.S_ISREG(found.st_mode):
                return self._explain_unknown()
            what = "is a directory" if stat.S_ISDIR(found.st_mode) else "is not a file"
        return f"{self._path} {what}; give the path of an evaluator's program"

    def _explain_unknown(self) -> str:
        try:
            _ = self._runtime or runtime_for(self._path)
        except RuntimeError as error:
            return str(error)
        return ""

    def _command(self, rights: Rights) -> tuple[list[str], tuple[Path, ...]]:
        runtime = self._runtime or runtime_for(self._path)
        requirements = self._path.parent / "requirements.txt"
        if isinstance(runtime, PythonRuntime) and requirements.is_file():
            own = program_environments.prepare(requirements, rights=rights)
            return PythonRuntime(own.python).build_command(self._path), (own.folder,)
        return runtime.build_command(self._path), ()


@contextmanager
def _naming(metric_name: str) -> Iterator[None]:
    """Say in every error of the block whose it is."""
    try:
        yield
    except UnavailableError as error:
        msg = f"evaluator {metric_name!r} {error}"
        raise UnavailableError(msg) from error
    except EvaluatorError as error:
        msg = f"evaluator {metric_name!r} {error}"
        raise EvaluatorError(msg) from error


ExecutorFactory = Callable[[Path, Any], EvaluatorBackend]


def _docker(path: Path, timeout: float) -> EvaluatorBackend:
    """As every factory; what runs containers is imported only where there is one."""
    module = import_module("agentevals.custom_evaluators.docker_executor")
    backend: EvaluatorBackend = module.ContainerBackend(path, timeout)
    return backend


_EXECUTOR_FACTORIES: dict[str, ExecutorFactory] = {"local": SubprocessBackend, "docker": _docker}
_FOREIGN_EXECUTORS: Table[ExecutorFactory] = Table("executor", {}, group="agentevals.executors")


def register_executor(name: str, factory: ExecutorFactory) -> None:
    """Make `executor: <name>` run evaluators with what `factory(path, timeout)` returns."""
    _EXECUTOR_FACTORIES[name] = factory


def executor_names() -> list[str]:
    """Return the names that `executor:` accepts."""
    return [*_EXECUTOR_FACTORIES, *(n for n in _FOREIGN_EXECUTORS if n not in _EXECUTOR_FACTORIES)]


def create_executor(executor_name: str, path: Path, timeout: float = 30) -> EvaluatorBackend:
    """The backend that runs this file, or an InputError for an executor nobody knows."""
    factory = _EXECUTOR_FACTORIES.get(executor_name)
    if factory is None and executor_name in _FOREIGN_EXECUTORS:
        factory = _FOREIGN_EXECUTORS[executor_name]
    if factory is None:
        msg = f"unknown executor {executor_name!r}{suggestion(executor_name, executor_names())}"
        raise InputError(msg)
    return factory(path, timeout)


class CustomEvaluatorRunner:
    """A backend with the name, threshold and settings of one evaluator: judges our turns."""

    def __init__(
        self,
        backend: EvaluatorBackend,
        metric_name: str,
        threshold: float = 0.5,
        config: Mapping[str, Any] | None = None,
        performance_metrics: Mapping[str, Any] | None = None,
    ) -> None:
        self._backend = backend
        self._asked = wire_protocol.EvaluatorSettings(metric_name, threshold, config or {})
        self._performance = performance_metrics

    def evaluate(
        self,
        actual: Sequence[Turn],
        expected: Sequence[Turn] | None = None,
        turn_performance: Sequence[Mapping[str, Any]] = (),
        permissions: Permissions | None = None,
    ) -> Grade:
        """Judge one conversation."""
        message = wire_protocol.encode_input(
            self._asked, actual, expected, self._performance, turn_performance
        )
        name = self._asked.metric_name
        answer = self._backend.exchange(message, name, permissions or Permissions())
        return read_grade(answer, name)

    async def evaluate_invocations(
        self, actual: Sequence[Turn], expected: Sequence[Turn] | None = None
    ) -> Grade:
        """As `evaluate`, for callers with an event loop."""
        in_thread = import_module("asyncio").to_thread
        grade: Grade = await in_thread(self.evaluate, actual, expected)
        return grade


def read_grade(answer: Answer, name: str) -> Grade:
    """Return the grade of an evaluator, with the isolation it ran in."""
    grade = wire_protocol.read_grade(answer.stdout, name=name)
    return msgspec.structs.replace(grade, isolation=answer.isolation)
