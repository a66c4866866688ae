"""`docs/reference.md`, generated from the code: `make docs` writes it anew."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import typer
from typer.core import TyperGroup
from typer.main import get_command

from agentevals.cli import app
from agentevals.graders.grader import Grader
from agentevals.model import errors
from agentevals.report.outputs import OUTPUTS
from agentevals.traces.loaders import LOADERS

PAGE = Path(__file__).parents[1] / "docs" / "reference.md"
_COLUMNS = 78  # of a command's help


def page() -> str:
    """The whole page."""
    return "\n".join([*_head(), *_exit_codes(), *_formats(), *_settings(), *_commands()]) + "\n"


def _head() -> Iterator[str]:
    yield "# Reference"
    yield ""
    yield "Look up an exit code, a format, a setting or a command. `make docs` writes this page."


def _exit_codes() -> Iterator[str]:
    yield from ("", "## Exit codes", "", "| code | means |", "|---|---|")
    for code, meaning in re.findall(r"^(\d+)  (.+)$", errors.__doc__ or "", re.MULTILINE):
        yield f"| {code} | {meaning} |"


def _formats() -> Iterator[str]:
    yield from ("", "## Formats", "")
    yield f"Trace formats (`--format`): {', '.join(f'`{name}`' for name in LOADERS.ours)}."
    yield ""
    yield f"Output formats (`--output`): {', '.join(f'`{name}`' for name in OUTPUTS.ours)}."


def _settings() -> Iterator[str]:
    yield from ("", "## Settings of evaluators", "", "Every evaluator has these:", "")
    yield from write_table(set(Grader.model_fields), Grader)
    yield from ("", "[Each type has a page](types/README.md) with its own settings.")


def write_table(names: set[str], grader: type[Grader]) -> Iterator[str]:
    """The settings of a type that have these names."""
    yield from ("| setting | type | default | meaning |", "|---|---|---|---|")
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
    for command in commands():
        help_lines = command.command.get_help(command).strip().splitlines()
        yield from ("", f"### {command.command_path}", "", "```text")
        yield from (line.rstrip() for line in help_lines)
        yield "```"


def commands() -> Iterator[typer.Context]:
    """Every command that somebody can type, in the order in which `--help` lists them."""
    root = get_command(app)
    width = {"terminal_width": _COLUMNS}
    yield from _walk(typer.Context(root, None, "agentevals", **width, **root.context_settings))


def _walk(context: typer.Context) -> Iterator[typer.Context]:
    group = context.command
    if not isinstance(group, TyperGroup):
        yield context
        return
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        if command is not None and not command.hidden:
            yield from _walk(typer.Context(command, context, name))


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
