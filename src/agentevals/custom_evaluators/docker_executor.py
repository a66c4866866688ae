"""`executor: docker`: a local file that runs in a container, on the engine of this machine."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from agentevals.custom_evaluators import Permissions, SubprocessBackend, runtime_for
from agentevals.model.errors import EvaluatorError, UnavailableError
from agentevals.sandbox import program_environments
from agentevals.sandbox.container.container_engine import find_engine
from agentevals.sandbox.container.container_run import Job, run_in_container
from agentevals.sandbox.isolation import Finished
from agentevals.sandbox.program_batches import VARIABLE, Outcome, ask_batch
from agentevals.sandbox.program_rights import Rights
from agentevals.sandbox.program_runtimes import (
    ExecutableRuntime,
    NodeRuntime,
    PythonRuntime,
    Runtime,
)
from agentevals.sandbox.program_starts import Question

# by the names that images have for them
_INTERPRETERS: dict[type[Runtime], list[str]] = {
    PythonRuntime: ["python3"],
    NodeRuntime: ["node"],
    ExecutableRuntime: [],
}
_NO_NETWORK = (
    "cannot be started: executor 'docker' gives single hosts and never the whole network; name "
    "them, such as `network: [api.example.com]`, or use executor: local"
)


class ContainerBackend(SubprocessBackend):
    """A local file that is copied into a container without a network, and runs there."""

    def problems(self) -> list[str]:
        """Check that the program exists, that images can run it, and that an engine answers."""
        if missing := self._explain_missing():
            return [missing]
        try:
            self._find_interpreter()
            find_engine()
        except (EvaluatorError, UnavailableError, RuntimeError) as error:
            return [str(error)]
        return []

    def describe(self) -> str:
        """Return the socket of the engine, or why there is none."""
        try:
            return f"engine at {find_engine().place}"
        except UnavailableError as error:
            return str(error).removeprefix("cannot be started: ")

    def _command(self, rights: Rights) -> tuple[list[str], tuple[Path, ...]]:
        interpreter = self._find_interpreter()
        requirements = self._path.parent / "requirements.txt"
        if interpreter == _INTERPRETERS[PythonRuntime] and requirements.is_file():
            return interpreter, (
                program_environments.prepare(requirements, rights=rights).packages,
            )
        return interpreter, ()

    def _find_interpreter(self) -> list[str]:
        runtime = self._runtime or runtime_for(self._path)
        if type(runtime) not in _INTERPRETERS:
            what = f"a container runs Python, Node and executable files, not {runtime.name}"
            msg = f"{what}; use executor: local"
            raise EvaluatorError(msg)
        return _INTERPRETERS[type(runtime)]

    def _run(
        self,
        command: list[str],
        packages: Sequence[Path],
        message: bytes,
        permissions: Permissions,
    ) -> Finished:
        job = self._describe(command, packages, permissions)
        return run_in_container(job, message, timeout=self._timeout)

    def _run_batch(
        self,
        command: list[str],
        packages: Sequence[Path],
        questions: Sequence[Question],
        permissions: Permissions,
    ) -> list[Outcome]:
        job = self._describe(command, packages, permissions)
        job = replace(job, env={**job.env, VARIABLE: "1"})

        def run(stdin: bytes, timeout: float) -> Finished:
            return run_in_container(job, stdin, timeout=timeout)

        return ask_batch([question.message for question in questions], self._timeout, run)

    def _describe(
        self, command: list[str], packages: Sequence[Path], permissions: Permissions
    ) -> Job:
        if permissions.rights.network:
            raise EvaluatorError(_NO_NETWORK)
        return Job(
            program=self._path,
            interpreter=command,
            image=permissions.image,
            packages=packages[0] if packages else None,
            memory_mb=permissions.memory_mb,
            rights=permissions.rights,
            level=permissions.level,
            env=permissions.env,
        )
