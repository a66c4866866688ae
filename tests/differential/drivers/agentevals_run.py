"""Run `agentevals run` of the real package for many folders, in one process."""

import asyncio
import contextlib
import io
import json
import os
import sys
from pathlib import Path
from typing import Any

from agentevals.cli import main

_OWN = dict(os.environ)
# one loop for all commands: a lock of the package belongs to the loop that has taken it first
asyncio.run = asyncio.new_event_loop().run_until_complete


def run(folder: str, words: list[str], variables: dict[str, str]) -> dict[str, Any]:
    """Run one command in its folder, and tell what it printed and how it ended."""
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(_OWN | variables)
    printed = io.StringIO()
    code: Any = 0
    with contextlib.redirect_stdout(printed):
        try:
            main(words, standalone_mode=False)
        except SystemExit as ended:
            code = ended.code or 0
        except Exception as error:  # noqa: BLE001 -- the command would end with a traceback
            usage = getattr(error, "exit_code", 1)
            code = usage if isinstance(usage, int) else 1
    return {"exit_code": code, "printed": printed.getvalue()}


if __name__ == "__main__":
    told = [run(*task) for task in json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))]
    Path(sys.argv[2]).write_text(json.dumps(told), encoding="utf-8")
