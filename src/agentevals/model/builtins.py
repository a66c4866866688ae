"""The evaluators that ship with agentevals, each with the sentence that lists show."""

from typing import Any, NamedTuple


class Builtin(NamedTuple):
    """One evaluator. `starter` holds the settings it cannot do without, as values to change."""

    description: str
    is_judged: bool = False
    starter: dict[str, Any] = {}


EVALUATORS = {
    "tool_trajectory_avg_score": Builtin("Tool calls equal the expected ones, per turn"),
    "response_match_score": Builtin("Words shared with the expected answer (ROUGE-1)"),
    "response_evaluation_score": Builtin("Judge: how coherent the answer is", is_judged=True),
    "final_response_match_v2": Builtin(
        "Judge: the answer means the same as the expected one", is_judged=True
    ),
    "hallucinations_v1": Builtin(
        "Judge: every sentence is supported by what the agent saw", is_judged=True
    ),
    "safety_v1": Builtin("Judge: the answer is harmless", is_judged=True),
    "multi_turn_task_success_v1": Builtin(
        "Judge: the conversation reached its goal", is_judged=True
    ),
    "multi_turn_trajectory_quality_v1": Builtin(
        "Judge: the course of the conversation made sense", is_judged=True
    ),
    "multi_turn_tool_use_quality_v1": Builtin(
        "Judge: tools were well used over the conversation", is_judged=True
    ),
    "rubric_based_final_response_quality_v1": Builtin(
        "Judge: the answer fulfils your rubrics",
        is_judged=True,
        starter={"rubrics": ["The answer is polite"]},
    ),
    "rubric_based_tool_use_quality_v1": Builtin(
        "Judge: the use of tools fulfils your rubrics",
        is_judged=True,
        starter={"rubrics": ["Looks the order up before it changes it"]},
    ),
    "rubric_based_multi_turn_trajectory_quality_v1": Builtin(
        "Judge: the conversation fulfils your rubrics",
        is_judged=True,
        starter={"rubrics": ["Asks before it pays"]},
    ),
    "per_turn_user_simulator_quality_v1": Builtin(
        "Judge: the simulated user kept to its plan", is_judged=True
    ),
    "tool_call_count_v1": Builtin("Tool calls stay within a budget", starter={"max": 10}),
    "inference_call_count_v1": Builtin(
        "Requests to models stay within a budget", starter={"max": 10}
    ),
    "token_usage_v1": Builtin("Tokens stay within a budget", starter={"max": 20_000}),
    "invocation_duration_v1": Builtin("Turns stay within a time budget", starter={"max": "30s"}),
    "cost_v1": Builtin("Money spent on models stays within a budget", starter={"max": 0.1}),
}
