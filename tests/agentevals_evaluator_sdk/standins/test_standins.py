import json
import subprocess
import sys
from pathlib import Path

import pytest

SRC = Path(__file__).parents[3] / "src"


def said(code, *folders, **variables):
    """What a fresh interpreter prints that was offered the stand-ins."""
    start = "from agentevals_evaluator_sdk.standins import offer; offer(); offer()\n"
    finished = subprocess.run(
        [sys.executable, "-c", start + code],
        env={"PYTHONPATH": ":".join(map(str, (*folders, SRC))), **variables},
        capture_output=True,
        text=True,
        check=False,
    )
    return (finished.stdout + finished.stderr).strip()


LINES = [
    "from uipath.eval.evaluators import BaseEvaluationCriteria, BaseEvaluator",
    "from uipath.eval.evaluators.base_evaluator import BaseEvaluatorConfig",
    "from uipath.eval.evaluators import ExactMatchEvaluator, ToolCallArgsEvaluator",
    "from uipath.eval.evaluators import BaseLLMOutputEvaluator, LegacyTrajectoryEvaluator",
    "from uipath.eval.evaluators.output_evaluator import OutputEvaluator, AggregationMethod",
    "from uipath.eval.evaluators.exact_match_evaluator import ExactMatchEvaluatorConfig",
    "from uipath.eval.evaluators.llm_as_judge_evaluator import LLMJudgeMixin",
    "from uipath.eval.evaluators.base_legacy_evaluator import LegacyEvaluationCriteria",
    "from uipath.eval._helpers.helpers import is_empty_value, track_evaluation_metrics",
    "from uipath.eval._helpers.evaluators_helpers import tool_calls_args_score",
    "from uipath.eval.mocks import ExampleCall, mockable",
    "from uipath.tracing import traced",
    "from uipath.eval.models import LegacyEvaluatorCategory, LegacyEvaluatorType",
    "from uipath.eval.models import AgentExecution, EvaluationResult, ToolCall",
    "from uipath.eval.models.models import ErrorEvaluationResult",
    "from uipath.eval._helpers.evaluators_helpers import extract_tool_calls, trace_to_str",
    "import uipath.eval.models as models; models.NumericEvaluationResult",
    "from opentelemetry.sdk.trace import ReadableSpan",
    "from google.adk.evaluation.app_details import AppDetails",
    "from google.adk.evaluation.conversation_scenarios import ConversationScenario",
    "from google.adk.evaluation.eval_case import Invocation, get_all_tool_calls",
    "from google.adk.evaluation.eval_case import ConversationScenario, Rubric",
    "from google.adk.evaluation.eval_set import EvalCase, EvalSet",
    "from google.adk.evaluation.eval_result import EvalCaseResult, EvalSetResult",
    "from google.adk.evaluation.evaluator import ConversationScenario, Evaluator, Invocation",
    "from google.adk.evaluation.trajectory_evaluator import TrajectoryEvaluator",
    "from google.adk.evaluation.trajectory_evaluator import get_all_tool_calls",
    "from google.adk.evaluation.agent_evaluator import AgentEvaluator",
    "from google.adk.evaluation.llm_as_judge import LlmAsJudge, EvaluationResult",
    "from google.adk.evaluation.llm_as_judge_utils import get_text_from_content",
    "from google.adk.evaluation.common import EvalBaseModel",
    "from google.adk.evaluation.simulation.user_simulator_personas import UserPersona",
    "from google.adk.evaluation.eval_config import EvalConfig",
    "from google.adk.evaluation.eval_metrics import EvalMetric, EvalStatus, MetricInfo",
    "from google.adk.evaluation.eval_rubrics import Rubric, RubricScore",
    "from google.adk.evaluation.evaluator import EvalStatus, PerInvocationResult",
    "from google.genai import types; types.Content",
]
# each line is the first import of a fork
EACH = """
import json, os, traceback
told = {}
for line in json.loads(os.environ["LINES"]):
    there, here = os.pipe()
    if os.fork() == 0:
        os.dup2(here, 1)
        os.dup2(here, 2)
        try:
            exec(line)
        except BaseException:
            traceback.print_exc()
        sys.stdout.flush()
        os._exit(0)
    os.close(here)
    told[line] = os.fdopen(there).read()
    os.wait()
print(json.dumps(told))
"""


@pytest.fixture(scope="module")
def told():
    """What each of the lines prints in a fresh interpreter."""
    return json.loads(said(f"import sys{EACH}", LINES=json.dumps(LINES)))


@pytest.mark.parametrize("line", LINES)
def test_what_evaluators_import_is_there(told, line):
    assert told[line] == ""


def test_a_line_that_cannot_be_imported_would_be_noticed():
    code = f"import sys{EACH}"
    [printed] = json.loads(said(code, LINES='["import uipath.nowhere"]')).values()

    assert printed.endswith("ModuleNotFoundError: No module named 'uipath.nowhere'\n")


def test_a_package_that_is_installed_is_used(tmp_path):
    package = tmp_path / "uipath" / "eval" / "models"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("AgentExecution = 'real'")

    code = "from uipath.eval.models import AgentExecution; print(AgentExecution)"
    assert said(code, tmp_path) == "real"


def test_a_real_package_is_not_completed_with_ours(tmp_path):
    (tmp_path / "uipath").mkdir()
    (tmp_path / "uipath" / "__init__.py").write_text("")

    assert "No module named 'uipath.eval'" in said("import uipath.eval.models", tmp_path)


def test_another_package_of_the_same_family_is_no_hindrance(tmp_path):
    (tmp_path / "google" / "cloud").mkdir(parents=True)
    (tmp_path / "google" / "cloud" / "__init__.py").write_text("name = 'cloud'")

    code = "import google.cloud, google.adk.evaluation.evaluator; print(google.cloud.name)"
    assert said(code, tmp_path) == "cloud"


def test_what_nobody_answers_for_is_missing_as_usual():
    assert "No module named 'uipath.platform'" in said("import uipath.platform")
    assert "No module named 'google.nosuch'" in said("import google.nosuch")
