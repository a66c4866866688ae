"""The evaluators that ship with agentevals, each with the sentence that lists show."""

from typing import Any

DESCRIPTIONS = {
    "tool_trajectory_avg_score": "Tool calls equal the expected ones, per turn",
    "response_match_score": "Words shared with the expected answer (ROUGE-1)",
    "response_evaluation_score": "Judge: how coherent the answer is",
    "final_response_match_v2": "Judge: the answer means the same as the expected one",
    "hallucinations_v1": "Judge: every sentence is supported by what the agent saw",
    "safety_v1": "Judge: the answer is harmless",
    "multi_turn_task_success_v1": "Judge: the conversation reached its goal",
    "multi_turn_trajectory_quality_v1": "Judge: the course of the conversation made sense",
    "multi_turn_tool_use_quality_v1": "Judge: tools were well used over the conversation",
    "rubric_based_final_response_quality_v1": "Judge: the answer fulfils your rubrics",
    "rubric_based_tool_use_quality_v1": "Judge: the use of tools fulfils your rubrics",
    "rubric_based_multi_turn_trajectory_quality_v1": "Judge: the conversation fulfils your rubrics",
    "per_turn_user_simulator_quality_v1": "Judge: the simulated user kept to its plan",
    "tool_call_count_v1": "Tool calls stay within a budget",
    "inference_call_count_v1": "Requests to models stay within a budget",
    "token_usage_v1": "Tokens stay within a budget",
    "invocation_duration_v1": "Turns stay within a time budget",
    "cost_v1": "Money spent on models stays within a budget",
}

# Settings that one cannot do without, as a start to be changed.
STARTERS: dict[str, dict[str, Any]] = {
    "rubric_based_final_response_quality_v1": {"rubrics": ["The answer is polite"]},
    "rubric_based_tool_use_quality_v1": {"rubrics": ["Looks the order up before it changes it"]},
    "rubric_based_multi_turn_trajectory_quality_v1": {"rubrics": ["Asks before it pays"]},
    "tool_call_count_v1": {"max": 10},
    "inference_call_count_v1": {"max": 10},
    "token_usage_v1": {"max": 20_000},
    "invocation_duration_v1": {"max": "30s"},
    "cost_v1": {"max": 0.1},
}
