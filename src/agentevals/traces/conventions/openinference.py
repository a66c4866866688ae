"""OpenInference: `openinference.span.kind` and the flattened `llm.*` messages beside it."""

import re
from typing import Any

from agentevals.traces import langchain_values
from agentevals.traces.attribute_values import amount, count, parse_json, word
from agentevals.traces.chat_messages import Message, parse_messages
from agentevals.traces.conventions import Kind, Reading, Shape
from agentevals.traces.flattened_messages import HEARD, IN, OUT, SPOKEN, parse_items
from agentevals.traces.span_texts import find_text

CONVERSATION_KEYS = ("session.id",)

_KIND = "openinference.span.kind"
_KINDS = {"LLM": Kind.INFERENCE, "AGENT": Kind.AGENT, "CHAIN": Kind.WORKFLOW, "TOOL": Kind.TOOL}
_CHECKS = {"GUARDRAIL", "EVALUATOR"}
_TOKENS = "llm.token_count."
_HANDOFF = "handoff to "
_SMOLAGENTS, _FINAL = "openinference.instrumentation.smolagents", "final_answer"
_CLASSES = {"ToolCallingAgent", "CodeAgent"}  # where an agent of smolagents has no name
_ONE_STEP = "Step "  # of an agent of smolagents
_STEP = ".run_agent_step"  # of LlamaIndex, with the agent as the last field of its event
_CURRENT_AGENT = re.compile(r"current_agent_name='([^']+)'\)\"\}$")
_AGENTS_SDKS = ("instrumentation.openai_agents", "instrumentation-openai-agents")
_LISTING = "mcp_tools"  # of OpenAI's agents in JavaScript: they ask a server for its tools
_DSPY = "openinference.instrumentation.dspy"
_WRAPPERS = {_SMOLAGENTS, _DSPY, "openinference.instrumentation.llama_index"}
_CALLED = (".__call__", ".acall")  # how DSPy's spans of tools end, which name the tool
_LANGCHAIN = "openinference.instrumentation.langchain"
_LANGCHAINS = (_LANGCHAIN, "@arizeai/openinference-instrumentation-langchain")
_AGNO = "openinference.instrumentation.agno"
_APART = "Record the requests to the model as well, and record again"
_GRAPH, _TEMPLATE = '"langgraph"', "PROMPT"
_WRAPPING = {"args", "kwargs", "sanitize_inputs_outputs"}
_MODULE = {"input_args"}  # what DSPy wraps around the input of its agents
_NOTHING = "None"  # what Python prints where nothing was said
_TOOL_OUTPUT = {"blocks", "raw_output"}
_PREPARATION = "._prepare_chat_with_tools"  # LlamaIndex: no request is made in it


def speaks(shape: Shape) -> bool:
    return _KIND in shape.keys


def read(reading: Reading) -> None:
    attributes = reading.span.attributes
    if reading.kind is Kind.NONE and not reading.ignored:
        reading.kind = _KINDS.get(word(attributes[_KIND]).upper(), Kind.NONE)
        if reading.span.name.endswith(_PREPARATION):
            reading.kind, reading.ignored = Kind.NONE, True
    if reading.kind is Kind.INFERENCE:
        _read_inference(reading, attributes)
    elif reading.kind is Kind.TOOL:
        _read_tool(reading, attributes)
    elif reading.kind is not Kind.NONE:
        _read_agent(reading, attributes)
    reading.checks = word(attributes[_KIND]) in _CHECKS
    if reading.span.scope.startswith(_LANGCHAIN) and _is_given_values(attributes):
        reading.keyless = word(attributes.get(IN))


def _is_given_values(attributes: dict[str, Any]) -> bool:
    """Return whether a graph or a template has this input: of a state with one key it is a text."""
    is_graph = _GRAPH in word(attributes.get("metadata"))
    is_text = isinstance(parse_json(attributes.get(IN)), str)
    return is_text and (is_graph or attributes[_KIND] == _TEMPLATE)


