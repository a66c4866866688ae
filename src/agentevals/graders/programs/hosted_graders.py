"""Evaluators that are a class or a function of somebody's Python: a host in a child asks them."""

import json
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from agentevals.graders.grader import Services
from agentevals.graders.programs import ThirdPartyGrader, program_grants
from agentevals.graders.programs.program_grants import NO_LOAN, Loan
from agentevals.model.errors import AgentEvalsError, EvaluatorError, InputError
from agentevals.sandbox import isolation, program_environments
from agentevals.sandbox.isolation import BEST, Finished, Rights

_REASON_SHOWN = 4000
_PACKAGE = "agentevals_evaluator_sdk"
_REQUIREMENTS = "requirements.txt"
_FAILED = "error"  # the kind of a result that says why there is none

# of times, which people read, everywhere the same
_ENVIRONMENT = {"TZ": "UTC"}

Answer = dict[str, Any]


class RefusedError(EvaluatorError):
    """A host's own reason why there is no answer."""


class UnloadedError(RefusedError):
    """A host's reason why the code cannot be used at all."""


class ThirdPartyCode(NamedTuple):
    """Third-party code: the host that asks it, the folder it lies in, what else it reads."""

    host: str
    folder: Path
    readable: tuple[Path, ...] = ()


class HostedGrader(ThirdPartyGrader):
    """An evaluator that a program of ours imports and asks, isolated like any other program."""

    def ask_host(
        self, code: ThirdPartyCode, question: Answer, services: Services
    ) -> tuple[Answer, str]:
        """Return the host's answer, and how well it was isolated."""
        try:
            with program_grants.lend(self, services, name=self.name) as loan:
                answer = run_host(
                    code,
                    question,
                    timeout=self.timeout,
                    loan=loan,
                    memory_mb=self.memory_mb,
                    level=self.level(services),
                )
                loan.check(self.name)
                return answer
        except EvaluatorError as error:
            raise self._explain(error) from error

    def load_in_host(self, code: ThirdPartyCode, question: Answer, services: Services) -> Answer:
        """Return what the host finds when it only loads the code, which is granted nothing.

        Whoever approves grants may not have been asked yet. Where some are written, code that
        cannot be loaded without them may need them: then nothing is found.
        """
        try:
            answer, _ = run_host(
                code,
                {"task": "inspect", **question},
                timeout=self.timeout,
                memory_mb=self.memory_mb,
                level=self.level(services),
            )
        except EvaluatorError as error:
            if self.is_granted:
                return {}
            raise self._explain(error) from error
        return answer

    def _explain(self, error: EvaluatorError) -> AgentEvalsError:
        mark = ":" if isinstance(error, RefusedError) else ""
        kind = InputError if isinstance(error, UnloadedError) else EvaluatorError
        return kind(f"evaluator {self.name!r}{mark} {error}")


def run_host(  # noqa: PLR0913 -- every permission is named where it is given
    code: ThirdPartyCode,
    question: Answer,
    *,
    timeout: float = 30,
    loan: Loan = NO_LOAN,
    memory_mb: int = 1024,
    level: str = BEST,
) -> tuple[Answer, str]:
    """Ask a host of the SDK, or raise EvaluatorError with the host's own reason."""
    command, lent = _build_command(code, loan.rights)
    finished = isolation.run_program(
        command,
        stdin=_encode(question),
        timeout=timeout,
        folder=code.folder,
        env={**_ENVIRONMENT, **loan.env},
        rights=loan.rights,
        memory_mb=memory_mb,
        readable=code.readable,
        packages=lent,
        level=level,
    )
    if finished.exit_code != 0:
        raise EvaluatorError(finished.describe_end(f"exited with code {finished.exit_code}"))
    answer = _decode(finished)
    if error := answer.get("error"):
        kind = UnloadedError if answer.get("unloaded") else RefusedError
        raise kind(_shorten(finished.explain(str(error))))
    if answer.get("kind") == _FAILED:
        answer["hint"] = finished.find_hint(str(answer.get("details")))
    return answer, finished.isolation


def _build_command(code: ThirdPartyCode, rights: Rights) -> tuple[list[str], tuple[Path, ...]]:
    """With the packages that a `requirements.txt` beside the code lists, where there is one."""
    script = Path("hosts", f"{code.host}.py")
    requirements = code.folder / _REQUIREMENTS
    if not requirements.is_file():
        return [sys.executable, str(_find_home() / script)], ()
    own = program_environments.prepare(requirements, rights=rights)
    return [str(own.python), str(own.lent / _PACKAGE / script)], (own.folder,)


def _find_home() -> Path:
    spec = find_spec(_PACKAGE)
    return Path(spec.origin).parent if spec and spec.origin else Path()


def _encode(question: Answer) -> bytes:
    try:
        return msgspec.json.encode(question, enc_hook=str)
    except UnicodeEncodeError:  # half of a surrogate pair, which JSON can spell and UTF-8 cannot
        return json.dumps(msgspec.to_builtins(question, enc_hook=str)).encode()
    except RecursionError as error:
        msg = "cannot be asked: the conversation is nested too deeply to be sent"
        raise EvaluatorError(msg) from error


def _decode(finished: Finished) -> Answer:
    try:
        answer = msgspec.json.decode(finished.stdout)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        answer = None
    if not isinstance(answer, dict):
        raise EvaluatorError(finished.describe_end("gave no answer"))
    return answer


def _shorten(reason: str) -> str:
    half = _REASON_SHOWN // 2
    return reason if len(reason) <= _REASON_SHOWN else f"{reason[:half]}…{reason[-half:]}"
