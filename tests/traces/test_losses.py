"""Recordings that lost something on the way: they say what was recorded, or that it is unknown."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from msgspec.structs import replace

from agentevals.model.completeness import Fact
from agentevals.model.conversations import Span, SpanEvent, Trace, Turn
from agentevals.traces import loaders
from agentevals.traces.turns import converse
from tests.frameworks import samples
from tests.frameworks.comparison import Reading, compare, normalise
from tests.frameworks.table import BY_NAME

# spans of one trace, with a turn that uses a tool
RECORDED = [
    name
    for name, row in BY_NAME.items()
    if not (row.scattered or row.keeps or "tool" in row.leaves_out)
]
LIMITS = (64, 128, 1024)


def load(name: str, scenario: str) -> list[Trace]:
    path = samples.FOLDER / name / f"{scenario}{samples.ENDING}"
    return list(loaders.load([path]).traces)


def read(traces: list[Trace]) -> list[Turn]:
    turns = [turn for each in converse(traces) for turn in each.turns]
    return sorted(turns, key=lambda turn: turn.start_ns)


def change(traces: list[Trace], one: Callable[[dict[str, Any]], dict[str, Any]]) -> list[Trace]:
    """The traces, with the attributes of every span, event and log record changed."""

    def change_event(event: SpanEvent) -> SpanEvent:
        return replace(event, attributes=one(event.attributes))

    def change_span(span: Span) -> Span:
        events = tuple(map(change_event, span.events))
        return replace(span, attributes=one(span.attributes), events=events)

    return [
        replace(
            trace,
            spans=tuple(map(change_span, trace.spans)),
            logs=tuple(map(change_event, trace.logs)),
        )
        for trace in traces
    ]


def cut(limit: int) -> Callable[[dict[str, Any]], dict[str, Any]]:
    def cut_value(value: Any) -> Any:
        if isinstance(value, list):
            return [cut_value(each) for each in value]
        return value[:limit] if isinstance(value, str) else value

    return lambda attributes: {key: cut_value(value) for key, value in attributes.items()}


@pytest.mark.parametrize("name", RECORDED)
def test_a_limit_on_the_length_of_attributes_makes_no_fact_wrong(name):
    wrong: dict[Any, Reading] = {}
    for scenario in ("tool", "turns"):
        said, traces = samples.load(name, "said")[scenario], load(name, scenario)
        for limit in LIMITS:
            reading = compare(read(change(traces, cut(limit))), said)
            wrong |= {(scenario, limit): reading} if reading.wrong else {}

    assert wrong == {}


def _stop(traces: list[Trace]) -> Iterator[list[Trace]]:
    """What there is if the program is stopped after each of its spans, one after the other."""
    for end in sorted({span.end_ns for trace in traces for span in trace.spans})[:-1]:
        stopped = [
            replace(
                trace,
                spans=tuple(span for span in trace.spans if span.end_ns <= end),
                logs=tuple(log for log in trace.logs if log.time_ns <= end),
            )
            for trace in traces
        ]
        yield [trace for trace in stopped if trace.spans]


@pytest.mark.parametrize("name", RECORDED)
def test_a_program_that_was_stopped_has_no_other_question_answer_or_call(name):
    [truth] = samples.load(name, "said")["tool"]
    really = [call["name"] for request in truth["requests"] for call in request["calls"]]
    wrong = []
    for stopped in _stop(load(name, "tool")):
        for turn in read(stopped):
            unknown = {gap.fact for gap in turn.gaps}
            called = [call.name for call in turn.tool_calls]
            if Fact.QUESTION not in unknown and turn.user.strip() != truth["question"]:
                wrong.append(turn.user)
            if Fact.ANSWER not in unknown and normalise(turn.response) != truth["answer"]:
                wrong.append(turn.response)
            if Fact.TOOL_CALLS not in unknown and called != really[: len(called)]:
                wrong.append(called)

    assert wrong == []


def hide(attributes: dict[str, Any]) -> dict[str, Any]:
    """All that somebody has written, as a filter of a collector hides it."""
    return {
        key: "[REDACTED]" if _was_written(key, value) else value
        for key, value in attributes.items()
    }


def _was_written(key: str, value: Any) -> bool:
    is_text = isinstance(value, str) and (" " in value or "{" in value)
    return is_text and not key.endswith("name")


@pytest.mark.parametrize("name", RECORDED)
def test_what_a_filter_has_hidden_is_unknown(name):
    said = samples.load(name, "said")["tool"]

    wrong = compare(read(change(load(name, "tool"), hide)), said).wrong

    # one release has the right name of an agent in a text only
    assert [line for line in wrong if ": agent" not in line] == []
