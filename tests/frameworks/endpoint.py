"""A model that plays the script, and keeps what it was asked and what it said."""

import json
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from tests.frameworks.script import HANDOVER, SCENARIOS, SECOND, Call, Step, Turn
from tests.frameworks.wire import (
    Heard,
    Said,
    SaidCall,
    anthropic,
    chat,
    dspy,
    gemini,
    react,
    responses,
)
from tests.servers import Reply, Seen, as_json, serve

_PROTOCOLS = (chat, responses, anthropic, gemini)
_TOOLS = frozenset({"find_order", "find_price", "cancel_order", "remember", "refund"})
_FINAL = "final_answer"  # the tool by which an agent of smolagents answers
_OBJECT = "StructuredOutput"  # and that by which one of Claude Code gives an object
_STRANGE = Step("I was not told what to say to this.")
_OVER = Step("This is the object.")


@dataclass(frozen=True)
class Handover:
    """How a framework hands over: by which call, and if the second agent has its own question.

    What the second one says and does may be `apart`, in a file of its own; or `alone`, in a trace
    of its own, where it is a turn.
    """

    name: str
    args: dict[str, Any]
    asks: bool = False
    apart: bool = False
    alone: bool = False


@dataclass
class Model:
    """What was said, by scenario and turn; `url` is where it answers."""

    handover: Handover | None = None
    url: str = ""
    said: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    strangers: list[str] = field(default_factory=list)
    _asked: Counter[str] = field(default_factory=Counter)

    def __call__(self, seen: Seen) -> Reply:
        path = seen.path.partition("?")[0]
        protocol = next((p for p in _PROTOCOLS if path.endswith(p.PATH)), None)
        if protocol is None or seen.method != "POST":
            return as_json({"error": {"message": f"no such path: {path}"}}, 404)
        heard = protocol.hear(seen.document)
        if "streamGenerateContent" in path:
            heard = replace(heard, streams=True)
        return protocol.say(self._answer(heard), heard)

    def _answer(self, heard: Heard) -> Said:
        number = sum(self._asked.values()) + 1
        found = self._find(heard)
        if found is None:
            self.strangers.append(json.dumps(asdict(heard), ensure_ascii=False))
            self._asked[""] += 1
            return Said(number, heard.model, _STRANGE.text)
        question, scenario, turn, steps = found
        at = self._asked[question]
        step = self._choose(react.split(steps) if heard.writes_calls else steps, at)
        step = dspy.choose(step, heard)
        if step is not dspy.FINISHED:
            self._asked[question] += 1
        said = self._say(step, heard, number, at)
        if question != turn.question and self.handover and self.handover.apart:
            return said
        if question != turn.question and self.handover and self.handover.alone:
            turn = replace(turn, question=question)
        kept = self._keep(scenario, turn, said, heard)
        if question == turn.inner[0] or (steps is turn.steps and turn.inner[0] and at):
            kept["requests"][-1]["agent"] = SECOND
        if question == turn.question and not step.calls and step is not _OVER:
            kept["answer"] = step.text or json.dumps(step.data)
        return self._write(said, step, kept, heard)

    def _write(self, said: Said, step: Step, kept: dict[str, Any], heard: Heard) -> Said:
        """The same answer in a text, for frameworks that read calls and fields out of it."""
        if dspy.is_asked(heard):
            self._keep_told(kept, heard)
            said = replace(said, text=dspy.spell(replace(step, calls=said.calls)), calls=())
            kept["requests"][-1]["text"] = said.text
        if heard.writes_calls:
            said = react.spell(said)
            if step.calls:  # else the framework takes the answer out of it
                kept["requests"][-1]["text"] = said.text
        return said

    def _choose(self, steps: tuple[Step, ...], number: int) -> Step:
        """After an object that a tool has taken there is little to say."""
        is_over = number >= len(steps) and steps[-1].data is not None
        return _OVER if is_over else steps[min(number, len(steps) - 1)]

    def _find(self, heard: Heard) -> tuple[str, str, Turn, tuple[Step, ...]] | None:
        """The latest of the questions decides."""
        for text in reversed(dspy.list_texts(heard)):
            for scenario in SCENARIOS:
                for turn in scenario.turns:
                    if turn.inner[0] and turn.inner[0] in text:
                        return turn.inner[0], scenario.name, turn, turn.inner[1]
                    if turn.question in text:
                        return turn.question, scenario.name, turn, self._steps(turn)
        return None

    def _steps(self, turn: Turn) -> tuple[Step, ...]:
        """An agent that asks another one gets its answer, and has nothing to do itself."""
        asks = turn.inner[0] and self.handover and self.handover.asks
        return (turn.steps[0], turn.steps[-1]) if asks else turn.steps

    def _say(self, step: Step, heard: Heard, number: int, place: int) -> Said:
        calls, text = step.calls, step.text
        if step.data is not None:
            others = [tool for tool in heard.tools if _read_name(tool) not in _TOOLS]
            by_tool = _OBJECT if _OBJECT in others else next(iter(others), "")
            if heard.wants_object or not by_tool:
                text = json.dumps(step.data)
            else:
                calls = (Call(by_tool, step.data),)
        elif _FINAL in heard.tools and not calls:
            calls, text = (Call(_FINAL, {"answer": text}),), ""
        said = tuple(
            SaidCall(
                *self._spell(call, heard),
                react.name(place) if heard.writes_calls else f"call_{number}_{at}",
            )
            for at, call in enumerate(calls)
        )
        model = heard.model or "gemini-2.5-flash"
        return Said(number, model, text, said, refuses=step.refuses)

    def _spell(self, call: Call, heard: Heard) -> tuple[str, dict[str, Any]]:
        if call.name == HANDOVER and self.handover is not None:
            return self.handover.name, self.handover.args
        name = next((each for each in heard.tools if _read_name(each) == call.name), call.name)
        return name, call.args

    def _keep(self, scenario: str, turn: Turn, said: Said, heard: Heard) -> dict[str, Any]:
        turns = self.said.setdefault(scenario, [])
        kept = next((each for each in turns if each["question"] == turn.question), None)
        if kept is None:
            kept = {"question": turn.question, "answer": "", "requests": [], "told": {}}
            turns.append(kept)
        tokens = said.tokens if heard.counts else None
        calls = [{"name": c.name, "args": c.args, "id": c.call_id} for c in said.calls]
        kept["requests"].append({"text": said.text, "calls": calls, "tokens": tokens})
        own = {call["id"] for request in kept["requests"] for call in request["calls"]}
        kept["told"] |= {key: value for key, value in heard.told.items() if key in own}
        return kept

    def _keep_told(self, kept: dict[str, Any], heard: Heard) -> None:
        """ReAct has no ids: the calls of a tool are answered in the order of the calls."""
        told = dspy.hear(heard)
        for call in [call for request in kept["requests"] for call in request["calls"]]:
            found = next((each for each in told if each[0] == call["name"]), None)
            if found:
                told.remove(found)
                kept["told"][call["id"]] = found[1]


def _read_name(tool: str) -> str:
    """A tool may be called `mcp__server__tool`, or `plugin-tool` by Semantic Kernel."""
    return tool.rpartition("__")[2] if tool.startswith("mcp__") else tool.rpartition("-")[2]


@contextmanager
def play(handover: Handover | None) -> Iterator[Model]:
    """Serve the model on loopback until the block ends."""
    model = Model(handover)
    with serve(model) as server:
        model.url = server.url
        yield model
