"""UiPath: projects of random evaluators, classes and items, run by `uipath eval`."""

import json
import os
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.conformance.uipath_projects import read_results, write_project
from tests.differential.draw import Draw
from tests.differential.systems import Case
from tests.differential.systems.uipath import grammar, reachable
from tests.differential.systems.uipath.played import AGENT
from tests.frameworks.installing import Installed
from tests.servers import Reply, Seen, as_json, reply, serve

PACKAGES = ("uipath==2.14.44",)
NODE = False

_DRIVER = Path(__file__).parents[2] / "drivers/uipath_eval.py"
_SET = "evaluations/eval-sets/set.json"
_SECONDS = 900

list_reachable = reachable.list_reachable


def generate(name: str, draw: Draw) -> Case:
    """A project with one to three items and evaluators."""
    return Case(name, grammar.draw_project(draw))


def run(cases: Sequence[Case], installed: Installed) -> list[Any]:
    """Run all of them by the library."""
    with tempfile.TemporaryDirectory() as place, _serve_judges(cases) as url:
        folders = [Path(place, str(at)) for at in range(len(cases))]
        for folder, case in zip(folders, cases, strict=True):
            _write_whole(folder, case)
        asked = [[str(folder), f"{url}/{at}/t"] for at, folder in enumerate(folders)]
        subprocess.run(
            [installed.program, _DRIVER],
            input=json.dumps(asked),
            text=True,
            env=_variables(),
            capture_output=True,
            timeout=_SECONDS,
            check=True,
        )
        return [read_results(folder) for folder in folders]


def run_command(case: Case, installed: Installed) -> Any:
    """Run one by `uipath eval`."""
    with tempfile.TemporaryDirectory() as place, _serve_judges([case]) as url:
        folder = Path(place)
        _write_whole(folder, case)
        options = ("--output-file", "output.json", "--trace-file", "trace.jsonl", "--verbose")
        done = subprocess.run(
            [installed.scripts / "uipath", "eval", "main", _SET, "--no-report", *options],
            cwd=folder,
            env=_variables(UIPATH_URL=f"{url}/0/t"),
            capture_output=True,
            text=True,
            timeout=_SECONDS,
            check=False,
        )
        said = (done.stdout + done.stderr) if done.returncode else None
        Path(folder, "refused.json").write_text(json.dumps(said), encoding="utf-8")
        return read_results(folder)


def write(folder: Path, cases: Sequence[Case], results: Sequence[Any]) -> None:
    """Keep each as one document."""
    Path(folder, "projects").mkdir(parents=True, exist_ok=True)
    for case, result in zip(cases, results, strict=True):
        kept = {"given": case.given, "result": result}
        text = json.dumps(kept, ensure_ascii=False, indent=1)
        Path(folder, "projects", f"{case.name}.json").write_text(text + "\n", encoding="utf-8")


def _write_whole(folder: Path, case: Case) -> None:
    write_project(folder, case.given)
    texts = {
        "main.py": AGENT,
        "uipath.json": '{"functions": {"main": "main.py:main"}}',
        "agent.json": json.dumps(case.given["played"]),
    }
    for name, text in texts.items():
        Path(folder, name).write_text(text, encoding="utf-8")


def _variables(**more: str) -> dict[str, str]:
    usual = {"UIPATH_TELEMETRY_ENABLED": "false", "UIPATH_ACCESS_TOKEN": "t", "TZ": "UTC"}
    return {"PATH": os.environ["PATH"], "HOME": tempfile.gettempdir()} | usual | more


@contextmanager
def _serve_judges(cases: Sequence[Case]) -> Iterator[str]:
    """A gateway to models that say what each case has its judge say."""

    def answer(seen: Seen) -> Reply:
        if "chat/completions" not in seen.path:
            return reply(404)
        said = cases[int(seen.path.split("/")[1])].given["judge"]
        call = {"id": "c", "name": "submit_evaluation", "arguments": said}
        message = {"role": "assistant", "content": None, "tool_calls": [call]}
        used = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
        choice = {"index": 0, "message": message, "finish_reason": "tool_calls"}
        whole = {"id": "x", "object": "chat.completion", "created": 1, "model": "m"}
        return as_json({**whole, "choices": [choice], "usage": used})

    with serve(answer) as server:
        yield server.url
