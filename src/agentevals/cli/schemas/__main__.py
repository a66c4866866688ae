"""`make docs` runs this: it writes every published schema anew."""

from agentevals.cli.schemas import SCHEMAS, path, text

for name in SCHEMAS:
    path(name).write_text(text(name), encoding="utf-8")
