"""Files that frozen runs begin with, beside those of the examples and of tests/data."""

import json
from pathlib import Path
from typing import Any

from tests.frozen.place import ROOT, Content, Files

DATA = Path("tests/data")
WEATHER: dict[str, Content] = {".": Path("examples")}

# ---- a judge, budgets, and a program that tells all that it was given

ECHO = """\
import json
import sys

given = json.load(sys.stdin)
print(json.dumps({"score": 1.0, "details": {"given": json.dumps(given)}}))
"""
BUDGETS = """\
evaluators:
  - {name: calls, type: tool_call_count_v1, max: 2}
  - {name: tokens, type: token_usage_v1, max: 1000, weight: 2}
  - {name: time, type: invocation_duration_v1, max: 2s}
  - {name: echo, type: code, path: echo.py}
"""


def recordings(folder: str, suffixes: tuple[str, ...] = (".json", ".jsonl")) -> Files:
    """The samples of one trace format, without what was read from them."""
    found = sorted(
        path
        for path in (ROOT / DATA / "traces" / folder).rglob("*")
        if path.suffix in suffixes and path.name != "loaded.json"
    )
    copied = {f"traces/{path.parent.name}-{path.name}": path.relative_to(ROOT) for path in found}
    return {**copied, "budgets.yaml": BUDGETS, "echo.py": ECHO}


# ---- conversations


def said(case: str, *calls: str, answer: str = "It is sunny.", user: str = "How is it?") -> str:
    """One recorded conversation, as one line of JSON."""
    asked = [
        {"id": f"c{at}", "type": "function", "function": {"name": name, "arguments": "{}"}}
        for at, name in enumerate(calls)
    ]
    answered = [{"role": "tool", "tool_call_id": call["id"], "content": "ok"} for call in asked]
    messages = [
        {"role": "user", "content": user},
        *([{"role": "assistant", "content": "", "tool_calls": asked}] if asked else []),
        *answered,
        {"role": "assistant", "content": answer},
    ]
    return json.dumps({"id": f"t-{case}", "case_id": case, "messages": messages}) + "\n"


def expected(*cases: str, calls: tuple[str, ...] = ("geocode", "forecast")) -> dict[str, Any]:
    """An eval set in which every case asks for the same calls."""
    uses = [{"name": name, "args": {}} for name in calls]
    turn = {
        "user_content": {"parts": [{"text": "How is it?"}]},
        "final_response": {"parts": [{"text": "It is sunny."}]},
        "intermediate_data": {"tool_uses": uses},
    }
    cases_ = [{"eval_id": case, "conversation": [turn]} for case in cases]
    return {"eval_set_id": "weather", "eval_cases": cases_}


# what needs neither a program nor a model
OFFLINE = """\
evaluators:
  - {name: tool_trajectory_avg_score, type: builtin, threshold: 1.0}
  - {name: response_match_score, type: builtin, threshold: 0.7, weight: 2}
  - {name: sunny, type: contains, value: sunny}
  - {name: token_usage_v1, type: builtin, max: 700}
gate: {on_not_evaluated: warn}
"""

CITIES: dict[str, Content] = {
    "eval_set.json": expected("oslo", "paris", "quito", "rome"),
    "eval_config.yaml": OFFLINE,
    "before/oslo.json": said("oslo", "geocode", "forecast"),
    "before/paris.json": said("paris", "geocode", "forecast"),
    "before/quito.json": said("quito", "forecast"),
    "before/rome.json": said("rome", "forecast", answer="No idea."),
    "traces/oslo.json": said("oslo", "geocode", "forecast"),
    "traces/paris.json": said("paris", "forecast", answer="It rains."),
    "traces/quito.json": said("quito", "geocode", "forecast"),
    "traces/rome.json": said("rome", "forecast", answer="No idea."),
}
