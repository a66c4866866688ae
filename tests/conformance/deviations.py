"""Where ours differs on purpose in what only a whole run shows: refusals, errors, what was lost.

The numbers are those of `docs/compatibility.md`. A rule looks at one difference and at the two
runs, and explains only the value that its decision asks for. What follows from the inputs alone
is computed in `tests.conformance.agentevals_model`.
"""

import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.conformance.agentevals_model.picture import Picture
from tests.conformance.agentevals_model.readings import judge_trajectories
from tests.conformance.rows import Difference, differences, explains

if TYPE_CHECKING:
    from tests.conformance.agentevals import Recording, Run

Rule = Callable[[Difference, "Recording", "Run"], bool]
Told = dict[str, Any]

_SECONDS = 20
_CAP = 16 * 1024 * 1024  # bytes that a program may print
_PLACE = re.compile(r"^(?:agentevals: )?\s*(\S+?):(\d+):\d+: (.*)$", re.MULTILINE)
_OPTION = re.compile(r"--[a-z-]+")
_COMPUTED = {"tool_trajectory_avg_score", "response_match_score"}
_ERROR = {"error": True, "eval_status": "NOT_EVALUATED", "score": None}
_ERROR |= {"per_invocation_scores": [], "details": None}


def explain(difference: Difference, recording: "Recording", run: "Run") -> str:
    """The number of the decision that asks for this difference, or nothing."""
    return next((n for n, rule in _RULES if explains(rule, difference, recording, run)), "")


def _refused(d: Difference, rec: "Recording", run: "Run") -> bool:
    """What is wrong is said before anything runs, so that nothing else is printed.

    It was refused, or in error, there too; or it was ignored, and stands at the named place.
    """
    if run.exit_code != 2 or run.document is not None or d.where == "stderr":
        return False
    places = [(path, int(line), said) for path, line, said in _PLACE.findall(run.stderr)]
    named = set(_OPTION.findall(run.stderr)) & set(rec.inputs.long_options)
    if not places and not named:
        return False
    return _was_refused(rec) or any(_stands_there(rec, *place) for place in places)


def _was_refused(rec: "Recording") -> bool:
    document = rec.document or {}
    nothing = rec.exit_code == 1 and rec.document is None
    return nothing or bool(document.get("errors")) or any(m["error"] for m in _metrics(document))


def _stands_there(rec: "Recording", path: str, line: int, said: str) -> bool:
    lines = (rec.folder / path).read_text(encoding="utf-8").splitlines()
    return any(word in lines[line - 1] for word in re.findall(r"'([^']+)'", said))


def _error_is_no_pass(d: Difference, rec: "Recording", run: "Run") -> bool:
    """A judged metric without a judge is an error, where it was silently not evaluated."""
    silent = {
        m["metric_name"]
        for m in _metrics(rec.document or {})
        if m["eval_status"] == "NOT_EVALUATED" and not m["error"]
    } - _COMPUTED
    if d.where == "exit":
        return bool(silent) and (rec.exit_code, d.ours) == (0, 2)
    key = _find_key(d, silent)
    if key == "details" or not silent:
        judged = {e["name"] for e in _list_entries(rec) if e["type"] == "builtin"} - _COMPUTED
        return _find_key(d, judged) == "details" and d.ours is None
    empty = key != _SCORES or all(score is None for score in d.recorded)
    return key in _ERROR and empty and d.ours == _ERROR[key]


_SCORES = "per_invocation_scores"


def _find_key(d: Difference, names: set[str]) -> str:
    """The key of a metric with one of these names, if it is the place of a difference."""
    found = re.search(r"/metrics/([^/]+)/(\w+)$", d.where)
    return found[2] if found and found[1] in names else ""


def _blame_outcome(d: Difference, rec: "Recording", run: "Run") -> bool:
    """Whose doing an error is decides the exit code: 2 the user's, 3 something outside.

    A program that broke is neither, and the run ends with 1 as there.
    """
    document = rec.document or {}
    kinds = {e["name"]: e["type"] for e in _list_entries(rec)}
    broken = {m["metric_name"] for m in _metrics(document) if m["error"]}
    ran = any(kinds.get(name) == "code" for name in broken)
    refused = rec.document is None or not document.get("traces") or document.get("errors")
    hosted = [e for e in _list_entries(rec) if e["type"] == "remote"]
    outside = any(entry.get("source", "github") == "github" for entry in hosted)
    known = bool(refused) or bool(broken and not ran)
    return d.where == "exit" and d.recorded == 1 and known and d.ours == (3 if outside else 2)


def _list_entries(rec: "Recording") -> list[Told]:
    listed = rec.inputs.config.get("evaluators") or ()
    return [e for e in listed if isinstance(e, dict) and "name" in e and "type" in e]


