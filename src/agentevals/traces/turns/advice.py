"""How to record what a turn does not show: no setting that has recorded the like of it here."""

from collections.abc import Iterable

from agentevals.model.completeness import Fact, Presence
from agentevals.traces import remedies
from agentevals.traces.conventions import Reading
from agentevals.traces.messages import Message
from agentevals.traces.remedies import Instrumentation
from agentevals.traces.turns.drafts import Draft, Step

_NUMBERS = frozenset({Fact.TOKENS, Fact.COST, Fact.TIME})  # settings are about words
_GIVEN = frozenset({Fact.QUESTION, Fact.ARGUMENTS})


def advise(fact: Fact, presence: Presence, draft: Draft, steps: Iterable[Step]) -> str:
    """Return how to record a fact that a turn does not show; empty if nobody can tell."""
    if fact in _NUMBERS:
        return ""
    if draft.unlimited:
        return draft.unlimited
    readings = [draft.reading or Reading(draft.anchor), *(step.reading for step in steps)]
    spans = [reading.span for reading in readings]
    made = next(filter(None, map(remedies.identify, spans)), None)
    if made is None or presence is Presence.WITHHELD:
        return remedies.advise(*spans)
    own = [each for each in readings if remedies.identify(each.span) is made]
    if not _has_recorded(fact, made, own):
        return remedies.advise(*spans)
    return f"{made.addition}, and record again" if made.addition else _explain(made)


def _explain(made: Instrumentation) -> str:
    return (
        f"{made.title} has recorded other messages of this turn: no setting of it adds this one, "
        "and another instrumentation may"
    )


def _has_recorded(fact: Fact, made: Instrumentation, own: Iterable[Reading]) -> bool:
    """Return whether words of the same side are there, or any if one switch is for both sides."""
    given, said = map(any, zip(*map(_tell_sides, own), strict=True))
    if made.settings:
        return given or said
    return given if fact in _GIVEN else said


def _tell_sides(reading: Reading) -> tuple[bool, bool]:
    """Return whether words that were given, and words that were said or returned, are there."""
    if reading.withheld:
        return False, False
    given = reading.args is not None or any(map(_has_words, reading.input_messages))
    said = reading.result is not None or any(map(_has_words, reading.output_messages))
    return given, said


def _has_words(message: Message) -> bool:
    """Return whether a message holds more than the names of tools."""
    asked = any(call.args is not None for call in message.asked)
    told = any(answer.value is not None for answer in message.answers)
    return bool(message.text) or asked or told
