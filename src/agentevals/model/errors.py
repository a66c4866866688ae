"""Every failure we expect, and the exit code it ends the process with.

0  every gate passed
1  a gate failed
2  something the user wrote is wrong: a config, a trace, a manifest, an option
3  something outside is unavailable: GitHub, a registry, a judge model
4  a bug in agentevals: anything that is not an AgentEvalsError
130  the run was cancelled by SIGINT: by GitHub, or with Ctrl-C
143  the run was cancelled by SIGTERM: by `docker stop`, for example
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

_MOST_SAID = 200  # problems of one document; nobody reads more


class AgentEvalsError(Exception):
    """A failure whose message is written for the person who can fix it."""

    exit_code: ClassVar[int] = 4


class InputError(AgentEvalsError):
    """A file or an option the user wrote is wrong."""

    exit_code = 2


class UnavailableError(AgentEvalsError):
    """A service we depend on did not answer."""

    exit_code = 3


class EvaluatorError(AgentEvalsError):
    """One evaluator could not grade one case. Recorded in the report, never fatal by itself."""

    exit_code = 1


@dataclass(frozen=True, kw_only=True)
class Problem:
    """One thing wrong in a file, at the place where it can be fixed."""

    message: str
    path: str
    line: int | None = None
    column: int | None = None

    def __str__(self) -> str:
        place = ":".join(str(part) for part in (self.path, self.line, self.column) if part)
        return f"{place}: {self.message}"


class ConfigError(InputError):
    """Everything that is wrong with what the user wrote, at once."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = tuple(problems)
        lines = [str(problem) for problem in self.problems[:_MOST_SAID]]
        if unsaid := len(self.problems) - len(lines):
            lines.append(f"and {unsaid:,} more; correct these first")
        super().__init__("\n".join(lines))
