"""The program that installs packages here, and its settings for package indexes."""

import os
import re
import shutil
import sys
import sysconfig
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from agentevals.model.errors import InputError

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


def _find_uv() -> str | None:
    """uv, unless this machine's index is only known to pip, whose settings uv does not read."""
    if _pip_knows_an_index() and not any(name in os.environ for name in _FOR_UV):
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
            return [
                self.uv,
                "venv",
                "--no-cache",
                "--python",
                sys.executable,
                str(base),
            ]
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


def _pip_knows_an_index() -> bool:
    if any(name in os.environ for name in _FOR_PIP[:5]):
        return True
    return any(re.search("index|find-links", _text(path)) for path in _pip_configs())


def _pip_configs() -> list[Path]:
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
    yield from _pip_configs()
    texts = [*read_settings().values(), *map(_text, _pip_configs())]
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


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8", errors="replace")
