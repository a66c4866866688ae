"""The meaning of spans. To add an instrumentation: write a module like those here, then list it.

All of them fill one `Reading` of a span, and turns are made of readings.
"""

from collections.abc import Callable, Iterable, Sequence
from enum import StrEnum
from functools import lru_cache
from typing import Any, Literal, NamedTuple, Protocol

import msgspec
from msgspec.structs import replace

from agentevals.model.conversations import Span, SpanEvent
from agentevals.model.plugins import Table
from agentevals.traces.attribute_values import UnreadableError
from agentevals.traces.chat_messages import ASSISTANT, USER, Message, ToolRequest


class Kind(StrEnum):
    """The kind of operation that a span records."""

    NONE = ""
    PREPARATION = "preparation"
    SERVICE = "service"  # what a client and a server tell each other, except for calls of tools
    INFERENCE = "inference"
    AGENT = "agent"
    WORKFLOW = "workflow"
    STEP = "step"  # code of the user's in a workflow, with nothing of what it was given or returned
    TOOL = "tool"


# What to call it when it cannot be read, how to read it (who speaks if it does not say), and what.
Source = tuple[str, Callable[[Any, str], list[Message]], Any]


class Reading(msgspec.Struct, eq=False, gc=False):
    """An overlay on one span: every convention fills what those before it left empty.

    Message lists are read when they are asked for: most of them repeat the conversation so
    far, and nobody needs that more than once.
    """

    span: Span
    logs: Sequence[SpanEvent] = ()
    kind: Kind = Kind.NONE
    ignored: bool = False
    agent: str = ""
    model: str = ""
    served_by: str = ""
    response_id: str = ""
    tool: str = ""
    call_id: str | None = None
    args: Any = None
    result: Any = None
    error: str = ""
    rewords: bool = False  # the model is asked in other words than those of the user
    checks: bool = False  # what is asked below it is about the turn, and no answer of the agent
    has_checks: bool = False  # an agent directly below this one checks, and answers nobody
    keyless: str = ""  # the only value in what a chain or a template was given, without its key
    joins: str = ""  # its answer may begin with text beside calls: how to tell both apart
    is_of_team: bool = False  # others, in traces of their own, ask it and go on with its answer
    is_run: bool = False  # all of one run: whatever is asked below it, it is one turn
    remote: bool = False  # the tool is on a server, which may have a span for it as well
    concludes: bool = False  # what this tool returns is the answer of the agent
    input_tokens: int | None = None
    output_tokens: int | None = None
    cache_read_tokens: int | None = None
    cache_creation_tokens: int | None = None
    reasoning_tokens: int | None = None
    cost: float | None = None
    input_sources: list[Source] = []
    output_sources: list[Source] = []
    notes: list[str] = []
    withheld: bool = False
    fetches: bool = False  # it asks nothing: it gets the answer to the request of its response id
    asks_again: bool = False  # this request uses tools itself: its span covers those that follow
    hides_calls: bool = False  # it tells of calls, and not which of its requests asked for them
    before: list["Reading"] = []  # the requests before the last one, where a span covers several
    _input: list[Message] | None = None
    _output: list[Message] | None = None
    _text: str | None = None
    _calls: list[ToolRequest] | None = None

    @property
    def input_messages(self) -> list[Message]:
        """Return the input, from the first source that has messages."""
        if self._input is None:
            self._input = self._first(self.input_sources, USER)
        return self._input

    @property
    def output_messages(self) -> list[Message]:
        """Return the output, from the first source that has messages."""
        if self._output is None:
            self._output = self._first(self.output_sources, ASSISTANT)
        return self._output

    @property
    def output_text(self) -> str:
        """Return all texts of the output as one."""
        if self._text is None:
            self._text = "".join([message.text for message in self.output_messages])
        return self._text

    @property
    def output_calls(self) -> list[ToolRequest]:
        """Return all calls that the output asks for."""
        if self._calls is None:
            self._calls = [call for message in self.output_messages for call in message.asked]
        return self._calls

    @property
    def has_counts(self) -> bool:
        """True if the span has token counts."""
        return self.input_tokens is not None or self.output_tokens is not None

    def fill_output(self, messages: list[Message]) -> None:
        """Take messages that were found elsewhere as the output, where no source has any."""
        if not self.output_messages:
            self._output = messages
            self._text = self._calls = None

    def name_calls(self, ids: Iterable[str | None]) -> None:
        """Give the calls of the output that have no id those of another source, in their order."""
        others = iter(ids)
        for message in self.output_messages:
            message.asked = [
                replace(call, call_id=call.call_id or other)
                for call, other in zip(message.asked, others, strict=False)
            ]
        self._calls = None

    def fill_counts(self, **found: int | None) -> None:
        """Set the token counts that no convention has set before."""
        for name, number in found.items():
            if number is not None and getattr(self, name) is None:
                setattr(self, name, number)

    def _first(self, sources: list[Source], role: str) -> list[Message]:
        for name, read, raw in sources:
            try:
                found = read(raw, role)
            except UnreadableError as error:
                self.notes.append(f"span {self.span.span_id}: {name} {error}")
                continue
            for m in found:
                if m.is_withheld:
                    self.withheld = True
            for m in found:
                if m.text or m.asked or m.answers or m.has_nameless_call:
                    return found
        return []


