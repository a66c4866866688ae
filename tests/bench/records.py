"""A record of a benchmark: one line of JSON, and the picture of its growth beside it."""

import json
import os
import platform
import subprocess
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from tests.bench import growth

_HISTORY, _PICTURE = "history.jsonl", "growth.svg"


def make_record(rows: Mapping[str, Mapping[str, Any]], points: Sequence[growth.Point]) -> str:
    """Return what was measured here and now, on one line."""
    commit = subprocess.run(
        ["git", "rev-parse", "--short=12", "HEAD"], capture_output=True, text=True, check=False
    )
    record = {
        "date": datetime.now(UTC).date().isoformat(),
        "commit": commit.stdout.strip(),
        "python": platform.python_version(),
        "cores": len(os.sched_getaffinity(0)),
        "load": round(os.getloadavg()[0], 1),
        "rows": rows,
        "growth": [point._asdict() for point in points],
    }
    return json.dumps(record) + "\n"


def keep(folder: Path, record: str, points: Sequence[growth.Point]) -> None:
    """Add a record to the history in a folder, and draw the growth anew if it was measured."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / _HISTORY).open("a", encoding="utf-8") as file:
        file.write(record)
    if points:
        (folder / _PICTURE).write_text(growth.draw(points), encoding="utf-8")
