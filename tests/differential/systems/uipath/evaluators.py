"""Evaluators of every type, with the settings of each, and what they are told about an item."""

import json
from collections.abc import Callable
from typing import Any

from pydantic.alias_generators import to_snake

from tests.differential.draw import Draw
from tests.differential.systems.uipath.played import TOOLS, Played
from tests.differential.systems.uipath.values import draw_path, draw_value, resemble

Settings = dict[str, Any]

_CLASSES = ("yes", "no", "Spam", "7")
_LEGACY = {
    "uipath_legacy_exact_match": (0, 1),
    "uipath_legacy_json_similarity": (0, 6),
    "uipath_legacy_csv_exact_match": (0, 10),
}
_OUTPUT = ("exact_match", "contains", "json_similarity")
_CLASSIFYING = ("binary_classification", "multiclass_classification")
_CALLS = ("tool_call_order", "tool_call_count", "tool_call_args", "tool_call_output")
_JUDGES = {
    "llm_judge_output_semantic_similarity": "expectedOutput",
    "llm_judge_output_strict_json_similarity": "expectedOutput",
    "llm_judge_trajectory_similarity": "expectedAgentBehavior",
    "llm_judge_trajectory_simulation": "expectedAgentBehavior",
}
CODED = tuple(f"uipath_{name}" for name in (*_OUTPUT, *_CLASSIFYING, *_CALLS, *_JUDGES))
LEGACY = tuple(_LEGACY)
_SIGNS = (">", "<", ">=", "<=", "=", "==", "!=")
_UNSET = "unset"


class Drawing:
    """Draws the settings of one evaluator; each counts under the name that ours has for it."""

    def __init__(self, draw: Draw, kind: str) -> None:
        self.draw, self.kind, self.settings = draw, kind, Settings()

    def set_one_of(self, name: str, key: str, *values: Any) -> Any:
        """One of the values, or none."""
        found = self.draw.choose(f"{self.kind}.{name}", (*values, _UNSET))
        if found != _UNSET:
            self.settings[key] = found
        return None if found == _UNSET else found

    def set_or_not(self, name: str, key: str, make: Callable[[], Any]) -> None:
        """A value that is made, or none."""
        if self.draw.choose(f"{self.kind}.{name}", ("set", _UNSET)) == "set":
            self.settings[key] = make()


def draw_evaluator(draw: Draw, kind: str, name: str, played: Played) -> Settings:
    """The file of an evaluator."""
    draw.choose("type", (kind,))
    drawing = Drawing(draw, kind)
    if kind in _LEGACY:
        return _draw_legacy(drawing, name, played)
    _SETTINGS[kind.removeprefix("uipath_")](drawing, played)
    config: Settings = {"name": f"Evaluator {name}", **drawing.settings}
    if draw.choose(f"{kind}.threshold", ("set", _UNSET)) == "set":
        config["threshold"] = draw.choose("threshold", (0.0, 0.5, 0.87, 1.0))
    if draw.chance(0.3):
        first = next(iter(played.values()))
        config["defaultEvaluationCriteria"] = draw_criteria(draw, kind, first)
    if draw.chance(0.1):
        config = {to_snake(key): value for key, value in config.items()}
    shown = kind.replace("_", "-")
    return {"version": "1.0", "id": name, "evaluatorTypeId": shown, "evaluatorConfig": config}


def _draw_legacy(drawing: Drawing, name: str, played: Played) -> Settings:
    category, number = _LEGACY[drawing.kind]
    draw, output = drawing.draw, next(iter(played.values()))["output"]
    drawing.set_or_not("target_output_key", "targetOutputKey", lambda: draw_path(draw, output))
    drawing.set_one_of("line_by_line_evaluation", "lineByLineEvaluation", True, False)
    drawing.set_or_not("line_delimiter", "lineDelimiter", lambda: draw.choose("end", ("\n", ";")))
    if number == _LEGACY["uipath_legacy_csv_exact_match"][1]:
        columns = draw.choose("columns", ("Name", "name, AGE", "Town"))
        drawing.set_or_not("target_sub_output_key", "targetSubOutputKey", lambda: columns)
        drawing.settings.setdefault("targetSubOutputKey", "Name,Age")
    times = {"createdAt": "2025-01-01T00:00:00Z", "updatedAt": "2025-01-01T00:00:00Z"}
    what = {"category": category, "type": number, "name": f"Evaluator {name}"}
    return {"id": name, "fileName": f"{name}.json", **what, **times, **drawing.settings}