def _read_inference(reading: Reading, attributes: dict[str, Any]) -> None:
    reading.model = reading.model or _model(attributes)
    reading.input_sources += [
        (f"{HEARD}.N", parse_items, attributes),
        (IN, _parse_text, attributes.get(IN)),
    ]
    reading.output_sources += [
        (f"{SPOKEN}.N", parse_items, attributes),
        (OUT, _parse_response, attributes.get(OUT)),
        (OUT, _parse_text, attributes.get(OUT)),
    ]
    reading.fill_counts(
        input_tokens=count(attributes.get(f"{_TOKENS}prompt")),
        output_tokens=count(attributes.get(f"{_TOKENS}completion")),
        cache_read_tokens=count(attributes.get(f"{_TOKENS}prompt_details.cache_read")),
        cache_creation_tokens=count(attributes.get(f"{_TOKENS}prompt_details.cache_write")),
        reasoning_tokens=count(attributes.get(f"{_TOKENS}completion_details.reasoning")),
    )
    if reading.cost is None:
        reading.cost = amount(attributes.get("llm.cost.total"))


def _model(attributes: dict[str, Any]) -> str:
    """A request that failed has no name of who answered, only of who was asked."""
    if name := word(attributes.get("llm.model_name")):
        return name
    asked = parse_json(attributes.get("llm.invocation_parameters"))
    return word(asked.get("model")) if isinstance(asked, dict) else ""


def _read_tool(reading: Reading, attributes: dict[str, Any]) -> None:
    call = "tool_call.function."
    reading.tool = (
        reading.tool or word(attributes.get("tool.name")) or word(attributes.get(f"{call}name"))
    )
    if not reading.tool and reading.span.scope == _DSPY:
        reading.tool = reading.span.name.removesuffix(_CALLED[0]).removesuffix(_CALLED[1])
    reading.call_id = (
        reading.call_id
        or word(attributes.get("tool_call.id"))
        or word(attributes.get("tool.id"))
        or None
    )
    if reading.args is None:
        reading.args = _arguments(attributes, (f"{call}arguments", IN))
        if reading.span.scope in _WRAPPERS:
            reading.args = _name_arguments(unwrap_arguments(reading.args), attributes)
        if isinstance(reading.args, str) and reading.span.scope.startswith(_LANGCHAINS):
            reading.args = None  # the only argument without its name: a message may hold both
    if reading.result is None:
        reading.result = attributes.get(OUT)
    langchain_values.read_answer(reading)
    reading.result = _unwrap_result(reading)
    reading.concludes = reading.span.scope == _SMOLAGENTS and reading.tool == _FINAL
    named = reading.tool in {"", reading.span.name.replace(" ", "_")}
    if named and reading.span.name.startswith((_HANDOFF, _LISTING)):
        # the model asked for a handoff by a call, which is in its messages
        reading.kind, reading.ignored = Kind.NONE, True


def _read_agent(reading: Reading, attributes: dict[str, Any]) -> None:
    """All messages of the input come first: some instrumentations flatten only one of them."""
    is_agent = reading.kind is Kind.AGENT
    node = ("graph.node.name", "graph.node.id") if is_agent else ()  # Agno's ids are hashes
    named = next(filter(None, map(word, map(attributes.get, node))), "")
    reading.agent = reading.agent or _find_name(attributes) or named or _find_told_name(reading)
    reading.rewords = reading.rewords or reading.span.scope in {_SMOLAGENTS, _DSPY}
    reading.joins = reading.joins or (_APART if reading.span.scope == _AGNO else "")
    if reading.span.scope == _SMOLAGENTS and reading.span.name.startswith(_ONE_STEP):
        return  # what a tool of the step has returned
    reading.input_sources += [
        (IN, _parse_state, attributes.get(IN)),
        (f"{HEARD}.N", parse_items, attributes),
        (IN, _parse_text, attributes.get(IN)),
    ]
    reading.output_sources += [
        (f"{SPOKEN}.N", parse_items, attributes),
        (OUT, _parse_text, attributes.get(OUT)),
    ]


