"""The evaluator types. To add one: write a module with one class, then list it here.

One that configs name with `type: builtin` is listed in `agentevals.model.builtins` instead.
"""

from typing import NamedTuple

from agentevals.graders.grader import Grader
from agentevals.model.builtins import EVALUATORS
from agentevals.model.plugins import Table

# what a `type: builtin` entry may be named: computed here, then asked of a language model
COMPUTED = tuple(name for name, each in EVALUATORS.items() if not each.is_judged)
JUDGED = tuple(name for name, each in EVALUATORS.items() if each.is_judged)
BUILTINS = COMPUTED + JUDGED

_G = "agentevals.graders"
_U = f"{_G}.uipath"

GRADERS: Table[type[Grader]] = Table(
    "evaluator type",
    {
        "code": f"{_G}.programs.code:Code",
        "code_judge": f"{_G}.programs.code_judge:CodeJudge",
        "remote": f"{_G}.programs.remote:Remote",
        "openai_eval": f"{_G}.llm.openai_eval:OpenAIEval",
        **{name: f"{_G}.{each.grader}" for name, each in EVALUATORS.items()},
        "contains": f"{_G}.text.text_checks:Contains",
        "llm_judge": f"{_G}.llm.llm_judge:LLMJudge",
        "rubric": f"{_G}.llm.rubric:Rubric",
        "contains_any": f"{_G}.text.text_checks:ContainsAny",
        "contains_all": f"{_G}.text.text_checks:ContainsAll",
        "icontains": f"{_G}.text.text_checks:ContainsInAnyCase",
        "icontains_any": f"{_G}.text.text_checks:ContainsAnyInAnyCase",
        "icontains_all": f"{_G}.text.text_checks:ContainsAllInAnyCase",
        "starts_with": f"{_G}.text.text_checks:StartsWith",
        "ends_with": f"{_G}.text.text_checks:EndsWith",
        "regex": f"{_G}.text.regex:Regex",
        "is_json": f"{_G}.text.text_checks:IsJson",
        "equals": f"{_G}.text.text_checks:Equals",
        "latency": f"{_G}.budgets.agentv_limits:Latency",
        "cost": f"{_G}.budgets.agentv_limits:CostOfRun",
        "token_usage": f"{_G}.budgets.agentv_limits:TokensUsed",
        "execution_metrics": f"{_G}.budgets.execution_metrics:ExecutionMetrics",
        "composite": f"{_G}.agentv.composite:Composite",
        "assert_set": f"{_G}.agentv.composite:AssertSet",
        "similar": f"{_G}.text.similar:Similar",
        "tool_trajectory": f"{_G}.tools.tool_trajectory:ToolTrajectory",
        "field_accuracy": f"{_G}.agentv.field_accuracy:FieldAccuracy",
        "skill_trigger": f"{_G}.tools.skill_checks:SkillTrigger",
        "skill_used": f"{_G}.tools.skill_checks:SkillUsed",
        "trajectory_tool_used": f"{_G}.tools.trajectory:ToolUsed",
        "trajectory_tool_sequence": f"{_G}.tools.trajectory:ToolSequence",
        "trajectory_tool_args_match": f"{_G}.tools.trajectory:ToolArgsMatch",
        "trajectory_step_count": f"{_G}.tools.trajectory:StepCount",
        "trajectory_goal_success": f"{_G}.llm.trajectory_goal_success:GoalSuccess",
        "uipath_exact_match": f"{_U}.uipath_output_checks:ExactMatch",
        "uipath_contains": f"{_U}.uipath_output_checks:Contains",
        "uipath_json_similarity": f"{_U}.uipath_output_checks:JsonSimilarity",
        "uipath_tool_call_order": f"{_U}.uipath_tool_calls:ToolCallOrder",
        "uipath_tool_call_count": f"{_U}.uipath_tool_calls:ToolCallCount",
        "uipath_tool_call_args": f"{_U}.uipath_tool_calls:ToolCallArgs",
        "uipath_tool_call_output": f"{_U}.uipath_tool_calls:ToolCallOutput",
        "uipath_binary_classification": f"{_U}.uipath_classification:BinaryClassification",
        "uipath_multiclass_classification": f"{_U}.uipath_classification:MulticlassClassification",
        "uipath_llm_judge_output_semantic_similarity": f"{_U}.uipath_llm_judges:SemanticSimilarity",
        "uipath_llm_judge_output_strict_json_similarity": (
            f"{_U}.uipath_llm_judges:StrictJsonSimilarity"
        ),
        "uipath_llm_judge_trajectory_similarity": f"{_U}.uipath_llm_judges:TrajectorySimilarity",
        "uipath_llm_judge_trajectory_simulation": f"{_U}.uipath_llm_judges:TrajectorySimulation",
        "uipath_legacy_exact_match": f"{_U}.uipath_legacy:LegacyExactMatch",
        "uipath_legacy_json_similarity": f"{_U}.uipath_legacy:LegacyJsonSimilarity",
        "uipath_legacy_csv_exact_match": f"{_U}.uipath_legacy:LegacyCsvExactMatch",
        "uipath_class": f"{_U}.uipath_class:UipathClass",
        "adk_function": f"{_G}.adk.adk_function:AdkFunction",
    },
    group="agentevals.graders",
)

# what other systems call a type of ours, once `-`, `:` and `_` are the same
_OTHER_NAMES = {
    "llm_rubric": "llm_judge",
    "rubrics": "rubric",
    "script": "code_judge",
}


class Meant(NamedTuple):
    """An evaluator type, and whether its spelling asks for the opposite."""

    type: str
    negate: bool = False


def find_type(spelling: str) -> Meant | None:
    """The type that a config means: `tool-trajectory`, `llm_grader`, `not-contains`, …"""
    if spelling in GRADERS.ours:
        return Meant(spelling)
    plain = spelling.replace("-", "_").replace(":", "_")
    for negate, name in ((False, plain), (True, plain.removeprefix("not_"))):
        usual = _OTHER_NAMES.get(name, name)
        for known in (usual, usual.removesuffix("_grader") + "_judge"):
            if known in GRADERS.ours and known not in BUILTINS:
                return Meant(known, negate)
    # last, because what others have installed is looked for slowly
    return Meant(spelling) if spelling in GRADERS else None