def _set_output(drawing: Drawing, played: Played, *, lines: bool = True) -> None:
    draw, output = drawing.draw, next(iter(played.values()))["output"]
    drawing.set_or_not(
        "target_output_key",
        "targetOutputKey",
        lambda: [draw_path(draw, output)] if draw.chance(0.15) else draw_path(draw, output),
    )
    if lines:
        drawing.set_one_of("line_by_line_evaluator", "lineByLineEvaluator", True, False)
        ends = ("\n", ";", "line")
        drawing.set_or_not("line_delimiter", "lineDelimiter", lambda: draw.choose("end", ends))


def _set_match(drawing: Drawing, played: Played) -> None:
    _set_output(drawing, played)
    drawing.set_one_of("case_sensitive", "caseSensitive", True, False)
    drawing.set_one_of("negated", "negated", True, False)


def _set_exact_match(drawing: Drawing, played: Played) -> None:
    _set_match(drawing, played)
    draw, settings = drawing.draw, drawing.settings
    drawing.set_or_not("classes", "classes", lambda: list(_CLASSES))
    kind = drawing.draw.choose(
        f"{drawing.kind}.aggregators",
        ("precision", "recall", "fscore", "confusion_matrix", _UNSET, _UNSET),
    )
    if kind != _UNSET:
        for key in ("lineByLineEvaluator", "caseSensitive", "negated"):
            settings.pop(key, None)
        settings["classes"] = list(_CLASSES)
        one = {"type": kind}
        if kind != "confusion_matrix":
            one["averaging"] = draw.choose(f"{drawing.kind}.aggregators", ("macro", "micro"))
        if kind == "fscore" and draw.chance(0.5):
            one["fValue"] = draw.choose("f", (0.5, 2))
        settings["aggregators"] = [one]


def _set_binary(drawing: Drawing, played: Played) -> None:
    _set_classification(drawing, played)
    drawing.set_or_not("positive_class", "positiveClass", lambda: "YES")
    drawing.settings.setdefault("positiveClass", "spam")


def _set_multiclass(drawing: Drawing, played: Played) -> None:
    _set_classification(drawing, played)
    drawing.set_or_not("classes", "classes", lambda: list(_CLASSES))
    drawing.settings.setdefault("classes", ["yes", "no"])
    drawing.set_one_of("averaging", "averaging", "macro", "micro")


def _set_classification(drawing: Drawing, played: Played) -> None:
    _set_output(drawing, played, lines=False)
    drawing.set_one_of("metric_type", "metricType", "precision", "recall", "f-score")
    drawing.set_or_not("f_value", "fValue", lambda: drawing.draw.choose("f", (0.5, 2.0)))


def _set_strict(drawing: Drawing, _: Played) -> None:
    drawing.set_one_of("strict", "strict", True, False)
    if drawing.kind == "uipath_tool_call_args":
        drawing.set_one_of("subset", "subset", True, False)


def _set_judge(drawing: Drawing, played: Played) -> None:
    if _JUDGES[drawing.kind.removeprefix("uipath_")] == "expectedOutput":
        _set_output(drawing, played, lines=False)
    drawing.set_or_not("judge_model", "model", lambda: "gpt-judge")
    drawing.set_or_not("prompt", "prompt", lambda: "Say how good {{ActualOutput}} is.")
    drawing.settings.setdefault("model", "gpt-judge")
    drawing.settings["temperature"] = 0


