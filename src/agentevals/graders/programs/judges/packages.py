"""The packages that a Python judge asks for: in a file beside it, or in its own first lines."""

import re
import tempfile
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path

from agentevals.model.errors import EvaluatorError
from agentevals.sandbox import environments
from agentevals.sandbox.environments import Environment

_LARGEST = 1 << 20  # of a script whose first lines are read
_OPENS = b"# /// script"
# as https://packaging.python.org/en/latest/specifications/inline-script-metadata/ gives it
_BLOCK = re.compile(r"(?m)^# /// script$\s(?P<content>(^#(| .*)$\s)+)^# ///$")


def prepare_environment(script: Path, more: Sequence[str] = ()) -> Environment | None:
    """An environment with all that it asks for; None where our own interpreter will do."""
    lines = [*read_inline(script), *more]
    if lines:
        with tempfile.TemporaryDirectory(prefix="agentevals-") as folder:
            written = Path(folder, "requirements.txt")
            written.write_text("\n".join(lines) + "\n", encoding="utf-8")
            return environments.prepare(written)
    beside = script.parent / "requirements.txt"
    return environments.prepare(beside) if beside.is_file() else None


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
