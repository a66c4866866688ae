import json
import shutil

import pytest

from agentevals.configs.uipath_project import uipath_project_classes
from agentevals.graders.grader import Services
from agentevals.graders.uipath.uipath_class import UipathClass
from agentevals.model.cases import Case
from agentevals.model.conversations import Span, ToolCall, Turn
from agentevals.model.errors import EvaluatorError, InputError
from tests.support import DATA, conversation

PROJECT = DATA / "foreign/uipath"
CUSTOM = "evals/evaluators/custom"
SCORES = DATA / "foreign/uipath_legacy/scores.jsonl"
PROBE = """
import json
from uipath.eval._helpers.evaluators_helpers import *
from uipath.eval._helpers.evaluators_helpers import trace_to_str
from uipath.eval.evaluators import BaseEvaluationCriteria, BaseEvaluator, BaseEvaluatorConfig
from uipath.eval.models import *


class Criteria(BaseEvaluationCriteria):
    kind: str = "numeric"


class Config(BaseEvaluatorConfig[Criteria]):
    name: str = "Probe"


class Probe(BaseEvaluator[Criteria, Config, str]):
    @classmethod
    def get_evaluator_id(cls):
        return "Probe"

    {definition} evaluate(self, run, criteria):
        spans = run.agent_trace
        seen = {{
            "same": [run.agent_output == run.workload_output, spans is run.workload_trace],
            "calls": [call.model_dump() for call in extract_tool_calls(spans)],
            "names": extract_tool_calls_names(spans),
            "outputs": [output.model_dump() for output in extract_tool_calls_outputs(spans)],
            "log": trace_to_str(spans),
            "spans": [[s.name, s.start_time, s.end_time, s.context.span_id,
                       s.parent and s.parent.span_id, s.status.status_code.name,
                       [e.name for e in s.events]] for s in spans],
            "input": run.agent_input,
            "reduced": self.reduce_scores([]),
        }}
        if criteria.kind == "raise":
            raise ValueError("broken")
        if criteria.kind == "boolean":
            return BooleanEvaluationResult(score=True, details=json.dumps(seen))
        return NumericEvaluationResult(score=0.25, details=json.dumps(seen))
"""


LEGACY = """
import json
from uipath.eval.evaluators import (
    BaseEvaluationCriteria, BaseEvaluator, BaseEvaluatorConfig, LegacyExactMatchEvaluator,
    LegacyJsonSimilarityEvaluator)
from uipath.eval.evaluators.base_legacy_evaluator import LegacyEvaluationCriteria
from uipath.eval.models import NumericEvaluationResult
from uipath.eval.models.models import LegacyEvaluatorCategory, LegacyEvaluatorType

KINDS = {1: LegacyExactMatchEvaluator, 6: LegacyJsonSimilarityEvaluator}
USUAL = {"id": "L", "name": "L", "description": "", "createdAt": "", "updatedAt": ""}


class Criteria(BaseEvaluationCriteria):
    cases: list[dict] = []


class Config(BaseEvaluatorConfig[Criteria]):
    name: str = "Legacy"


class Legacy(BaseEvaluator[Criteria, Config, str]):
    @classmethod
    def get_evaluator_id(cls):
        return "Legacy"

    async def evaluate(self, run, criteria):
        found = [await self.score(run, dict(case)) for case in criteria.cases]
        return NumericEvaluationResult(score=1, details=json.dumps(found))

    async def score(self, run, case):
        kind = case.pop("type")
        made = KINDS[kind](**USUAL, **case, category=LegacyEvaluatorCategory.Deterministic,
                           type=LegacyEvaluatorType(kind))
        result = await made.validate_and_evaluate_criteria(
            run.model_copy(update={"workload_output": case["output"]}),
            LegacyEvaluationCriteria(
                expected_output=case["expectedOutput"], expected_agent_behavior=""))
        return float(result.score) / (1 if kind == 1 else 100)
"""


@pytest.fixture(scope="module")
def projects(tmp_path_factory):
    """The same project twice: as it is, and with `uipath` in the environment of its classes."""
    folders = []
    for requirements in ("", "uipath==2.14.44\n"):
        folder = tmp_path_factory.mktemp("project")
        shutil.copytree(PROJECT, folder, dirs_exist_ok=True)
        for name, definition in (("probe", "async def"), ("plain", "def")):
            (folder / CUSTOM / f"{name}.py").write_text(PROBE.format(definition=definition))
        if requirements:
            (folder / CUSTOM / "requirements.txt").write_text(requirements)
        folders.append(folder)
    return folders


def calls():
    args = {"FileName": "PatternData.csv", "InputData": "H\nalpha\nbeta"}
    yield ToolCall(name="DataProcessingTool", args=args, response={"content": 1}, answered=True)
    yield ToolCall(name="Other", call_id="7", response="x", answered=True)


TOLD = Case(
    conversation=conversation(Turn(user="q", response='{"a": 1}', tool_calls=tuple(calls())))
)
RECORDED = Case(
    conversation=conversation(
        Turn(user='{"q": 1}', response="alpha"),
        spans=(
            Span(span_id="0b", name="root", start_ns=1, end_ns=10**9),
            Span(span_id="0a", name="tool", parent_id="0b", start_ns=2, end_ns=5, failed=True,
                 attributes={"tool.name": "T", "input.value": "{'a': True}", "tool.id": 0,
                             "output.value": '{"content": {"k": 1}}'}),
        ),
    )
)  # fmt: skip


def grades(projects, name, a_case, criteria):
    for folder in projects:
        grader = UipathClass(
            name="c", path=folder / CUSTOM / f"{name}.py", criteria=criteria, timeout=60
        )
        try:
            grade = grader.grade(a_case, Services())
        except (EvaluatorError, InputError) as error:
            yield str(error).partition(" (")[0]
        else:
            yield grade.score, grade.details


@pytest.mark.parametrize("a_case", [TOLD, RECORDED], ids=["told", "recorded"])
@pytest.mark.parametrize(
    ("name", "criteria"),
    [
        ("pattern_comparison_evaluator", {"expectedOutput": ["alpha"]}),
        ("my_custom_evaluator", {"expectedValues": ["ALPHA", "a"]}),
        ("probe", {}),
        ("probe", {"kind": "boolean"}),
        ("probe", {"kind": "raise"}),
        ("plain", {}),
        ("probe", {"knid": "boolean"}),
        ("probe", None),
    ],
)
def test_the_real_package_and_the_stand_in_say_the_same(projects, name, criteria, a_case):
    ours, theirs = grades(projects, name, a_case, criteria)

    assert ours == theirs


def test_the_files_that_are_registered_are_the_same(projects):
    ours, theirs = (
        [
            path.read_text()
            for path in uipath_project_classes.register("my_custom_evaluator", folder)
        ]
        for folder in projects
    )

    assert ours == theirs


def test_the_legacy_scores_are_those_that_were_recorded(projects):
    path = projects[1] / CUSTOM / "legacy.py"
    path.write_text(LEGACY)
    cases = [json.loads(line) for line in SCORES.read_text().splitlines()]
    grader = UipathClass(name="c", path=path, criteria={"cases": cases}, timeout=60)

    details = grader.grade(TOLD, Services()).details

    (told,) = details.values()
    scores = json.loads(told)
    assert scores == pytest.approx([case["score"] for case in cases])
