"""Expected failures, and the exit codes they end the process with.

0  every gate passed
1  a gate failed
2  something you wrote is wrong: a config, a trace, a manifest, an option
3  an external service is unavailable: GitHub, a registry, a judge
4  a bug in agentevals
130  the run was cancelled by SIGINT: by GitHub, or with Ctrl-C
143  the run was cancelled by SIGTERM: by `docker stop`, for example
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar, Final, NamedTuple

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


class Extent(NamedTuple):
    """The begin and the end of a value: lines and columns count from 1, characters from 0."""

    line: int = 1
    column: int = 1
    end_line: int = 1
    end_column: int = 1
    start: int = 0
    end: int = 0


BEGIN: Final = Extent()


def point(line: int, column: int = 0) -> Extent:
    """Return the extent of which only the begin is known."""
    return Extent(line, column, line, column)


@dataclass(frozen=True, slots=True)
class Edit:
    """Characters `start` to `end` of a manifest become `text`, which nobody has to think about."""

    start: int
    end: int
    text: str


@dataclass(frozen=True, kw_only=True)
class Problem:
    """One thing wrong in a text, at the place where it can be fixed.

    A reader that is strict names the rule that is broken, what to do, and the edit that does it.
    """

    message: str
    path: str = ""
    at: Extent | None = None
    rule: str = ""
    fix: str = ""
    edit: Edit | None = None

    @property
    def line(self) -> int | None:
        """The line, where there is one."""
        return self.at.line if self.at else None

    @property
    def column(self) -> int | None:
        """The column, where it is known."""
        return (self.at.column or None) if self.at else None

    @property
    def advice(self) -> str:
        """The message, with what to do about it."""
        return f"{self.message}; {self.fix}" if self.fix else self.message

    def __str__(self) -> str:
        place = ":".join(str(part) for part in (self.path, self.line, self.column) if part)
        return f"{place}: {self.message}"


class ConfigError(InputError):
    """All mistakes in a file that the user wrote, at once."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = tuple(problems)
        lines = [str(problem) for problem in self.problems[:_MOST_SAID]]
        if unsaid := len(self.problems) - len(lines):
            lines.append(f"and {unsaid:,} more; correct these first")
        super().__init__("\n".join(lines))
