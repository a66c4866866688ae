"""Configs and options of `agentevals run`: builtins, and programs that tell what they were sent."""

from collections.abc import Iterator
from typing import Any

from agentevals.cli.run_options import GroupBy
from agentevals.graders import GRADERS
from agentevals.graders.tools.tool_call_matching import MatchType
from agentevals.model.builtins import EVALUATORS
from tests.differential.draw import Draw
from tests.differential.grammar_keys import Key, find_keys, list_keys
from tests.differential.grammars.agentevals_eval_sets import FORMS
from tests.differential.grammars.agentevals_formats import SHAPES
from tests.differential.grammars.agentevals_judged import JUDGED, make_judged
from tests.differential.grammars.agentevals_spans import STYLES

PROGRAM = """\
import json
import sys

sent = json.load(sys.stdin)
answer = dict(sent["config"].get("answer", {"score": 1.0}))
answer["details"] = {**answer.get("details", {}), "sent": sent}
print(json.dumps(answer))
"""
PROGRAM_JS = """\
const sent = JSON.parse(require("fs").readFileSync(0, "utf8"));
const answer = { score: 1.0, ...(sent.config.answer || {}) };
answer.details = { ...(answer.details || {}), sent };
console.log(JSON.stringify(answer));
"""
BUILTINS = ("tool_trajectory_avg_score", "response_match_score")
FORMATS = ("jaeger-json", "otlp-json")
OUTPUTS = ("json", "table", "summary")
REF = "evaluators/told/told.py"
_KINDS = (*BUILTINS, "code", "remote")
_OTHERS = tuple(name for name in EVALUATORS if name not in BUILTINS)
_RUBRICS = (None, ["The answer is kind."], [{"id": "kind", "text": "The answer is kind."}])
_KEYS = ("evaluators", "eval_set", "trace_format", "output_format", "output")
# settings of ours, which 0.11 does not know
_OURS = frozenset(
    {
        *("weight", "required", "negate", "args_match", "ignore_args", "network", "memory_mb"),
        *("isolation", "include_intermediate_responses_in_final"),
        *("env", "files", "subprocess", "judge", "image"),
        *("judge_model", "judge_base_url", "credential_ref", "needs", "min_age"),
    }
)
_THRESHOLDS = (0, 0.25, 1 / 3, 0.5, 2 / 3, 0.75, 0.8, 1, 1.0)
_SETTINGS: tuple[Any, ...] = ({"a": [1, {"b": None}], "s": "é"}, {"nested": {"camelCase": 1.5}}, {})
_ANSWERS: tuple[dict[str, Any], ...] = (
    {"score": 1.0},
    {"score": 0},
    {"score": 0.5},
    {"score": 0.4999999999},
    {"score": 0.75, "per_invocation_scores": [0.5, 1.0]},
    {"score": 0.75, "per_invocation_scores": [None, 1]},
    {"score": 1.0, "status": "FAILED"},
    {"score": 0.0, "status": "PASSED"},
    {"score": 0.0, "status": "NOT_EVALUATED"},
    {"score": 0.25, "details": {"reason": "because", "z": [1, None]}},
    {"score": 0.25, "unknown": 1},
)


def list_reachable() -> set[Key]:
    """Every setting of what 0.11 computes without a judge, and every value of an option."""
    keys = {key for kind in _KINDS for key in list_keys(GRADERS[kind], kind, _OURS)}
    options = {("--group-by", str(each)) for each in GroupBy}
    matching = {("--trajectory-match-type", str(each)) for each in MatchType}
    shown = {("--format", each) for each in FORMATS} | {("--output", each) for each in OUTPUTS}
    builtins = {("builtin", name) for name in EVALUATORS} | {("builtin", "openai_eval")}
    files = {("style", each) for each in STYLES} | {("shape", each) for each in SHAPES}
    programs = {("program", "told.py"), ("program", "told.js")}
    written = {("config", key) for key in _KEYS} | {("form", form) for form in FORMS}
    judged = {("judged", name) for name in (*JUDGED, "judge_model", "threshold", "rubrics")}
    return keys | options | matching | shown | builtins | files | programs | written | judged


def make_config(draw: Draw, trace_format: str) -> dict[str, Any]:
    """A config, mostly with a program; some with a judged builtin that has no judge."""
    if draw.chance(0.1):
        return {"evaluators": [_make_other(draw)]}
    return _make_usual(draw, trace_format)


