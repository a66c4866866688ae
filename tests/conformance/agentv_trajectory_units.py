"""Rows of states that no run gets into: trajectories and texts handed to AgentV directly."""

from typing import Any

from agentevals.graders.agentv.answer_fields import read_document
from agentevals.graders.grader import Services
from agentevals.graders.tools.tool_trajectory import ToolTrajectory
from agentevals.model.cases import Case
from agentevals.model.conversations import Conversation, ToolCall, Turn
from tests.conformance.agentv_model import trajectories
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
    made = [call for message in context.get("output", []) for call in message.get("tool_calls", ())]
    said = trajectories.judge(config, made)
    if not said.decisions or not context.get("output"):  # what nobody left is judged by no rule
        return Row(name, unexplained=tuple(differences(recorded, ours)))
    wanted = {"score": said.score, "hits": list(said.hits), "misses": list(said.misses)}
    asked = tuple((min(said.decisions), one) for one in differences(recorded, wanted))
    return Row(name, asked, tuple(differences(wanted, ours)))


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
