"""Recordings: spans, traces, turns and conversations. Nothing here reads a file."""

from typing import Any

from agentevals.model.completeness import Fact, Gap, Presence
from agentevals.model.noun import Noun


class SpanEvent(Noun, frozen=True):
    """An event at one moment of a span: a span event, or a log record."""

    name: str
    time_ns: int = 0
    attributes: dict[str, Any] = {}
    body: Any = None
    span_id: str = ""


class Span(Noun, frozen=True):
    """One timed operation, whatever tracing system recorded it."""

    span_id: str
    name: str
    parent_id: str = ""
    start_ns: int = 0
    end_ns: int = 0
    attributes: dict[str, Any] = {}
    resource: dict[str, Any] = {}
    scope: str = ""
    scope_version: str = ""
    events: tuple[SpanEvent, ...] = ()
    failed: bool = False
    status_message: str = ""


class ToolCall(Noun, frozen=True):
    """A tool the agent called, with what came back.

    `args` is None where an expectation does not state them, or a recording does not show them.
    `agent` is who called it; empty if that is not known. `answer_id` is the id of an answer whose
    call has none.
    """

    name: str
    args: dict[str, Any] | None = {}
    call_id: str | None = None
    answer_id: str | None = None
    response: Any = None
    answered: bool = False
    failed: bool = False
    error: str = ""
    start_ns: int = 0
    end_ns: int = 0
    timed: bool = False
    agent: str = ""


class ModelCall(Noun, frozen=True):
    """One request to a language model. Token counts are None where nothing was recorded.

    `agent` is who asked; empty if that is not known.
    """

    model: str = ""
    input_tokens: int | None = None
    output_tokens: int | None = None
    cache_read_tokens: int = 0
    cache_creation_tokens: int = 0
    reasoning_tokens: int = 0
    cost: float | None = None
    start_ns: int = 0
    end_ns: int = 0
    failed: bool = False
    agent: str = ""

    @property
    def has_counts(self) -> bool:
        """True if the tokens of the request were recorded."""
        return self.input_tokens is not None or self.output_tokens is not None


class Turn(Noun, frozen=True):
    """One user message, the agent's actions and its answer. The protocol's `invocation`.

    A format that records messages keeps those of the agent as they stand in `messages`, for
    evaluators that read messages; whoever needs them for any turn asks `graders.judged_messages`.
    ADK's own files keep a turn as it stands in `invocation`, for metric functions of ADK.
    It is `unordered` where only how often each tool was called is known: not in which order.
    It is `timed` where its time is known, though it may have begun and ended at 0.
    `gaps` are the facts that the recording does not show.
    """

    turn_id: str = ""
    user: str = ""
    response: str | None = None
    tool_calls: tuple[ToolCall, ...] = ()
    model_calls: tuple[ModelCall, ...] = ()
    intermediate: tuple[str, ...] = ()
    messages: tuple[dict[str, Any], ...] = ()
    invocation: dict[str, Any] = {}
    unordered: bool = False
    agent: str = ""
    trace_id: str = ""
    span_id: str = ""
    start_ns: int = 0
    end_ns: int = 0
    timed: bool = False
    gaps: tuple[Gap, ...] = ()

    def find_gap(self, fact: Fact) -> Gap | None:
        """Return why a fact is not known; None if the recording shows it."""
        return next((gap for gap in self.gaps if gap.fact is fact), None)

    def name_other(self, call: ToolCall | ModelCall) -> str:
        """Return the agent of a call that another agent than the turn's own has made."""
        return call.agent if call.agent != self.agent else ""

    @property
    def completeness(self) -> dict[Fact, Presence]:
        """Return what the recording shows of each fact."""
        found = dict.fromkeys(Fact, Presence.RECORDED)
        calls = self.model_calls
        known = {
            Fact.TOKENS: calls and all(call.has_counts for call in calls),
            Fact.COST: calls and all(call.cost is not None for call in calls),
            Fact.TIME: self.is_timed,
        }
        found |= {fact: Presence.UNKNOWN for fact, shown in known.items() if not shown}
        return found | {gap.fact: gap.presence for gap in self.gaps}

    @property
    def is_timed(self) -> bool:
        """Return whether it is known how long it took."""
        return self.timed or bool(self.end_ns)

    def answer(self, *, on_the_way: bool = False) -> str:
        """Return the agent's last text, or all its texts."""
        said = (*self.intermediate, self.response) if on_the_way else (self.response,)
        return "\n".join(filter(None, said))


class Trace(Noun, frozen=True):
    """The recording of one file under one trace id.

    A format that records turns and not spans (a transcript) fills `turns` itself; otherwise
    they are None and a convention reads them out of the spans. Without turns, `error` is why
    the agent could not be run, where that was recorded.
    """

    trace_id: str
    spans: tuple[Span, ...] = ()
    logs: tuple[SpanEvent, ...] = ()
    turns: tuple[Turn, ...] | None = None
    error: str = ""
    session: str = ""
    case_id: str = ""
    sources: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()


class Conversation(Noun, frozen=True):
    """One or more traces that belong together, read as turns: what is evaluated as one.

    Further eval cases that it says it answers are its `rival_case_ids`. Without turns `error`
    says so, `elapsed_ns` is how long each root of the traces took, `foreign` is whether
    nothing in them was recorded by an agent, and `preparation` whether all that was recorded
    came before its work, or is that of a server of tools. `spans` are what was recorded, for
    evaluators that look for themselves. `session` is what the format says that it is part of, if
    it says that outside of spans.
    """

    conversation_id: str
    trace_ids: tuple[str, ...] = ()
    turns: tuple[Turn, ...] = ()
    case_id: str = ""
    rival_case_ids: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    error: str = ""
    foreign: bool = False
    preparation: bool = False
    elapsed_ns: tuple[int, ...] = ()
    spans: tuple[Span, ...] = ()
    session: str = ""


class ModelCost(Noun, frozen=True, omit_defaults=False):
    """The calls of one model and their cost. Of an `unpriced` call it is unknown, or in part."""

    model: str
    calls: int = 0
    unpriced: int = 0
    cost: float | None = None


class RecordingCost(Noun, frozen=True, omit_defaults=False):
    """The cost of all model calls of a run in US dollars, as far as it is known; else None."""

    cost: float | None = None
    calls: int = 0
    unpriced: int = 0
    models: tuple[ModelCost, ...] = ()
