"""Rows recorded from the `agentevals` command: a folder with its inputs, command and output."""

import json
import os
import re
import shlex
import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Any

from tests import forked
from tests.conformance import protocol, surroundings, vectors
from tests.conformance.agentevals_model import OF_USERS, expect
from tests.conformance.agentevals_model.inputs import Inputs
from tests.conformance.agentevals_model.picture import Picture
from tests.conformance.deviations import explain
from tests.conformance.reading import ShapeError, compared, document
from tests.conformance.rows import Difference, Row, differences

READS = ("*",)

_NEWEST = "0.11.0"

_TEXTS = ("table", "summary")
_MARKS = {"PASSED": "PASS", "FAILED": "FAIL", "NOT_EVALUATED": "----"}
_LISTED = re.compile(r"name: (\S+)")
_ENTRY = re.compile(r"name: (\S+)\n\s+type: code\n\s+path: (\S+)")
_SCORED = re.compile(r"^\s*\[(PASS|FAIL|----|\?{4})\]\s+([\w()-]+):?\s", re.MULTILINE)


@dataclass(frozen=True)
class Run:
    """What one command did."""

    exit_code: int
    document: dict[str, Any] | None
    stderr: str


@dataclass(frozen=True)
class Recording:
    """One folder: what was run, and what came of it."""

    name: str
    folder: Path
    release: str
    words: tuple[str, ...]
    environment: dict[str, str]

    @classmethod
    def read(cls, folder: Path, name: str) -> "Recording":
        first, *rest = (folder / "command.txt").read_text(encoding="utf-8").splitlines()
        words = shlex.split(rest[0] if rest else first)
        start = words.index("agentevals") if "agentevals" in words else len(words)
        pairs = (word.partition("=")[::2] for word in words[:start])
        release = first.removeprefix("# agentevals-cli ").strip() if rest else ""
        return cls(name, folder, release, tuple(words[start + 1 :]), dict(pairs))

    @property
    def cache(self) -> Path:
        """Nothing that an earlier run left behind is used."""
        return self.folder / ".cache"

    @cached_property
    def inputs(self) -> Inputs:
        """The files and options that the command was given."""
        return Inputs(self.folder, self.words, self.release or _NEWEST)

    @property
    def exit_code(self) -> int:
        return int((self.folder / "exit_code.txt").read_text(encoding="utf-8"))

    @property
    def document(self) -> dict[str, Any] | None:
        path = self.folder / "output.normalized.json"
        return document(path) if path.is_file() else None

    @property
    def config(self) -> str:
        """What was configured, as it was written."""
        path = self.folder / dict(pairwise(self.words)).get("-c", "-")
        return path.read_text(encoding="utf-8", errors="replace") if path.is_file() else ""

    @property
    def absent(self) -> frozenset[str]:
        """Evaluators whose program lies outside the recording and was not kept with it."""
        outside = (e for e in _ENTRY.findall(self.config) if e[1].startswith(".."))
        return frozenset(name for name, path in outside if not (self.folder / path).exists())

    @property
    def text(self) -> str:
        path = self.folder / "output.txt"
        return path.read_text(encoding="utf-8") if path.is_file() else ""


def rows(folder: Path) -> Iterator[Row]:
    """Every recording below the folder, then the vectors of the word metrics."""
    with tempfile.TemporaryDirectory() as scratch:
        place = Path(scratch) / "recordings"
        shutil.copytree(folder, place)  # recordings name files of each other
        found = sorted(place.rglob("command.txt"))
        for path in found:
            name = str(path.parent.relative_to(place))
            yield compared(name, _recorded, name, path)
            yield from _list_absent(name, path)
        for lost in _without_command(place):
            yield Row(str(lost.relative_to(place)), incomparable="there is no command.txt")
    yield from vectors.rows(folder)
    yield from protocol.sdk_rows(folder)


def _list_absent(name: str, path: Path) -> Iterator[Row]:
    """What the row above leaves out: evaluators without their program."""
    try:
        absent = Recording.read(path.parent, name).absent
    except ValueError:
        return  # the row says what is wrong with the recording
    for metric in sorted(absent):
        yield Row(f"{name}/{metric}", incomparable="the program of this evaluator was not kept")


def _without_command(place: Path) -> Iterator[Path]:
    """Folders that were recordings, by what lies in them."""
    for folder in sorted(path for path in place.rglob("*") if path.is_dir()):
        top = folder.parent == place and folder.name != protocol.FOLDER
        left = (folder / "exit_code.txt").is_file() or (
            top and not any(folder.rglob("command.txt"))
        )
        if left and not (folder / "command.txt").is_file():
            yield folder


