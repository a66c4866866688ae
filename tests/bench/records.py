"""Records of benchmarks: a line of JSON each, with a picture and a page that show them."""

import json
import os
import platform
import subprocess
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from tests.bench import growth

_HISTORY, _PICTURE, _PAGE = "history.jsonl", "growth.svg", "README.md"
_COLUMNS = {
    "work": "work",
    "limit": "the least possible",
    "theirs": "the other system",
    "ours": "agentevals",
    "reached": "reached",
    "wanted": "wanted",
}
_HEAD = """\
# Benchmarks

`make bench KEEP=docs/bench` measures what is here, and adds a line to [the history](history.jsonl).
In each round every command of a row runs once. The best round counts.

*The least possible* is the part of the work that nobody can leave out: the start of an
interpreter, a typed decode of the same bytes, as many forks. *Load* is the number of processes that
wanted a core when the measuring ended. Above the number of cores, all times are too long: look at
the ratios.

## The newest of each row

"""


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
    (folder / _PAGE).write_text(render(read(folder)), encoding="utf-8")
    if points:
        (folder / _PICTURE).write_text(growth.draw(points), encoding="utf-8")


def read(folder: Path) -> list[dict[str, Any]]:
    """Return the records of a history, the oldest first."""
    text = (folder / _HISTORY).read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]


def render(records: Sequence[Mapping[str, Any]]) -> str:
    """Return the page that shows a history."""
    newest = {name: record for record in records for name in record["rows"]}
    rows = [[*_COLUMNS.values(), "date"]]
    for name, record in newest.items():
        row = record["rows"][name]
        reached = row["reached"] if row["met"] else f"**missed:** {row['reached']}"
        cells = {**row, "reached": reached}
        rows.append([*(str(cells[key]) for key in _COLUMNS), record["date"]])
    times = [["date", "commit", "cores", "load", "row", "reached"]]
    for record in reversed(records):
        about = [record["date"], f"`{record['commit']}`", str(record["cores"]), str(record["load"])]
        times += [[*about, name, str(row["reached"])] for name, row in record["rows"].items()]
    parts = [_HEAD + _write_table(rows), _describe_growth(records), "## History\n"]
    return "\n".join([*parts, _write_table(times)])


def _describe_growth(records: Sequence[Mapping[str, Any]]) -> str:
    measured = [record["growth"] for record in records if record["growth"]]
    if not measured:
        return ""
    points = [growth.Point(**point) for point in measured[-1]]
    found = growth.fit(points)
    rows = [["traces", "seconds of CPU", "MB"]]
    rows += [[f"{p.traces:,}", f"{p.cpu:.2f}", f"{p.megabytes:.0f}"] for p in points]
    told = (
        f"Each further trace costs {found.milliseconds:.3f} ms of CPU and {found.kilobytes:.2f} kB "
        f"of memory. The time grows with the exponent {found.exponent:.2f}.\n"
    )
    picture = f"![Seconds of CPU by the number of traces]({_PICTURE})\n"
    return f"## Growth\n\n{told}\n{picture}\n{_write_table(rows)}"


def _write_table(rows: Sequence[Sequence[str]]) -> str:
    head, *others = rows
    lines = [head, ["---"] * len(head), *others]
    return "".join(f"| {' | '.join(cell or '-' for cell in line)} |\n" for line in lines)
