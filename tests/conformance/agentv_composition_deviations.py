"""Where ours differs from AgentV in patterns, weights, gates and composites."""

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from tests.conformance.rows import Difference, explains

Recorded = dict[str, Any]
Rule = Callable[[Difference, Recorded, Recorded, Recorded], bool]

_CHILDREN = ("assertions", "assert", "evaluators")
_AGGREGATORS = {"safety_gate", "minimum", "maximum", "all_or_nothing"}


def explain(difference: Difference, case: Recorded, recorded: Recorded, ours: Recorded) -> str:
    """The number of the decision that asks for this difference, or nothing."""
    return next((n for n, rule in _RULES if explains(rule, difference, case, recorded, ours)), "")


def _entries(case: Recorded) -> list[Recorded]:
    return [one for one in case["test"].get("assertions") or () if isinstance(one, dict)]


def _below(entries: Iterable[Recorded]) -> Iterator[Recorded]:
    """Entries in composites, at any depth."""
    for entry in entries:
        for key in _CHILDREN:
            children = [one for one in entry.get(key) or () if isinstance(one, dict)]
            yield from children
            yield from _below(children)


def _composites(case: Recorded) -> list[Recorded]:
    entries = _entries(case)
    return [one for one in (*entries, *_below(entries)) if one.get("type") == "composite"]


def _regexes(case: Recorded) -> list[Recorded]:
    entries = _entries(case)
    return [one for one in (*entries, *_below(entries)) if one.get("type") == "regex"]


def _refused_pattern(d: Difference, case: Recorded, recorded: Recorded, ours: Recorded) -> bool:
    """A pattern or a flag that is not right is an error when the file is read."""
    words = ("Invalid regular expression", "Invalid flags supplied")
    failed = any(word in str(recorded.get("evaluators")) for word in words)
    return bool(ours.get("refused")) and failed and bool(_regexes(case))


def _python_pattern(d: Difference, case: Recorded, recorded: Recorded, ours: Recorded) -> bool:
    """Python's syntax is allowed, and its letters, digits and characters are those of Unicode."""
    if ours.get("refused"):
        return False
    answer = str(case["agent"]["output"][-1].get("content"))
    for entry in _regexes(case):
        pattern = entry["value"]
        if "(?P<" in pattern or pattern.startswith("(?i)"):
            return True
        unicode = not answer.isascii() and any(part in pattern for part in ("\\w", "\\d", "."))
        if unicode or ("$" in pattern and answer.endswith("\n")):
            return True
    return False


def _unknown_name(d: Difference, case: Recorded, recorded: Recorded, ours: Recorded) -> bool:
    """An aggregator that names an evaluator which is not there is an error."""
    return any("not among its evaluators" in problem for problem in ours.get("problems", ()))


def _same_name(d: Difference, case: Recorded, recorded: Recorded, ours: Recorded) -> bool:
    """Two evaluators of one name are an error, because results are told apart by it."""
    return any("is here twice" in problem for problem in ours.get("problems", ()))


def _unknown_type(d: Difference, case: Recorded, recorded: Recorded, ours: Recorded) -> bool:
    """A type that nobody knows is an error when the file is read."""
    unknown = "Unknown evaluator type" in str(recorded.get("evaluators"))
    return unknown and any("unknown type" in problem for problem in ours.get("problems", ()))


def _required_out_of_range(
    d: Difference, case: Recorded, recorded: Recorded, ours: Recorded
) -> bool:
    """A gate that no score can reach is an error."""
    return any("'required' must be at most 1" in problem for problem in ours.get("problems", ()))


def _unnamed_child(d: Difference, case: Recorded, recorded: Recorded, ours: Recorded) -> bool:
    """An evaluator without a name counts in a composite as it does elsewhere."""
    return any("name" not in child for child in _below(_entries(case)))


def _new_aggregator(d: Difference, case: Recorded, recorded: Recorded, ours: Recorded) -> bool:
    """Aggregators of the specification work, and without any it is the weighted mean."""
    kinds = {one.get("aggregator", {}).get("type") for one in _composites(case)}
    return d.where == "refused" and bool(kinds & (_AGGREGATORS | {None}))


def _own_settings_of_children(
    d: Difference, case: Recorded, recorded: Recorded, ours: Recorded
) -> bool:
    """What a child says of its weight, its gate and its opposite is honoured in a composite."""
    children = _below(_entries(case))
    return any({"weight", "required", "negate"} & child.keys() for child in children)


def _no_answer_of_an_aggregator(
    d: Difference, case: Recorded, recorded: Recorded, ours: Recorded
) -> bool:
    """An aggregator's program that failed is an error, not a score of 0."""
    return "Code aggregator failed" in str(recorded.get("evaluators"))


def _visible_score(d: Difference, case: Recorded, recorded: Recorded, ours: Recorded) -> bool:
    """A gate that was missed fails the case, and its score stays visible."""
    gated = any(entry.get("required") for entry in _entries(case))
    failed = recorded.get("score") == 0 and ours.get("verdict") == "fail"
    return d.where == "score" and gated and failed


_RULES: tuple[tuple[str, Rule], ...] = (
    ("3.18", _refused_pattern),
    ("3.18", _python_pattern),
    ("1.1", _unknown_name),
    ("1.1", _same_name),
    ("1.1", _unknown_type),
    ("1.1", _required_out_of_range),
    ("1.1", _unnamed_child),
    ("3.2", _new_aggregator),
    ("3.3", _own_settings_of_children),
    ("3.14", _no_answer_of_an_aggregator),
    ("3.9", _visible_score),
)
