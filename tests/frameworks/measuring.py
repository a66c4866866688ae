"""Record the agent of a combination in every scenario, and keep the recordings as samples."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.frameworks import installing, samples
from tests.frameworks.endpoint import Model, play
from tests.frameworks.installing import Installed
from tests.frameworks.packages import read_name
from tests.frameworks.script import SCENARIOS
from tests.frameworks.table import Combination
from tests.support import agentevals

_HERE = Path(__file__).parent
_SECONDS = 240


def measure(combination: Combination, *, newest: bool = False) -> samples.Sample:
    """Install, record, and return what was recorded beside what was said."""
    newest = newest and not combination.as_of  # what was a year before stays what it was
    installed = installing.install(
        combination.list_newest() if newest else combination.packages,
        node=combination.agent.endswith(".mjs"),
        newest=newest,
        as_of=combination.as_of,
    )
    scratch = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)  # a child may still write
    with scratch as kept, play(combination.handover) as model:
        folder = Path(kept)
        played = list(_read_lines(_record(combination, installed, folder, model)))
        _check(combination, played, model)
        began = [(each["began"], each["scenario"]) for each in played]
        own = {str(folder): "/agent", str(installed.folder): "/env", model.url: "http://model"}
        versions = _find_versions(combination, installed)
        recorded = samples.split(folder / "traces", began, own)
    return samples.Sample(combination.name, recorded, model.said, versions)


def _check(combination: Combination, played: list[dict[str, Any]], model: Model) -> None:
    """A scenario counts only if the agent has come to its end."""
    ended = {each["scenario"]: each["failed"] for each in played}
    for scenario in _choose(combination):
        failure = ended.get(scenario.name, "it was not played")
        turns = model.said.get(scenario.name, [])
        last = scenario.turns[-1].steps[-1]
        if failure and turns and scenario.name in combination.fails:
            turns[-1]["raised"] = failure
            continue
        if not failure and (len(turns) < len(scenario.turns) or not turns[-1]["answer"]):
            failure = f"the model was asked for {len(turns)} turns, and not for {last}"
        if failure:
            msg = f"the agent has not come to the end of {scenario.name!r}: {failure}"
            raise RuntimeError(msg)


def _find_versions(combination: Combination, installed: Installed) -> dict[str, str]:
    """Of the packages that somebody names who installs them."""
    every = installed.list_versions()
    return {name: every[name] for name in map(read_name, combination.packages) if name in every}


def _record(combination: Combination, installed: Installed, folder: Path, model: Model) -> str:
    _lay_out(combination, installed, folder)
    program = [str(installed.program), combination.agent]
    if combination.command:
        program.insert(0, str(installed.scripts / combination.command))
        if combination.command == "opentelemetry-instrument":
            program[1:2] = [str(installed.program)]
    scenarios = [
        {"name": s.name, "questions": [turn.question for turn in s.turns]}
        for s in _choose(combination)
    ]
    environment = {
        "PATH": f"{installed.scripts}:/usr/bin:/bin",
        "HOME": str(folder),
        "MODEL_URL": model.url,
        "GOOGLE_GEMINI_BASE_URL": model.url,
        "GOOGLE_API_KEY": "x",
        "SCENARIOS": json.dumps(scenarios),
        "PYTHONDONTWRITEBYTECODE": "1",
        **combination.environment,
    }
    if combination.keeps:
        done = _collect(combination.keeps, program, folder, environment)
    else:
        words = ("record", "--max-seconds", str(_SECONDS), "-o", "traces", "--", *program)
        done = agentevals(*words, cwd=folder, **environment)
    if os.environ.get("FRAMEWORKS_VERBOSE"):
        print(done.stdout, done.stderr, *model.strangers, sep="\n", file=sys.stderr)
        shutil.copytree(folder / "traces", "/tmp/frameworks-last", dirs_exist_ok=True)
    if not (folder / "traces").is_dir():
        msg = f"{combination.name}: nothing was recorded:\n{done.stdout}\n{done.stderr}"
        raise RuntimeError(msg)
    return done.stdout


def _collect(
    kept: str, program: list[str], folder: Path, environment: dict[str, str]
) -> subprocess.CompletedProcess[str]:
    """Run it, and take the files that it keeps by itself."""
    done = subprocess.run(
        program,
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=_SECONDS,
        check=False,
    )
    for number, path in enumerate(sorted(folder.glob(kept))):
        (folder / "traces").mkdir(exist_ok=True)
        shutil.copy(path, folder / f"traces/{number}.jsonl")
    return done


def _lay_out(combination: Combination, installed: Installed, folder: Path) -> None:
    """Put the agent into a folder of its own, with the lines that set the recording up."""
    ending = Path(combination.agent).suffix
    shutil.copy(_HERE / "agents" / combination.agent, folder)
    for beside in (f"shop{ending}", *combination.servers):
        shutil.copy(_HERE / "agents" / beside, folder)
    setup = _HERE / "setups" / (combination.setup or f"none{ending}")
    shutil.copy(setup, folder / f"recording{ending}")
    if ending == ".mjs":
        (folder / "node_modules").symlink_to(installed.folder / "node_modules")


def _choose(combination: Combination) -> list[Any]:
    out = set(combination.leaves_out)
    if combination.handover is None:
        out.add("handover")
    return [scenario for scenario in SCENARIOS if scenario.name not in out]


def _read_lines(printed: str) -> Iterator[dict[str, Any]]:
    for line in printed.splitlines():
        _, found, told = line.partition('#{"scenario"')
        if found:
            # what another thread prints may stand behind it
            yield json.JSONDecoder().raw_decode(found[1:] + told)[0]
