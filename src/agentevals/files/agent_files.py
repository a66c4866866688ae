"""The files that an agent is made of, as `agent:` of a config lists them, and their digest."""

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from difflib import get_close_matches
from fnmatch import fnmatchcase
from functools import cached_property
from glob import escape
from hashlib import sha256
from itertools import islice
from os import path as names
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from agentevals.files.named_files import find_matches
from agentevals.files.project_paths import read_pattern, split_pattern
from agentevals.model.plugins import Lazy

if TYPE_CHECKING:
    from agentevals.files import git_process
else:  # most configs do not list the files of the agent
    git_process = Lazy("agentevals.files.git_process")

_LENGTH = 40  # hexadecimal digits
# what programs write beside an agent; it is made of what git tracks or a pattern names of it
_SKIPPED = frozenset(
    {".git", "__pycache__", "node_modules", ".venv", "venv", ".DS_Store"}
    | {".pytest_cache", ".mypy_cache", ".ruff_cache"}
)
_WRITTEN = (".pyc", ".egg-info")  # endings of what an installation writes
_BINARY = b"\0"
_SOURCES = frozenset({".py", ".ts", ".js", ".mjs", ".cjs", ".go", ".java", ".cs", ".rs", ".rb"})
_DEPENDENCIES = frozenset(
    {"requirements.txt", "pyproject.toml", "uv.lock", "package.json", "package-lock.json", "go.mod"}
)
_PROMPTS = frozenset({"prompts", "prompt", "instructions"})
# folders and files that judge or describe an agent, or that programs write
_BESIDE = frozenset(
    {"traces", "recordings", "tests", "test", "docs", "evals", "evaluators", "node_modules"}
    | {"venv", "dist", "build", "agentevals-report", "conftest.py", "setup.py", "__pycache__"}
)
_MANIFEST = "evaluator.yaml"  # is in the folder of an evaluator
_LOOKED_AT = 2_000  # files of a folder


@dataclass(frozen=True)
class AgentFiles:
    """Patterns for the files of an agent, relative to the folder of the config.

    A folder stands for all files below it. `!pattern` leaves files out. In the `unpacked` tree of a
    commit, each file is one that git tracks.
    """

    folder: Path
    patterns: tuple[str, ...]
    unpacked: bool = False

    def move(self, start: Path, goal: Path, *, unpacked: bool = False) -> "AgentFiles":
        """Return the same files in another tree."""
        if not self.folder.is_relative_to(start):
            return self
        return AgentFiles(goal / self.folder.relative_to(start), self.patterns, unpacked)

    def compute_digest(self) -> str:
        """Return the digest of names and contents; empty where no file is found.

        Line ends count as one character, because git may change them in a checkout.
        """
        found = sorted(self._find())
        if not found:
            return ""
        root = self._root
        lines = "\n".join(f"{name}\0{_digest_content(path, root)}" for name, path in found)
        return sha256(lines.encode("utf-8", "replace")).hexdigest()[:_LENGTH]

    def list_files(self) -> list[Path]:
        """Return what is found, by name."""
        return [path for _, path in sorted(self._find())]

    def is_empty(self) -> bool:
        """Return whether no file is found."""
        return next(self._find(), None) is None

    def select(self, pattern: str) -> "AgentFiles":
        """Return what one of the patterns names, without what the others leave out."""
        left_out = (text for text in self.patterns if text.startswith("!"))
        return replace(self, patterns=(pattern, *left_out))

    def find_near(self, pattern: str, top: Path) -> str:
        """Return the existing path below `top` that is nearest to a pattern; empty if none is."""
        start = top if self.folder.is_relative_to(top) else self.folder
        there = islice(_walk(start, start), _LOOKED_AT)
        known = {self._name(folder) for path in there for folder in (path, path.parent)}
        near = get_close_matches(names.normpath(pattern), known - {".", ".."}, n=1)
        return near[0] if near else ""

    def matches(self, path: Path) -> bool:
        """Return whether a file of a commit belongs to the agent, whether it exists here or not.

        So does what a link of the agent leads to.
        """
        name = self._name(path)
        if self._leaves_out(name):
            return False
        covered = any(_covers(pattern, name) for pattern in self._covered)
        return covered or any(path.is_relative_to(goal) for goal in self._goals)

    @cached_property
    def _goals(self) -> frozenset[Path]:
        """The files and folders that links lead to."""
        matches = (match for pattern in self._joined for match in find_matches(pattern))
        links = (path for _, path in self._find() if path.is_symlink())
        there = {path: Path(names.realpath(path)) for path in (*matches, *links)}
        here = Path(names.realpath(self._root))
        led = (goal for path, goal in there.items() if goal != Path(names.normpath(path)))
        return frozenset(
            self._root / goal.relative_to(here) for goal in led if goal.is_relative_to(here)
        )

    @property
    def _root(self) -> Path:
        """The repository. What a link finds outside of it is never read."""
        around = (self.folder, *self.folder.parents)
        return next((folder for folder in around if (folder / ".git").exists()), self.folder)

    @property
    def _wanted(self) -> list[str]:
        return [names.normpath(text) for text in self.patterns if not text.startswith("!")]

    def _leaves_out(self, name: str) -> bool:
        return any(_covers(pattern, name) for pattern in self._left_out)

    @cached_property
    def _covered(self) -> list[str]:
        return [read_pattern(self.folder, text) for text in self._wanted]

    @property
    def _joined(self) -> list[str]:
        return [str(Path(escape(str(self.folder)), pattern)) for pattern in self._covered]

    @cached_property
    def _left_out(self) -> list[str]:
        negated = (names.normpath(text[1:]) for text in self.patterns if text.startswith("!"))
        return [read_pattern(self.folder, text) for text in negated]

    def _name(self, path: Path) -> str:
        return PurePosixPath(names.relpath(path, self.folder)).as_posix()

    def _find(self) -> Iterator[tuple[str, Path]]:
        seen: set[str] = set()
        for pattern in self._joined:
            for name, path in self._find_by(pattern):
                kept = name not in seen and not self._leaves_out(name)
                if kept and (path.is_symlink() or path.is_file()):
                    seen.add(name)
                    yield name, path

    def _find_by(self, pattern: str) -> Iterator[tuple[str, Path]]:
        """Yield what one pattern names. What it names as it is called is nothing to be skipped."""
        start = PurePosixPath(self._name(split_pattern(pattern)[0]))
        for match in find_matches(pattern):
            below = _walk(match, self._root, self._is_tracked) if match.is_dir() else [match]
            for path in below:
                name = self._name(path)
                inner = PurePosixPath(name).relative_to(start)
                if not _is_skipped(inner) or self._is_tracked(path):
                    yield name, path

    def _is_tracked(self, path: Path) -> bool:
        """Return whether git tracks what looks as if a program had written it."""
        return self.unpacked or str(Path(names.realpath(path.parent), path.name)) in self._tracked

    @cached_property
    def _tracked(self) -> frozenset[str]:
        """All such files, and the folders around them."""
        root = self._root
        git = git_process.Git(root, git_process.describe_foreign(root))
        listed = git.answer("ls-files", "-z") or b""
        given = (PurePosixPath(os.fsdecode(name)) for name in listed.split(b"\0"))
        found = (Path(names.realpath(root), name) for name in given if _is_skipped(name))
        return frozenset(str(path) for file in found for path in (file, *file.parents))


