"""`docs/reference.md`, generated from the code: `python -m tests.reference` writes it anew."""

import json
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from typer import Context
from typer.core import TyperGroup
from typer.main import get_command

from agentevals.cli import app
from agentevals.graders import GRADERS
from agentevals.graders.grader import Grader
from agentevals.model import errors
from agentevals.report.reporters import REPORTERS
from agentevals.traces.loaders import LOADERS

PAGE = Path(__file__).parents[1] / "docs" / "reference.md"


def page() -> str:
    """The whole page."""
    return "\n".join([*_head(), *_exit_codes(), *_formats(), *_settings(), *_commands()]) + "\n"


def _head() -> Iterator[str]:
    yield "# Reference"
    yield ""
    yield "Generated from the code by `make docs`; a test keeps it equal."


def _exit_codes() -> Iterator[str]:
    yield from ("", "## Exit codes", "", "| code | means |", "|---|---|")
    for code, meaning in re.findall(r"^(\d+)  (.+)$", errors.__doc__ or "", re.MULTILINE):
        yield f"| {code} | {meaning} |"


def _formats() -> Iterator[str]:
    yield from ("", "## Formats", "")
    yield f"Trace formats (`--format`): {', '.join(f'`{name}`' for name in LOADERS.ours)}."
    yield ""
    yield f"Output formats (`--output`): {', '.join(f'`{name}`' for name in REPORTERS.ours)}."


def _settings() -> Iterator[str]:
    yield from ("", "## Settings of evaluators", "", "Every evaluator has these:", "")
    yield from _table(set(Grader.model_fields), Grader)
    for name in GRADERS.ours:
        grader = GRADERS[name]
        own = set(grader.model_fields) - set(Grader.model_fields)
        yield from ("", f"### {name}", "")
        yield from _table(own, grader) if own else ["No settings of its own."]


def _table(names: set[str], grader: type[Grader]) -> Iterator[str]:
    yield from ("| setting | type | default | |", "|---|---|---|---|")
    whole = grader.model_json_schema(by_alias=False)
    properties, named = whole["properties"], whole.get("$defs", {})
    for name in grader.model_fields:
        if name in names:
            schema = properties[name]
            default = f"`{json.dumps(schema['default'])}`" if "default" in schema else "required"
            cells = (f"`{name}`", _type(schema, named), default, schema.get("description", ""))
            yield f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"


def _type(schema: dict[str, Any], named: dict[str, Any]) -> str:
    if "enum" in schema:
        return ", ".join(f"`{value}`" for value in schema["enum"])
    if "const" in schema:
        return f"`{schema['const']}`"
    if "$ref" in schema:
        return _named(schema["$ref"].rpartition("/")[2], named)
    kinds = [_type(kind, named) for kind in schema.get("anyOf", schema.get("oneOf", ()))]
    return " or ".join(dict.fromkeys(kinds)) if kinds else str(schema.get("type", "any"))


def _named(name: str, named: dict[str, Any]) -> str:
    """An enumeration by its values, a mapping by its keys."""
    schema = named[name]
    if "properties" in schema:
        return f"{{{', '.join(f'`{key}`' for key in schema['properties'])}}}"
    return _type(schema, named)


def _commands() -> Iterator[str]:
    yield from ("", "## Commands")
    with _width(90):
        for context in _leaves(Context(get_command(app), info_name="agentevals")):
            yield from ("", f"### {context.command_path}", "", "```text")
            yield "\n".join(line.rstrip() for line in context.get_help().strip().splitlines())
            yield "```"


def _leaves(parent: Context) -> Iterator[Context]:
    """Every command below this one that has no commands of its own, as `--help` lists them."""
    if not isinstance(parent.command, TyperGroup):
        yield parent
        return
    for name in parent.command.list_commands(parent):
        command = parent.command.get_command(parent, name)
        if command and not command.hidden:
            settings = {**parent.command.context_settings, **command.context_settings}
            yield from _leaves(Context(command, parent=parent, info_name=name, **settings))


@contextmanager
def _width(columns: int) -> Iterator[None]:
    before = os.environ.get("COLUMNS")
    os.environ["COLUMNS"] = str(columns)
    try:
        yield
    finally:
        os.environ.pop("COLUMNS")
        if before is not None:
            os.environ["COLUMNS"] = before


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
