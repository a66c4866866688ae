"""The program that installs packages here, and the lines of a `requirements.txt`."""

import hashlib
import os
import re
import shutil
import stat
import sys
import sysconfig
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from agentevals.model.errors import EvaluatorError, InputError

_TIMEOUT = 600.0
# How the machine's owner reaches a package index; nothing else of the environment is passed on.
_FOR_PIP = (
    *("PIP_CONFIG_FILE", "PIP_INDEX_URL", "PIP_EXTRA_INDEX_URL", "PIP_FIND_LINKS"),
    *("PIP_NO_INDEX", "PIP_TRUSTED_HOST", "PIP_DEFAULT_TIMEOUT"),
)
_FOR_UV = (
    *("UV_CONFIG_FILE", "UV_DEFAULT_INDEX", "UV_INDEX", "UV_INDEX_URL", "UV_EXTRA_INDEX_URL"),
    *("UV_FIND_LINKS", "UV_SYSTEM_CERTS", "UV_INSECURE_HOST"),
)
_PASSED_ON = (*_FOR_PIP, *_FOR_UV)
_MOST = 1 << 20  # bytes of a requirements.txt
_NAMED = re.compile(r"[A-Za-z0-9][\w.-]*\s*(\[[\w., -]*\])?\s*([<>=!~][^@$/\\]*)?(;[^@$/\\]*)?")
_INCLUDING = frozenset({"-r", "--requirement", "-c", "--constraint"})
_ARCHIVE = re.compile(
    r"\.(whl|zip|tar|tgz|tbz|txz|tlz|gz|bz2|xz|lzma|zst)\s*(\[|;|$)", re.IGNORECASE
)


def _find_uv() -> str | None:
    """uv, unless this machine's index is only known to pip, whose settings uv does not read."""
    if _has_pip_index() and not any(name in os.environ for name in _FOR_UV):
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

    def install(self, python: Path, *what: str) -> list[str]:
        if self.uv:
            offline = ["--offline"] if self.offline else []
            options = ["--no-cache", "--no-progress", "--compile-bytecode", *offline]
            return [self.uv, "pip", "install", "--python", str(python), *options, *what]
        offline = ["--no-index"] if self.offline else []
        options = ["--no-cache-dir", "--no-input", "--disable-pip-version-check", *offline]
        return [str(python), "-m", "pip", "install", *options, *what]


def read_settings() -> dict[str, str]:
    """Return the variables with which this machine reaches a package index."""
    return {name: os.environ[name] for name in _PASSED_ON if name in os.environ}


def _has_pip_index() -> bool:
    if any(name in os.environ for name in _FOR_PIP[:5]):
        return True
    return any(re.search("index|find-links", _read_text(path)) for path in _list_pip_configs())


def _list_pip_configs() -> list[Path]:
    home = os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config"
    places = (
        *(Path("/etc/pip.conf"), Path(home) / "pip" / "pip.conf"),
        *(Path.home() / ".pip" / "pip.conf", Path(sys.prefix) / "pip.conf"),
    )
    return [path for path in places if path.is_file()]


def list_readable(requirements: Path) -> Iterator[Path]:
    """Yield the paths an installer may read: those beside the requirements, and local indexes.

    Only the machine's owner names a local index, in settings. What requirements name elsewhere
    is not opened to them: they come with the evaluator, and the installer reaches the network.
    """
    beside = list(requirements.parent.iterdir())
    visible = [path for path in beside if not path.name.startswith(".") and _lies_in(path)]
    # hidden things, such as a repository's .git, hold secrets more often than packages
    yield from visible if len(visible) < len(beside) else [requirements.parent]
    yield from _list_pip_configs()
    texts = [*read_settings().values(), *map(_read_text, _list_pip_configs())]
    for word in re.split(r"[\s=]+", "\n".join(texts)):
        path = Path(word.removeprefix("file://"))
        if path.is_absolute() and path.exists():
            # the pages of an index name files that lie beside it
            yield path.parent if word.startswith("file://") else path


def _lies_in(path: Path) -> bool:
    """Return whether a path ends in its own folder: a link would open its target."""
    try:
        return path.resolve().is_relative_to(path.parent.resolve())
    except (OSError, RuntimeError):  # links in a circle
        return False


def _read_text(path: Path) -> str:
    return path.read_text(encoding="utf-8", errors="replace")


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
