"""The command of a code judge: its words, files and interpreter, and the packages it asks for."""

import os
import re
import shlex
import shutil
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from importlib import import_module
from pathlib import Path

from agentevals.custom_evaluators import runtime_for
from agentevals.files import named_files
from agentevals.model.errors import EvaluatorError, InputError
from agentevals.sandbox import program_environments
from agentevals.sandbox.program_environments import Environment
from agentevals.sandbox.program_rights import NOTHING, Rights
from agentevals.sandbox.program_runtimes import NodeRuntime, PythonRuntime

_LARGEST = 1 << 20  # of a script whose first lines are read
_OPENS = b"# /// script"
# as https://packaging.python.org/en/latest/specifications/inline-script-metadata/ gives it
_BLOCK = re.compile(r"(?m)^# /// script$\s(?P<content>(^#(| .*)$\s)+)^# ///$")


def prepare_environment(
    script: Path, more: Sequence[str] = (), rights: Rights = NOTHING
) -> Environment | None:
    """An environment with all that it asks for; None where our own interpreter will do."""
    lines = [*read_inline(script), *more]
    if lines:
        with tempfile.TemporaryDirectory(prefix="agentevals-") as folder:
            written = Path(folder, "requirements.txt")
            written.write_text("\n".join(lines) + "\n", encoding="utf-8")
            return program_environments.prepare(written, rights=rights)
    beside = script.parent / "requirements.txt"
    return program_environments.prepare(beside, rights=rights) if beside.is_file() else None


def read_inline(script: Path) -> list[str]:
    """The dependencies that a script lists in a comment (PEP 723)."""
    content = _read_content(script)
    if _OPENS not in content:
        return []
    text = content.decode("utf-8", "replace").replace("\r\n", "\n")
    block = _BLOCK.search(f"{text}\n")
    if block is None:
        return []
    lines = (line.removeprefix("#").removeprefix(" ") for line in block["content"].splitlines())
    toml = import_module("tomllib")
    try:
        listed = toml.loads("\n".join(lines)).get("dependencies", [])
    except toml.TOMLDecodeError as error:
        msg = f"cannot be started: the '# /// script' block of {script.name} is no TOML: {error}"
        raise EvaluatorError(msg) from error
    if not isinstance(listed, list) or not all(isinstance(item, str) for item in listed):
        msg = f"cannot be started: 'dependencies' in {script.name} is no list of texts"
        raise EvaluatorError(msg)
    return [" ".join(item.split()) for item in listed]


def _read_content(script: Path) -> bytes:
    try:
        if script.is_file() and script.stat().st_size <= _LARGEST:
            return script.read_bytes()
    except (OSError, ValueError):
        pass
    return b""


_SHELL = "/bin/sh"
# what only a shell understands, and the words that are commands of its own
_SYNTAX = re.compile(r"[|&;<>()$`\\*?\[\]{}~#!\n]|^\w+=")
_QUOTED = re.compile(r"""'[^']*'|"[^"$`\\]*\"""")
_BUILT_IN = {"cd", "echo", "exec", "exit", "export", "printf", "read", "set", "source", "test"}
_PYTHONS = {"python", "python3"}
_INTERPRETERS = {*_PYTHONS, "node", "sh", "bash"}
_OPTIONS_OF_UV = {"-q", "--quiet", "--script", "-s", "--no-project", "--isolated", "--frozen"}
_ALONE = "the script, and packages with '--with', '# /// script' or a requirements.txt beside it"


