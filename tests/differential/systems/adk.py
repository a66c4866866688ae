"""Google's ADK: what `adk eval` makes of invocations, with functions and scripted judges."""

import json
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tests.differential.draw import Draw
from tests.differential.grammars import adk_cases, adk_configs
from tests.differential.systems import Case
from tests.frameworks.installing import Installed
from tests.support import DATA

PACKAGES = ("google-adk[eval]==2.13.0",)
NODE = False

_DRIVERS = Path(__file__).parents[1] / "drivers"
_PROJECT = DATA / "foreign/adk"
_SECONDS = 1200


def generate(name: str, draw: Draw) -> Case:
    """Make a case by the grammar."""
    return Case(name, adk_cases.write_case(draw))


def list_reachable() -> set[tuple[str, str]]:
    """Every metric, field, value of an enum and function."""
    return {*adk_configs.list_reachable(), *adk_cases.list_reachable()}


def run(cases: Sequence[Case], installed: Installed) -> list[Any]:
    """Run all of them in one process."""
    question = {"imports": str(_PROJECT), "cases": [case.given for case in cases]}
    done = subprocess.run(
        [installed.program, "-W", "ignore", _DRIVERS / "adk.py"],
        input=json.dumps(question),
        capture_output=True,
        text=True,
        timeout=_SECONDS,
        check=False,
    )
    if done.returncode:
        msg = f"the driver failed: {done.stderr[-2000:]}"
        raise RuntimeError(msg)
    return list(json.loads(done.stdout.splitlines()[-1]))


def run_command(case: Case, installed: Installed) -> Any:
    """Run `adk eval`, whose agent does what it did; what raised there the command does not say."""
    [driven] = run([case], installed)
    with tempfile.TemporaryDirectory() as folder:
        agent = Path(folder, "my_agent")
        shutil.copytree(_PROJECT / "my_agent", agent, ignore=shutil.ignore_patterns("__pycache__"))
        for name in ("scripted_judge", "replayed_agent"):
            shutil.copy(_DRIVERS / f"{name}.py", folder)
        Path(agent, "__init__.py").write_text("from . import agent\n")
        Path(agent, "agent.py").write_text("from replayed_agent import root_agent\n")
        for name, document in (("config", case.given["config"]), ("case", case.given)):
            Path(folder, f"{name}.json").write_text(json.dumps(document))
        Path(folder, "set.evalset.json").write_text(json.dumps(case.given["eval_set"]))
        done = subprocess.run(
            [
                *(installed.scripts / "adk", "eval", agent, "set.evalset.json"),
                *("--config_file_path", "config.json", "--log_level", "CRITICAL"),
            ],
            cwd=folder,
            env={"PATH": "/usr/bin:/bin", "HOME": folder, "PYTHONPATH": folder},
            capture_output=True,
            text=True,
            timeout=_SECONDS,
            check=False,
        )
        return {**driven, **_read_command(driven, done.returncode, agent)}


def _read_command(driven: dict[str, Any], code: int, agent: Path) -> dict[str, Any]:
    """What the command shows, over what the driver told."""
    if "refused" in driven:
        return {"exit": code} if code != 1 else {}
    saved = sorted(agent.glob(".adk/eval_history/*.json"))
    if not saved:
        return {"exit": code}
    document = json.loads(saved[0].read_text())
    found: dict[str, Any] = {"cases": {}, "final": {}, "exit": code}
    for case in document["eval_case_results"]:
        name = case["eval_id"]
        found["final"][name] = _STATUSES[case["final_eval_status"]]
        found["cases"][name] = {
            one["metric_name"]: {
                **driven["cases"][name][one["metric_name"]],
                "score": one["score"],
                "status": _STATUSES[one["eval_status"]],
            }
            for one in case["overall_eval_metric_results"]
        }
    return found


_STATUSES = ("", "PASSED", "FAILED", "NOT_EVALUATED", "INFORMATIONAL")


def write(folder: Path, cases: Sequence[Case], results: Sequence[Any]) -> None:
    """Keep them as the runs that conformance reads."""
    runs = [
        {"id": case.name, "given": case.given, "result": result}
        for case, result in zip(cases, results, strict=True)
    ]
    text = json.dumps({"runs": runs}, indent=1, ensure_ascii=False)
    (folder / "runs.json").write_text(text + "\n", encoding="utf-8")