class Shape(NamedTuple):
    """The part of a span that is the same in most spans of a recording: all but its values."""

    scope: str
    name: str
    keys: frozenset[str]
    events: frozenset[str]  # the names of its events, and of its log records


def read_shape(span: Span, logs: Sequence[SpanEvent] = ()) -> Shape:
    """Return the shape of a span."""
    return Shape(span.scope, span.name, frozenset(span.attributes), _name_events(span, logs))


def _name_events(span: Span, logs: Sequence[SpanEvent]) -> frozenset[str]:
    return frozenset([event.name for event in (*span.events, *logs)])


# Whether a convention is followed; a function of the span where values decide.
Verdict = bool | Callable[[Span], bool]


class Convention(Protocol):
    """One instrumentation's way to say what an agent did."""

    CONVERSATION_KEYS: tuple[str, ...]
    """Attributes that hold the same value in all traces of one conversation.

    `metadata#thread_id` is a member of an object in the attribute `metadata`.
    """

    def speaks(self, shape: Shape) -> Verdict:
        """Return whether spans of this shape follow the convention, or how to find out."""
        ...

    def read(self, reading: Reading) -> None:
        """Fill what the conventions before this one left empty."""
        ...


_NO_EVENTS = frozenset[str]()
_HOME = "agentevals.traces.conventions"

# In the order in which they are believed.
CONVENTIONS: Table[Convention] = Table(
    "convention",
    {
        "genai": f"{_HOME}.genai",
        "openai_agents": f"{_HOME}.openai_agents",
        "agent_framework": f"{_HOME}.agent_framework",
        "adk": f"{_HOME}.adk",
        "pydantic_ai": f"{_HOME}.pydantic_ai",
        "strands": f"{_HOME}.strands",
        "autogen": f"{_HOME}.autogen",
        "semantic_kernel": f"{_HOME}.semantic_kernel",
        "openllmetry": f"{_HOME}.openllmetry",
        "ai_sdk": f"{_HOME}.ai_sdk",
        "mastra": f"{_HOME}.mastra",
        "langsmith": f"{_HOME}.langsmith",
        "langfuse": f"{_HOME}.langfuse",
        "mlflow": f"{_HOME}.mlflow",
        "haystack": f"{_HOME}.haystack",
        "uipath": f"{_HOME}.uipath",
        "openinference": f"{_HOME}.openinference",
        "google_genai": f"{_HOME}.google_genai",
        "claude_agent": f"{_HOME}.claude_agent",
        "claude_code": f"{_HOME}.claude_code",
        "crewai": f"{_HOME}.crewai",
        "agentv": f"{_HOME}.agentv",
        "mcp": f"{_HOME}.mcp",
        "a2a": f"{_HOME}.a2a",
    },
)


def load_all() -> tuple[Convention, ...]:
    """Return every convention, in the order in which they are believed."""
    return tuple(CONVENTIONS[name] for name in CONVENTIONS)


def read_span(span: Span, logs: Sequence[SpanEvent] = ()) -> Reading | None:
    """Read a span in every convention it follows; the first source of each fact wins."""
    reading = None
    events = _name_events(span, logs) if span.events or logs else _NO_EVENTS
    for read, verdict in _find_speaking(span.scope, span.name, tuple(span.attributes), events):
        if verdict is True or verdict(span):
            reading = reading or Reading(span, logs)
            read(reading)
    return reading


@lru_cache(maxsize=256)  # the spans of a recording have few shapes
def _find_speaking(
    scope: str, name: str, keys: tuple[str, ...], events: frozenset[str]
) -> tuple[tuple[Callable[[Reading], None], Literal[True] | Callable[[Span], bool]], ...]:
    """Return how each convention reads spans of a shape, if it does or their values say so."""
    shape = Shape(scope, name, frozenset(keys), events)
    found = ((convention.read, convention.speaks(shape)) for convention in load_all())
    return tuple((read, verdict) for read, verdict in found if verdict is not False)
