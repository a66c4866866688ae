"""Random tests of EVAL files, and what an agent did."""

import json

from tests.differential.draw import Draw
from tests.differential.systems.agentv_entries import (
    MAKERS,
    TOOLS,
    Entry,
    make_aggregator,
    make_args,
    make_document,
)
from tests.differential.systems.agentv_judged import Judged


def make_test(name: str, draw: Draw) -> Entry:
    """One test with one to four evaluators, and what an agent did."""
    judged = Judged(name)
    structured = draw.chance(0.3)
    document = make_document(draw)
    test: Entry = {"id": name, "criteria": "Be right", "input": draw.text().strip() or "Where?"}
    if structured or draw.chance(0.3):
        test["expected_output"] = make_document(draw) if structured else "On its way."
    entries = [_make_entry(draw, judged, n, structured=structured) for n in range(draw.count(1, 4))]
    test["assertions"] = entries
    if draw.chance(0.05):
        test["execution"] = {"threshold": draw.choose("test threshold", (0.5, 0.7, 0.9))}
    agent = _make_agent(draw, json.dumps(document) if structured else draw.text())
    return {"test": test, "agent": agent, "judges": judged.answers}


def _make_entry(
    draw: Draw, judged: Judged, number: int, *, structured: bool, deep: int = 0
) -> Entry:
    makers = MAKERS | {"llm_judge": judged.make_judge, "rubric": judged.make_rubric}
    kinds = [
        *makers,
        *(["composite"] * 6 if deep < 2 else []),
        *(["field_accuracy"] * 8 if structured else []),
    ]
    kind = draw.choose("type", kinds)
    entry: Entry = {"name": f"e{number}"} if deep or draw.chance(0.5) else {}
    entry["type"] = _spell(draw, kind, deep)
    if kind == "llm_judge" and draw.chance(0.2):
        entry |= judged.make_asked_rubric(draw)
    elif kind == "composite":
        entry |= _make_composite(draw, judged, structured=structured, deep=deep)
    else:
        entry |= makers[kind](draw)
    return _add_common(draw, kind, entry)


def _spell(draw: Draw, kind: str, deep: int) -> str:
    """As 4.42.4 reads it, nearly always."""
    usual = {"llm_judge": "llm-grader", "code_judge": "code-grader", "rubric": "rubrics"}
    written = usual.get(kind, kind.replace("_", "-"))
    return kind if draw.chance(0.03 if deep else 0.1) else written


def _make_composite(draw: Draw, judged: Judged, *, structured: bool, deep: int) -> Entry:
    children = [
        _make_entry(draw, judged, n, structured=structured, deep=deep + 1)
        for n in range(draw.count(1, 3))
    ]
    key = draw.choose("children", ("assertions", "assert", "evaluators"))
    names = [child["name"] for child in children]
    return {key: children} | (
        {"aggregator": make_aggregator(draw, names)} if draw.chance(0.95) else {}
    )


def _add_common(draw: Draw, kind: str, entry: Entry) -> Entry:
    if draw.chance(0.3):
        entry["weight"] = draw.choose(
            "weight", (0, 1, 2, 0.5, 3, "2", -1) if draw.chance(0.1) else (0, 1, 2, 0.5)
        )
    if draw.chance(0.25):
        entry["required"] = draw.choose("required", (True, True, False, 0.5, 0.9, 1))
    if entry.get("required") is True and draw.chance(0.2):
        entry["min_score"] = draw.choose("min_score", (0.3, 0.6, 1))
    if draw.chance(0.15):
        entry["negate"] = draw.choose("negate", (True, True, False))
    if draw.chance(0.05) and kind not in {"code_judge", "composite"}:
        held = {key: entry.pop(key) for key in list(entry) if key not in {"name", "type", "target"}}
        entry["config"] = held
    return entry


def _make_agent(draw: Draw, said: str) -> Entry:
    output = [_make_message(draw) for _ in range(draw.count(0, 3))]
    output.append({"role": "assistant", "content": said} | _make_calls(draw, 0.2))
    agent: Entry = {"output": output}
    if draw.chance(0.85):
        agent["token_usage"] = {"input": draw.count(0, 200), "output": draw.count(0, 50)}
        agent["token_usage"] |= {"cached": draw.count(1, 9)} if draw.chance(0.3) else {}
    if draw.chance(0.85):
        agent["cost_usd"] = draw.choose("cost", (0, 0.05, 0.1, 1.23456))
    if draw.chance(0.85):
        agent["duration_ms"] = draw.choose("duration", (0, 100, 1500, 99.5))
    return agent


def _make_message(draw: Draw) -> Entry:
    message: Entry = {"role": "assistant"}
    if draw.chance(0.6):
        message["content"] = draw.text()
    return message | _make_calls(draw, 0.8)


def _make_calls(draw: Draw, part: float) -> Entry:
    if not draw.chance(part):
        return {}
    return {"tool_calls": [_make_call(draw) for _ in range(draw.count(1, 3))]}


def _make_call(draw: Draw) -> Entry:
    call: Entry = {"tool": draw.choose("called", TOOLS), "input": make_args(draw), "output": "ok"}
    if draw.chance(0.3):
        first, last = draw.count(0, 4), draw.count(5, 9)
        call["start_time"] = f"2026-01-01T00:00:0{first}.000Z"
        call["end_time"] = f"2026-01-01T00:00:0{last}.000Z"
        return call | ({"duration_ms": (last - first) * 1000} if draw.chance(0.5) else {})
    if draw.chance(0.5):
        call["duration_ms"] = draw.choose("took", (0, 50, 100, 501))
    return call
