"""`make docs` runs this: it writes every published schema anew."""

from pathlib import Path

from agentevals.cli.schemas import SCHEMAS, path, text
from agentevals.evaluator import manifest_schema

for name in SCHEMAS:
    path(name).write_text(text(name), encoding="utf-8")

Path(manifest_schema.FILE).write_text(text("evaluator"), encoding="utf-8")