def _others_are_kept(d: Difference, rec: "Recording", run: "Run") -> bool:
    """One bad evaluator, file or line cost everything; now it costs itself.

    What is kept are conversations of the files, judged as these files say.
    """
    if rec.document is None or rec.document.get("traces") != [] or run.document is None:
        return False
    if d.where == "errors":
        return d.ours is False
    files = "".join(path.read_text(encoding="utf-8") for path in _list_files(rec.folder))
    known = all(trace["trace_id"] in files.lower() for trace in run.document["traces"])
    return d.where == "traces" and known and bool(d.ours) and _are_judged_so(rec, run.document)


def _list_files(folder: Path) -> Iterator[Path]:
    return (path for path in folder.rglob("*") if path.suffix in {".json", ".jsonl"})


def _are_judged_so(rec: "Recording", ours: Told) -> bool:
    """Whether the trajectories, where there are any, are judged as computed from the files."""
    told = [m for m in _metrics(ours) if m["metric_name"] == "tool_trajectory_avg_score"]
    traces: list[Told] = [{"metrics": []} for _ in rec.inputs.groups]
    if not told or len(traces) != len(ours["traces"]):
        return True
    expected = Picture(0, {"traces": traces})
    judge_trajectories(expected, rec.inputs)
    wanted = list(expected.metrics)
    return len(wanted) != len(told) or not list(differences(wanted, told))


def _score_strictly(d: Difference, rec: "Recording", run: "Run") -> bool:
    """A score is a JSON number: not a bool, not a string."""
    wrong = {entry["name"] for entry in _list_entries(rec) if _prints_no_number(entry, rec.folder)}
    key = _find_key(d, wrong)
    return key in _ERROR and d.ours == _ERROR[key]


def _prints_no_number(entry: Told, folder: Path) -> bool:
    try:
        score = json.loads(_run_program(entry, folder))["score"]
    except (ValueError, LookupError, TypeError):
        return False
    return isinstance(score, bool | str)


def _run_program(entry: Told, folder: Path) -> bytes:
    """What a program of Python prints, asked plainly."""
    if entry["type"] != "code" or not str(entry.get("path")).endswith(".py"):
        return b""
    sent = {"metric_name": entry["name"], "config": entry.get("config") or {}, "invocations": []}
    words, given = [sys.executable, folder / entry["path"]], json.dumps(sent).encode()
    with tempfile.TemporaryDirectory() as scratch:  # what it writes is nobody's
        try:
            done = subprocess.run(
                words, input=given, capture_output=True, cwd=scratch, timeout=_SECONDS, check=False
            )
        except subprocess.TimeoutExpired:
            return b""
    return done.stdout


def _apply_executor(d: Difference, rec: "Recording", run: "Run") -> bool:
    """An executor that is not there is an error, with a requirements.txt too."""
    other = {e["name"] for e in _list_entries(rec) if e.get("executor", "local") != "local"}
    key = _find_key(d, other)
    exits = d.where == "exit" and d.ours in {2, 3}
    return bool(other) and (exits or (key in _ERROR and d.ours == _ERROR[key]))


def _clean_environment(d: Difference, rec: "Recording", run: "Run") -> bool:
    """An evaluator sees no variable of ours, and works in a folder of its own."""
    name = d.where.rsplit("/", 1)[-1]
    inherited = d.recorded in rec.environment.values() and d.ours is None
    moved = name == "cwd" and d.recorded == rec.folder.name and d.ours != d.recorded
    program = name in {"exe", "path"} and isinstance(d.ours, str)
    return "/details/" in d.where and (inherited or moved or program)


def _own_environment(d: Difference, rec: "Recording", run: "Run") -> bool:
    """Where an evaluator's own environment lies is ours to choose."""
    home = str(rec.cache / "agentevals/environments")
    return d.where.endswith("/exe") and d.recorded == "<path>" and str(d.ours).startswith(home)


def _cap_output(d: Difference, rec: "Recording", run: "Run") -> bool:
    """What a program prints is capped while it is read."""
    huge = {e["name"] for e in _list_entries(rec) if len(_run_program(e, rec.folder)) > _CAP}
    key = _find_key(d, huge)
    exits = d.where == "exit" and (d.recorded, d.ours) == (0, 1)
    return bool(huge) and (exits or (key in _ERROR and d.ours == _ERROR[key]))


def _read_folder(d: Difference, rec: "Recording", run: "Run") -> bool:
    """A folder stands for the trace files in it."""
    given = any((rec.folder / word).is_dir() for word in rec.words[1:2])
    return given and d.where in {"exit", "errors", "traces"} and _others_are_kept(d, rec, run)


def _metrics(document: Told) -> Iterator[Told]:
    for trace in document.get("traces", ()):
        yield from trace["metrics"]


_RULES: tuple[tuple[str, Rule], ...] = (
    ("1.1", _refused),
    ("2.7", _apply_executor),
    ("1.3", _error_is_no_pass),
    ("7.5", _read_folder),
    ("1.6", _others_are_kept),
    ("1.5", _blame_outcome),
    ("2.2", _score_strictly),
    ("7.1", _clean_environment),
    ("7.2", _own_environment),
    ("7.3", _cap_output),
)
