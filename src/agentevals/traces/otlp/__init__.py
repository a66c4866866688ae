"""OpenTelemetry's own format: one canonical document, its meaning, and its other spellings."""

from typing import Annotated, Generic, TypeVar

from msgspec import Meta, Raw, Struct, json

# spans and log records: as they were recorded, or still encoded
SpanItem = TypeVar("SpanItem")
LogItem = TypeVar("LogItem")

_NANOSECONDS = Annotated[int, Meta(ge=0, le=2**63 - 1)]
_INT64 = Annotated[int, Meta(ge=-(2**63), le=2**63 - 1)]


class Canonical(Struct, rename="camel", gc=False):
    """Base of the canonical shape. None of it can be part of a cycle: no need to look for one."""


class Values(Canonical):
    """An array of values."""

    values: list["Value"] = []


class Pair(Canonical):
    """One attribute."""

    key: str
    value: "Value | None" = None


class Pairs(Canonical):
    """An object."""

    values: list[Pair] = []


class Value(Canonical, forbid_unknown_fields=True):
    """An AnyValue. Another spelling of a kind must not pass for a value that is not there."""

    string_value: str | None = None
    int_value: _INT64 | None = None
    double_value: float | None = None
    bool_value: bool | None = None
    array_value: Values | None = None
    kvlist_value: Pairs | None = None
    bytes_value: str | None = None


class Resource(Canonical):
    """The service that recorded, and its surroundings."""

    attributes: list[Pair] = []


class Scope(Canonical):
    """The instrumentation that recorded."""

    name: str = ""
    version: str = ""


class Status(Canonical):
    """The outcome of an operation."""

    code: int | str = 0
    message: str = ""


class Event(Canonical):
    """A moment within a span."""

    name: str = ""
    time_unix_nano: _NANOSECONDS = 0
    attributes: list[Pair] = []


class RawSpan(Canonical):
    """A span as recorded. The ids are required, so that another spelling of them is noticed."""

    trace_id: str
    span_id: str
    name: str = ""
    parent_span_id: str = ""
    start_time_unix_nano: _NANOSECONDS = 0
    end_time_unix_nano: _NANOSECONDS = 0
    attributes: list[Pair] = []
    events: list[Event] = []
    status: Status | None = None
    dropped_attributes_count: int = 0
    dropped_events_count: int = 0


class RawLog(Canonical):
    """A log record as recorded."""

    trace_id: str = ""
    span_id: str = ""
    event_name: str = ""
    time_unix_nano: _NANOSECONDS = 0
    observed_time_unix_nano: _NANOSECONDS = 0
    body: Value | None = None
    attributes: list[Pair] = []


class ScopeSpans(Canonical, Generic[SpanItem]):
    """The spans of one instrumentation scope."""

    spans: list[SpanItem]
    scope: Scope | None = None


class ScopeLogs(Canonical, Generic[LogItem]):
    """The log records of one instrumentation scope."""

    log_records: list[LogItem]


class ResourceSpans(Canonical, Generic[SpanItem]):
    """The spans of one resource."""

    scope_spans: list[ScopeSpans[SpanItem]]
    resource: Resource | None = None


class ResourceLogs(Canonical, Generic[LogItem]):
    """The log records of one resource."""

    scope_logs: list[ScopeLogs[LogItem]]


class Document(Canonical, Generic[SpanItem, LogItem]):
    """A whole export."""

    resource_spans: list[ResourceSpans[SpanItem]] = []
    resource_logs: list[ResourceLogs[LogItem]] = []


# not strict: numbers may be written as text, as 64 bit integers are
decode_whole = json.Decoder(Document[RawSpan, RawLog], strict=False).decode
decode_outside = json.Decoder(Document[Raw, Raw], strict=False).decode
decode_span = json.Decoder(RawSpan, strict=False).decode
decode_log = json.Decoder(RawLog, strict=False).decode