@dataclass(frozen=True, kw_only=True)
class Command:
    """The words that are started, the packages they ask for, and the files among them."""

    words: tuple[str, ...]
    packages: tuple[str, ...] = ()
    files: tuple[Path, ...] = ()
    folder: Path = Path()

    @classmethod
    def parse(cls, written: str | Sequence[str], cwd: Path, beside: Path) -> "Command":
        """A relative path means a file in `cwd`; where there is none, one in `beside`."""
        words = split_words(written) if isinstance(written, str) else list(written)
        if not words or not words[0].strip():
            msg = "'command' is empty; give the program that judges"
            raise InputError(msg)
        if any("\0" in word for word in words):
            msg = "'command' has a NUL in it, which no program can be given"
            raise InputError(msg)
        command = _resolve_uv(words)
        if words[0] == _SHELL:
            return replace(command, files=tuple(_find_files(_split_shell_words(words[-1]), cwd)))
        located = tuple(_locate(command.words, cwd, beside))
        return replace(command, words=located, files=tuple(_find_files(located, cwd)), folder=cwd)

    @property
    def script(self) -> Path | None:
        """The file that an interpreter is given."""
        return self.files[0] if self.files else None

    def build_argv(
        self, rights: Rights = NOTHING, *, prepare: bool = True
    ) -> tuple[list[str], tuple[Path, ...]]:
        """Return the words that start it, and the folders it must read beside those of its files.

        Only if it is to `prepare`, the packages that it asks for are installed.
        """
        first, *others = self.words
        self._check_script(first, others)
        if first in _PYTHONS:
            return self._build_python(others, rights) if prepare else ([first], ())
        if first == "node":
            return [*_build_node(others)], ()
        if Path(first) in self.files and not os.access(first, os.X_OK):
            return self._choose_interpreter(Path(first), others, rights if prepare else None)
        if os.sep not in first and shutil.which(first) is None:
            msg = f"cannot be started: {first!r} was not found; install it, or give its path"
            raise InputError(msg)
        return list(self.words), ()

    def _check_script(self, first: str, others: Sequence[str]) -> None:
        """Refuse a script that is in neither folder."""
        name = others[0] if others and Path(first).name in _INTERPRETERS else ""
        if name and not name.startswith("-") and not named_files.exists(self.folder / name):
            near = named_files.nearest(self.folder / name)
            msg = f"cannot be started: there is no file {name!r} in {self.folder}{near}"
            raise InputError(msg)

    def _build_python(
        self, arguments: list[str], rights: Rights
    ) -> tuple[list[str], tuple[Path, ...]]:
        own = prepare_environment(self.script, self.packages, rights) if self.script else None
        if own is None:
            return [sys.executable, *arguments], ()
        return [str(own.python), *arguments], (own.folder,)

    def _choose_interpreter(
        self, path: Path, others: list[str], rights: Rights | None
    ) -> tuple[list[str], tuple[Path, ...]]:
        """A file that is not executable, by the language that its name ends in."""
        try:
            runtime = runtime_for(path)
            if isinstance(runtime, PythonRuntime) and rights:
                return self._build_python(list(self.words), rights)
            return [*runtime.build_command(path), *others], ()
        except RuntimeError as error:
            msg = f"cannot be started: {error}"
            raise InputError(msg) from error


def split_words(text: str) -> list[str]:
    """A text as the words that a shell would make of it; for a shell where it takes one."""
    text = text.strip()
    if _SYNTAX.search(_QUOTED.sub("", text)) or text.partition(" ")[0] in _BUILT_IN:
        return [_SHELL, "-c", text]
    try:
        return shlex.split(text)
    except ValueError as error:
        msg = f"'command' cannot be read: {str(error).lower()}; close the quotation"
        raise InputError(msg) from error


def _resolve_uv(words: list[str]) -> Command:
    """`uv run script.py` as what it comes to: an interpreter with the packages of the script."""
    if words[:2] != ["uv", "run"]:
        return Command(words=tuple(words))
    asked, rest = [], words[2:]
    while rest and rest[0].startswith("-"):
        option, *rest = rest
        name, _, value = option.partition("=")
        if name == "--with" and (value or rest):
            asked.append(value or rest.pop(0))
        elif name not in _OPTIONS_OF_UV:
            msg = f"'uv run {option}' cannot be done here; give {_ALONE}"
            raise InputError(msg)
    if rest and rest[0] in _PYTHONS:
        rest = rest[1:]
    if not rest or not rest[0].endswith(".py"):
        msg = f"'uv run' without a .py file cannot be done here; give {_ALONE}"
        raise InputError(msg)
    return Command(words=("python3", *rest), packages=tuple(asked))


def _locate(words: Sequence[str], cwd: Path, beside: Path) -> Iterator[str]:
    first, *others = words
    if os.sep in first or shutil.which(first) is None:
        places = (place / first for place in (cwd, beside))
        first = next((str(path) for path in places if _is_file(path)), first)
    yield first
    for word in others:
        is_elsewhere = _is_file(beside / word) and not _is_file(cwd / word)
        yield str(beside / word) if is_elsewhere and not word.startswith("-") else word


def _find_files(words: Sequence[str], cwd: Path) -> Iterator[Path]:
    for word in words:
        path = cwd / word
        if not word.startswith("-") and _is_file(path):
            yield path


def _split_shell_words(text: str) -> list[str]:
    try:
        return list(shlex.shlex(text, posix=True, punctuation_chars=True))
    except ValueError:
        return text.split()


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False


def _build_node(arguments: list[str]) -> list[str]:
    first = arguments[0] if arguments else ""
    try:
        node, *flags = NodeRuntime().build_command(Path(first or "judge.js"))
    except RuntimeError as error:
        msg = f"cannot be started: {error}"
        raise EvaluatorError(msg) from error
    return [node, *flags[:-1], *arguments]
