"""`agentevals run` of the predecessor: recordings, eval sets, builtins and programs."""

import json
import os
import re
import shlex
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tests.conformance import surroundings
from tests.differential.draw import Draw
from tests.differential.grammars import agentevals_cases, agentevals_configs
from tests.differential.grammars.agentevals_formats import LINES
from tests.differential.systems import Case
from tests.frameworks.installing import Installed

PACKAGES = ("agentevals-cli==0.11.0",)
NODE = False

_DRIVER = Path(__file__).parents[1] / "drivers/agentevals_run.py"
_SECONDS = 1200
_SHOWN = re.compile(r"^\s*(\[(?:PASS|FAIL|----|\?{4})\]\s+[\w()-]+)", re.MULTILINE)


def generate(name: str, draw: Draw) -> Case:
    """Make a case by the grammar."""
    return Case(name, agentevals_cases.make_case(draw))


def list_reachable() -> set[tuple[str, str]]:
    """Every builtin without a judge, with its settings, those of programs, and every option."""
    return agentevals_configs.list_reachable()


def run(cases: Sequence[Case], installed: Installed) -> list[Any]:
    """Run all of them in one process, each in a folder of its own."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        laid = [_lay_out(folder / str(number), case) for number, case in enumerate(cases)]
        task, told = folder / "tasks.json", folder / "told.json"
        with surroundings.surround([_list_surroundings(case) for case in cases]) as around:
            tasks = [(*one, variables) for one, variables in zip(laid, around, strict=True)]
            task.write_text(json.dumps(tasks), encoding="utf-8")
            done = subprocess.run(
                [installed.program, "-W", "ignore", _DRIVER, task, told],
                capture_output=True,
                text=True,
                timeout=_SECONDS,
                check=False,
                env=_build_environment(folder),
            )
        if done.returncode:
            msg = f"the driver failed: {done.stderr[-2000:]}"
            raise RuntimeError(msg)
        return [_normalize(one) for one in json.loads(told.read_text(encoding="utf-8"))]


def run_command(case: Case, installed: Installed) -> Any:
    """Run the command."""
    with tempfile.TemporaryDirectory() as name:
        folder, words = _lay_out(Path(name) / "case", case)
        with surroundings.surround([_list_surroundings(case)]) as [variables]:
            done = subprocess.run(
                [installed.scripts / "agentevals", *words],
                cwd=folder,
                capture_output=True,
                encoding="utf-8",
                timeout=_SECONDS,
                check=False,
                env=_build_environment(Path(name)) | variables,
            )
        return _normalize({"exit_code": done.returncode, "printed": done.stdout})


def _list_surroundings(case: Case) -> dict[str, Any]:
    """What it asks of a judge, and of a repository."""
    listed = case.given.get("config", {}).get("evaluators") or ()
    refs = [entry["ref"] for entry in listed if entry.get("type") == "remote"]
    asked = {"judge": case.given["judge"]} if "judge" in case.given else {}
    return asked | ({"files": dict.fromkeys(refs, agentevals_configs.PROGRAM)} if refs else {})


def _build_environment(folder: Path) -> dict[str, str]:
    """The home has the program of the repository: 0.11 asks no other host than GitHub's own."""
    kept = folder / ".cache/agentevals/evaluators/github" / agentevals_configs.REF
    kept.parent.mkdir(parents=True, exist_ok=True)
    kept.write_text(agentevals_configs.PROGRAM)
    return {"PATH": os.environ["PATH"], "HOME": str(folder), "LANG": "C.UTF-8"}


def _lay_out(folder: Path, case: Case) -> tuple[str, list[str]]:
    """Write the files of a case, and return the folder and the words of its command."""
    folder.mkdir(parents=True)
    words = ["run"]
    for number, trace in enumerate(case.given["traces"]):
        words.append(f"trace-{number}.json")
        _write_json(folder / words[-1], trace)
    config = case.given.get("config", {})
    for key, option, name in _FILES:
        if key in case.given:
            words += [] if key in config else [option, name]
            _write_json(folder / name, case.given[key])
    if config:
        (folder / "told.py").write_text(agentevals_configs.PROGRAM)
        (folder / "told.js").write_text(agentevals_configs.PROGRAM_JS)
    return str(folder), [*words, *case.given.get("options", ())]


_FILES = (("eval_set", "-e", "eval_set.json"), ("config", "-c", "eval_config.yaml"))


def _write_json(path: Path, value: Any) -> None:
    if isinstance(value, dict) and value.keys() == {LINES}:
        lines = (json.dumps(line, ensure_ascii=False) for line in value[LINES])
        path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        return
    path.write_text(json.dumps(value, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


def _normalize(told: dict[str, Any]) -> dict[str, Any]:
    """Without durations, and in the order of names: 0.11 has that of completion."""
    try:
        document = json.loads(told["printed"])
    except ValueError:
        marks = _SHOWN.findall(told["printed"])  # times are in the rest of a line
        shown = sorted(marks, key=lambda mark: mark.split()[-1])
        return {"exit_code": told["exit_code"], "document": None, "shown": shown}
    for trace in document.get("traces", ()):
        trace["metrics"].sort(key=lambda metric: str(metric["metric_name"]))
        for metric in trace["metrics"]:
            metric["duration_ms"] = None
    return {"exit_code": told["exit_code"], "document": document}


def write(folder: Path, cases: Sequence[Case], results: Sequence[Any]) -> None:
    """As the recordings of the command lie in the goldens."""
    for case, result in zip(cases, results, strict=True):
        place, words = _lay_out(folder / case.name, case)
        command = f"# agentevals-cli 0.11.0\nagentevals {shlex.join(words)}\n"
        Path(place, "command.txt").write_text(command, encoding="utf-8")
        Path(place, "exit_code.txt").write_text(f"{result['exit_code']}\n")
        if result["document"] is None:
            lines = "".join(f"  {line} -\n" for line in result["shown"])
            Path(place, "output.txt").write_text(lines, encoding="utf-8")
        else:
            _write_json(Path(place, "output.normalized.json"), result["document"])
        if around := _list_surroundings(case):
            _write_json(Path(place, surroundings.FILE), around)
