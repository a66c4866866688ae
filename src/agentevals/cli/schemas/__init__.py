"""The JSON Schemas that we publish. To add one: list its function, then write the files anew.

`python -m agentevals.cli.schemas` writes them. A function takes nothing and returns the schema; the
file `<name>.schema.json` lies beside this module, is shipped with the package, and a test keeps
it equal to what the function says.
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
        "eval_config": "agentevals.configs.dialects.agentevals.schema:schema",
        "run": "agentevals.report.reporters.json_:schema",
        "report": "agentevals.report.reporters.report:schema",
        "review": "agentevals.report.exports.report:schema",
        "evaluator": "agentevals.evaluator.manifest:build_schema",
    },
)


def path(name: str) -> Path:
    """Where the published file lies."""
    return Path(__file__).parent / f"{name}.schema.json"


def text(name: str) -> str:
    """The schema as the file must be: what the code says today."""
    schema = {"$schema": "https://json-schema.org/draft/2020-12/schema"} | SCHEMAS[name]()
    return json.dumps(_dedented(schema), indent=2, ensure_ascii=False) + "\n"


def _dedented(value: Any) -> Any:
    """Docstrings without their indentation, which Python 3.13 takes off itself."""
    if isinstance(value, dict):
        return {
            key: cleandoc(item)
            if key == "description" and isinstance(item, str)
            else _dedented(item)
            for key, item in value.items()
        }
    return [_dedented(item) for item in value] if isinstance(value, list) else value