def _find_name(attributes: dict[str, Any]) -> str:
    """Return the name of the agent, which LangChain notes in what it calls metadata."""
    if name := word(attributes.get("agent.name")):
        return name
    noted = parse_json(attributes.get("metadata"))
    return word(noted.get("lc_agent_name")) if isinstance(noted, dict) else ""


def _find_told_name(reading: Reading) -> str:
    """Return the name in that of the span of smolagents, or in the step that LlamaIndex runs."""
    span = reading.span
    if span.scope == _SMOLAGENTS and reading.kind is Kind.AGENT:
        name = span.name.removesuffix(".run")
        return "" if name in _CLASSES else name
    step = span.attributes.get(IN) if span.name.endswith(_STEP) else None
    found = _CURRENT_AGENT.search(step) if isinstance(step, str) else None
    return found[1] if found else ""


def _arguments(attributes: dict[str, Any], keys: tuple[str, ...]) -> Any:
    """Return the first of these that is there; some instrumentations write a Python literal."""
    raw = next((attributes[key] for key in keys if attributes.get(key) is not None), None)
    return langchain_values.parse_literal(parse_json(raw))


def unwrap_arguments(found: Any) -> Any:
    """Return the named arguments, out of what LlamaIndex and smolagents wrap around them."""
    if not isinstance(found, dict) or "kwargs" not in found or not found.keys() <= _WRAPPING:
        return found
    named = found["kwargs"]
    return named if isinstance(named, dict) and not found.get("args") else found


def _unwrap_result(reading: Reading) -> Any:
    """Return the answer out of what LlamaIndex, or a server of tools, wraps around it."""
    found = parse_json(reading.result)
    if reading.span.scope.endswith(_AGENTS_SDKS):
        parts = found if isinstance(found, list) else [found]
        if parts and all(isinstance(part, dict) and part.get("type") == "text" for part in parts):
            return "".join(word(part.get("text")) for part in parts)
    return unwrap_answer(found) if isinstance(found, dict) else reading.result


def _name_arguments(found: Any, attributes: dict[str, Any]) -> Any:
    """Return positional arguments by the names of the tool's parameters; None if it has fewer."""
    if not isinstance(found, dict) or not found.keys() >= {"args", "kwargs"}:
        return found
    args, named = found["args"], found["kwargs"]
    names = parse_json(attributes.get("tool.parameters"))
    if not isinstance(args, list) or not isinstance(named, dict) or not isinstance(names, dict):
        return None
    return {**dict(zip(names, args, strict=False)), **named} if len(args) <= len(names) else None


def unwrap_answer(found: Any) -> Any:
    """Return the answer of a tool, out of what LlamaIndex wraps around it."""
    wrapped = isinstance(found, dict) and found.keys() >= _TOOL_OUTPUT
    return found["raw_output"] if wrapped else found


def _parse_state(raw: Any, role: str) -> list[Message]:
    """Return the messages of a graph's state, where the value is one."""
    found = parse_json(raw)
    return find_text(found, role) if isinstance(found, dict) and "messages" in found else []


def _parse_text(raw: Any, role: str) -> list[Message]:
    """Read a text, or an object with one; LlamaIndex writes in front of it who speaks."""
    found = parse_json(raw)
    if isinstance(found, dict) and found.keys() == _MODULE:
        found = found["input_args"]
    if not isinstance(found, str):
        return find_text(found, role)
    said = found.removeprefix(f"{role}: ")
    return find_text(said, role) if said != _NOTHING else []


def _parse_response(raw: Any, role: str) -> list[Message]:
    """Read what OpenAI's SDK returned; of a stream, nothing else is in the span."""
    found = parse_json(raw)
    items = found if isinstance(found, list) else [found]
    outputs = [item.get("output") for item in items if isinstance(item, dict)]
    return [m for told in outputs if isinstance(told, list) for m in parse_messages(told, role)]