def _recorded(name: str, path: Path) -> Row:
    recording = Recording.read(path.parent, name)
    if recording.words[:1] != ("run",):
        said = " ".join(recording.words[:2])
        msg = f"another command than 'run': {said!r}"
        raise ShapeError(msg)
    if recording.absent and recording.absent >= set(_LISTED.findall(recording.config)):
        msg = "the program of no evaluator was kept"
        raise ShapeError(msg)
    return _compare(recording)


def _compare(recording: Recording) -> Row:
    run = _run(recording)
    captured, marks = protocol.read_captured(recording), _marks(recording.text)
    recorded = Picture(recording.exit_code, recording.document, captured, marks)
    expected = expect(recorded, recording.inputs)
    found = [
        *_differences(recording, expected.picture, run),
        *protocol.sent_differences(recording, expected.picture.stdin),
    ]
    explained = [(explain(d, recording, run), d) for d in found]
    return Row(
        name=recording.name,
        explained=(
            *expected.explained,
            *((decision, d) for decision, d in explained if decision),
        ),
        unexplained=tuple(d for decision, d in explained if not decision),
    )


def _run(recording: Recording) -> Run:
    """Run the recorded command; where it wrote text, ask for JSON and compare the facts."""
    words = list(recording.words)
    shown = words[words.index("-o") + 1] if "-o" in words else None
    if shown is None:
        words += ["-o", "json"]
    elif shown in _TEXTS:
        words[words.index("-o") + 1] = "json"
    own = {"XDG_CACHE_HOME": str(recording.cache), **recording.environment}
    with surroundings.surround([surroundings.read(recording.folder)]) as [around]:
        done = forked.run_patched(
            "agentevals", words, cwd=recording.folder, env={**os.environ, **own, **around}
        )
    return Run(done.returncode, _parsed(done.stdout), done.stderr)


def _parsed(printed: str) -> dict[str, Any] | None:
    try:
        found = json.loads(printed)
    except ValueError:
        return None
    return found if isinstance(found, dict) else None


def _differences(recording: Recording, expected: Picture, run: Run) -> Iterator[Difference]:
    if run.exit_code != expected.exit:
        yield Difference("exit", expected.exit, run.exit_code)
    if "Traceback" in run.stderr:
        yield Difference("stderr", "a sentence", "a traceback")
    if expected.document is not None:
        absent = recording.absent
        yield from differences(
            _comparable(expected.document, absent),
            _comparable(run.document or {}, absent),
            whole=OF_USERS,
        )
    elif expected.marks:
        yield from differences(expected.marks, _facts(run.document or {}), "marks")


def _comparable(document: dict[str, Any], absent: frozenset[str]) -> dict[str, Any]:
    """Without what may differ: durations, and the words (not the presence) of errors."""
    return {
        **document,
        "errors": bool(document.get("errors")),
        "traces": [_trace(trace, absent) for trace in document.get("traces", ())],
    }


def _trace(trace: dict[str, Any], absent: frozenset[str]) -> dict[str, Any]:
    metrics = sorted(trace.get("metrics", ()), key=lambda metric: str(metric.get("metric_name")))
    metrics = [metric for metric in metrics if metric.get("metric_name") not in absent]
    return {**trace, "metrics": [_metric(metric) for metric in metrics]}


def _metric(metric: dict[str, Any]) -> dict[str, Any]:
    said: dict[str, Any] = {"error": bool(metric["error"])} if "error" in metric else {}
    details = metric.get("details")
    if isinstance(details, dict) and "overall_rubric_scores" in details:
        scores = [{**one, "rationale": None} for one in details["overall_rubric_scores"]]
        said["details"] = {**details, "overall_rubric_scores": scores}  # it is a sentence of ADK
    return {**metric, "duration_ms": None, **said}


def _marks(text: str) -> dict[str, list[str]]:
    """The marks of each metric, in the order of the conversations."""
    found: dict[str, list[str]] = {}
    for mark, name in _SCORED.findall(text):
        found.setdefault(name, []).append(mark)
    return found


def _facts(document: dict[str, Any]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for trace in document.get("traces", ()):
        for metric in trace.get("metrics", ()):
            mark = _MARKS.get(str(metric.get("eval_status")), "")
            found.setdefault(str(metric.get("metric_name")), []).append(mark)
    return found
