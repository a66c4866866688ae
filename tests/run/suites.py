"""Random suites: traces of many conversations, what was expected of them, and a config.

The same seed makes the same files. There is something of everything that a run has to put together
from several places: sessions of several traces, traces over several files, attempts without a
case, spans told twice, spans of nobody's agent, costs, families, and what was not recorded.
"""

import json
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

_START = 1_700_000_000_000_000_000
_TOWNS = ("Rome", "Oslo", "Lima", "Malmö", "東京")
# an evaluator of somebody's own, which fails where nothing was said
_PROGRAM = """
import json, sys
turns = json.load(sys.stdin)["invocations"]
said = " ".join(turn["final_response"] or "" for turn in turns)
print(json.dumps({"score": min(1.0, 30 / len(said)), "details": {"said": said}}))
"""
_SKIES = ("sunny", "cloudy", "dry as dust")


@dataclass
class Suite:
    """Files of a random run, written into a folder."""

    seed: int
    folder: Path
    conversations: int = 600
    programs: bool = False
    cases: list[dict[str, Any]] = field(default_factory=list)

    def write(self) -> tuple[str, ...]:
        """Write all files; return the words of the command that runs them."""
        self._draw = Random(self.seed)
        self._sessions = self._draw.random() < 0.5
        lines = [line for number in range(self.conversations) for line in self._talk(number)]
        if self._draw.random() < 0.5:
            self._draw.shuffle(lines)
        files = self.write_traces(lines)
        wanted = {"eval_set_id": "random", "eval_cases": self.cases}
        (self.folder / "set.json").write_text(json.dumps(wanted), encoding="utf-8")
        (self.folder / "config.yaml").write_text(self.write_config(), encoding="utf-8")
        if self.programs:
            (self.folder / "judges").mkdir()
            (self.folder / "judges" / "brief.py").write_text(_PROGRAM, encoding="utf-8")
        allowed = [w for w in ("--allow-missing", "--allow-foreign") if self._draw.random() < 0.5]
        return (*files, "-e", "set.json", "-c", "config.yaml", *allowed)

    def write_traces(self, lines: list[dict[str, Any]]) -> list[str]:
        """Write the lines into some files; return their names."""
        count = self._draw.randint(1, 4)
        for number in range(count):
            text = "".join(f"{json.dumps(line)}\n" for line in lines[number::count])
            (self.folder / f"t{number}.jsonl").write_text(text, encoding="utf-8")
        return [f"t{number}.jsonl" for number in range(count)]

    def write_config(self) -> str:
        cluster = self._draw.choice(("", "town", "conversation", "nothing"))
        gate = f"gate:\n  cluster: {cluster}\n" if cluster else ""
        prices = "prices:\n  m: {input: 1.5, output: 3}\n" if self._draw.random() < 0.3 else ""
        return f"{gate}{prices}evaluators:\n" + "".join(
            f"  - {row}\n" for row in self.list_evaluators()
        )

    def list_evaluators(self) -> list[str]:
        rows = [
            "{name: tool_trajectory_avg_score, type: builtin, weight: 2}",
            "{name: response_match_score, type: builtin, threshold: 0.8, required: 0.3}",
            "{name: tool_call_count_v1, type: builtin, max: 1}",
            "{name: inference_call_count_v1, type: builtin, max: 2}",
            "{name: token_usage_v1, type: builtin, max: 250}",
            "{name: sun, type: contains, value: sunny, negate: true}",
        ]
        chosen = [row for row in rows if self._draw.random() < 0.8] or rows[:1]
        if self.programs:
            chosen.append("{name: brief, type: code, path: judges/brief.py}")
        return chosen

    def _talk(self, number: int) -> list[dict[str, Any]]:
        """Return the lines of one conversation, most of them of one trace."""
        draw, kind = self._draw, self._draw.random()
        if kind < 0.03:
            return [_export([_span((number, 0, 1, 0), "GET /health", {"http.method": "GET"})])]
        if kind < 0.05:
            created = {"gen_ai.operation.name": "create_agent"}
            return [_export([_span((number, 0, 1, 0), "create_agent", created)])]
        turns = draw.choice((1, 1, 1, 2, 3)) if self._sessions else 1
        town = draw.choice(_TOWNS)
        asked = [f"What about {town} {number // draw.choice((1, 1, 2))} in {turn}?"
                 for turn in range(turns)]  # fmt: skip
        self._expect(number, asked)
        groups = [self._trace(number, turn, text, town) for turn, text in enumerate(asked)]
        split = [part for spans in groups for part in self._split(spans)]
        session = f"s{number}" if turns > 1 else ""
        return [_export(spans, session) for spans in split]

    def _split(self, spans: list[dict[str, Any]]) -> list[list[dict[str, Any]]]:
        """A trace may come in pieces, and tell of a span twice."""
        if self._draw.random() < 0.1:
            spans = [*spans, self._draw.choice(spans)]
        if self._draw.random() < 0.8:
            return [spans]
        at = self._draw.randint(1, len(spans) - 1)
        return [spans[at:], spans[:at]]

    def _trace(self, number: int, turn: int, asked: str, town: str) -> list[dict[str, Any]]:
        draw, sky = self._draw, self._draw.choice(_SKIES)
        call = {"type": "tool_call", "id": "c1", "name": "weather", "arguments": {"city": town}}
        told = [_message("user", {"type": "text", "content": asked})]
        first = self._chat(told, [_message("assistant", call)])
        answer = {"type": "text", "content": f"It is {sky} in {town}."}
        answered = {"type": "tool_call_response", "id": "c1", "response": {"sky": sky}}
        heard = [*told, _message("assistant", call), _message("tool", answered)]
        last = self._chat(heard, [_message("assistant", answer)])
        tool = {
            "gen_ai.operation.name": "execute_tool",
            "gen_ai.tool.name": "weather",
            "gen_ai.tool.call.id": "c1",
            "gen_ai.tool.call.arguments": json.dumps({"city": town}),
            "gen_ai.tool.call.result": json.dumps({"sky": sky}),
        }
        about = {"town": town} if draw.random() < 0.7 else {}
        agent = {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "a", **about}
        spans = [_span((number, turn, 1, 0), "invoke_agent a", agent)]
        spans += [_span((number, turn, 2, 1), "chat m", first)]
        if draw.random() < 0.8:
            spans += [_span((number, turn, 3, 1), "execute_tool weather", tool)]
        spans += [_span((number, turn, 4, 1), "chat m", last)]
        if draw.random() < 0.05:
            spans[-1]["status"] = {"code": 2, "message": "out of time"}
        return spans

    def _chat(self, asked: list[Any], answered: list[Any]) -> dict[str, Any]:
        found: dict[str, Any] = {"gen_ai.operation.name": "chat", "gen_ai.request.model": "m"}
        if self._draw.random() < 0.9:
            found |= {"gen_ai.input.messages": json.dumps(asked)}
            found |= {"gen_ai.output.messages": json.dumps(answered)}
        if self._draw.random() < 0.9:
            found |= {"gen_ai.usage.input_tokens": self._draw.randint(1, 200)}
            found |= {"gen_ai.usage.output_tokens": self._draw.randint(1, 50)}
        return found

    def _expect(self, number: int, asked: list[str]) -> None:
        draw = self._draw
        if draw.random() < 0.1:
            return  # nothing was expected of this one
        turns = [self._turn(text) for text in asked[: draw.choice((1, 2, 3))]]
        case = {"eval_id": f"case-{number}", "conversation": turns}
        if draw.random() < 0.05:  # and nobody has recorded this one
            case["conversation"] = [self._turn(f"And {number}?")]
        if draw.random() < 0.1:
            case["town"] = draw.choice(_TOWNS)
        self.cases.append(case)

    def _turn(self, asked: str) -> dict[str, Any]:
        town = [*asked.split(), "Rome"][2]
        said = f"It is {self._draw.choice(_SKIES)} in {town}."
        return {
            "user_content": {"role": "user", "parts": [{"text": asked}]},
            "final_response": {"role": "model", "parts": [{"text": said}]},
            "intermediate_data": {"tool_uses": [{"name": "weather", "args": {"city": town}}]},
        }


