"""A trace that lacks the span of an agent: what is below it is no turn of its own."""

import random
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from agentevals.model.completeness import Fact
from agentevals.model.conversations import Span, Trace, Turn
from agentevals.traces import loaders
from agentevals.traces.turns import converse
from tests.support import DATA

SHAPES = sorted((DATA / "shapes").glob("*.jsonl.gz"))
# steps of a workflow around whose span nothing is left of what they were given
SAY_NOTHING = ("executor.process", "edge_group.process", "message.send")


def read(*spans: Span) -> list[Turn]:
    trace = Trace(trace_id="t", spans=spans)
    return [turn for each in converse([trace]) for turn in each.turns]


def known(turn: Turn) -> dict[Fact, Any]:
    facts = {
        Fact.QUESTION: turn.user,
        Fact.ANSWER: turn.response,
        Fact.TOOL_CALLS: [call.name for call in turn.tool_calls],
    }
    return {fact: value for fact, value in facts.items() if not turn.find_gap(fact)}


def lose_agents(trace: Trace):
    """The spans without one that is above others, for each of those."""
    above = {span.parent_id for span in trace.spans}
    for lost in trace.spans:
        if lost.span_id in above and not lost.name.startswith(SAY_NOTHING):
            yield lost.name, [span for span in trace.spans if span is not lost]


@pytest.mark.parametrize("path", SHAPES, ids=lambda path: path.name.partition(".")[0])
def test_without_a_span_above_others_no_fact_is_another_one(path: Path):
    changed = []
    for trace in loaders.load([path]).traces:
        whole = read(*trace.spans)
        for name, spans in lose_agents(trace) if len(whole) == 1 else ():
            before = known(whole[0])
            changed += [
                f"without {name}: {fact} is {value!r}, and was {before[fact]!r}"
                for turn in read(*spans)
                for fact, value in known(turn).items()
                if value != before.get(fact, value)
            ]

    assert not changed


@pytest.mark.parametrize("path", SHAPES, ids=lambda path: path.name.partition(".")[0])
def test_the_order_of_the_spans_in_a_file_changes_nothing(path: Path):
    for trace in loaders.load([path]).traces:
        spans = list(trace.spans)
        random.Random(7).shuffle(spans)

        assert read(*spans) == read(*trace.spans)


def agent(span_id: str, parent_id: str, **attributes: Any) -> Span:
    said = {
        f"gen_ai.{way}.messages": f'[{{"role": "{role}", "parts": [{{"type": "text", '
        f'"content": "{role} {span_id}"}}]}}]'
        for way, role in (("input", "user"), ("output", "assistant"))
    }
    return Span(
        span_id=span_id,
        parent_id=parent_id,
        name="invoke_agent",
        start_ns=int(span_id, 16),
        end_ns=int(span_id, 16) + 1,
        attributes={"gen_ai.operation.name": "chat", "gen_ai.request.model": "m"}
        | said
        | attributes,
    )


def test_a_turn_alone_below_a_caller_that_was_not_recorded_is_whole():
    [turn] = read(agent("01", "ff"))

    assert known(turn) == {
        Fact.QUESTION: "user 01",
        Fact.ANSWER: "assistant 01",
        Fact.TOOL_CALLS: [],
    }


def test_turns_that_a_server_was_asked_for_are_whole():
    served = [replace(agent(each, "ff"), parent_id=f"a{each}") for each in ("01", "02")]
    servers = [
        Span(f"a{each}", "POST /", parent_id=f"b{each}", attributes={"http.route": "/"})
        for each in ("01", "02")
    ]

    assert [len(known(turn)) for turn in read(*served, *servers)] == [3, 3]


def test_what_is_below_a_lost_span_is_unknown_and_the_calls_of_the_other_turn_are():
    invoked = {"gen_ai.operation.name": "invoke_agent"}

    whole, piece = read(agent("01", "", **invoked), agent("02", "ff"))

    assert known(whole) == {Fact.QUESTION: "user 01", Fact.ANSWER: "assistant 01"}
    assert known(piece) == {}
