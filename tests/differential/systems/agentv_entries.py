"""The evaluators of AgentV, as random EVAL files write them."""

from collections.abc import Callable
from typing import Any

from tests.differential.draw import Draw

Entry = dict[str, Any]

TOOLS = ("search", "read", "Read", "Skill", "grep", "write", "Bash")
_WORDS = ("order", "bread", "Käse", "shipped", "Berlin", "yes", "{", "7", " the", "I")
_PATTERNS = (
    r"\d+", r"^the", r"(?<noun>order|bread)", r"\w+ [a-z]", "shipped$", r"(?i)BERLIN", "a.c", "(",
    r"[äöü]", r"^\S+$", "(?P<y>7)", r"order\b",
)  # fmt: skip
_FLAGS = ("", "i", "m", "s", "im", "g", "u", "q", "ii")
WAYS = ("exact", "superset", "subset", "ignore")


def make_args(draw: Draw) -> Entry:
    """Arguments of a call, from few keys and values, so that some are the same."""
    keys = draw.several(("query", "path", "n", "deep", "skill", "file_path"), 0, 3)
    return {key: _make_value(draw, key) for key in keys}


def _make_value(draw: Draw, key: str) -> Any:
    if key == "deep":
        return {"a": draw.count(0, 1), "b": [draw.count(0, 2), None]}
    if key == "n":
        return draw.choose("argument n", (1, 2, 1.0, True, "1", None))
    if key == "skill":
        return draw.choose("argument skill", ("commit", "acme:commit", "push"))
    if key == "file_path":
        return draw.choose("argument path", ("skills/commit/SKILL.md", "README.md"))
    return draw.choose("argument", ("bread", "cheese", "any"))


def _make_text(draw: Draw) -> Entry:
    return {"value": draw.choose("text", _WORDS) if draw.chance(0.7) else draw.text()}


def _make_texts(draw: Draw) -> Entry:
    return {"value": draw.several(_WORDS, 0 if draw.chance(0.1) else 1, 3)}


def _make_regex(draw: Draw) -> Entry:
    entry: Entry = {"value": draw.choose("pattern", _PATTERNS)}
    return entry | ({"flags": draw.choose("flags", _FLAGS)} if draw.chance(0.4) else {})


def _make_call(draw: Draw) -> Entry:
    item: Entry = {"tool": draw.choose("tool", TOOLS[:4])}
    if draw.chance(0.5):
        item["args"] = "any" if draw.chance(0.15) else make_args(draw)
    if draw.chance(0.25):
        item["args_match"] = _make_way(draw)
    if draw.chance(0.25):
        item["max_duration_ms"] = draw.choose("limit", (0, 100, 500.5))
    return item


def _make_way(draw: Draw) -> Any:
    if draw.chance(0.2):
        return draw.several(("query", "deep.a", "n", "deep.b.0", "none"), 1, 2)
    return draw.choose("args_match", WAYS)


def _make_trajectory(draw: Draw) -> Entry:
    mode = draw.choose("mode", ("any_order", "in_order", "exact", "superset", "subset"))
    entry: Entry = {"mode": mode} if draw.chance(0.92) else {}
    if mode == "any_order" and draw.chance(0.8):
        tools = draw.several(TOOLS[:4], 0, 2)
        entry["minimums"] = {tool: draw.count(0, 2) for tool in tools}
    if "minimums" not in entry or draw.chance(0.2):
        entry["expected"] = [_make_call(draw) for _ in range(draw.count(0, 4))]
    if draw.chance(0.2):
        entry["args_match"] = _make_way(draw)
    return entry


def _make_field(draw: Draw) -> Entry:
    match = draw.choose("match", ("exact", "numeric_tolerance", "date", "contains", "regex"))
    path = {
        "numeric_tolerance": ("total", "lines[0].n", "text"),
        "date": ("day", "other_day", "text"),
        "regex": ("pattern",),
    }.get(match, ("total", "text", "lines[0].n", "lines", "none", "deep.a", "day"))
    entry: Entry = {"path": draw.choose("path", path), "match": match}
    if match == "exact" and draw.chance(0.1):
        del entry["match"]
    if match == "numeric_tolerance":
        entry["tolerance"] = draw.choose("tolerance", (0, 0.1, 1, 0.01))
    for key, values, part in (
        ("required", (True, False), 0.3),
        ("weight", (0, 1, 2.5, 3), 0.3),
        ("relative", (True, False), 0.2),
    ):
        if draw.chance(part):
            entry[key] = draw.choose(key, values)
    if match == "date" and draw.chance(0.4):
        entry["formats"] = draw.several(
            ("DD/MM/YYYY", "MM/DD/YYYY", "DD.MM.YYYY", "YYYY-MM-DD"), 1, 2
        )
    return entry


def _make_fields(draw: Draw) -> Entry:
    entry: Entry = {"fields": [_make_field(draw) for _ in range(draw.count(1, 6))]}
    if draw.chance(0.4):
        kinds = ("weighted_average", "all_or_nothing", "minimum")
        entry["aggregation"] = draw.choose("aggregation", kinds)
    return entry