_SETTINGS: dict[str, Callable[[Drawing, Played], None]] = {
    "exact_match": _set_exact_match,
    "contains": _set_match,
    "json_similarity": _set_output,
    "binary_classification": _set_binary,
    "multiclass_classification": _set_multiclass,
    **dict.fromkeys(_CALLS, _set_strict),
    **dict.fromkeys(_JUDGES, _set_judge),
}


def draw_criteria(draw: Draw, kind: str, mine: Settings) -> Settings:
    """What an evaluator is told about an item."""
    name = kind.removeprefix("uipath_")
    if name == "contains":
        text = str(mine["output"])
        part = text[draw.count(0, 5) :][: draw.count(0, 9)]
        draw.choose(f"{kind}.search_text", ("set",))
        return {"searchText": draw.choose("searched", (part, part.upper(), draw.text()))}
    if name in _CLASSIFYING:
        draw.choose(f"{kind}.expected_class", ("set",))
        return {"expectedClass": draw.choose("class", (*_CLASSES, "other"))}
    if name in _CALLS:
        return _draw_calls(draw, name, mine["spans"])
    draw.choose(f"{kind}.{_FIELDS.get(name, 'expected_output')}", ("set",))
    if _JUDGES.get(name) == "expectedAgentBehavior":
        return {"expectedAgentBehavior": draw.text() or "looks it up"}
    return {"expectedOutput": draw_expected(draw, mine["output"])}


_FIELDS = {name: "expected_agent_behavior" for name in _JUDGES if "trajectory" in name}


def draw_expected(draw: Draw, output: Any) -> Any:
    """An expected output, which is an object or a text."""
    found = resemble(draw, output if isinstance(output, dict) else {"result": output})
    return draw.choose("expected text", (str(output), draw.text())) if draw.chance(0.15) else found


def _draw_calls(draw: Draw, name: str, spans: list[Settings]) -> Settings:
    made = [span["attributes"] for span in spans if "tool.name" in span["attributes"]]
    names = [_choose_name(draw, one) for one in made if draw.chance(0.8)]
    names += draw.several(TOOLS, 0, 2)
    kind = f"uipath_{name}"
    if name == "tool_call_order":
        draw.choose(f"{kind}.tool_calls_order", ("set",))
        return {"toolCallsOrder": names}
    if name == "tool_call_count":
        counts = {
            one: [draw.choose(f"{kind}.tool_calls_count", _SIGNS), draw.count(0, 2)]
            for one in names
        }
        return {"toolCallsCount": counts}
    if name == "tool_call_args":
        draw.choose(f"{kind}.tool_calls", ("set",))
        return {"toolCalls": [_draw_args(draw, one, made) for one in names]}
    draw.choose(f"{kind}.tool_outputs", ("set",))
    return {"toolOutputs": [_draw_answer(draw, one, made) for one in names]}


def _choose_name(draw: Draw, attributes: Settings) -> str:
    found = str(attributes["tool.name"])
    known = attributes.get("tool.id")
    spaced = found.replace("_", " ")
    return str(draw.choose("named by", (found, spaced, found if known is None else str(known))))


def _draw_args(draw: Draw, name: str, made: list[Settings]) -> Settings:
    args = next((_read(one) for one in made if one["tool.name"] == name), {})
    told = {"name": name, "args": resemble(draw, args)}
    return told if draw.chance(0.8) else {**told, "id": draw.choose("id", ("id1", "id2"))}


def _read(attributes: Settings) -> Settings:
    try:
        found = json.loads(attributes.get("input.value", ""))
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def _draw_answer(draw: Draw, name: str, made: list[Settings]) -> Settings:
    said = [str(one.get("output.value", "")) for one in made if one["tool.name"] == name]
    told = {"name": name, "output": draw.choose("answer", (*said, "sunny", str(draw_value(draw))))}
    return told if draw.chance(0.8) else {**told, "id": draw.choose("id", ("id1", "id2"))}
