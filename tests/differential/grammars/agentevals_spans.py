"""Turns as the spans that instrumentations leave of them: ADK, and GenAI in three ways."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from tests.differential.draw import Draw
from tests.differential.grammars.agentevals_turns import Turn

STYLES = ("adk", "genai", "spans", "messages", "events")
DETAILS = "gen_ai.client.inference.operation.details"
START = 1_760_000_000_000_000_000
_MS = 1_000_000


@dataclass
class Span:
    """A span, before any format."""

    trace: str
    id: str
    parent: str
    name: str
    start: int
    end: int
    attributes: dict[str, Any]
    failed: bool = False
    events: dict[str, dict[str, Any]] = field(default_factory=dict)


@dataclass
class Recorder:
    """Writes the spans of one trace, one after the other."""

    draw: Draw
    style: str
    trace: str
    now: int
    spans: list[Span] = field(default_factory=list)

    def record(self, turns: list[Turn], *, rooted: bool) -> list[Span]:
        """The spans of a conversation, each turn below an agent unless there is none."""
        history: list[dict[str, Any]] = []
        for turn in turns:
            begin = self.now
            agent = self._add("invoke_agent helper", "", begin, self._describe_agent())
            self._record_turn(turn, agent.id, history)
            agent.end = self.now = self.now + 5 * _MS
            if rooted:
                self.spans.remove(agent)
                for span in self.spans:
                    span.parent = "" if span.parent == agent.id else span.parent
            self.now += self.draw.count(1, 900) * _MS
        return self.spans

    def _add(
        self, name: str, parent: str, start: int, told: dict[str, Any], *, failed: bool = False
    ) -> Span:
        identity = f"{self.draw.count(1, 2**63):016x}"
        span = Span(self.trace, identity, parent, name, start, self.now, told, failed)
        self.spans.append(span)
        return span

    def _describe_agent(self) -> dict[str, Any]:
        told = {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "helper"}
        if self.style == "adk":
            told |= {"gcp.vertex.agent.invocation_id": "e-1", "gcp.vertex.agent.session_id": "s"}
        return told

    def _record_turn(self, turn: Turn, agent: str, history: list[dict[str, Any]]) -> None:
        calls = turn["calls"]
        history.append({"role": "user", "parts": [{"text": turn["user"]}]})
        at_once = self.draw.choose("calls at once", (True, False))
        for batch in [calls] if at_once and calls else [[call] for call in calls]:
            asked = [{"call": call} for call in batch]
            said = [{"text": turn["on_the_way"]}] if "on_the_way" in turn else []
            self._record_model(agent, history, [*said, *asked])
            for call in batch:
                self._record_tool(agent, call)
            history.append({"role": "tool", "parts": [{"answer": call} for call in batch]})
        self._record_model(agent, history, [{"text": turn["answer"]}])

    def _record_model(self, agent: str, history: list[dict[str, Any]], said: list[Any]) -> None:
        begin = self.now
        self.now += self.draw.count(1, 400) * _MS
        answer = {"role": "model", "parts": said}
        if self.style == "adk":
            self._add("call_llm", agent, begin, self._describe_adk(history, answer))
        else:
            span = self._add("chat gpt-4o", agent, begin, self._describe_chat(history, answer))
            if self.style == "events":
                span.events[DETAILS] = {key: span.attributes.pop(key) for key in _MESSAGES}
        history.append(answer)

    def _describe_adk(self, history: list[Any], answer: dict[str, Any]) -> dict[str, Any]:
        request = {"model": "gemini-2.5-flash", "contents": [_write_adk(one) for one in history]}
        response = {
            "content": _write_adk(answer),
            "usage_metadata": {
                "prompt_token_count": self.draw.count(0, 500),
                "candidates_token_count": self.draw.count(0, 90),
                "cached_content_token_count": self.draw.count(0, 9),
            },
        }
        return {
            "gen_ai.system": "gcp.vertex.agent",
            "gen_ai.request.model": "gemini-2.5-flash",
            "gcp.vertex.agent.llm_request": json.dumps(request),
            "gcp.vertex.agent.llm_response": json.dumps(response, ensure_ascii=False),
        }

    def _describe_chat(self, history: list[Any], answer: dict[str, Any]) -> dict[str, Any]:
        bare = self.style == "spans"
        told: dict[str, Any] = {
            "gen_ai.operation.name": "chat",
            "gen_ai.provider.name": "openai",
            "gen_ai.request.model": self.draw.choose("model", ("gpt-4o", "o3")),
            "gen_ai.input.messages": json.dumps([*_write_genai(history, bare=bare)]),
            "gen_ai.output.messages": json.dumps([*_write_genai([answer], bare=bare)]),
        }
        if self.draw.chance(0.9):
            old = self.draw.choose("usage", ("new", "new", "old")) == "old"
            names = ("prompt", "completion") if old else ("input", "output")
            told |= {f"gen_ai.usage.{name}_tokens": self.draw.count(0, 500) for name in names}
        if self.draw.chance(0.2):
            told["gen_ai.usage.cache_read.input_tokens"] = self.draw.count(0, 50)
        return told

    def _record_tool(self, agent: str, call: Turn) -> None:
        begin = self.now
        self.now += self.draw.count(1, 60) * _MS
        if self.style == "messages":
            return
        told = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": call["name"]}
        adk = self.style == "adk"
        keys = _ADK_KEYS if adk else _GENAI_KEYS
        told |= {keys[0]: json.dumps(call["args"], ensure_ascii=False)}
        if "response" in call:
            told |= {keys[1]: json.dumps(call["response"])}
        if "id" in call:
            told["gen_ai.tool.call.id"] = call["id"]
        failed = bool(call.get("failed"))
        self._add(f"execute_tool {call['name']}", agent, begin, told, failed=failed)


_MESSAGES = ("gen_ai.input.messages", "gen_ai.output.messages")
_ADK_KEYS = ("gcp.vertex.agent.tool_call_args", "gcp.vertex.agent.tool_response")
_GENAI_KEYS = ("gen_ai.tool.call.arguments", "gen_ai.tool.call.result")


def _write_adk(message: dict[str, Any]) -> dict[str, Any]:
    role = "model" if message["role"] == "model" else "user"
    return {"role": role, "parts": [_write_adk_part(part) for part in message["parts"]]}


def _write_adk_part(part: dict[str, Any]) -> dict[str, Any]:
    if "call" in part:
        call = part["call"]
        return {"function_call": _identify(call) | {"name": call["name"], "args": call["args"]}}
    if "answer" in part:
        call = part["answer"]
        answer = call.get("response")
        wrapped = answer if isinstance(answer, dict) else {"result": answer}
        return {"function_response": _identify(call) | {"name": call["name"], "response": wrapped}}
    return {"text": part["text"]}


def _write_genai(messages: list[dict[str, Any]], *, bare: bool) -> Iterator[dict[str, Any]]:
    """As the conventions say; `bare` without anything but texts."""
    for message in messages:
        parts = [_write_genai_part(part) for part in message["parts"] if not bare or "text" in part]
        role = "assistant" if message["role"] == "model" else message["role"]
        if parts:
            yield {"role": role, "parts": parts}


def _write_genai_part(part: dict[str, Any]) -> dict[str, Any]:
    if "call" in part:
        call = part["call"]
        told = {"type": "tool_call", "name": call["name"], "arguments": call["args"]}
        return _identify(call) | told
    if "answer" in part:
        call = part["answer"]
        told = {"response": call["response"]} if "response" in call else {}
        return _identify(call) | {"type": "tool_call_response", **told}
    return {"type": "text", "content": part["text"]}


def _identify(call: Turn) -> dict[str, Any]:
    return {"id": call["id"]} if "id" in call else {}
