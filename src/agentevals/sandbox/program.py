"""What a command starts: a program of its own, or a script for the interpreter that waits."""

import os
import re
import shutil
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from agentevals.model.errors import EvaluatorError

_PYTHON = re.compile(r"python(3(\.\d+)?)?")
# otherwise a compiled file can say that it need not be what its source says, and is run instead
_CHECKED = ("--check-hash-based-pycs", "always")


@dataclass(frozen=True)
class Program:
    """A command whose paths are absolute. For a script, `argv` starts with the script."""

    argv: list[str]
    script: bool
    folder: str

    @classmethod
    def of(cls, command: Sequence[str], folder: Path) -> Self:
        """Find it, or say why it cannot be started."""
        where = folder.absolute()
        if not where.is_dir():
            msg = f"cannot be started: the folder {str(folder)!r} does not exist"
            raise EvaluatorError(msg)
        executable, *arguments = command
        found = _found(executable, where)
        if found == str(Path(sys.executable).absolute()) and arguments and arguments[0][:1] != "-":
            return cls([str(where / arguments[0]), *arguments[1:]], script=True, folder=str(where))
        options = _CHECKED if _PYTHON.fullmatch(Path(found).name) else ()
        return cls([found, *options, *arguments], script=False, folder=str(where))


def _found(executable: str, where: Path) -> str:
    found = str(where / executable) if os.sep in executable else shutil.which(executable)
    if found is None or not Path(found).is_file():
        msg = f"cannot be started: {executable!r} was not found"
        raise EvaluatorError(msg)
    if not os.access(found, os.X_OK):
        msg = f"cannot be started: {executable!r} is not executable; `chmod +x` makes it so"
        raise EvaluatorError(msg)
    return found
