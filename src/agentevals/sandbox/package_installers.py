"""The program that installs packages here, and the lines of a `requirements.txt`."""

import hashlib
import os
import re
import shutil
import stat
import subprocess
import sys
import sysconfig
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from agentevals.model.errors import EvaluatorError, InputError
from agentevals.sandbox import package_indexes
from agentevals.sandbox.package_indexes import Place

if TYPE_CHECKING:
    from agentevals.sandbox.index_relay import Relay

_TIMEOUT = 600.0
_AT_A_TIME = "8"  # downloads, because sockets are counted
_MOST = 1 << 20  # bytes of a requirements.txt
_NAMED = re.compile(r"[A-Za-z0-9][\w.-]*\s*(\[[\w., -]*\])?\s*([<>=!~][^@$/\\]*)?(;[^@$/\\]*)?")
_DEFAULT_INDEX = re.compile(r"default:?\s+<?(https?://[^\s<>)]+)")
_INDEX_OPTION = re.compile(r"\s*(?:-i|--index-url|--extra-index-url)[\s=]+(\S+)")
_BESIDE = re.compile(r"\s*(-[rce]\b|--(requirement|constraint|editable)\b|[./]|file:)")
_INCLUDING = frozenset({"-r", "--requirement", "-c", "--constraint"})
_ARCHIVE = re.compile(
    r"\.(whl|zip|tar|tgz|tbz|txz|tlz|gz|bz2|xz|lzma|zst)\s*(\[|;|$)", re.IGNORECASE
)


def _find_uv() -> str | None:
    """uv, unless this machine's index is only known to pip."""
    if package_indexes.names_pip() and not package_indexes.names_uv():
        return None
    return shutil.which("uv", path=sysconfig.get_path("scripts")) or shutil.which("uv")


def _read_timeout(name: str) -> float:
    text = os.environ.get(name, "")
    try:
        seconds = float(text or _TIMEOUT)
    except ValueError:
        seconds = 0
    if not 0 < seconds < float("inf"):
        msg = f"{name}: {text!r} is not a number of seconds; unset it for {_TIMEOUT:g}"
        raise InputError(msg)
    return seconds


@dataclass(frozen=True, kw_only=True)
class Installer:
    """The installer of packages: uv where there is one, otherwise venv and pip."""

    uv: str | None = field(default_factory=_find_uv)
    offline: bool = field(default_factory=lambda: bool(os.environ.get("AGENTEVALS_OFFLINE")))
    timeout: float = field(default_factory=lambda: _read_timeout("AGENTEVALS_INSTALL_TIMEOUT"))

    def create(self, base: Path) -> list[str]:
        if self.uv:
            return [self.uv, "venv", "--no-cache", "--python", sys.executable, str(base)]
        return [sys.executable, "-m", "venv", str(base)]

    def list_places(self, python: Path) -> list[Place]:
        """Return where packages for an interpreter are taken from."""
        read = package_indexes.read_uv if self.uv else package_indexes.read_pip
        places = read(lambda: self._ask_default_index(python))
        return [place for place in places if place.path or not self.offline]

    def _ask_default_index(self, python: Path) -> str:
        """Return the index that is asked where no setting names one: its help has the address."""
        command = [self.uv, "pip"] if self.uv else [str(python), "-m", "pip"]
        said = ""
        with suppress(OSError, subprocess.SubprocessError):
            said = subprocess.run(  # noqa: S603 -- the installer, with words of ours
                [*command, "install", "--help"],
                env={"PIP_CONFIG_FILE": os.devnull, "UV_NO_CONFIG": "1"},
                capture_output=True,
                text=True,
                timeout=self.timeout,
                check=False,
            ).stdout
        if found := _DEFAULT_INDEX.search(said):
            return found[1]
        msg = f"{' '.join(command)} does not say which index it asks; name one, in PIP_INDEX_URL"
        raise EvaluatorError(msg)

    def build_variables(self, relay: "Relay") -> dict[str, str]:
        """Return the variables by which it takes packages from our relay, and reads no settings."""
        first, *more = relay.list_indexes() or [""]
        links = relay.list_links()
        if self.uv:
            named = {"UV_DEFAULT_INDEX": first, "UV_INDEX": " ".join(more)}
            others = {"UV_FIND_LINKS": ",".join(links), "UV_NO_INDEX": "" if first else "1"}
            given = {**named, **others, "UV_NO_CONFIG": "1", "UV_CONCURRENT_DOWNLOADS": _AT_A_TIME}
        else:
            named = {"PIP_INDEX_URL": first, "PIP_EXTRA_INDEX_URL": " ".join(more)}
            others = {"PIP_FIND_LINKS": " ".join(links), "PIP_NO_INDEX": "" if first else "1"}
            given = {**named, **others, "PIP_CONFIG_FILE": os.devnull}
        return {name: value for name, value in given.items() if value}

    def install(self, python: Path, *what: str) -> list[str]:
        if self.uv:
            offline = ["--offline"] if self.offline else []
            options = ["--no-cache", "--no-progress", "--compile-bytecode", *offline]
            return [self.uv, "pip", "install", "--python", str(python), *options, *what]
        offline = ["--no-index"] if self.offline else []
        options = ["--no-cache-dir", "--no-input", "--disable-pip-version-check", *offline]
        return [str(python), "-m", "pip", "install", *options, *what]


