"""Registries of evaluators. To add one, write an EvaluatorSource and call `register_source`.

An installed package does the same with the entry-point group `agentevals.sources`.
"""

import os
import re
import shutil
from abc import ABC, abstractmethod
from functools import cache
from pathlib import Path
from urllib.parse import quote, urlsplit

from agentevals import web
from agentevals.errors import InputError, UnavailableError
from agentevals.evaluator import index
from agentevals.evaluator.builtins import DESCRIPTIONS
from agentevals.evaluator.index import EvaluatorInfo
from agentevals.seams import Table

__all__ = [
    "BuiltinEvaluatorSource",
    "EvaluatorInfo",
    "EvaluatorSource",
    "FileEvaluatorSource",
    "GitHubEvaluatorSource",
    "check_ref",
    "get_sources",
    "register_source",
]

_RAW_URL = "https://raw.githubusercontent.com"
_REPOSITORY = re.compile(r"[\w-][\w.-]*/[\w-][\w.-]*", re.ASCII)
_SEGMENT = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_-]*(\.[A-Za-z0-9_-]+)*")
_LONGEST_REF, _DEEPEST_REF = 512, 16
_ENDINGS = (".py", ".js", ".ts")
_FOUND, _MISSING, _REFUSED = 200, 404, (401, 403)


class EvaluatorSource(ABC):
    """A place that lists evaluators and hands them out."""

    @property
    @abstractmethod
    def source_name(self) -> str:
        """What a config writes after `source:`."""

    @property
    def cache_key(self) -> str:
        """A relative path that tells the contents of this source apart from all others."""
        return quote(self.source_name, safe="")

    @abstractmethod
    async def list_evaluators(self) -> list[EvaluatorInfo]:
        """Everything that is there, or UnavailableError."""

    @abstractmethod
    async def fetch_evaluator(self, ref: str, dest: Path) -> Path:
        """Put the evaluator into the file `dest` and its requirements beside; say where it is."""


class BuiltinEvaluatorSource(EvaluatorSource):
    """The evaluators that ship with agentevals."""

    @property
    def source_name(self) -> str:
        return "builtin"

    async def list_evaluators(self) -> list[EvaluatorInfo]:
        return [
            EvaluatorInfo(name=name, description=description, source=self.source_name)
            for name, description in DESCRIPTIONS.items()
        ]

    async def fetch_evaluator(self, ref: str, dest: Path) -> Path:  # noqa: ARG002 -- a seam
        msg = f"{ref!r} is a builtin, which is not fetched; use its name with type: builtin"
        raise InputError(msg)


