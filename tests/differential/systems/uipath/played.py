"""What the agent does with each item: the spans that it makes, and what it puts out."""

import json
from typing import Any

from tests.differential.draw import Draw
from tests.differential.systems.uipath.values import draw_output, draw_value

Played = dict[str, dict[str, Any]]

TOOLS = ("look_up", "look up", "issue refund", "c-d", "c d", "c.d", "天気", "検索", "x" * 70)
_ANSWERS = (
    "sunny",
    '{"content": "sunny"}',
    '{"content": ["sunny"]}',
    "{'content': 'sunny'}",
    "[1]",
)

AGENT = '''\
"""Plays what it was given."""

import json
from pathlib import Path

from opentelemetry import trace
from uipath.tracing import traced


def put(spans):
    for span in spans:
        tracer = trace.get_tracer("agent")
        with tracer.start_as_current_span(span["name"], attributes=span["attributes"]):
            put(span.get("inner", ()))


@traced()
def main(input):
    played = json.loads(Path(__file__).with_name("agent.json").read_text(encoding="utf-8"))
    mine = played[input["case"]]
    put(mine["spans"])
    if mine.get("raises"):
        raise ValueError(mine["raises"])
    return mine["output"]
'''


def draw_played(draw: Draw, item: str) -> dict[str, Any]:
    """What happens for one item."""
    spans = [_draw_span(draw) for _ in range(draw.count(0, 4))]
    mine: dict[str, Any] = {"spans": spans, "output": _draw_answer(draw)}
    if draw.chance(0.04):
        mine["raises"] = f"{item} broke"
    return mine


def _draw_answer(draw: Draw) -> Any:
    if draw.chance(0.2):
        return {"result": draw.choose("label", ("yes", "NO", "spam", "other", 7))}
    if draw.chance(0.15):
        return {"content": draw.choose("table", _TABLES)}
    if draw.chance(0.1):
        return {"result": draw.choose("lines", ("one\n\ntwo\nthree", "one;two", "\n \n", "one"))}
    return draw_output(draw)


_TABLES = ("Name,Age\nJo,3\nAl, 4", "name;age", "Name,Age", "NAME,Age,Town\nJo,3", "", "Name\n\nJo")


def _draw_span(draw: Draw) -> dict[str, Any]:
    if draw.chance(0.15):
        return {"name": "thinking", "attributes": {}, "inner": [_draw_tool(draw)]}
    return _draw_tool(draw)


def _draw_tool(draw: Draw) -> dict[str, Any]:
    attributes: dict[str, Any] = {"tool.name": draw.choose("tool", TOOLS)}
    if draw.chance(0.25):
        attributes["tool.id"] = draw.choose("id", ("id1", "id2", ""))
    if draw.chance(0.1):
        attributes["tool.synthesized"] = draw.chance(0.7)
    if draw.chance(0.85):
        args = {key: draw_value(draw, 1) for key in draw.several(("city", "n", "q"), 0, 2)}
        written = (json.dumps(args), repr(args), "[1]", "not an object")
        attributes["input.value"] = draw.choose("arguments", (*written[:2], *written))
    if draw.chance(0.85):
        attributes["output.value"] = draw.choose("answer", _ANSWERS)
    return {"name": draw.choose("span", ("call", "tool")), "attributes": attributes}
