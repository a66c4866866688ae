"""Rows of states that no run gets into: trajectories and texts handed to AgentV directly."""

from typing import Any

from agentevals.graders.agentv.fields import read_document
from agentevals.graders.grader import Services
from agentevals.graders.tools.tool_trajectory import ToolTrajectory
from agentevals.model.cases import Case
from agentevals.model.conversations import Conversation, ToolCall, Turn
from tests.conformance import agentv_trajectory_deviations as deviations
from tests.conformance.reading import fitting, of_release, text
from tests.conformance.rows import Row, differences

_RELEASE = "agentv-3.1.0"

Recorded = dict[str, Any]


def found_json(name: str, case: Recorded) -> Row:
    """JSON found in a text."""
    recorded = of_release(case, _RELEASE)
    return Row(name, unexplained=tuple(differences(recorded, _read(text(case["in"])))))


def trajectory(name: str, case: Recorded) -> Row:
    """A direct call of the trajectory evaluator."""
    config, context = case["input"]["config"], case["input"]["context"]
    grader = ToolTrajectory.model_validate({"name": "tt", **config})
    told = Case(conversation=Conversation(conversation_id="c", turns=_turns(config, context)))
    grade = grader.grade(fitting(told), Services())
    ours = {"score": grade.score, "hits": list(grade.hits), "misses": list(grade.misses)}
    expected = of_release(case["expected"], _RELEASE)
    recorded = {key: expected[key] for key in ours}
    written = {
        "test": {"assertions": [{"type": "tool_trajectory", **config}]},
        "agent": {"output": context.get("output", [])},
    }
    found = [(deviations.explain(d, written, recorded, {}), d) for d in differences(recorded, ours)]
    return Row(
        name,
        explained=tuple((decision, d) for decision, d in found if decision),
        unexplained=tuple(d for decision, d in found if not decision),
    )


def _turns(config: Recorded, context: Recorded) -> tuple[Turn, ...]:
    """Messages are one turn; a summary says how often a tool was called, and not in which order."""
    if output := context.get("output"):
        calls = [call for message in output for call in message.get("tool_calls", ())]
        made = tuple(ToolCall(name=call["tool"], args=call.get("input")) for call in calls)
        return (Turn(response="x", messages=tuple(output), tool_calls=made),)
    if "trace" not in context:
        return ()
    counts = context["trace"]["toolCallsByName"] if config["mode"] == "any_order" else {}
    made = tuple(ToolCall(name=name) for name, count in counts.items() for _ in range(count))
    return (Turn(response="", tool_calls=made),)


def _read(text: str) -> Recorded:
    try:
        return {"value": read_document(text)}
    except ValueError:
        return {"error": True}
