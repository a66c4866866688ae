"""Documents that ADK accepted or refused: eval configs and eval sets."""

import json
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar

from agentevals.configs import eval_sets
from agentevals.configs.dialects import compile_plan
from agentevals.model.errors import ConfigError
from tests.conformance.reading import each
from tests.conformance.rows import Difference, Row, differences

Recorded = dict[str, Any]
Read = TypeVar("Read")

# what each of our refusals is about, where the original takes the document
_STRICTER = {
    "unknown key": "1.1",  # it ignores what it does not know
    "there is no metric": "1.1",  # it is not evaluated there, and hidden
    "names no metric": "7.7",  # it evaluates nothing, and says nothing
    "it has no key": "7.7",
}


def rows(folder: Path) -> Iterator[Row]:
    """Every document of both recordings."""
    yield from each(folder / "eval_config_parsing.json", _config, "cases")
    yield from each(folder / "evalset_parsing.json", _eval_set, "cases")


def _config(name: str, case: Recorded) -> Row:
    result = case["result"]
    # a metric that cannot be made is not evaluated there; it is a refusal in everything but name
    broken = [m for m in result.get("metrics", ()) if m.get("error") not in {None, "ImportError"}]
    try:
        plan = _read(case["config"], "config.json", compile_plan)
    except ConfigError as error:
        return _refused(name, str(error), accepted="error" not in result and not broken)
    ours = {
        "refused": False,
        "criteria": {grader.name: True for grader in plan.graders},
        "infos": [_interval(grader) for grader in plan.graders if grader.type == "adk_function"],
    }
    recorded = {
        "refused": "error" in result or bool(broken),
        "criteria": dict.fromkeys(result.get("criteria", ()), True),
        "infos": [i["metric_value_info"].get("interval") for i in result.get("metric_info", ())],
    }
    recorded["infos"] = [found or _USUAL for found in recorded["infos"]]
    return Row(name, unexplained=tuple(differences(recorded, ours)))


_USUAL = {"min_value": 0.0, "max_value": 1.0, "open_at_min": False, "open_at_max": False}


def _interval(grader: Any) -> Recorded:
    info = grader.metric_info
    said = info.metric_value_info.interval if info else None
    return said.model_dump() if said else _USUAL


def _eval_set(name: str, case: Recorded) -> Row:
    recorded = {"refused": "error" in case["result"]}
    try:
        _read(case["evalset"], "set.evalset.json", eval_sets.load)
    except ConfigError as error:
        return _refused(name, str(error), accepted=not recorded["refused"])
    found = tuple(differences(recorded, {"refused": False}))
    if found and name.endswith("camel-set-id"):
        return Row(name, explained=(("7.8", found[0]),))
    return Row(name, unexplained=found)


def _read(document: Any, name: str, read: Callable[[Path], Read]) -> Read:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, name)
        path.write_text(json.dumps(document), encoding="utf-8")
        return read(path)


def _refused(name: str, message: str, *, accepted: bool) -> Row:
    if not accepted:
        return Row(name)
    difference = Difference("document", "accepted", f"refused: {message}")
    decision = next((number for words, number in _STRICTER.items() if words in message), "")
    return (
        Row(name, explained=((decision, difference),))
        if decision
        else Row(name, unexplained=(difference,))
    )
