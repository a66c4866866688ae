"""The traces of each conversation, found by what they say of it themselves."""

from collections.abc import Iterator, Sequence
from typing import Any

from agentevals.files.spool import encode
from agentevals.model.conversations import Conversation, Trace
from agentevals.model.errors import InputError
from agentevals.model.plugins import suggestion
from agentevals.model.provenance import ATTEMPT, read_attempt
from agentevals.traces.attribute_values import parse_json
from agentevals.traces.conventions import load_all
from agentevals.traces.reading.trace_joining import JoinedTraces

_AUTO, _BY_TRACE, _BY_CONVERSATION = "auto", "trace", "conversation"
_CHOICES = (_AUTO, _BY_TRACE, _BY_CONVERSATION)
_SESSION_NAME = "agentevals.session_name"
_LONGEST_KEY = 256


class Groups:
    """Traces by conversation. Only those of the conversation at hand are held.

    Without `names`, each trace is a conversation of its own.
    """

    def __init__(
        self, traces: Sequence[Trace], names: Sequence[tuple[str, Sequence[int]]] | None
    ) -> None:
        self.traces, self._names = traces, names

    def __len__(self) -> int:
        return len(self.traces if self._names is None else self._names)

    def take(self, part: range | None = None) -> Iterator[tuple[str, list[Trace]]]:
        """Yield all groups or a part of them by name, in the order of their first trace."""
        if self._names is not None:
            for name, numbers in self._names if part is None else self._names[_slice(part)]:
                yield name, [self.traces[number] for number in numbers]
            return
        for trace in self.traces if part is None else map(self.traces.__getitem__, part):
            yield trace.trace_id, [trace]

    def weigh(self) -> Sequence[int]:
        """Return the size of each group in bytes."""
        sizes = weigh_traces(self.traces)
        if self._names is None:
            return sizes
        return [sum(sizes[number] for number in numbers) for _, numbers in self._names]

    @property
    def names(self) -> Iterator[str]:
        """The names of those that may have traces elsewhere; none if each trace is its own."""
        return (name for name, _ in self._names or ())

    @property
    def starts(self) -> Sequence[int]:
        """The number of the first trace of each group, in their order."""
        if self._names is None:
            return range(len(self.traces))
        return [numbers[0] for _, numbers in self._names]

    @property
    def has_attempts(self) -> bool:
        """True if a command was repeated: conversations are then named by those before them."""
        return _has_resource(self.traces, ATTEMPT)

    @property
    def has_sessions(self) -> bool:
        """True if `record` has named the conversations, so that they are not single traces."""
        return _has_resource(self.traces, _SESSION_NAME)


def find_groups(
    traces: Sequence[Trace], group_by: str, *, multi_turn_expected: bool = False
) -> Groups:
    """Return the conversations, in the order in which their first trace was seen."""
    if group_by not in _CHOICES:
        msg = f"unknown grouping {group_by!r}{suggestion(group_by, list(_CHOICES))}"
        raise InputError(msg)
    together = group_by == _BY_CONVERSATION or (
        group_by == _AUTO and (multi_turn_expected or _has_resource(traces, _SESSION_NAME))
    )
    if not together:
        return Groups(traces, None)
    places: dict[tuple[str, int], list[int]] = {}
    for number, trace in enumerate(traces):
        name = find_session(trace) or trace.trace_id
        places.setdefault((name, find_attempt(trace)), []).append(number)
    return Groups(traces, [(name, numbers) for (name, _), numbers in places.items()])


def find_attempt(trace: Trace) -> int:
    """Return the attempt that a trace was recorded in: 0 where the command was not repeated."""
    return max(map(read_attempt, list_resources(trace)), default=0)


def weigh_traces(traces: Sequence[Trace]) -> Sequence[int]:
    """Return the size of each trace in bytes. Joined traces know without a look at most."""
    if isinstance(traces, JoinedTraces):
        return traces.weigh()
    return [len(encode(trace)) for trace in traces]


def _slice(part: range) -> slice:
    return slice(part.start, part.stop)


def _has_resource(traces: Sequence[Trace], name: str) -> bool:
    """Return whether a resource has an attribute of ours. Joined traces know without a look."""
    if isinstance(traces, JoinedTraces):
        return name in traces.own_names
    return any(name in resource for trace in traces for resource in list_resources(trace))


def list_resources(trace: Trace | Conversation) -> Iterator[dict[str, Any]]:
    """Yield the resources of the spans: most spans share one, and that is said once."""
    last = None
    for span in trace.spans:
        if span.resource is not last:
            last = span.resource
            yield last


def find_session(recorded: Trace | Conversation) -> str:
    """Return the conversation that a recording says it is part of; empty if it does not."""
    names = (resource.get(_SESSION_NAME) for resource in list_resources(recorded))
    return next(filter(None, map(_usable, names)), "") or _conversation_id(recorded)


def _conversation_id(recorded: Trace | Conversation) -> str:
    if recorded.session:
        return recorded.session
    spans = sorted(recorded.spans, key=lambda span: (span.start_ns, span.span_id))
    for convention in load_all():
        for key in convention.CONVERSATION_KEYS:
            said = [_find_value(span.attributes, key) for span in spans]
            said += [_find_value(resource, key) for resource in list_resources(recorded)]
            found = next(filter(None, map(_usable, said)), "")
            if found:
                return found
    return ""


def _find_value(attributes: dict[str, Any], key: str) -> Any:
    """Return the value of an attribute, or of a member of the object in one."""
    name, _, member = key.partition("#")
    value = attributes.get(name)
    if not isinstance(value, str) or not (member or value.startswith('"')):
        return value  # most are: this is asked of every span
    found = parse_json(value)
    if not member:
        return found
    return found.get(member) if isinstance(found, dict) else None


def _usable(value: Any) -> str:
    """Return a name that can be shown: a scalar, printable and not endless."""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return ""
    name = str(value)
    return name if name.isprintable() and len(name) <= _LONGEST_KEY else ""
