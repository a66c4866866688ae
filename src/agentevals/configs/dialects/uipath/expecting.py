"""An item becomes an expectation, with the texts by which its conversation is recognised."""

import json
from collections.abc import Iterator
from typing import Any

from agentevals.configs.dialects.uipath.project import normalise
from agentevals.configs.dialects.uipath.written import Item
from agentevals.configs.plan import Expectation
from agentevals.graders.grader import Grader
from agentevals.model.cases import Task
from agentevals.model.conversations import Turn

_ASKED = ("query", "question", "input", "message", "prompt", "text", "task", "user_input")


def expect(item: Item, graders: tuple[Grader, ...]) -> Expectation:
    """Return the expected conversation of an item, and the evaluators that judge it."""
    openings = tuple(dict.fromkeys(_list_openings(item.inputs)))
    opening = openings[0] if openings else ""
    wanted = item.expected_output
    reference = "" if wanted is None else _write_text(wanted)
    return Expectation(
        case_id=normalise(item.id),
        turns=(Turn(user=opening, response=reference),) if reference else None,
        opening=opening,
        openings=openings[1:],
        criteria=item.expected_agent_behavior,
        task=Task(
            question=opening,
            reference=reference,
            input=({"role": "user", "content": opening},) if opening else (),
            expected_output=({"role": "assistant", "content": wanted},) if reference else (),
            metadata={"name": item.name, "inputs": item.inputs},
        ),
        graders=graders,
    )


def _list_openings(inputs: dict[str, Any]) -> Iterator[str]:
    """The text that a person would have said, and the whole input in the ways to write JSON."""
    if not inputs:
        return
    texts = [value for value in inputs.values() if isinstance(value, str) and value.strip()]
    named = [inputs[key] for key in _ASKED if isinstance(inputs.get(key), str)]
    if len(inputs) == 1:
        yield from texts
    elif named or len(texts) == 1:
        yield (named or texts)[0]
    for value in (inputs, {"input": inputs}):
        yield _write_text(value)
        yield json.dumps(value, ensure_ascii=False, separators=(",", ":"))
        yield json.dumps(value)


def _write_text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
