"""The JSON Schemas that we publish. To add one: list its function, then write the files anew.

`python -m agentevals.schemas` writes them. A function takes nothing and returns the schema; the
file `<name>.schema.json` lies beside this module, is shipped with the package, and a test keeps
it equal to what the function says.
"""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from agentevals.seams import Table

SCHEMAS: Table[Callable[[], dict[str, Any]]] = Table(
    "schema",
    {
        "eval_config": "agentevals.dialects.agentevals.schema:schema",
        "run": "agentevals.reporters.json_:schema",
        "report": "agentevals.reporters.report:schema",
    },
)


def path(name: str) -> Path:
    """Where the published file lies."""
    return Path(__file__).parent / f"{name}.schema.json"


def text(name: str) -> str:
    """The schema as the file must be: what the code says today."""
    schema = {"$schema": "https://json-schema.org/draft/2020-12/schema"} | SCHEMAS[name]()
    return json.dumps(schema, indent=2, ensure_ascii=False) + "\n"
