"""A program to run: found by its command, with environment variables of its own."""

import os
import re
import shutil
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from agentevals.model.errors import EvaluatorError

_PYTHON = re.compile(r"python(3(\.\d+)?)?")
# otherwise a compiled file can say that it need not be what its source says, and is run instead
_CHECKED = ("--check-hash-based-pycs", "always")
_CERTIFICATES = (
    *("SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "PIP_CERT"),
    "NODE_EXTRA_CA_CERTS",
)
_PROXIES = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY")


@dataclass(frozen=True)
class Program:
    """A command whose paths are absolute. For a script, `argv` starts with the script."""

    argv: list[str]
    script: bool
    folder: str

    @classmethod
    def find(cls, command: Sequence[str], folder: Path) -> Self:
        """Find it, or say why it cannot be started."""
        where = folder.absolute()
        if not where.is_dir():
            msg = f"cannot be started: the folder {str(folder)!r} does not exist"
            raise EvaluatorError(msg)
        executable, *arguments = command
        found = _find(executable, where)
        if found == str(Path(sys.executable).absolute()) and arguments and arguments[0][:1] != "-":
            return cls([str(where / arguments[0]), *arguments[1:]], script=True, folder=str(where))
        options = _CHECKED if _PYTHON.fullmatch(Path(found).name) else ()
        return cls([found, *options, *arguments], script=False, folder=str(where))


def _find(executable: str, where: Path) -> str:
    found = str(where / executable) if os.sep in executable else shutil.which(executable)
    if found is None or not Path(found).is_file():
        msg = f"cannot be started: {executable!r} was not found"
        raise EvaluatorError(msg)
    if not os.access(found, os.X_OK):
        msg = f"cannot be started: {executable!r} is not executable; `chmod +x` makes it so"
        raise EvaluatorError(msg)
    return found


def build_environment(extras: Mapping[str, str], *, network: bool) -> dict[str, str]:
    """Return the variables of every program, those for the network, and the given ones."""
    built = {
        "LANG": "C.UTF-8",
        "PATH": os.pathsep.join(
            (str(Path(sys.executable).parent), "/usr/local/bin", "/usr/bin", "/bin")
        ),
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONHASHSEED": "0",
        "PYTHONIOENCODING": "utf-8",
        "PYTHONUTF8": "1",
    }
    if network:
        proxies = (*_PROXIES, *map(str.lower, _PROXIES))
        built |= {n: os.environ[n] for n in (*_CERTIFICATES, *proxies) if n in os.environ}
    return built | dict(extras)


def find_certificates() -> list[str]:
    """The files and folders that the certificate variables name."""
    named = (os.environ.get(name, "") for name in _CERTIFICATES)
    return [
        path for name in named for path in name.split(os.pathsep) if path and Path(path).exists()
    ]
