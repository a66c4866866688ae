"""Whole cases: one or more traces in a file or two, an eval set, a config and options."""

from typing import Any

from tests.differential.draw import Draw
from tests.differential.grammars import agentevals_configs as configs
from tests.differential.grammars.agentevals_eval_sets import make_eval_set
from tests.differential.grammars.agentevals_formats import SHAPES, write_jaeger, write_otlp
from tests.differential.grammars.agentevals_spans import START, STYLES, Recorder, Span
from tests.differential.grammars.agentevals_turns import Turn, make_expected, make_turns

_APART = 60_000_000_000  # nanoseconds from one conversation to the next


def make_case(draw: Draw) -> dict[str, Any]:
    """Make a case by the grammar."""
    conversations = [make_turns(draw) for _ in range(draw.choose("traces", (1, 1, 1, 2, 3)))]
    trace_format = draw.choose("format", configs.FORMATS)
    files = _record(draw, conversations, trace_format)
    given: dict[str, Any] = {"traces": files}
    if draw.chance(0.85):
        given["eval_set"] = make_eval_set(draw, _expect(draw, conversations))
    if draw.chance(0.08):
        given["config"], given["judge"] = configs.make_judged_config(draw)
    elif draw.chance(0.85):
        given["config"] = configs.make_config(draw, trace_format)
    configured = "config" in given
    if configured and "eval_set" in given and draw.chance(0.1):
        draw.reached["config", "eval_set"] += 1
        given["config"]["eval_set"] = "eval_set.json"
    given["options"] = list(
        configs.make_options(draw, trace_format, configured=configured, judged="judge" in given)
    )
    return given


def _expect(draw: Draw, conversations: list[list[Turn]]) -> list[list[Turn]]:
    wanted = [make_expected(draw, turns) for turns in conversations]
    if draw.chance(0.1):
        wanted.append(make_turns(draw))
    return wanted[1:] if len(wanted) > 1 and draw.chance(0.1) else wanted


def _record(draw: Draw, conversations: list[list[Turn]], trace_format: str) -> list[Any]:
    style = draw.choose("style", STYLES)
    scope = "gcp.vertex.agent" if style == "adk" else "demo"
    shape = draw.choose("shape", tuple(SHAPES)) if trace_format == "otlp-json" else ""
    resource = {"agentevals.session_name": "s"} if draw.chance(0.05) else {}
    named = draw.chance(0.1)
    recorded = [_record_one(draw, style, at, turns) for at, turns in enumerate(conversations)]
    for number, spans in enumerate(recorded):
        _mark(draw, spans, f"case-{number}" if named else "")
    if draw.choose("files", (1, 1, 2)) == 1:
        recorded = [[span for spans in recorded for span in spans]]
    if not shape:
        return [write_jaeger(spans, scope, resource) for spans in recorded]
    return [write_otlp(spans, scope, resource, shape) for spans in recorded]


def _record_one(draw: Draw, style: str, at: int, turns: list[Turn]) -> list[Span]:
    rooted = style != "adk" and len(turns) == 1 and draw.chance(0.1)
    recorder = Recorder(draw, style, f"{draw.count(1, 2**127):032x}", START + at * _APART)
    return recorder.record(turns, rooted=rooted)


def _mark(draw: Draw, spans: list[Span], case: str) -> None:
    if case:
        spans[0].attributes["agentevals.eval.case.id"] = case
    if draw.chance(0.15):
        spans[0].attributes["gen_ai.conversation.id"] = draw.choose("thread", ("one", "two"))
