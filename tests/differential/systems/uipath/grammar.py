"""A project: the items of an eval set, the evaluators that judge them, and what the agent does."""

from typing import Any

from tests.differential.draw import Draw
from tests.differential.systems.uipath import classes
from tests.differential.systems.uipath.evaluators import (
    CODED,
    LEGACY,
    draw_criteria,
    draw_evaluator,
    draw_expected,
)
from tests.differential.systems.uipath.played import Played, draw_played

Settings = dict[str, Any]

_SCORES: tuple[Any, ...] = (0, 100, 87, 87.456, 0.5, 130, -5, "90", 79.5, 80)
_TIMES = {"createdAt": "2025-01-01T00:00:00Z", "updatedAt": "2025-01-01T00:00:00Z"}


def draw_project(draw: Draw) -> Settings:
    """One project, with all that its agent does."""
    items = [f"item{at}" for at in range(draw.count(1, 3))]
    played = {item: draw_played(draw, item) for item in items}
    given: Settings = {
        "played": played,
        "classes": {},
        "kinds": {},
        "judge": {"justification": "It is so.", "score": draw.choose("judged", _SCORES)},
    }
    layout = draw.choose("layout", ("sdk", "sdk", "sdk", "legacy"))
    if layout == "legacy":
        return given | _draw_legacy_set(draw, played)
    return given | _draw_set(draw, given, played)


def _draw_legacy_set(draw: Draw, played: Played) -> Settings:
    kinds = [draw.choose("legacy", LEGACY) for _ in range(draw.count(1, 3))]
    evaluators = [draw_evaluator(draw, kind, f"E{at}", played) for at, kind in enumerate(kinds)]
    items = [
        {
            "id": item,
            "name": f"name of {item}",
            "inputs": {"case": item},
            "expectedOutput": _as_object(draw_expected(draw, mine["output"])),
            "expectedAgentBehavior": "looks it up",
            "evalSetId": "s",
            **_TIMES,
        }
        for item, mine in played.items()
    ]
    eval_set = {"id": "s", "fileName": "set.json", "name": "Set", **_TIMES}
    eval_set |= {"evaluatorRefs": [one["id"] for one in evaluators], "evaluations": items}
    return {"set": eval_set, "evaluators": {one["id"]: one for one in evaluators}}


def _as_object(value: Any) -> Settings:
    return value if isinstance(value, dict) else {"result": value}


def _draw_set(draw: Draw, given: Settings, played: Played) -> Settings:
    evaluators: dict[str, Settings] = {}
    kinds: dict[str, str] = {}
    for at in range(draw.count(1, 3)):
        name = f"E{at}"
        if draw.chance(0.25):
            kinds[name], given["classes"][name], evaluators[name] = classes.draw_class(draw, name)
        else:
            some = LEGACY if draw.chance(0.15) else CODED
            kinds[name] = draw.choose("kind", some)
            evaluators[name] = draw_evaluator(draw, kinds[name], name, played)
    items = [_draw_item(draw, item, mine, kinds, evaluators) for item, mine in played.items()]
    eval_set: Settings = {"version": "1.0", "id": "s", "name": "Set", "evaluations": items}
    if draw.chance(0.3):
        weights = [{"ref": one, "weight": draw.choose("weight", (1, 2, 0.5))} for one in evaluators]
        eval_set["evaluatorConfigs"] = weights
    else:
        eval_set["evaluatorRefs"] = list(evaluators)
    return {"set": eval_set, "evaluators": evaluators, "kinds": kinds}


def _draw_item(
    draw: Draw, item: str, mine: Settings, kinds: dict[str, str], files: dict[str, Settings]
) -> Settings:
    criteria: Settings = {}
    for name, kind in kinds.items():
        if draw.chance(0.08):
            continue
        usual = files[name].get("evaluatorConfig", {}).get("defaultEvaluationCriteria")
        if usual and draw.chance(0.4):
            criteria[name] = draw.choose("no criteria", (None, {}))
        else:
            criteria[name] = _draw_criteria(draw, kind, mine)
    found: Settings = {
        "id": item,
        "name": f"name of {item}",
        "inputs": {"case": item},
        "evaluationCriterias": criteria,
    }
    if draw.chance(0.15):
        found["expectedOutput"] = draw_expected(draw, mine["output"])
    if draw.chance(0.2):
        found["expectedAgentBehavior"] = "looks it up"
    return found


def _draw_criteria(draw: Draw, kind: str, mine: Settings) -> Settings:
    if kind in classes.KINDS:
        return classes.draw_class_criteria(draw, kind, mine["output"])
    if kind in LEGACY:
        expected = draw_expected(draw, mine["output"])
        draw.choose(f"{kind}.expected_output", ("set",))
        return {"expectedOutput": expected, "expectedAgentBehavior": "looks it up"}
    return draw_criteria(draw, kind, mine)
