"""The ways on which third-party code comes to run, each with code that tries every attempt.

What the code reached comes back in the text of its error, after the word REACHED.
"""

import sys
from pathlib import Path

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


WAYS = {
    "code": write_code,
    "code judge": write_code_judge,
    "UiPath class": write_uipath_class,
    "ADK function": write_adk_function,
    "requirements.txt": write_requirement,
}
