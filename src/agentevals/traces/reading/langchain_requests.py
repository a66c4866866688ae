"""Requests that an instrumentation of LangChain has recorded, to know those of a client again.

Both are OpenInference's. LangChain's does not make its spans the current ones, so that the client's
span of the same request begins a trace of its own.
"""

from collections import defaultdict
from typing import Any

from agentevals.model.conversations import Span

_PYTHON, _JAVASCRIPT = "openinference.instrumentation.", "@arizeai/openinference-instrumentation-"
_FRAMEWORKS = frozenset({f"{_PYTHON}langchain", f"{_JAVASCRIPT}langchain"})
_CLIENTS = frozenset(
    f"{start}{name}"
    for start in (_PYTHON, _JAVASCRIPT)
    for name in ("openai", "anthropic", "google_genai", "groq", "mistralai", "bedrock")
)
_KIND, _REQUEST = "openinference.span.kind", "LLM"
_SAID = "llm.output_messages."
_ENDINGS = (".message.content", ".message_content.text", ".tool_call.function.name")
_COUNTS = ("llm.token_count.prompt", "llm.token_count.completion")


class Witnesses:
    """When LangChain made each request, by what was answered. Filled while traces are joined."""

    def __init__(self) -> None:
        self.told: dict[int, list[tuple[int, int]]] = defaultdict(list)
        self.scopes: set[str] = set()

    def note(self, span: Span) -> None:
        """Remember a request of LangChain."""
        self.scopes.add(span.scope)
        is_request = span.scope in _FRAMEWORKS and span.attributes.get(_KIND) == _REQUEST
        if is_request and (said := _sum_up(span.attributes)) is not None:
            self.told[said].append((span.start_ns, span.end_ns))

    def join(self, others: "Witnesses") -> None:
        """Remember what was noted of other spans, which come after these."""
        for said, times in others.told.items():
            self.told[said] += times
        self.scopes |= others.scopes

    def know(self, span: Span) -> bool:
        """Return whether a client's request is one of them: as long or shorter, with its answer."""
        said = _sum_up(span.attributes)
        times = self.told.get(said, ()) if said is not None else ()
        return any(start <= span.start_ns and span.end_ns <= end for start, end in times)

    @property
    def tells(self) -> bool:
        """True if LangChain has made a request that a client may have recorded elsewhere."""
        return bool(self.told)

    @property
    def asks(self) -> bool:
        """True if a client has recorded a request that LangChain may have made elsewhere."""
        return not self.scopes.isdisjoint(_CLIENTS)


def is_of_client(span: Span) -> bool:
    """Return whether a client of a model has recorded it."""
    return span.scope in _CLIENTS


def _sum_up(attributes: dict[str, Any]) -> int | None:
    """Return a number for the answer of a request and its tokens; None if no answer is there."""
    said = [
        (key.rpartition(".")[2], value)
        for key, value in sorted(attributes.items())
        if key.startswith(_SAID) and key.endswith(_ENDINGS) and value
    ]
    if not said:
        return None
    texts = tuple(str(value) for name, value in said if name != "name")
    tools = tuple(str(value) for name, value in said if name == "name")
    return hash((texts, tools, *(str(attributes.get(name)) for name in _COUNTS)))
