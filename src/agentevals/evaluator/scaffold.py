"""A new evaluator: a program that works as it stands, and its manifest."""

import re
from pathlib import Path
from typing import NamedTuple

import yaml

from agentevals.errors import InputError
from agentevals.seams import suggestion

_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_-]*")


class Language(NamedTuple):
    """What a new program of one language is made from."""

    name: str
    extension: str
    command: str
    template: str


_PYTHON = '''"""TODO: describe what {name} evaluates.

Try it:     echo '{sample}' | python {file}
Test it:    {identifier}(EvalInput(metric_name="{name}")).score
"""

from agentevals_evaluator_sdk import EvalInput, EvalResult, evaluator


@evaluator
def {identifier}(input: EvalInput) -> EvalResult:
    """Replace this: every turn that has a response scores 1."""
    scores = [1.0 if turn.final_response else 0.0 for turn in input.invocations]
    silent = [turn.invocation_id for turn in input.invocations if not turn.final_response]
    return EvalResult(
        score=sum(scores) / len(scores) if scores else 0.0,
        per_invocation_scores=scores,
        details={{"issues": [f"{{turn}}: no response" for turn in silent]}},
    )


if __name__ == "__main__":
    {identifier}.run()
'''

_JAVASCRIPT = """// TODO: describe what {name} evaluates.
//
// Try it: echo '{sample}' | node {file}
// Write to stderr (console.error) what is meant for people: stdout belongs to the result.

const {{ readFileSync }} = require("node:fs");

// Replace this: every turn that has a response scores 1.
function {identifier}(input) {{
  const scores = input.invocations.map((turn) => (turn.final_response ? 1 : 0));
  const sum = scores.reduce((total, score) => total + score, 0);
  return {{
    score: scores.length ? sum / scores.length : 0,
    per_invocation_scores: scores,
    details: {{ turns: scores.length }},
  }};
}}

const input = JSON.parse(readFileSync("/dev/stdin", "utf8"));
console.log(JSON.stringify({identifier}(input)));
"""

_TYPESCRIPT = """// TODO: describe what {name} evaluates.
//
// Try it: echo '{sample}' | node {file}    (Node 22.18 or newer)
// Write to stderr (console.error) what is meant for people: stdout belongs to the result.

const {{ readFileSync }} = require("node:fs");

interface Turn {{
  invocation_id: string;
  user_content: string;
  final_response: string | null;
}}

interface Result {{
  score: number;
  per_invocation_scores?: (number | null)[];
  details?: Record<string, unknown>;
}}

// Replace this: every turn that has a response scores 1.
function {identifier}(input: {{ invocations: Turn[] }}): Result {{
  const scores = input.invocations.map((turn) => (turn.final_response ? 1 : 0));
  const sum = scores.reduce((total: number, score) => total + score, 0);
  return {{
    score: scores.length ? sum / scores.length : 0,
    per_invocation_scores: scores,
    details: {{ turns: scores.length }},
  }};
}}

const input = JSON.parse(readFileSync("/dev/stdin", "utf8"));
console.log(JSON.stringify({identifier}(input)));
"""

_SAMPLE = '{{"metric_name": "{name}", "invocations": [{{"final_response": "Hello"}}]}}'

LANGUAGES = {
    "python": Language("python", ".py", "python", _PYTHON),
    "javascript": Language("javascript", ".js", "node", _JAVASCRIPT),
    "typescript": Language("typescript", ".ts", "node", _TYPESCRIPT),
}
_SHORT = {"py": "python", "js": "javascript", "ts": "typescript"}
RUNTIMES = (*_SHORT, *LANGUAGES)


class Scaffold(NamedTuple):
    """Where a new evaluator was written, and how to try it."""

    program: Path
    manifest: Path
    trial: str


def write(name: str, runtime: str | None, folder: Path) -> Scaffold:
    """Write `<folder>/<name>/`; an extension in the name says the language."""
    stem, language = _parts(name, runtime)
    home = folder / stem
    program, manifest = home / f"{stem}{language.extension}", home / "evaluator.yaml"
    sample = _SAMPLE.format(name=stem)
    fields = {
        "name": stem,
        # valid in every language, whatever the name: `my-eval`, `2nd`, `class`
        "identifier": f"evaluate_{stem.replace('-', '_')}",
        "sample": sample,
        "file": program.name,
    }
    texts = {
        program: language.template.format(**fields),
        manifest: _manifest(stem, language, program),
    }
    try:
        _write(home, texts)
    except OSError as error:
        msg = f"{home}: cannot be written to: {error.strerror}; choose another name or folder"
        raise InputError(msg) from None
    return Scaffold(program, manifest, f"echo '{sample}' | {language.command} {program}")


def _write(home: Path, texts: dict[Path, str]) -> None:
    for path in texts:
        if path.exists():
            msg = f"{path} exists already; choose another name, or remove it first"
            raise InputError(msg)
    home.mkdir(parents=True, exist_ok=True)
    for path, text in texts.items():
        path.write_text(text, encoding="utf-8")


def _parts(name: str, runtime: str | None) -> tuple[str, Language]:
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


def _manifest(stem: str, language: Language, program: Path) -> str:
    manifest = {
        "name": stem,
        "description": f"TODO: describe what {stem} evaluates",
        "language": language.name,
        "entrypoint": program.name,
        "tags": [],
        "author": "",
    }
    return yaml.safe_dump(manifest, sort_keys=False, allow_unicode=True)