class GitHubEvaluatorSource(EvaluatorSource):
    """A branch of a GitHub repository: `index.yaml` lists what it has.

    Room for later: the branch resolved to a commit, and hashes from the index.
    """

    terms = web.TERMS

    def __init__(
        self,
        repo: str | None = None,
        branch: str | None = None,
        index_path: str | None = None,
        token: str | None = None,
    ) -> None:
        env = os.environ
        self.repo = repo or env.get("AGENTEVALS_EVALUATOR_REPO") or "agentevals-dev/evaluators"
        self.branch = branch or env.get("AGENTEVALS_EVALUATOR_BRANCH") or "main"
        self._index_path = index_path or "index.yaml"
        self._base = (env.get("AGENTEVALS_RAW_URL") or _RAW_URL).rstrip("/")
        self._token = token or env.get("AGENTEVALS_GITHUB_TOKEN") or env.get("GITHUB_TOKEN")

    @property
    def source_name(self) -> str:
        return "github"

    @property
    def cache_key(self) -> str:
        host = urlsplit(self._base).netloc if self._base != _RAW_URL else "github"
        return "/".join(quote(part, safe="") for part in (host, self.repo, self.branch))

    async def list_evaluators(self) -> list[EvaluatorInfo]:
        text = self._get(self._index_path)
        if text is None:
            raise UnavailableError(self._said(self._index_path, "does not exist"))
        return index.read(text, source=self.source_name, where=f"{self.repo}/{self._index_path}")

    async def fetch_evaluator(self, ref: str, dest: Path) -> Path:
        check_ref(ref)
        program = self._get(ref)
        if program is None:
            private = "" if self._token else "; for a private one set AGENTEVALS_GITHUB_TOKEN"
            raise InputError(self._said(ref, f"does not exist{private}"))
        requirements = self._get(f"{ref.rpartition('/')[0]}/requirements.txt".lstrip("/"))
        dest.parent.mkdir(parents=True, exist_ok=True)
        if requirements is not None:
            dest.with_name("requirements.txt").write_bytes(requirements)
        dest.write_bytes(program)
        return dest

    def _get(self, path: str) -> bytes | None:
        """A file of the branch, None when there is none."""
        if not _REPOSITORY.fullmatch(self.repo):
            msg = f"AGENTEVALS_EVALUATOR_REPO: {self.repo!r} is not a repository; write owner/name"
            raise InputError(msg)
        if os.environ.get("AGENTEVALS_OFFLINE"):
            raise UnavailableError(self._said(path, "is not in the cache and this run is offline"))
        url = f"{self._base}/{self.repo}/{quote(self.branch)}/{quote(path)}"
        headers = {"authorization": f"token {self._token}"} if self._token else {}
        response = web.get(url, headers=headers, timeout=30, terms=self.terms)
        if response.status == _MISSING:
            return None
        if response.status in _REFUSED:
            what = f"was refused ({response.status}); check AGENTEVALS_GITHUB_TOKEN"
            raise UnavailableError(self._said(path, what))
        if response.status != _FOUND:
            raise UnavailableError(self._said(path, f"was answered with {response.status}"))
        if response.body.lstrip()[:15].lower().startswith((b"<!doctype", b"<html")):
            raise UnavailableError(self._said(path, "was answered with a web page"))
        return response.body

    def _said(self, path: str, what: str) -> str:
        return f"{path} {what} (repository {self.repo}, branch {self.branch})"


class FileEvaluatorSource(EvaluatorSource):
    """A folder on this machine, laid out as a registry: folders with an `evaluator.yaml`."""

    def __init__(self, path: Path) -> None:
        self._folder = Path(path)

    @property
    def source_name(self) -> str:
        return "file"

    @property
    def cache_key(self) -> str:
        return f"file/{quote(str(self._folder.absolute()), safe='')}"

    async def list_evaluators(self) -> list[EvaluatorInfo]:
        return [
            index.read_manifest(manifest, source=self.source_name, root=self._folder)
            for manifest in sorted(self._folder.glob("**/evaluator.yaml"))
        ]

    async def fetch_evaluator(self, ref: str, dest: Path) -> Path:
        check_ref(ref)
        program = self._folder / ref
        if not program.is_file():
            msg = f"{program} does not exist"
            raise InputError(msg)
        dest.parent.mkdir(parents=True, exist_ok=True)
        requirements = program.with_name("requirements.txt")
        if requirements.is_file():
            shutil.copyfile(requirements, dest.with_name("requirements.txt"))
        return Path(shutil.copyfile(program, dest))


_registered: list[EvaluatorSource] = []


def register_source(source: EvaluatorSource) -> None:
    """Make `source: <name>` fetch from there, and `evaluator list` show what it has."""
    _registered.append(source)


def get_sources() -> list[EvaluatorSource]:
    """Every source there is now. A registered one stands in for another of the same name."""
    every = [BuiltinEvaluatorSource(), GitHubEvaluatorSource(), *_installed(), *_registered]
    return list({source.source_name: source for source in every}.values())


@cache
def _installed() -> tuple[EvaluatorSource, ...]:
    table: Table[type[EvaluatorSource]] = Table("source", {}, group="agentevals.sources")
    return tuple(table[name]() for name in table)


def check_ref(ref: str) -> str:
    """The reference itself, or a ValueError when it could lead out of its source."""
    segments = ref.split("/")
    if not 0 < len(ref) <= _LONGEST_REF or len(segments) > _DEEPEST_REF:
        msg = f"must have 1 to {_LONGEST_REF} characters and at most {_DEEPEST_REF} segments"
        raise ValueError(msg)
    if not all(_SEGMENT.fullmatch(segment) for segment in segments):
        msg = "must be a relative path of letters, digits, '.', '_' and '-', like a/b/c.py"
        raise ValueError(msg)
    if not ref.endswith(_ENDINGS):
        msg = f"must end in {', '.join(_ENDINGS)}"
        raise ValueError(msg)
    return ref
