"""Registries of evaluators. To add one, write an EvaluatorSource and call `register_source`.

An installed package does the same with the entry-point group `agentevals.sources`.
"""

from abc import ABC, abstractmethod
from functools import cache
from pathlib import Path
from urllib.parse import quote

from agentevals.evaluator.evaluator_names import check_ref
from agentevals.evaluator.registry_index import EvaluatorInfo
from agentevals.model.builtins import EVALUATORS
from agentevals.model.errors import InputError
from agentevals.model.plugins import Table

__all__ = [
    "SOURCES", "BuiltinEvaluatorSource", "EvaluatorInfo", "EvaluatorSource", "check_ref",
    "get_sources", "register_source",
]  # fmt: skip


class EvaluatorSource(ABC):
    """A place that lists evaluators and hands them out."""

    @property
    @abstractmethod
    def source_name(self) -> str:
        """The name that a config gives as `source:`."""

    @property
    def cache_key(self) -> str:
        """A text that differs from the one of every other source."""
        return quote(self.source_name, safe="")

    @property
    def problem(self) -> str:
        """The reason why it cannot be used at all, or nothing; found without asking it."""
        return ""

    @abstractmethod
    async def list_evaluators(self) -> list[EvaluatorInfo]:
        """List every evaluator, or raise UnavailableError."""

    @abstractmethod
    async def fetch_evaluator(self, ref: str, dest: Path) -> Path:
        """Write the evaluator to the file `dest`, and what it needs beside; return its path."""


class BuiltinEvaluatorSource(EvaluatorSource):
    """The evaluators that ship with agentevals."""

    source_name = "builtin"

    async def list_evaluators(self) -> list[EvaluatorInfo]:
        return [
            EvaluatorInfo(name=name, description=each.description, source=self.source_name)
            for name, each in EVALUATORS.items()
        ]

    async def fetch_evaluator(self, ref: str, dest: Path) -> Path:  # noqa: ARG002 -- a seam
        msg = f"{ref!r} is a builtin, which is not fetched; use its name with type: builtin"
        raise InputError(msg)


_HOME = "agentevals.evaluator"

SOURCES: Table[type[EvaluatorSource]] = Table(
    "source",
    {
        "builtin": f"{_HOME}.sources:BuiltinEvaluatorSource",
        "github": f"{_HOME}.github_source:GitHubEvaluatorSource",
        "https": f"{_HOME}.https_source:HttpsEvaluatorSource",
        "file": f"{_HOME}.folder_source:FileEvaluatorSource",
    },
    group="agentevals.sources",
)

_registered: list[EvaluatorSource] = []


def register_source(source: EvaluatorSource) -> None:
    """Make `source: <name>` fetch from there, and `evaluator list` show what it has."""
    _registered.append(source)


def get_sources() -> list[EvaluatorSource]:
    """Return every source. A registered one replaces another of the same name."""
    every = [*(SOURCES[name]() for name in SOURCES.ours), *_load_installed(), *_registered]
    return list({source.source_name: source for source in every}.values())


@cache
def _load_installed() -> tuple[EvaluatorSource, ...]:
    return tuple(SOURCES[name]() for name in SOURCES if name not in SOURCES.ours)
