"""The types of evaluators that are judged twice, and their settings that say what is expected."""

from collections.abc import Iterator, Sequence

from agentevals.graders.grader import Grader

OF_AN_EVAL_SET = ("tool_trajectory_avg_score", "response_match_score")
TEXTS = ("contains", "icontains", "starts_with", "ends_with", "equals")
LISTS = ("contains_any", "contains_all", "icontains_any", "icontains_all")
OUTPUTS = (
    *("uipath_exact_match", "uipath_json_similarity"),
    *(
        "uipath_legacy_exact_match",
        "uipath_legacy_json_similarity",
        "uipath_legacy_csv_exact_match",
    ),
)
AROUND = ("composite", "assert_set")
# others have it from the case
EXPECTING = {
    **dict.fromkeys((*TEXTS, *LISTS, "regex"), ("value",)),
    **dict.fromkeys(OUTPUTS, ("expected_output",)),
    "tool_trajectory": ("expected", "minimums"),
    "skill_trigger": ("skill",),
    "uipath_contains": ("search_text",),
    "uipath_tool_call_order": ("tool_calls_order",),
    "uipath_tool_call_args": ("tool_calls",),
    "field_accuracy": (),
    **dict.fromkeys(OF_AN_EVAL_SET, ()),
}


def is_offline(grader: Grader) -> bool:
    """Whether it needs no model and no program."""
    if grader.type in AROUND:
        kind = getattr(getattr(grader, "aggregator", None), "type", "")
        return "judge" not in kind and all(map(is_offline, grader.evaluators))
    return grader.type in EXPECTING


def flatten(graders: Sequence[Grader]) -> Iterator[Grader]:
    """Evaluators, with those that stand in them."""
    for one in graders:
        yield one
        yield from flatten(getattr(one, "evaluators", ()))
