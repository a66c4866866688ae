"""A recorded span, read as OpenTelemetry's SDK lets a finished span be read."""

import json
from collections.abc import Mapping, Sequence
from enum import Enum
from typing import Any, NamedTuple

__all__ = ["Event", "ReadableSpan", "Resource", "SpanContext", "SpanKind", "Status", "StatusCode"]


class StatusCode(Enum):
    """The outcome of an operation."""

    UNSET = 0
    OK = 1
    ERROR = 2


class SpanKind(Enum):
    """On which side of a connection a span is."""

    INTERNAL = 0
    SERVER = 1
    CLIENT = 2
    PRODUCER = 3
    CONSUMER = 4


class Status:
    """A status code, and what was said about it."""

    def __init__(
        self, status_code: StatusCode = StatusCode.UNSET, description: str | None = None
    ) -> None:
        self.status_code, self.description = status_code, description

    @property
    def is_ok(self) -> bool:
        return self.status_code is not StatusCode.ERROR

    @property
    def is_unset(self) -> bool:
        return self.status_code is StatusCode.UNSET


class SpanContext:
    """The ids of a span and of its trace."""

    def __init__(self, trace_id: int, span_id: int, is_remote: bool = False) -> None:
        self.trace_id, self.span_id, self.is_remote = trace_id, span_id, is_remote
        self.is_valid = bool(trace_id and span_id)


class Event:
    """Something that happened during a span."""

    def __init__(
        self, name: str, attributes: Mapping[str, Any] | None = None, timestamp: int | None = None
    ) -> None:
        self.name, self.attributes, self.timestamp = name, dict(attributes or {}), timestamp


class Resource:
    """The source of a span."""

    def __init__(self, attributes: Mapping[str, Any], schema_url: str | None = None) -> None:
        self.attributes, self.schema_url = dict(attributes), schema_url or ""


class InstrumentationScope(NamedTuple):
    """The library that wrote a span."""

    name: str
    version: str | None = None
    schema_url: str | None = None


class ReadableSpan:
    """A span that has ended. Times are nanoseconds since 1970."""

    def __init__(  # noqa: PLR0913, PLR0917 -- theirs
        self,
        name: str,
        context: SpanContext | None = None,
        parent: SpanContext | None = None,
        resource: Resource | None = None,
        attributes: Mapping[str, Any] | None = None,
        events: Sequence[Event] = (),
        links: Sequence[Any] = (),
        kind: SpanKind = SpanKind.INTERNAL,
        instrumentation_info: Any = None,
        status: Status | None = None,
        start_time: int | None = None,
        end_time: int | None = None,
        instrumentation_scope: Any = None,
    ) -> None:
        self.name, self.context, self.parent, self.kind = name, context, parent, kind
        self.attributes = dict(attributes or {})
        self.events, self.links = tuple(events), tuple(links)
        self.resource = resource or Resource({})
        self.status = status or Status()
        self.start_time, self.end_time = start_time, end_time
        self.instrumentation_info = instrumentation_info
        self.instrumentation_scope = instrumentation_scope

    def get_span_context(self) -> SpanContext | None:
        return self.context

    def to_json(self, indent: int | None = 4) -> str:
        """The span as JSON, with its most used parts."""
        told = {
            "name": self.name,
            "parent_id": self.parent and f"0x{self.parent.span_id:016x}",
            "start_time": self.start_time,
            "end_time": self.end_time,
            "status": {"status_code": self.status.status_code.name},
            "attributes": self.attributes,
        }
        return json.dumps(told, indent=indent, default=str)
