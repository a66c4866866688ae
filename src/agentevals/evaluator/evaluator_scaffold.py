"""A new evaluator: a program that works as it stands, its manifest, fixtures and a page."""

import json
import re
import shlex
from pathlib import Path
from typing import NamedTuple

import yaml

from agentevals.evaluator import manifest_schema
from agentevals.model.errors import InputError
from agentevals.model.plugins import suggestion
from agentevals.sandbox.program_runtimes import NodeRuntime, PythonRuntime

_TEMPLATES = Path(__file__).with_name("templates")
_SAMPLE = '{"metric_name": "{name}", "invocations": [{"final_response": "Hello"}]}'
_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_-]*")


class Language(NamedTuple):
    """One language, and the runtime that a new program in it names."""

    name: str
    extension: str
    runtime: str


LANGUAGES = {
    "python": Language("python", ".py", 'python: ">=3.11"'),
    "javascript": Language("javascript", ".js", 'node: ">=20"'),
    "typescript": Language("typescript", ".ts", 'node: ">=22.18"'),
}
_SHORT = {"py": "python", "js": "javascript", "ts": "typescript"}
RUNTIMES = (*_SHORT, *LANGUAGES)


class Scaffold(NamedTuple):
    """The files of a new evaluator, and the command that tries it."""

    program: Path
    manifest: Path
    trial: str
    others: tuple[Path, ...] = ()


def write(name: str, runtime: str | None, folder: Path) -> Scaffold:
    """Write `<folder>/<name>/`; an extension in the name says the language."""
    stem, language = _split_name(name, runtime)
    home = folder / stem
    program, manifest = home / f"{stem}{language.extension}", home / "evaluator.yaml"
    sample = _SAMPLE.replace("{name}", stem)
    fields = {
        "name": stem,
        # valid in every language, whatever the name: `my-eval`, `2nd`, `class`
        "identifier": f"evaluate_{stem.replace('-', '_')}",
        "sample": sample,
        "file": program.name,
        "written_name": _quote(stem),
        "written_file": _quote(program.name),
        "written_path": json.dumps(program.as_posix(), ensure_ascii=False),
        "language": language.name,
        "runtime": language.runtime,
        "schema": manifest_schema.COMMENT,
    }
    texts = {
        program: _read_template(language.name).format(**fields),
        manifest: _read_template("manifest").format(**fields),
        home / "fixtures.yaml": _read_template("fixtures"),
        home / "README.md": _read_template("readme").format(**fields),
    }
    try:
        _write(home, texts)
    except OSError as error:
        msg = f"{home}: cannot be written to: {error.strerror}; choose another name or folder"
        raise InputError(msg) from None
    _, _, *others = texts
    trial = f"echo '{sample}' | {_write_command(program)}"
    return Scaffold(program, manifest, trial, tuple(others))


def _write_command(program: Path) -> str:
    """Return the command that a run starts: another Python may lack the package, and another Node
    may be too old.
    """
    kind = PythonRuntime if program.suffix == ".py" else NodeRuntime
    try:
        return shlex.join(kind().build_command(program))
    except RuntimeError:
        return shlex.join(["node", str(program)])


def _read_template(name: str) -> str:
    return (_TEMPLATES / f"{name}.txt").read_text(encoding="utf-8")


def _write(home: Path, texts: dict[Path, str]) -> None:
    for path in texts:
        if path.exists():
            msg = f"{path} exists already; choose another name, or remove it first"
            raise InputError(msg)
    home.mkdir(parents=True, exist_ok=True)
    for path, text in texts.items():
        path.write_text(text, encoding="utf-8")


def _split_name(name: str, runtime: str | None) -> tuple[str, Language]:
    stem, dot, extension = name.rpartition(".")
    if not dot:
        stem, extension = name, ""
    if not _NAME.fullmatch(stem):
        msg = f"{name!r} cannot be an evaluator's name; use letters, digits, '_' and '-'"
        raise InputError(msg)
    wanted = extension or runtime or "python"
    language = LANGUAGES.get(_SHORT.get(wanted, wanted))
    if language is None:
        msg = f"unknown runtime {wanted!r}{suggestion(wanted, list(RUNTIMES))}"
        raise InputError(msg)
    return stem, language


def _quote(text: str) -> str:
    """Quote a text where YAML could take it for something else."""
    plain = text[0].isalpha() and yaml.safe_load(text) == text
    return text if plain else f'"{text}"'