def _export(spans: list[dict[str, Any]], session: str = "") -> dict[str, Any]:
    about = {"service.name": "random", **({"agentevals.session_name": session} if session else {})}
    scope = {"scope": {"name": "random"}, "spans": spans}
    return {"resourceSpans": [{"resource": {"attributes": _pairs(about)}, "scopeSpans": [scope]}]}


def _message(role: str, part: dict[str, Any]) -> dict[str, Any]:
    return {"role": role, "parts": [part]}


def _span(
    place: tuple[int, int, int, int], name: str, attributes: dict[str, Any]
) -> dict[str, Any]:
    """`place` is the number of the conversation, of its turn, of the span, and of its parent."""
    number, turn, index, parent = place
    first = number * 32 + turn * 8
    begun = _START + (number * 10 + turn) * 10**9 + index * 10**7
    return {
        "traceId": f"{number * 4 + turn + 1:032x}",
        "spanId": f"{first + index:016x}",
        **({"parentSpanId": f"{first + parent:016x}"} if parent else {}),
        "name": name,
        "startTimeUnixNano": str(begun),
        "endTimeUnixNano": str(begun + (10**8 if parent else 9 * 10**8)),
        "attributes": _pairs(attributes),
    }


def _pairs(values: dict[str, Any]) -> list[dict[str, Any]]:
    return [
        {"key": key, "value": {"intValue": str(v)} if isinstance(v, int) else {"stringValue": v}}
        for key, v in values.items()
    ]
