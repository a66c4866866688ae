"""Group traces into conversations."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from agentevals.model.conversations import Trace
from agentevals.model.errors import InputError
from agentevals.model.plugins import suggestion
from agentevals.traces.conventions import load_all

AUTO, BY_TRACE, BY_CONVERSATION = "auto", "trace", "conversation"
CHOICES = (AUTO, BY_TRACE, BY_CONVERSATION)

_SESSION_NAME = "agentevals.session_name"
_LONGEST_KEY = 256


def group_traces(
    traces: Sequence[Trace], group_by: str, *, multi_turn_expected: bool
) -> Iterator[tuple[str, list[Trace]]]:
    """Conversations by name, in the order in which their first trace was seen.

    Only the traces of the conversation at hand are held.
    """
    if group_by not in CHOICES:
        msg = f"unknown grouping {group_by!r}{suggestion(group_by, list(CHOICES))}"
        raise InputError(msg)
    together = group_by == BY_CONVERSATION or (
        group_by == AUTO and (multi_turn_expected or _any_session_name(traces))
    )
    if not together:
        yield from ((trace.trace_id, [trace]) for trace in traces)
        return
    places: dict[str, list[int]] = {}
    for number, trace in enumerate(traces):
        places.setdefault(_key(trace), []).append(number)
    for key, numbers in places.items():
        yield key, [traces[number] for number in numbers]


def _any_session_name(traces: Iterable[Trace]) -> bool:
    return any(_SESSION_NAME in resource for trace in traces for resource in _resources(trace))


def _resources(trace: Trace) -> Iterator[dict[str, Any]]:
    """The resources of the spans: most spans share one, and that is said once."""
    last = None
    for span in trace.spans:
        if span.resource is not last:
            last = span.resource
            yield last


def _key(trace: Trace) -> str:
    """Return the conversation that the trace names, else the trace's own id."""
    names = (resource.get(_SESSION_NAME) for resource in _resources(trace))
    return next(filter(None, map(_usable, names)), "") or _conversation_id(trace) or trace.trace_id


def _conversation_id(trace: Trace) -> str:
    if trace.session:
        return trace.session
    spans = sorted(trace.spans, key=lambda span: (span.start_ns, span.span_id))
    for convention in load_all():
        for key in convention.CONVERSATION_KEYS:
            said = [span.attributes.get(key) for span in spans]
            said += [resource.get(key) for resource in _resources(trace)]
            found = next(filter(None, map(_usable, said)), "")
            if found:
                return found
    return ""


def _usable(value: Any) -> str:
    """A name that can be shown: a scalar, printable and not endless."""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return ""
    name = str(value)
    return name if name.isprintable() and len(name) <= _LONGEST_KEY else ""
