"""The JSON Schemas that we publish. To add one: list its function, then run `make docs`.

A function takes nothing and returns the schema; the file `<name>.schema.json` lies beside this
module, is shipped with the package, and a test keeps it equal to what the function says.
"""

import json
from collections.abc import Callable
from inspect import cleandoc
from pathlib import Path
from typing import Any

from agentevals.model.plugins import Table

SCHEMAS: Table[Callable[[], dict[str, Any]]] = Table(
    "schema",
    {
        "eval_config": "agentevals.configs.dialects.agentevals.eval_config_schema:schema",
        "eval_file": "agentevals.configs.dialects.agentv.eval_file_schema:schema",
        "run": "agentevals.report.outputs.json_:schema",
        "report": "agentevals.report.outputs.report:schema",
        "review": "agentevals.report.outputs.review:schema",
        "doctor": "agentevals.traces.diagnosis:schema",
        "evaluator": "agentevals.evaluator.manifest_schema:build",
    },
)

_WIDTH = 100  # columns of a line


def path(name: str) -> Path:
    """Return the path of the published file."""
    return Path(__file__).parent / f"{name}.schema.json"


def text(name: str) -> str:
    """The schema as the file must be: what the code says today."""
    schema = {"$schema": "https://json-schema.org/draft/2020-12/schema"} | SCHEMAS[name]()
    return write(_dedent(schema)) + "\n"


def write(value: Any, indent: str = "", taken: int = 0) -> str:
    """JSON with one line for each part that fits into it; `taken` columns hold its key."""
    flat = json.dumps(value, ensure_ascii=False)
    if not value or not isinstance(value, dict | list) or len(flat) + taken < _WIDTH:
        return flat
    inner = indent + "  "
    if isinstance(value, list):
        parts = [write(item, inner, len(inner)) for item in value]
    else:
        keys = {key: f"{json.dumps(key, ensure_ascii=False)}: " for key in value}
        parts = [k + write(value[key], inner, len(inner + k)) for key, k in keys.items()]
    start, end = "[]" if isinstance(value, list) else "{}"
    return f"{start}\n{inner}" + f",\n{inner}".join(parts) + f"\n{indent}{end}"


def _dedent(value: Any) -> Any:
    """Docstrings without their indentation, which Python 3.13 takes off itself."""
    if isinstance(value, dict):
        return {
            key: cleandoc(item) if key == "description" and isinstance(item, str) else _dedent(item)
            for key, item in value.items()
        }
    return [_dedent(item) for item in value] if isinstance(value, list) else value
