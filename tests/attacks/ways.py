"""The ways on which third-party code comes to run, each with code that tries every attempt.

A way writes its files and returns the command line that runs them. What the code reached comes back
in the text of its error, after the word REACHED.
"""

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from tests.attacks.program import write_together
from tests.attacks.scene import TOKEN, Scene

_TRACE = Path(__file__).parents[2] / "examples/traces/paris.jsonl"
# every socket of an installer leads to our proxy, so that to connect one reaches nobody else;
# and it writes to the folder that it builds in
_GRANTED_TO_INSTALLERS = {
    *("reach TCP to this machine", "reach TCP to another machine"),
    *("reach the proxy of the environment", "reach a stream that is pointed at a path"),
    *(f"get {name}" for name in ("its own text", "the mode of its text", "its folder")),
    "get removing itself",
    # what started its build is the installer, which is in the same sandbox
    *("reach files of the launcher", "reach the group of the launcher"),
    # of no use to anybody: the one is no server, and the other lies in its folder
    *("reach an abstract name of its own", "reach a path of its own"),
}
_RAISES = "\nraise SystemExit('REACHED ' + repr(try_all()))\n"
_FUNCTION = """
def judged(eval_metric, actual_invocations, expected_invocations, conversation_scenario):
    raise ValueError("REACHED " + repr(try_all()))
"""
_CLASS = """
from uipath.eval.evaluators import BaseEvaluationCriteria, BaseEvaluator, BaseEvaluatorConfig

class Criteria(BaseEvaluationCriteria):
    wanted: str = "a"

class Config(BaseEvaluatorConfig[Criteria]):
    name: str = "Own"

class Own(BaseEvaluator[Criteria, Config, str]):
    @classmethod
    def get_evaluator_id(cls):
        return "Own"

    async def evaluate(self, agent_execution, evaluation_criteria):
        raise ValueError("REACHED " + repr(try_all()))
"""
# a build needs nothing from an index where the package brings what builds it
_BUILT = '[build-system]\nrequires = []\nbuild-backend = "build"\nbackend-path = ["."]\n'
_BUILDS = """
def build_wheel(folder, settings=None, metadata=None):
    raise RuntimeError("REACHED " + repr(try_all()))
build_editable = build_wheel
"""
_FIXTURE = {"name": "attacked", "input": {"invocations": []}, "expect": {"score": 1}}
_MANIFEST = {
    "name": "attack",
    "description": "Tries every attempt",
    "language": "python",
    "entrypoint": "attack.py",
    "fixtures": "fixtures.yaml",
}

Command = tuple[str, ...]


def write_code(folder: Path, attack: str) -> dict[str, object]:
    """A program that speaks the protocol."""
    (folder / "attack.py").write_text(attack + _RAISES)
    return {"type": "code", "path": "attack.py"}


def write_code_judge(folder: Path, attack: str) -> dict[str, object]:
    """A code judge, in its folder in the project."""
    (folder / "judge.py").write_text(attack + _RAISES)
    return {"type": "code_judge", "command": [sys.executable, "judge.py"]}


def write_uipath_class(folder: Path, attack: str) -> dict[str, object]:
    """A class for UiPath."""
    (folder / "own.py").write_text(attack + _CLASS)
    return {"type": "uipath_class", "path": "own.py", "class_name": "Own", "criteria": {}}


def write_adk_function(folder: Path, attack: str) -> dict[str, object]:
    """A metric function for ADK."""
    (folder / "metric.py").write_text(attack + _FUNCTION)
    return {"type": "adk_function", "function": "metric.judged"}


def write_requirement(folder: Path, attack: str) -> dict[str, object]:
    """A package that is built because a `requirements.txt` lists it."""
    package = folder / "package"
    package.mkdir()
    (package / "pyproject.toml").write_text(_BUILT)
    (package / "build.py").write_text(attack + _BUILDS)
    (folder / "requirements.txt").write_text(f"{package}\n")
    (folder / "harmless.py").write_text("print('{\"score\": 1}')")
    return {"type": "code", "path": "harmless.py"}


def write_registry(folder: Path, attack: str) -> Command:
    """An evaluator of a registry, which is run on its fixtures."""
    entry = folder / "evaluators" / _MANIFEST["name"]
    entry.mkdir(parents=True)
    write_code(entry, attack)
    # JSON is YAML
    (entry / "evaluator.yaml").write_text(json.dumps(_MANIFEST))
    (entry / _MANIFEST["fixtures"]).write_text(json.dumps({"fixtures": [_FIXTURE]}))
    return ("registry", "validate", "--isolation", "strict", "--format", "json")


def _evaluate(write: Callable[[Path, str], dict[str, object]]) -> Callable[[Path, str], Command]:
    """Return the way on which an evaluator of a config runs."""

    def write_config(folder: Path, attack: str) -> Command:
        config = {"evaluators": [{"name": "attack", **write(folder, attack)}]}
        (folder / "eval_config.yaml").write_text(json.dumps(config))
        return ("run", str(_TRACE), "-c", "eval_config.yaml", "-o", "report")

    return write_config


WAYS: dict[str, Callable[[Path, str], Command]] = {
    "code": _evaluate(write_code),
    "code judge": _evaluate(write_code_judge),
    "UiPath class": _evaluate(write_uipath_class),
    "ADK function": _evaluate(write_adk_function),
    "requirements.txt": _evaluate(write_requirement),
    "fixtures": write_registry,
}


def make(way: str, scene: Scene, folder: Path) -> dict[str, object]:
    """Make every attempt on one way, and return what came of it."""
    granted = _GRANTED_TO_INSTALLERS if way == "requirements.txt" else ()
    words = WAYS[way](folder, write_together(scene.things, granted))
    done = subprocess.run(
        [sys.executable, "-m", "agentevals", *words],
        env={**os.environ, "SECRET": TOKEN, "XDG_CACHE_HOME": str(folder / "cache")},
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    reached = re.findall(r"REACHED \[(.*?)\]", done.stdout)
    assert reached, done
    return {"reached": [names for names in reached if names], "damage": scene.list_damage()}