def list_readable(requirements: Path, places: Iterable[Place]) -> Iterator[Path]:
    """Yield the paths an installer may read: those beside the requirements, and local indexes.

    Only the machine's owner names a local index, in settings. What requirements name elsewhere
    is not opened to them: they come with the evaluator.
    """
    beside = list(requirements.parent.iterdir())
    visible = [path for path in beside if not path.name.startswith(".") and _lies_in(path)]
    # hidden things, such as a repository's .git, hold secrets more often than packages
    yield from visible if len(visible) < len(beside) else [requirements.parent]
    for place in places:
        path = place.path
        if path and path.is_absolute() and path.exists():
            # the pages of an index name files that lie beside it
            yield path.parent if place.url.startswith("file:") else path


def _lies_in(path: Path) -> bool:
    """Return whether a path ends in its own folder: a link would open its target."""
    try:
        return path.resolve().is_relative_to(path.parent.resolve())
    except (OSError, RuntimeError):  # links in a circle
        return False


def read_lines(requirements: Path) -> Iterator[str]:
    """The requirements, those of included files too, without comments. Each file is read once."""
    waiting = [requirements]
    seen = {_resolve(requirements)}
    while waiting:
        path = waiting.pop()
        for line in filter(None, (raw.partition(" #")[0].strip() for raw in _read(path))):
            if line.startswith("#"):
                continue
            yield line
            option, _, name = line.partition(" ")
            included = path.parent / name.strip()
            if option in _INCLUDING and (real := _resolve(included)) not in seen:
                seen.add(real)
                waiting.append(included)


def drop_own_indexes(requirements: Path, places: Iterable[Place]) -> str:
    """Return the requirements without options that name our own indexes: we ask these anyway.

    Some tools write them. Nothing is returned if there are none, or if a path would change its
    meaning in another folder.
    """
    lines = _read(requirements)
    kept = [line for line in lines if not _names_one(line, places)]
    if len(kept) == len(lines) or any(map(_BESIDE.match, kept)):
        return ""
    return "\n".join([*kept, ""])


def _names_one(line: str, places: Iterable[Place]) -> bool:
    option = _INDEX_OPTION.match(line)
    return option is not None and any(place.owns(option[1]) for place in places)


def _resolve(path: Path) -> str:
    """Its one name: of links and `..` there are any number of others."""
    try:
        return os.path.realpath(path)
    except ValueError:  # a NUL, which reading it will complain about
        return str(path)


def _read(requirements: Path) -> list[str]:
    try:
        if not _is_small(requirements):
            msg = f"{requirements} cannot be read: it is no file of at most {_MOST >> 20} MiB"
            raise EvaluatorError(msg)
        return requirements.read_text(encoding="utf-8").splitlines()
    except (OSError, ValueError) as error:
        msg = f"{requirements} cannot be read: {error}"
        raise EvaluatorError(msg) from error


def _is_small(path: Path) -> bool:
    """Not a pipe or a device either, which would be read for ever."""
    found = path.stat()
    return stat.S_ISREG(found.st_mode) and found.st_size <= _MOST


def is_local(line: str) -> bool:
    """Return whether a line may be a file or an option, and not just a package of an index."""
    return not _NAMED.fullmatch(line) or bool(_ARCHIVE.search(line))


@cache
def hash_content(folder: Path) -> str:
    """A hash of all that an installer may read there; as it was when this run first asked."""
    digest = hashlib.sha256()
    for path in _list_files(folder):
        digest.update(f"{path.relative_to(folder)}\0".encode(errors="surrogateescape"))
        try:
            # opening a pipe would wait for ever, and what a link names elsewhere is not readable
            if stat.S_ISREG(path.stat().st_mode) and path.resolve().is_relative_to(folder):
                with path.open("rb") as file:
                    digest.update(hashlib.file_digest(file, "sha256").digest())
        except OSError:
            continue  # the installer cannot read it either
    return digest.hexdigest()


def _list_files(folder: Path) -> Iterator[Path]:
    for where, folders, files in os.walk(folder):
        folders[:] = sorted(name for name in folders if name != "__pycache__")
        if Path(where) == folder:
            folders[:] = [name for name in folders if not name.startswith(".")]
        yield from (Path(where, name) for name in sorted(files))