def make_document(draw: Draw) -> Entry:
    """A structured answer, or what one is expected to be."""
    return {
        "total": draw.choose("total", (100, 100.0, 100.05, "100 USD", True, None)),
        "text": draw.choose("text field", ("bread", "Bread", "bread and cheese", "100")),
        "lines": [{"n": draw.count(1, 3)}, {"n": 2}],
        "deep": {"a": draw.choose("deep", (None, [1], {"b": 1}))},
        "day": draw.choose("day", ("2025-01-15", "15/01/2025", "01/15/2025", "15-JAN-2025")),
        "other_day": draw.choose("other day", ("05.01.2025", "2025-01-05", "January 5, 2025")),
        "pattern": draw.choose("pattern field", ("b.ead", r"^\d+$", "7")),
        **({"none": 1} if draw.chance(0.5) else {}),
    }


def _make_limits(draw: Draw, *keys: str) -> Entry:
    chosen = [key for key in keys if draw.chance(1.7 / len(keys))] or [keys[0]]
    return {key: draw.choose("limit", (0, 1, 2, 3, 0.5, 100, 1500)) for key in chosen}


def _make_metrics(draw: Draw) -> Entry:
    entry = _make_limits(
        draw, "max_tool_calls", "max_llm_calls", "max_tokens", "max_input_tokens",
        "max_output_tokens", "max_cost_usd", "max_duration_ms", "target_exploration_ratio",
    )  # fmt: skip
    return entry | ({"exploration_tolerance": 0.4} if draw.chance(0.2) else {})


def _make_skill(draw: Draw) -> Entry:
    entry: Entry = {"skill": draw.choose("skill", ("commit", "push"))}
    return entry | ({"should_trigger": draw.chance(0.5)} if draw.chance(0.5) else {})


def make_opinion(draw: Draw) -> Entry:
    hits = [f"hit {n}" for n in range(draw.count(0, 5))]
    misses = [f"miss {n}" for n in range(draw.count(0, 2))]
    listed = [{"text": hit, "passed": True} for hit in hits]
    listed += [{"text": miss, "passed": False} for miss in misses]
    score = draw.choose("score", (1.5, -0.5, 0, 1, 0.25, 0.6, 0.7, 0.79, 0.8, 0.7999999999999999))
    said = {"score": score, "reasoning": "r"}
    return said | {"hits": hits, "misses": misses, "assertions": listed}


def _make_program(draw: Draw) -> Entry:
    how = draw.choose(
        "program", ("echo.py", "echo.mjs", "raw.py", "kwcheck.py", "spy.py", "spy.py")
    )
    starter = "node" if how.endswith("mjs") else "python3"
    entry: Entry = {"command": [starter, f"judges/{how}"]}
    if draw.chance(0.15):
        entry = {"command": [starter, how], "cwd": "judges"}
    if draw.chance(0.1):
        entry["script"] = entry.pop("command")
    if draw.chance(0.1):
        entry["target"] = (
            draw.choose("target", (True, False)) if draw.chance(0.5) else {"max_calls": 2}
        )
    own = _make_own_settings(how, draw)
    return entry | ({"config": own} if draw.chance(0.2) else own)


def _make_own_settings(how: str, draw: Draw) -> Entry:
    if how == "spy.py":
        return {"level": draw.count(1, 3)} if draw.chance(0.5) else {}
    if how == "kwcheck.py":
        return {"keywords": draw.several(_WORDS, 1, 3)}
    if how != "raw.py":
        return {"emit": make_opinion(draw) if draw.chance(0.9) else {"score": "0.9"}}
    printed = ("", "fine", '{"score": 1}', 'log\n{"score": 1}', "0.5", '{"score": 0.5, "hits": []}')
    return {
        "stdout": draw.choose("printed", printed),
        "exit": draw.choose("exit", (0, 0, 1)),
    }


def make_aggregator(draw: Draw, names: list[str]) -> Entry:
    """The way in which a composite makes one score of several."""
    kind = draw.choose(
        "aggregator",
        (
            "weighted_average", "safety_gate", "minimum", "maximum", "all_or_nothing",
            "threshold", "code-grader", "llm-grader",
        ),
    )  # fmt: skip
    how: Entry = {"type": kind}
    if kind == "safety_gate":
        how["required"] = draw.several(names, 1, 1)
    if kind == "threshold" or (kind in {"safety_gate", "all_or_nothing"} and draw.chance(0.3)):
        how["threshold"] = draw.choose("threshold", (0, 0.5, 0.6, 1))
    if kind == "code-grader":
        how["path"] = draw.choose("aggregating program", ("python3 judges/least.py", "exit 4"))
    if kind == "llm-grader" and draw.chance(0.5):
        how["prompt"] = "Sum up {{EVALUATOR_RESULTS_JSON}}"
    if kind in {"weighted_average", "safety_gate"} and draw.chance(0.4):
        how["weights"] = {name: draw.count(0, 3) for name in draw.several(names, 1, 2)}
    return how


MAKERS: dict[str, Callable[[Draw], Entry]] = {
    **dict.fromkeys(("contains", "icontains", "starts_with", "ends_with", "equals"), _make_text),
    **dict.fromkeys(
        ("contains_any", "contains_all", "icontains_any", "icontains_all"), _make_texts
    ),
    "regex": _make_regex,
    "is_json": lambda _: {},
    "latency": lambda draw: {"threshold": draw.choose("limit", (0, 100, 1500))},
    "cost": lambda draw: {"budget": draw.choose("budget", (0, 0.05, 0.1))},
    "token_usage": lambda draw: _make_limits(draw, "max_input", "max_output", "max_total"),
    "execution_metrics": _make_metrics,
    "tool_trajectory": _make_trajectory,
    "field_accuracy": _make_fields,
    "skill_trigger": _make_skill,
    "code_judge": _make_program,
}
