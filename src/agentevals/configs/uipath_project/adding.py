"""A new class in a project, and its text."""

import sys
from pathlib import Path

from agentevals.configs.uipath_project import places
from agentevals.configs.uipath_project.places import Names
from agentevals.model.errors import InputError

EVALUATOR = '''"""TODO: describe what {evaluator} judges."""

import json

from uipath.eval.evaluators import BaseEvaluationCriteria, BaseEvaluator, BaseEvaluatorConfig
from uipath.eval.models import AgentExecution, EvaluationResult, NumericEvaluationResult


class {criteria}(BaseEvaluationCriteria):
    """What one case is judged by."""

    expected_words: list[str] = []


class {config}(BaseEvaluatorConfig[{criteria}]):
    """How it judges, whatever the case."""

    name: str = "{evaluator}"
    case_sensitive: bool = False


class {evaluator}(BaseEvaluator[{criteria}, {config}, str]):
    """Replace this: the share of the expected words that occur in the agent's output."""

    @classmethod
    def get_evaluator_id(cls) -> str:
        """No other evaluator has this id."""
        return "{evaluator}"

    async def evaluate(
        self, agent_execution: AgentExecution, evaluation_criteria: {criteria}
    ) -> EvaluationResult:
        """Judge one run of the agent."""
        output = json.dumps(agent_execution.agent_output, ensure_ascii=False)
        words = evaluation_criteria.expected_words
        if not self.evaluator_config.case_sensitive:
            output, words = output.lower(), [word.lower() for word in words]
        missing = [word for word in words if word not in output]
        score = 1 - len(missing) / len(words) if words else 1.0
        return NumericEvaluationResult(score=score, details=json.dumps({{"missing": missing}}))
'''

_IMPORTED = frozenset({"google", "opentelemetry", "pydantic", "typing_extensions", "uipath"})


def add(name: str, project: Path) -> Path:
    """Write a class that works as it stands; where it lies."""
    names = Names.make(name)
    path = places.find_custom_folder(project) / names.file
    _refuse_hiding(name, path.stem)
    try:
        places.check(path, project)
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("x", encoding="utf-8") as file:
            file.write(EVALUATOR.format(**names._asdict()))
    except FileExistsError:
        msg = f"{path} exists already; choose another name, or remove it first"
        raise InputError(msg) from None
    except OSError as error:
        msg = f"{path}: cannot be written to: {error.strerror}"
        raise InputError(msg) from None
    return path


def _refuse_hiding(given: str, module: str) -> None:
    """Classes look for what they import beside themselves first."""
    if module in sys.stdlib_module_names or module in _IMPORTED:
        msg = (
            f"{given!r} cannot be an evaluator's name: {module}.py would hide the module "
            f"{module!r} from every class beside it; choose another name"
        )
        raise InputError(msg)
