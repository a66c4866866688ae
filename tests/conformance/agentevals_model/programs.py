"""Programs that did not run there, and do here: 1.2, 2.8 and 7.6. They are run to see."""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

from agentevals.sandbox.program_runtimes import find_node
from tests.conformance.agentevals_model.inputs import Group, Inputs
from tests.conformance.agentevals_model.picture import Picture, Told

_SECONDS = 60


def find_beside_config(picture: Picture, inputs: Inputs) -> None:
    """1.2: a path is read against the file that names it."""
    home = (inputs.folder / inputs.options.get("-c", "")).parent
    for entry in _list_programs(inputs):
        if not (inputs.folder / entry["path"]).exists() and (home / entry["path"]).exists():
            _run(picture, inputs, entry, home / entry["path"])


def run_typescript(picture: Picture, inputs: Inputs) -> None:
    """2.8: `.ts` runs where Node strips types."""
    for entry in _list_programs(inputs):
        if entry["path"].endswith(".ts"):
            _run(picture, inputs, entry, inputs.folder / entry["path"])


def take_fractions(picture: Picture, inputs: Inputs) -> None:
    """7.6: a time limit may be a fraction of a second."""
    for entry in _list_programs(inputs):
        if isinstance(entry.get("timeout"), float) and not entry["timeout"].is_integer():
            _run(picture, inputs, entry, inputs.folder / entry["path"])


def _list_programs(inputs: Inputs) -> list[Told]:
    listed = inputs.config.get("evaluators") or ()
    return [entry for entry in listed if isinstance(entry, dict) and entry.get("type") == "code"]


def _run(picture: Picture, inputs: Inputs, entry: Told, path: Path) -> None:
    """Put what the program says in the place of the error that was recorded."""
    if not (picture.document or {}).get("traces"):
        picture.document = {"traces": [{"metrics": []} for _ in inputs.groups], "errors": []}
    for trace, group in zip(picture.traces, inputs.groups, strict=True):
        others = [m for m in trace["metrics"] if m["metric_name"] != entry["name"]]
        trace["metrics"] = [*others, _ask(entry, path, group)]
    picture.settle()


def _ask(entry: Told, path: Path, group: Group) -> Told:
    words = [str(find_node() if path.suffix in (".ts", ".js") else sys.executable), str(path)]
    turns = [{"invocation_id": t.id, "final_response": t.answer} for t in group.turns]
    sent = {"metric_name": entry["name"], "config": {}, "invocations": turns}
    with tempfile.TemporaryDirectory() as scratch:
        done = subprocess.run(
            words,
            input=json.dumps(sent),
            capture_output=True,
            cwd=scratch,
            text=True,
            timeout=_SECONDS,
            check=True,
        )
    score = json.loads(done.stdout)["score"]
    status = "PASSED" if score >= entry.get("threshold", 0.5) else "FAILED"
    told = {"metric_name": entry["name"], "score": score, "eval_status": status}
    return told | {"error": None, "duration_ms": None}
