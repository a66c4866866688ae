"""Files that inputs name: found in the workspace, and never outside of it."""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from glob import has_magic
from pathlib import Path
from typing import NamedTuple

from agentevals.files.named_files import nearest
from agentevals.files.project_paths import join_pattern, split_pattern
from agentevals.github.runner.input_texts import LONGEST_SHOWN
from agentevals.github.runner.inputs import PLACE
from agentevals.model.errors import ConfigError, InputError, Problem
from agentevals.text.terminal import plain

# where the runner mounts its folder for temporary files; older ones do not, and do not say so
_RUNNER_TEMP = "/github/runner_temp"
_ANY = "**"
_DEEPEST = 100  # folders below the first; nothing that people keep lies deeper


class Found(NamedTuple):
    """The files in the order of their patterns, and the patterns that matched none."""

    files: tuple[Path, ...]
    unmatched: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Workspace:
    """The folder that a job works in, and where relative paths in it start from.

    `hosts` says which folder of the runner's machine is which folder in the container; `extra`
    are further folders in which files may lie that a workflow names.
    """

    root: Path
    folder: Path
    hosts: tuple[tuple[str, str], ...] = ()
    extra: tuple[Path, ...] = ()

    @classmethod
    def locate(cls, environ: Mapping[str, str], working_directory: str = ".") -> "Workspace":
        """Return the workspace that the runner names, or else the working directory."""
        root = Path(environ.get("GITHUB_WORKSPACE") or Path.cwd()).resolve()
        extra = tuple(Path(text).resolve() for text in [environ.get("RUNNER_TEMP")] if text)
        start = cls(root=root, folder=root, hosts=_map_hosts(environ, root), extra=extra)
        folder = start.resolve(working_directory, "working-directory")
        if not folder.is_dir():
            shown = plain(working_directory)
            msg = f"{PLACE}: 'working-directory': there is no folder '{shown}'{nearest(folder)}"
            raise InputError(msg)
        return cls(root=root, folder=folder, hosts=start.hosts, extra=extra)

    def resolve(self, given: str, name: str) -> Path:
        """Resolve a path, which need not exist. `name` is the input that holds it."""
        try:
            return self._resolve_inside(self._make_absolute(given))
        except _UnusableError as error:
            msg = f"{PLACE}: '{name}': {error}"
            raise InputError(msg) from None

    def expand(self, patterns: Sequence[str], name: str) -> Found:
        """Return the files that paths, folders and globs name; `!` excludes its matches.

        A ConfigError has every path that is not there or leads out of the workspace.
        """
        chosen: dict[Path, None] = {}
        unmatched: list[str] = []
        problems: list[str] = []
        for pattern in patterns:
            text = pattern.removeprefix("!").strip()
            try:
                paths = list(self._find_candidates(text))
            except _UnusableError as error:
                problems.append(str(error))
                continue
            if text != pattern:
                left_out = set(paths)
                chosen = {path: None for path in chosen if path not in left_out}
                continue
            chosen |= dict.fromkeys(paths)
            unmatched += [] if any(path.is_file() for path in paths) else [text]
        if patterns and all(pattern.startswith("!") for pattern in patterns):
            problems.append("only excludes files; first name the files to read")
        problems += [self._describe_missing(text) for text in unmatched if not has_magic(text)]
        files, wrong = self._resolve(chosen)
        if problems or wrong:
            every = dict.fromkeys(text for text in (*wrong, *problems) if text)
            raise ConfigError(Problem(message=f"'{name}': {text}", path=PLACE) for text in every)
        return Found(files, tuple(unmatched))

    def _resolve(self, paths: Iterable[Path]) -> tuple[tuple[Path, ...], list[str]]:
        files: dict[Path, None] = {}
        problems: list[str] = []
        for path in paths:
            try:
                resolved = self._resolve_inside(path)
            except _OutsideError as error:
                problems.append(str(error))
                continue
            if resolved.is_file():
                files[resolved] = None
        return tuple(files), problems

    def _find_candidates(self, pattern: str) -> Iterator[Path]:
        absolute = self._make_absolute(pattern)
        base, segments = split_pattern(join_pattern(self.folder, str(absolute)))
        if os.path.lexists(absolute):
            base, segments = absolute, ()
        if segments:
            if not self._is_inside(base):
                yield base  # said when it is looked at
                return
            yield from find_matches(base, segments, self._find_root(absolute))
        elif base.is_dir() and self._is_inside(base):
            yield from find_matches(base, ("**", "*"), self._find_root(base))
        else:
            yield base

    def _describe_missing(self, pattern: str) -> str:
        """Describe a missing path. A glob may match nothing, and a folder may be empty."""
        path = self._make_absolute(pattern)
        if path.is_dir() or not self._is_inside(path):
            return ""
        return f"there is no file '{plain(pattern)}'{nearest(path)}"

    def _make_absolute(self, given: str) -> Path:
        matching = ((h, c) for h, c in self.hosts if given == h or given.startswith(f"{h}/"))
        host, container = next(matching, ("", ""))
        path = Path(container + given[len(host) :]) if host else self.folder / given
        try:
            path.exists()
        except OSError as error:  # no file can have that name
            why = (error.strerror or str(error)).lower()
            msg = f"'{plain(given, LONGEST_SHOWN)}' cannot be looked for: {why}"
            raise _UnusableError(msg) from None
        return path

    def _resolve_inside(self, path: Path) -> Path:
        try:
            resolved = path.resolve()
        except (OSError, RuntimeError):  # links that go round in a circle
            raise _OutsideError(self._display(path)) from None
        if not resolved.is_relative_to(self._find_root(path)):
            raise _OutsideError(self._display(path))
        return resolved

    def _is_inside(self, path: Path) -> bool:
        try:
            self._resolve_inside(path)
        except _OutsideError:
            return False
        return True

    def _find_root(self, path: Path) -> Path:
        """Return the workspace, or another allowed folder if the workflow itself names that one:
        a link in the workspace does not lead there."""
        return next((root for root in self.extra if path.is_relative_to(root)), self.root)

    def _display(self, path: Path) -> str:
        return str(path.relative_to(self.root) if path.is_relative_to(self.root) else path)


