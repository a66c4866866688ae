"""The tools that the model was offered, where an instrumentation records them.

A tool that was never offered cannot be called: the agent has to be mended, and not its prompt.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from typing import Any

from agentevals.model.conversations import Span
from agentevals.traces.values import list_numbered, parse_json, word

_LISTS = (
    "gen_ai.tool.definitions",
    "gen_ai.agent.tools",  # Strands
    "ai.prompt.tools",  # AI SDK up to 6
)
_SCHEMAS, _SCHEMA = "llm.tools", "tool.json_schema"  # OpenInference
_FUNCTIONS = "llm.request.functions"  # OpenLLMetry
_PARAMETERS = "model_request_parameters"  # Pydantic AI
_CUT = frozenset("{[")  # JSON that a limit on attributes has cut off
_NESTED = ("function", "function_declarations", "functionDeclarations")


def list_offered(spans: Sequence[Span]) -> tuple[str, ...]:
    """Return the names in the order of the first offer; none where nothing tells of them."""
    return tuple(dict.fromkeys(chain.from_iterable(map(_list_of_span, spans))))


def _list_of_span(span: Span) -> Iterator[str]:
    for attributes in (span.attributes, *(event.attributes for event in span.events)):
        for key in _LISTS:
            yield from _find_names(attributes.get(key))
        yield from _list_numbered(attributes)
        asked = parse_json(attributes.get(_PARAMETERS))
        if isinstance(asked, dict):
            yield from _find_names([asked.get("function_tools"), asked.get("output_tools")])


def _list_numbered(attributes: Mapping[str, Any]) -> Iterator[str]:
    for tool in list_numbered(attributes, _SCHEMAS, {_SCHEMA: _SCHEMA}):
        yield from _find_names([tool[_SCHEMA]])
    for tool in list_numbered(attributes, _FUNCTIONS, {"name": "name"}):
        yield from _find_names([tool])


def _find_names(value: Any) -> Iterator[str]:
    """Yield the names in a list of tools: each a name, an object, or the JSON of one."""
    found = parse_json(value)
    for item in found if isinstance(found, list) else ():
        tool = parse_json(item)
        if isinstance(tool, list):
            yield from _find_names(tool)
        elif isinstance(tool, dict):
            nested = [tool[key] for key in _NESTED if isinstance(tool.get(key), list | dict)]
            yield from filter(None, [word(tool.get("name"))] if not nested else [])
            yield from _find_names(nested)
        elif isinstance(tool, str) and tool and tool[0] not in _CUT:
            yield tool
