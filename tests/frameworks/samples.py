"""Recordings of our agents as they are kept: one file for each scenario, and what was said."""

import gzip
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from tests.support import DATA

FOLDER = DATA / "frameworks"
ENDING = ".jsonl.gz"
_KEPT = "telemetry.sdk."
# what frameworks say about themselves, and no reading needs
_DROPPED = re.compile(
    r"exception\.stacktrace|(gen_ai\.)?tool\.(definitions|description|json_schema|parameters)"
    r"|llm\.tools\..*|ai\.prompt\.tools"
)
# lines in which Claude Code keeps its own prompts, and what it found out about the machine
_LEFT_OUT = frozenset({"api-request", "api-request-blob", "api-request-shape", "attachment"})


@dataclass(frozen=True)
class Sample:
    """What a combination recorded in each scenario, what was really said, and by which versions."""

    name: str
    recorded: dict[str, str]
    said: dict[str, list[dict[str, Any]]]
    versions: dict[str, str]


def split(folder: Path, began: list[tuple[int, str]], own: dict[str, str]) -> dict[str, str]:
    """The traces of each scenario: those that began after it, and before the next."""
    found: dict[str, list[tuple[int, str]]] = {}
    for path in sorted(folder.glob("*.jsonl")):
        lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
        if not lines:
            continue
        start = min(map(_find_start, lines))
        name = next((name for at, name in reversed(began) if at <= start), began[0][1])
        text = "".join(
            json.dumps(_scrub(line), ensure_ascii=False) + "\n"
            for line in lines
            if line.get("type") not in _LEFT_OUT
        )
        for place, word in own.items():
            text = text.replace(place, word)
        found.setdefault(name, []).append((start, text))
    return {name: "".join(text for _, text in sorted(parts)) for name, parts in found.items()}


def _find_start(line: dict[str, Any]) -> int:
    if isinstance(written := line.get("timestamp"), str):
        return int(datetime.fromisoformat(written).timestamp() * 1e9)
    return min((int(s["startTimeUnixNano"]) for s in _spans(line)), default=2**62)


def _spans(line: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for resource in line.get("resourceSpans", ()):
        for scope in resource.get("scopeSpans", ()):
            yield from scope.get("spans", ())


def _scrub(line: dict[str, Any]) -> dict[str, Any]:
    """Without what tells of the machine, and without the text of other people's code."""
    for kind in ("resourceSpans", "resourceLogs"):
        for each in line.get(kind, ()):
            resource = each.get("resource", {})
            told = resource.get("attributes", ())
            resource["attributes"] = [a for a in told if a["key"].startswith(_KEPT)]
    for span in _spans(line):
        for each in (span, *span.get("events", ())):
            told = each.get("attributes", ())
            each["attributes"] = [a for a in told if not _DROPPED.fullmatch(a["key"])]
    return line


def write(sample: Sample) -> None:
    """Write it where tests read it."""
    folder = FOLDER / sample.name
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob(f"*{ENDING}"):
        old.unlink()
    for name, text in sample.recorded.items():
        (folder / f"{name}{ENDING}").write_bytes(gzip.compress(text.encode(), mtime=0))
    _write_json(folder / "said.json", sample.said)
    today = datetime.now(UTC).date().isoformat()
    _write_json(folder / "measured.json", {"date": today, "versions": sample.versions})


def _write_json(path: Path, document: Any) -> None:
    path.write_text(json.dumps(document, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


def load(name: str, kind: str) -> dict[str, Any]:
    """What a sample has beside the recordings: what was `said`, or how it was `measured`."""
    found: dict[str, Any] = json.loads((FOLDER / name / f"{kind}.json").read_text(encoding="utf-8"))
    return found
