"""Values that a limit of the SDK has cut off, or dropped: they count as not recorded."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

import msgspec
from msgspec.structs import replace

from agentevals.model.conversations import Span, SpanEvent, Trace
from agentevals.traces.otlp.otlp_spans import DROPPED_ATTRIBUTES, DROPPED_EVENTS

_ATTRIBUTES_REMEDY = "Set OTEL_SPAN_ATTRIBUTE_COUNT_LIMIT and OTEL_SPAN_EVENT_COUNT_LIMIT to 100000"
_LENGTH_REMEDY = (
    "Unset OTEL_ATTRIBUTE_VALUE_LENGTH_LIMIT and OTEL_SPAN_ATTRIBUTE_VALUE_LENGTH_LIMIT"
)
# messages in numbered attributes: those that are left are not all
_NUMBERED = ("llm.input_messages.", "llm.output_messages.", "gen_ai.prompt.", "gen_ai.completion.")
_CLOSED_BY = {"{": "}", "[": "]"}
_CLOSING = frozenset("}] \t\r\n")
# what tells one process that records from another
_PROCESS = ("service.name", "service.instance.id", "process.pid", "telemetry.sdk.language")
_PRINTED = ("{'", "['")  # by Python
_TRUNCATED = "Input data was truncated"  # as msgspec says of JSON that ends too early
_SHORTEST = 8  # below that, a bracket may be what was said
_SHORTEST_PAIR = 32  # below that, two texts may have the same length by chance
_HALF = 2


class Loss(NamedTuple):
    """The loss of a trace to limits: a sentence about it, and how to record the rest."""

    warning: str
    remedy: str


def drop_lost(trace: Trace) -> tuple[Trace, Loss | None]:
    """Return the trace without the values that a limit has cut off, and what it has lost.

    A limit is known by JSON that ends in the middle, by two long texts of the same length, or by a
    round one: no other value is longer.
    """
    spans, incomplete = _drop_incomplete(trace.spans)
    limits = _find_limits(spans, trace.logs)
    if not limits and not incomplete:
        return trace, None
    dropped = _Dropped(limits)
    spans = tuple(map(dropped.clean_span, spans)) if limits else spans
    logs = tuple(map(dropped.clean_event, trace.logs)) if limits else trace.logs
    return replace(trace, spans=spans, logs=logs), _explain(dropped, incomplete)


def _explain(dropped: "_Dropped", incomplete: int) -> Loss | None:
    warnings, remedies = [], []
    if dropped.count:
        sizes = ", ".join(str(size) for size in sorted(dropped.sizes))
        warnings.append(
            f"{dropped.count} attributes end after {sizes} characters, where a limit has cut them "
            "off: they count as not recorded"
        )
        remedies.append(_LENGTH_REMEDY)
    if incomplete:
        warnings.append(
            f"{incomplete} spans have dropped attributes or events, and the messages that are left "
            "may not be all: they count as not recorded"
        )
        remedies.append(_ATTRIBUTES_REMEDY)
    remedy = f"{'. '.join(remedies)}, and record again"
    return Loss("; ".join(warnings), remedy) if warnings else None


def _drop_incomplete(spans: tuple[Span, ...]) -> tuple[tuple[Span, ...], int]:
    """Drop the messages of spans whose SDK says that it has dropped attributes or events."""
    said = [span.attributes for span in spans]
    count = len([own for own in said if own.get(DROPPED_ATTRIBUTES) or own.get(DROPPED_EVENTS)])
    return (tuple(map(_drop_messages, spans)), count) if count else (spans, 0)


def _drop_messages(span: Span) -> Span:
    if span.attributes.get(DROPPED_ATTRIBUTES):
        kept = {k: v for k, v in span.attributes.items() if not k.startswith(_NUMBERED)}
        span = replace(span, attributes=kept)
    return replace(span, events=()) if span.attributes.get(DROPPED_EVENTS) else span


def _count_utf16(text: str) -> int:
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def _count_bytes(text: str) -> int:
    return len(text.encode("utf-8", "surrogatepass"))


# SDKs count characters in their own ways; for ASCII all of them are the same
_UNITS: tuple[Callable[[str], int], ...] = (len, _count_utf16, _count_bytes)
_Limits = frozenset[tuple[int, int]]  # the number of a unit, and the most of it


def _find_limits(spans: Iterable[Span], logs: Iterable[SpanEvent]) -> _Limits:
    """Return the limits of the processes that have recorded a trace; most have none."""
    by_process: dict[tuple[Any, ...], list[str]] = {}
    resource, texts = None, list[str]()
    for span in spans:
        if span.resource is not resource:
            resource = span.resource
            texts = by_process.setdefault(tuple(map(resource.get, _PROCESS)), [])
        texts += [value for value in span.attributes.values() if type(value) is str]
        for event in span.events:
            texts += [value for value in event.attributes.values() if type(value) is str]
    logged = [value for log in logs for value in log.attributes.values() if type(value) is str]
    found = set[tuple[int, int]]()
    for each in (*by_process.values(), logged):
        found.update(_find_limit(each))
    return frozenset(found)


def _find_limit(texts: list[str]) -> Iterable[tuple[int, int]]:
    longest = max(texts, key=len, default="")
    if len(longest) < _SHORTEST:
        return ()
    ends = [each for each in texts if each[:1] in _CLOSED_BY and each[-1] not in _CLOSING]
    opened = [text for text in ends if _is_open(text)] if ends else ends
    if opened:
        return _measure(texts, opened)
    size = len(longest)
    if longest[0] in _CLOSED_BY and not _is_round(size):
        return ()  # whole JSON, as most have it
    return {(0, size)} if _are_cut({each for each in texts if len(each) == size}, size) else ()


def _measure(texts: Iterable[str], opened: Sequence[str]) -> set[tuple[int, int]]:
    """Return the length of what ends too early, and in other units if nothing is longer in them."""
    found = {(0, len(text)) for text in opened}
    for number, measure in enumerate(_UNITS):
        most = max(map(measure, texts))
        if any(measure(text) == most for text in opened):
            found.add((number, most))
    return found


def _is_open(text: str) -> bool:
    """Return whether this is the beginning of JSON, or of what Python prints, and no more."""
    if len(text) < _SHORTEST or text.rstrip().endswith(_CLOSED_BY[text[0]]):
        return False
    return text.startswith(_PRINTED) or _ends_too_early(text)


def _ends_too_early(text: str) -> bool:
    try:
        msgspec.json.decode(text)
    except msgspec.DecodeError as error:
        return str(error) == _TRUNCATED
    except (UnicodeEncodeError, RecursionError):
        return False
    return False


def _are_cut(longest: set[str], size: int) -> bool:
    """Return whether these are as long as a limit allows, and not as long as each other by chance.

    Where whole JSON is as long as they are, or nothing but a name is, nothing was cut.
    """
    if any(_is_whole(text) for text in longest):
        return False
    texts = [text for text in longest if any(map(str.isspace, text))]
    if len(texts) != len(longest):
        return False
    return _is_round(size) or (size >= _SHORTEST_PAIR and _differ(texts))


def _is_whole(text: str) -> bool:
    if text[:1] not in _CLOSED_BY:
        return False
    return not _ends_too_early(text)


def _is_round(size: int) -> bool:
    """Return whether people choose such a limit: 128, 250, 1024, 4095, 12000 …"""
    is_binary = size >= _SHORTEST_PAIR and (size & (size - 1) == 0 or size & (size + 1) == 0)
    step = 1000 if size > 1000 else 100 if size > 500 else 50  # noqa: PLR2004 -- as people round
    return is_binary or size % step == 0


def _differ(texts: list[str]) -> bool:
    """Return whether two of them are no variants of one sentence."""
    first, *others = texts
    return any(
        sum(a == b for a, b in zip(first, other, strict=True)) * _HALF < len(first)
        for other in others
    )


class _Dropped:
    """The values that end at one of the limits, as they are found."""

    def __init__(self, limits: _Limits) -> None:
        self._limits = limits
        self.count = 0
        self.sizes: set[int] = set()

    def clean_span(self, span: Span) -> Span:
        events = tuple(map(self.clean_event, span.events))
        return replace(span, attributes=self._clean(span.attributes), events=events)

    def clean_event(self, event: SpanEvent) -> SpanEvent:
        return replace(event, attributes=self._clean(event.attributes))

    def _clean(self, attributes: dict[str, Any]) -> dict[str, Any]:
        return {key: value for key, value in attributes.items() if not self._is_cut(value)}

    def _is_cut(self, value: Any) -> bool:
        if isinstance(value, list):
            return any(self._is_cut(each) for each in value if isinstance(each, str))
        if not isinstance(value, str):
            return False
        for unit, most in self._limits:
            if _UNITS[unit](value) == most and not _is_whole(value):
                self.count += 1
                self.sizes.add(most)
                return True
        return False