def _is_never(_: Path) -> bool:
    return False


def _walk(
    folder: Path,
    root: Path,
    is_tracked: Callable[[Path], bool] = _is_never,
    seen: frozenset[str] = frozenset(),
) -> Iterator[Path]:
    """Yield the files below a folder, the links, and what lies in folders that links lead to."""
    seen |= {names.realpath(folder)}
    for top, inner, files in os.walk(folder):
        inner[:] = [name for name in inner if name not in _SKIPPED or is_tracked(Path(top, name))]
        links = [Path(top, name) for name in inner if Path(top, name).is_symlink()]
        yield from (Path(top, name) for name in files)
        yield from links
        for link in links:
            if names.realpath(link) not in seen and _lies_in(link, root):
                yield from _walk(link, root, is_tracked, seen)


def _lies_in(path: Path, root: Path) -> bool:
    return Path(names.realpath(path)).is_relative_to(names.realpath(root))


def find_agent_files(folder: Path) -> Iterator[str]:
    """Yield the files and folders that seem to hold the agent, for want of a list."""
    for path in sorted(folder.iterdir(), key=lambda path: path.name.lower()):
        if path.name.startswith(".") or path.name.lower() in _BESIDE:
            continue
        if path.is_file() and (path.suffix in _SOURCES or path.name in _DEPENDENCIES):
            yield path.name
        elif path.is_dir() and (path.name in _PROMPTS or _holds_source(path)):
            yield f"{path.name}/"


def _holds_source(folder: Path) -> bool:
    if (folder / _MANIFEST).is_file():
        return False
    return any(path.suffix in _SOURCES for path in islice(_walk(folder, folder), _LOOKED_AT))


def _covers(pattern: str, name: str) -> bool:
    """Return whether a pattern names a file, or a folder around it."""
    return _match(PurePosixPath(pattern).parts, PurePosixPath(name).parts)


def _match(pattern: tuple[str, ...], name: tuple[str, ...]) -> bool:
    if not pattern:
        return True
    if pattern[0] == "**":
        return _match(pattern[1:], name) or (bool(name) and _match(pattern, name[1:]))
    # what was removed may have had the very name that looks like a pattern now
    same = bool(name) and (name[0] == pattern[0] or fnmatchcase(name[0], pattern[0]))
    return same and _match(pattern[1:], name[1:])


def _is_skipped(name: PurePosixPath) -> bool:
    parts = name.parts
    return not _SKIPPED.isdisjoint(parts) or any(part.endswith(_WRITTEN) for part in parts)


def _digest_content(path: Path, root: Path) -> str:
    """Return the digest of a file; of a link that of where it leads, and of what is there."""
    leads = str(path.readlink()).encode("utf-8", "replace") if path.is_symlink() else b""
    if leads and not (path.is_file() and _lies_in(path, root)):
        return sha256(leads).hexdigest()
    content = path.read_bytes()
    text = content if _BINARY in content else content.replace(b"\r\n", b"\n")
    return sha256(leads + _BINARY + text if leads else text).hexdigest()
