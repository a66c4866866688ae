"""A recording that loses an attribute never says something else: it says the same, or unknown."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from agentevals.model.completeness import Fact
from agentevals.model.conversations import Conversation, Span, Trace, Turn
from agentevals.traces.turns import converse
from tests.support import DATA

RECORDED = sorted((DATA / "conventions").glob("*/*/trace.json"))


def read(trace: Trace) -> Conversation:
    [conversation] = converse([trace])
    return conversation


def without(trace: Trace) -> Iterator[tuple[str, Trace]]:
    """The trace without one attribute of a span or of one of its events, one after the other."""
    for place, span in enumerate(trace.spans):
        for what, changed in _lose_one(span):
            spans = (*trace.spans[:place], changed, *trace.spans[place + 1 :])
            yield f"{span.name}: {what}", msgspec.structs.replace(trace, spans=spans)


def _lose_one(span: Span) -> Iterator[tuple[str, Span]]:
    for key in span.attributes:
        yield key, msgspec.structs.replace(span, attributes=_drop(span.attributes, key))
    for at, event in enumerate(span.events):
        for key in event.attributes:
            changed = msgspec.structs.replace(event, attributes=_drop(event.attributes, key))
            events = (*span.events[:at], changed, *span.events[at + 1 :])
            yield f"{event.name}: {key}", msgspec.structs.replace(span, events=events)


def _drop(attributes: dict[str, Any], key: str) -> dict[str, Any]:
    return {name: value for name, value in attributes.items() if name != key}


def facts(turn: Turn) -> dict[Fact, Any]:
    calls = turn.tool_calls
    return {
        Fact.QUESTION: turn.user,
        Fact.ANSWER: turn.response,
        Fact.TOOL_CALLS: [call.name for call in calls],
        Fact.ARGUMENTS: [call.args for call in calls],
        Fact.TOOL_ANSWERS: [call.response for call in calls],
    }


def known(turn: Turn) -> dict[Fact, Any]:
    """The facts that the turn shows; those of calls only where the calls are known."""
    hidden = {gap.fact for gap in turn.gaps}
    if Fact.TOOL_CALLS in hidden:
        hidden |= {Fact.ARGUMENTS, Fact.TOOL_ANSWERS}
    return {fact: value for fact, value in facts(turn).items() if fact not in hidden}


@pytest.mark.parametrize("path", RECORDED, ids=lambda path: "-".join(path.parts[-3:-1]))
def test_a_lost_attribute_changes_no_fact(path: Path):
    trace = msgspec.json.decode(path.read_bytes(), type=Trace)
    whole = read(trace).turns
    changed = []
    for what, less in without(trace):
        turns = read(less).turns
        if turns and len(turns) != len(whole):
            changed.append(f"{what}: {len(turns)} turns instead of {len(whole)}")
        for before, now in zip(whole, turns, strict=False):
            changed += [
                f"{what}: {fact} is {value!r}, and was {facts(before)[fact]!r}"
                for fact, value in known(now).items()
                if value != facts(before)[fact]
            ]

    assert not changed
