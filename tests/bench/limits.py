"""The least that some work can cost: commands that do only what nobody can leave out."""

import sys
from pathlib import Path
from typing import NamedTuple

from tests.bench import inputs


class Limit(NamedTuple):
    """What is done at the least, in words, and the command that does only this."""

    name: str
    command: list[str | Path]


START = Limit("interpreter", [sys.executable, "-I", "-S", "-c", "pass"])
_FORK = """\
import os
for _ in range({count}):
    child = os.fork()
    if not child:
        os._exit(0)
    os.waitpid(child, 0)
"""
_DOCUMENT = """\
msgspec.json.Decoder(Document).decode(pathlib.Path(sys.argv[1]).read_bytes())
"""
_LINES = """\
decoder = msgspec.json.Decoder(Document)
for line in pathlib.Path(sys.argv[1]).open("rb"):
    decoder.decode(line)
"""


def fork(count: int) -> Limit:
    """An interpreter that starts so many processes, one after the other."""
    command = [sys.executable, "-I", "-S", "-c", _FORK.format(count=count)]
    return Limit(f"{count} forks", command)


def decode(name: str, *, by_line: bool = False) -> Limit:
    """A typed decode of a file, with the start of the interpreter that does it."""
    text = f"import sys\n{inputs.TYPED_DOCUMENT}{_LINES if by_line else _DOCUMENT}"
    return Limit("typed decode", [sys.executable, "-c", text, name])
