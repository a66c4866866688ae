"""Places of evaluators in a file, and what AgentV itself skips without a message."""

from collections.abc import Callable, Iterator
from typing import Any

from agentevals.configs.config_entries import name_entry
from agentevals.configs.config_graders import merge_config
from agentevals.configs.dialects.agentv.eval_file_keys import LISTS, TESTS
from agentevals.files.document_places import CONFIG, quote
from agentevals.files.documents import Document
from agentevals.files.pydantic_mistakes import Where
from agentevals.graders import GRADERS, find_type
from agentevals.model.results import Finding

_CHILDREN = ("assertions", "assert", "evaluators")

Entry = dict[str, Any]
Reason = Callable[[Entry], str]

RULE = "agentv-drops-this"

_AGGREGATORS = {
    "weighted_average",
    "threshold",
    "code_judge",
    "code_grader",
    "llm_judge",
    "llm_grader",
}
_MODES = {"any_order", "in_order", "exact", "superset", "subset"}
_MATCHES = {"exact", "numeric_tolerance", "date"}
_LIMITS = (
    *("max_tool_calls", "max_llm_calls", "max_tokens", "max_cost_usd", "max_duration_ms"),
    "target_exploration_ratio",
)
_TEXTS = frozenset({"contains", "icontains", "starts_with", "ends_with", "equals", "regex"})


def locate(document: Document, name: str) -> Where:
    """Return the path of the first evaluator of that name, given or usual; else nothing."""
    plain, dash, number = name.rpartition("-")
    names = {name, plain} if dash and number.isdecimal() else {name}
    return next(
        (where for where, entry in find_entries(document) if name_entry(entry) in names), ()
    )


def find_entries(document: Document) -> Iterator[tuple[Where, dict[str, Any]]]:
    """Yield every evaluator that is written in the file itself, with those that stand in it."""
    value = document.value
    if isinstance(value, dict):
        yield from _find_in_holder(value, ())
    for where, test in find_tests(document):
        yield from _find_in_holder(test, where)


def find_tests(document: Document) -> Iterator[tuple[Where, dict[str, Any]]]:
    """Yield every test that is written in the file itself."""
    value: Any = document.value
    where: Where = ()
    if isinstance(value, dict):
        key = next((key for key in TESTS if key in value), "")
        value, where = value.get(key), (key,)
    for at, one in enumerate(value if isinstance(value, list) else ()):
        if isinstance(one, dict):
            yield (*where, at), one


def _find_in_holder(holder: dict[str, Any], where: Where) -> Iterator[tuple[Where, dict[str, Any]]]:
    inner = holder.get("execution")
    for part, way in ((holder, where), (inner, (*where, "execution"))):
        if isinstance(part, dict):
            for key in LISTS:
                yield from _find_in_list(part.get(key), (*way, key))


def _find_in_list(given: Any, where: Where) -> Iterator[tuple[Where, dict[str, Any]]]:
    for at, entry in enumerate(given if isinstance(given, list) else ()):
        if isinstance(entry, dict):
            yield (*where, at), entry
            for way in ((), (CONFIG,)):
                holder = entry.get(CONFIG) if way else entry
                if isinstance(holder, dict):
                    for key in _CHILDREN:
                        yield from _find_in_list(holder.get(key), (*where, at, *way, key))


def find_omissions(document: Document) -> Iterator[Finding]:
    """Yield a note for each reason why an evaluator, or a part of one, only runs here."""
    alike: dict[str, list[tuple[Where, Entry]]] = {}
    for where, entry in find_entries(document):
        kind = _find_type(entry)
        inside = kind and merge_config(GRADERS[kind], entry).inside
        for reason in (_explain_config,) if inside else _REASONS.get(kind, ()):
            if why := reason(entry):
                alike.setdefault(why, []).append((where, entry))
    for why, found in alike.items():
        where, entry = found[0]
        more = f" and {len(found) - 1} more" if len(found) > 1 else ""
        about = f"evaluator {quote(name_entry(entry))}{more}"
        yield document.finding(RULE, f"{about}: AgentV ignores {why}; it runs here", where)


def _find_type(entry: Entry) -> str:
    given = entry.get("type")
    meant = find_type(given) if isinstance(given, str) else None
    return meant.type if meant else ""


def _explain_config(entry: Entry) -> str:  # noqa: ARG001 -- what other reasons look at
    return "its 'config'"


def _explain_trajectory(entry: Entry) -> str:
    mode = entry.get("mode")
    if mode not in _MODES:
        return "this evaluator, because it has no 'mode'" if mode is None else ""
    if mode == "any_order":
        if "minimums" not in entry:
            return "this evaluator, because 'any_order' has no 'minimums'"
        return "'expected' where the mode is 'any_order'" if entry.get("expected") else ""
    return ""


def _explain_aggregator(entry: Entry) -> str:
    given = entry.get("aggregator")
    if not isinstance(given, dict):
        return "this evaluator, because it has no 'aggregator'"
    kind = str(given.get("type", "")).replace("-", "_")
    return "" if kind in _AGGREGATORS else f"this evaluator, because it knows no {quote(kind)}"


def _explain_children(entry: Entry) -> str:
    ignored = [
        key
        for key in ("weight", "required", "negate")
        for listed in (entry.get("assertions"), entry.get("assert"), entry.get("evaluators"))
        for child in (listed if isinstance(listed, list) else ())
        if isinstance(child, dict) and key in child
    ]
    return f"{ignored[0]!r} of what stands in it" if ignored else ""


def _explain_fields(entry: Entry) -> str:
    given = entry.get("fields")
    fields = [one for one in (given if isinstance(given, list) else ()) if isinstance(one, dict)]
    lost = [one for one in fields if one.get("match") not in _MATCHES]
    if not lost:
        return ""
    what = (
        "this evaluator" if len(lost) == len(fields) else f"the field {quote(lost[0].get('path'))}"
    )
    return f"{what}, because of its 'match'"


def _explain_aggregation(entry: Entry) -> str:
    return "'aggregation: minimum'" if entry.get("aggregation") == "minimum" else ""


def _explain_limits(entry: Entry) -> str:
    unknown = [key for key in ("max_input_tokens", "max_output_tokens") if key in entry]
    if not unknown:
        return ""
    alone = not any(key in entry for key in _LIMITS)
    return "this evaluator, because it knows none of its limits" if alone else f"{unknown[0]!r}"


def _explain_value(entry: Entry) -> str:
    value = entry.get("value")
    return "" if isinstance(value, str) else "this evaluator, because its 'value' is no text"


def _explain_old_name(entry: Entry) -> str:
    given = entry["type"]
    return f"the type {quote(given)} from 4.0 on" if given.endswith("judge") else ""


def _explain_items(entry: Entry) -> str:
    if entry["type"] != "rubric":
        return ""
    given = entry.get("rubrics")
    texts = [one for one in (given if isinstance(given, list) else ()) if isinstance(one, str)]
    return "the rubrics that are only a text" if texts else ""


_REASONS: dict[str, tuple[Reason, ...]] = {
    "tool_trajectory": (_explain_trajectory,),
    "composite": (_explain_aggregator, _explain_children),
    "field_accuracy": (_explain_fields, _explain_aggregation),
    "execution_metrics": (_explain_limits,),
    "code_judge": (_explain_old_name,),
    "llm_judge": (_explain_old_name,),
    "rubric": (_explain_items,),
    **dict.fromkeys(_TEXTS, (_explain_value,)),
}