class _UnusableError(Exception):
    pass


class _OutsideError(_UnusableError):
    def __init__(self, shown: str) -> None:
        super().__init__(
            f"'{plain(shown)}' leads out of the workspace; use a file in it that is no link "
            "to elsewhere"
        )


def _map_hosts(environ: Mapping[str, str], root: Path) -> tuple[tuple[str, str], ...]:
    """Map folders of the host. The runner rewrites a path only at the beginning of a variable."""
    parent = environ.get("RUNNER_WORKSPACE", "").rstrip("/")
    if not parent:
        return ()
    above, _, repository = parent.rpartition("/")
    temp = environ.get("RUNNER_TEMP") or _RUNNER_TEMP
    return ((f"{parent}/{repository}", str(root)), (f"{above}/_temp", temp))


def find_matches(base: Path, segments: Sequence[str], root: Path) -> Iterator[Path]:
    """Yield matches in the order of names. Links to folders count only if they stay in `root`.

    As in a shell, `*` does not match a name that begins with a dot. Links are not followed
    by `**`. A link that leads out is yielded itself, so that somebody says so.
    """
    waiting: list[tuple[Path, tuple[str, ...]]] = [(base, _drop_repeats(segments))]
    while waiting:
        path, rest = waiting.pop()
        if not rest or _leads_out(path, root):
            yield path
        elif len(path.parts) - len(base.parts) <= _DEEPEST:
            waiting += reversed(list(_list_steps(path, rest)))


def _leads_out(path: Path, root: Path) -> bool:
    return path.is_symlink() and not path.resolve().is_relative_to(root)


def _list_steps(path: Path, segments: tuple[str, ...]) -> Iterator[tuple[Path, tuple[str, ...]]]:
    head, rest = segments[0], segments[1:]
    if head != _ANY:
        for name in _list_names(path, head, folders=bool(rest)):
            yield path / name, rest
        return
    if rest:
        yield path, rest
    for name in _list_names(path, "*", folders=True):
        if not (path / name).is_symlink():
            yield path / name, segments
    if not rest:
        yield from ((path / name, ()) for name in _list_names(path, "*", folders=False))


def _list_names(folder: Path, pattern: str, *, folders: bool) -> list[str]:
    if not has_magic(pattern):
        return [pattern] if os.path.lexists(folder / pattern) else []
    try:
        with os.scandir(folder) as entries:
            names = [entry.name for entry in entries if not folders or entry.is_dir()]
    except OSError:
        return []
    return sorted(name for name in names if _is_match(name, pattern))


def _is_match(name: str, pattern: str) -> bool:
    return fnmatchcase(name, pattern) and (pattern[0] == "." or name[0] != ".")


def _drop_repeats(segments: Sequence[str]) -> tuple[str, ...]:
    return tuple(
        segment
        for at, segment in enumerate(segments)
        if segment != _ANY or not at or segments[at - 1] != _ANY
    )
