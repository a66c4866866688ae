"""The reason why no turn of an agent was found in a conversation, by the spans that are in it."""

from collections import Counter
from collections.abc import Iterator, Sequence

from agentevals.model.conversations import Conversation, Span
from agentevals.model.noun import Noun
from agentevals.text.wording import plural
from agentevals.traces import instrumentations
from agentevals.traces.conventions import a2a, autogen, mcp, read_shape
from agentevals.traces.turns import NO_TURNS

_OPERATIONS = ("gen_ai.operation.name", "openinference.span.kind", "traceloop.span.kind")
_AGENTIC = frozenset({"invoke_agent", "invoke_workflow", "agent", "workflow", "chain"})
_SORTS = {
    "HTTP": ("http.", "url."),
    "database": ("db.",),
    "queue": ("messaging.",),
    "RPC": ("rpc.",),
    "function": ("faas.",),
    "file": ("file.",),
}
_HOSTS = ("server.address", "net.peer.name", "url.full", "http.url", "http.host")
_MODELS = {
    "api.openai.com": "openai",
    "openai.azure.com": "openai",
    "api.anthropic.com": "anthropic",
    "bedrock-runtime.": "bedrock",
    "generativelanguage.googleapis.com": "google-genai",
    "aiplatform.googleapis.com": "vertexai",
    "api.mistral.ai": "mistralai",
    "api.groq.com": "groq",
}
_SHOWN = 4  # names in a sentence
_RECORD = "record with 'agentevals record -o traces/ -- COMMAND'"
_INSTRUMENT = (
    "Instrument the agent's framework or its model client for OpenTelemetry, for example with "
    f"OpenInference or OpenLLMetry, and {_RECORD}"
)


class Silence(Noun, frozen=True, omit_defaults=False):
    """Why there is no turn, and what to do. It is `expected` where no agent was to work."""

    reason: str
    remedy: str
    expected: bool = False


def explain(conversation: Conversation) -> Silence:
    """Return why a conversation has no turn."""
    spans = conversation.spans
    if conversation.preparation:
        return Silence(reason=_explain_preparation(spans), remedy="", expected=True)
    if conversation.error and conversation.error != NO_TURNS:
        why = f"the agent could not be run: {conversation.error}"
        return Silence(
            reason=why, remedy="Correct why the agent could not be run, and record again"
        )
    if not spans:
        return Silence(
            reason="there are log records, and no spans",
            remedy=f"Export spans as well (OTEL_TRACES_EXPORTER=otlp), and {_RECORD}",
        )
    return _explain_framework(spans) or _explain_operations(spans) or _explain_others(spans)


def _explain_preparation(spans: Sequence[Span]) -> str:
    """Explain spans beside the work of an agent; the caller's trace has the calls of tools."""
    if any(a2a.speaks(read_shape(span)) for span in spans):
        return "only messages of A2A are here, without the agent that they are for"
    if all(span.scope == autogen.QUEUE for span in spans):
        return "only messages between the agents of a team are here"
    methods = Counter(filter(None, map(mcp.find_method, spans)))
    if not methods:
        return "an agent was only created here"
    named = ", ".join(f"{name} ({count})" for name, count in methods.most_common(_SHOWN))
    return (
        f"only messages of MCP are here, without the agent that they are for: {named}; calls of "
        "tools are read where the agent made them"
    )


def _explain_framework(spans: Sequence[Span]) -> Silence | None:
    """Explain spans of a known instrumentation that say nothing which can be understood."""
    inner = (span for span in spans if not _sort(span))  # such as HTTP, by the same SDK
    known = [(span, found) for span in inner if (found := instrumentations.identify(span))]
    if not known or any(map(instrumentations.names_its_kind, spans)):
        return None
    [(title, count)] = Counter(found.title for _, found in known).most_common(1)
    mine = [(span, found) for span, found in known if found.title == title]
    keys = Counter(_shorten(key) for span, _ in mine for key in span.attributes)
    named = f" ({', '.join(key for key, _ in keys.most_common(_SHOWN))})" if keys else ""
    return Silence(
        reason=f"{plural(count, 'span')} of {title}, whose attributes{named} we do not read",
        remedy=f"{mine[0][1].advice}, and record again",
    )


def _shorten(key: str) -> str:
    """Return the first parts of an attribute's name, such as `ai.response.*`."""
    parts = key.split(".")
    return key if len(parts) == 1 else f"{'.'.join(parts[: min(2, len(parts) - 1)])}.*"


def _explain_operations(spans: Sequence[Span]) -> Silence | None:
    kinds = [str(span.attributes[key]) for key in _OPERATIONS for span in spans if _has(span, key)]
    if not kinds:
        return None
    named = ", ".join(f"{kind} ({count})" for kind, count in Counter(kinds).most_common(_SHOWN))
    if any(kind.lower() in _AGENTIC for kind in kinds):
        reason = (
            f"the span of an agent holds no messages, and no span of a model or a tool is below "
            f"it; operations: {named}"
        )
    else:
        reason = f"the spans are of other operations, and no request to a model is there: {named}"
    return Silence(reason=reason, remedy=instrumentations.advise(*spans))


def _has(span: Span, key: str) -> bool:
    return isinstance(span.attributes.get(key), str)


def _explain_others(spans: Sequence[Span]) -> Silence:
    sorts = Counter(filter(None, map(_sort, spans)))
    client = next(_find_clients(spans), "")
    if client:
        package = f"openinference-instrumentation-{client}"
        advice = f"Install {package} (or the like for your language), and {_RECORD}"
    else:
        advice = _INSTRUMENT
    if sorts.total() == len(spans):
        named = " and ".join(sort for sort, _ in sorts.most_common(_SHOWN))
        model = f", among them requests to a model ({client})" if client else ""
        return Silence(reason=f"there are only {named} spans{model}", remedy=advice)
    names = ", ".join(repr(name) for name, _ in Counter(s.name for s in spans).most_common(_SHOWN))
    return Silence(
        reason=f"no span says that it is of a model, a tool or an agent; names: {names}",
        remedy=advice,
    )


def _sort(span: Span) -> str:
    """Return which sort of operation outside of agents a span records, if it says so."""
    for sort, starts in _SORTS.items():
        if any(key.startswith(starts) for key in span.attributes):
            return sort
    return ""


def _find_clients(spans: Sequence[Span]) -> Iterator[str]:
    """Yield the model clients whose service was called over HTTP."""
    for span in spans:
        hosts = " ".join(str(span.attributes[key]) for key in _HOSTS if key in span.attributes)
        yield from (client for host, client in _MODELS.items() if host in hosts)