def make_judged_config(draw: Draw) -> tuple[dict[str, Any], list[str]]:
    """A config with a builtin that asks a judge, and what the judge says."""
    threshold = draw.choose("threshold", (*_THRESHOLDS, None))
    entry, said = make_judged(draw, threshold)
    for key in find_keys(GRADERS[entry["name"]], entry, "judged"):
        draw.reached[key] += 1
    return {"evaluators": [entry]}, said


def _make_usual(draw: Draw, trace_format: str) -> dict[str, Any]:
    kinds = [kind for kind in BUILTINS if draw.chance(0.7)]
    entries = [_make_builtin(draw, kind) for kind in kinds]
    programs = draw.count(0 if entries else 1, 1) if draw.chance(0.8) else 1
    entries += [_make_program(draw, number) for number in range(programs)]
    for entry in entries:
        kind = entry["name"] if entry["type"] == "builtin" else entry["type"]
        for key in find_keys(GRADERS[kind], entry, kind):
            draw.reached[key] += 1
    found: dict[str, Any] = {"evaluators": entries}
    if draw.chance(0.1):
        found["trace_format"] = trace_format
    if draw.chance(0.1):
        found[draw.choose("output key", ("output_format", "output"))] = "json"
    draw.reached.update({("config", key): 1 for key in found})
    draw.reached.update({("builtin", kind): 1 for kind in kinds})
    return found


def _make_other(draw: Draw) -> dict[str, Any]:
    name = draw.choose("builtin", (*_OTHERS, "openai_eval"))
    if name == "openai_eval":
        grader = {"type": "text_similarity", "evaluation_metric": "fuzzy_match"}
        return {"name": "alike", "type": name, "threshold": 0.5, "grader": grader}
    rubrics = draw.choose("rubrics", _RUBRICS) if name.startswith("rubric_based") else None
    return {"name": name, "type": "builtin"} | ({"rubrics": rubrics} if rubrics else {})


def _make_builtin(draw: Draw, kind: str) -> dict[str, Any]:
    entry: dict[str, Any] = {"name": kind, "type": "builtin"}
    if draw.chance(0.7):
        entry["threshold"] = draw.choose("threshold", (*_THRESHOLDS, None))
    if kind == "tool_trajectory_avg_score" and draw.chance(0.8):
        match = str(draw.choose("match", tuple(MatchType)))
        entry["trajectory_match_type"] = match.lower() if draw.chance(0.1) else match
    return entry


def _make_program(draw: Draw, number: int) -> dict[str, Any]:
    settings = dict(draw.choose("settings", _SETTINGS))
    if draw.chance(0.7):
        settings["answer"] = draw.choose("printed", _ANSWERS)
    program = draw.choose("program", ("told.py", "told.py", "told.py", "told.js"))
    source = draw.choose("source", (None, None, None, None, "github"))
    where = {"type": "code", "path": f"./{program}"}
    where = where if source is None else {"type": "remote", "source": source, "ref": REF}
    entry: dict[str, Any] = {"name": f"told-{number}", **where}
    entry |= {"config": settings} if settings or draw.chance(0.5) else {}
    entry |= {"threshold": draw.choose("threshold", _THRESHOLDS)} if draw.chance(0.6) else {}
    entry |= {"timeout": draw.choose("timeout", (120, 300))} if draw.chance(0.2) else {}
    return entry | ({"executor": "local"} if draw.chance(0.2) else {})


def make_options(draw: Draw, trace_format: str, *, configured: bool, judged: bool) -> Iterator[str]:
    """The options beside the files."""
    if not configured or draw.chance(0.1):
        for kind in BUILTINS:
            if draw.chance(0.7):
                yield from ("-m", kind)
    if draw.chance(0.2):
        yield from ("-t", str(draw.choose("threshold", _THRESHOLDS)))
    if draw.chance(0.25):
        kind = draw.choose("--trajectory-match-type", tuple(str(each) for each in MatchType))
        yield from ("--trajectory-match-type", kind)
    if draw.chance(0.25):
        yield from ("--group-by", draw.choose("--group-by", tuple(str(each) for each in GroupBy)))
    if draw.chance(0.15):
        draw.reached["--format", trace_format] += 1
        yield from ("-f", trace_format)
    as_text = draw.chance(0.1) and not judged  # a table tells no scores to count again
    output = draw.choose("--output", OUTPUTS if as_text else ("json",))
    yield from ("-o", output)
