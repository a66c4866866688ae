"""The evaluators that configs name with `type: builtin`.

To add one: write a module with one class below `agentevals.graders`, then list it here.
"""

from typing import Any, NamedTuple


class Builtin(NamedTuple):
    """One evaluator: its class below `agentevals.graders`, and the sentence that lists show.

    `starter` holds the settings it cannot do without, as values to change.
    """

    grader: str
    description: str
    is_judged: bool = False
    starter: dict[str, Any] = {}


EVALUATORS = {
    "tool_trajectory_avg_score": Builtin(
        "tools.tool_trajectory_avg_score:ToolTrajectory",
        "Tool calls equal the expected ones, per turn",
    ),
    "response_match_score": Builtin(
        "text.response_match_score:ResponseMatch",
        "Words shared with the expected answer (ROUGE-1)",
    ),
    "response_evaluation_score": Builtin(
        "llm.vertex:ResponseEvaluation",
        "Judge: how coherent the answer is",
        is_judged=True,
    ),
    "final_response_match_v2": Builtin(
        "llm.final_response_match_v2:FinalResponseMatch",
        "Judge: the answer means the same as the expected one",
        is_judged=True,
    ),
    "hallucinations_v1": Builtin(
        "llm.hallucinations_v1:Hallucinations",
        "Judge: every sentence is supported by what the agent saw",
        is_judged=True,
    ),
    "safety_v1": Builtin(
        "llm.vertex:Safety",
        "Judge: the answer is harmless",
        is_judged=True,
    ),
    "multi_turn_task_success_v1": Builtin(
        "llm.vertex:TaskSuccess",
        "Judge: the conversation reached its goal",
        is_judged=True,
    ),
    "multi_turn_trajectory_quality_v1": Builtin(
        "llm.vertex:TrajectoryQuality",
        "Judge: the course of the conversation made sense",
        is_judged=True,
    ),
    "multi_turn_tool_use_quality_v1": Builtin(
        "llm.vertex:ToolUseQuality",
        "Judge: tools were well used over the conversation",
        is_judged=True,
    ),
    "rubric_based_final_response_quality_v1": Builtin(
        "llm.rubric_based:ResponseRubrics",
        "Judge: the answer fulfils your rubrics",
        is_judged=True,
        starter={"rubrics": ["The answer is polite"]},
    ),
    "rubric_based_tool_use_quality_v1": Builtin(
        "llm.rubric_based:ToolUseRubrics",
        "Judge: the use of tools fulfils your rubrics",
        is_judged=True,
        starter={"rubrics": ["Looks the order up before it changes it"]},
    ),
    "rubric_based_multi_turn_trajectory_quality_v1": Builtin(
        "llm.rubric_based:TrajectoryRubrics",
        "Judge: the conversation fulfils your rubrics",
        is_judged=True,
        starter={"rubrics": ["Asks before it pays"]},
    ),
    "per_turn_user_simulator_quality_v1": Builtin(
        "llm.per_turn_user_simulator_quality_v1:UserSimulatorQuality",
        "Judge: the simulated user kept to its plan",
        is_judged=True,
    ),
    "tool_call_count_v1": Builtin(
        "budgets.spending:ToolCallCount",
        "Tool calls stay within a budget",
        starter={"max": 10},
    ),
    "inference_call_count_v1": Builtin(
        "budgets.spending:InferenceCallCount",
        "Requests to models stay within a budget",
        starter={"max": 10},
    ),
    "token_usage_v1": Builtin(
        "budgets.spending:TokenUsage",
        "Tokens stay within a budget",
        starter={"max": 20_000},
    ),
    "invocation_duration_v1": Builtin(
        "budgets.spending:InvocationDuration",
        "Turns stay within a time budget",
        starter={"max": "30s"},
    ),
    "cost_v1": Builtin(
        "budgets.spending:Cost",
        "Money spent on models stays within a budget",
        starter={"max": 0.1},
    ),
}
