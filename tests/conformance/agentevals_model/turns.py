"""Turns: the spans of an agent, or the requests of a program without one."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import zip_longest

from tests.conformance.agentevals_model.recorded import (
    Call,
    Part,
    Span,
    list_answers,
    list_calls,
    list_texts,
)


@dataclass
class Turn:
    """The spans of one agent, in the order of time."""

    id: str
    spans: list[Span]

    @cached_property
    def models(self) -> list[Span]:
        return [span for span in self.spans if span.is_model]

    @cached_property
    def tools(self) -> list[Span]:
        return [span for span in self.spans if span.is_tool]

    @property
    def asked(self) -> list[Call]:
        """The calls that the models asked for."""
        said = [message for model in self.models for message in model.said]
        return [call for message in said for call in list_calls(message)]

    @property
    def is_silent(self) -> bool:
        """Whether the last request gave no words, though tokens of words were counted."""
        own = any(span.said for span in self.spans if span.is_agent)
        telling = [model for model in self.models if model.tells_output]
        if not telling or own or self.is_open:
            return False
        last = telling[-1]
        words = "".join(text for message in last.said for text in list_texts(message))
        return not words.strip() and last.output_tokens != 0

    @property
    def is_open(self) -> bool:
        """Whether the last request asked for a tool, and what came of it was not recorded."""
        return bool(self.models) and any(map(list_calls, self.models[-1].said))

    @property
    def lacks_calls(self) -> bool:
        """Whether a call, or what it was given, is known to be missing or may be."""
        asked = {(call.name, call.id) for call in self.asked}
        unseen = any((call.name, call.id) not in asked for call, _ in self.list_answers())
        bare = any(not tool.has_arguments for tool in self.tools) and not asked
        # where tools have spans, one that was asked for last would have one too
        return unseen or bare or (self.is_silent and not self.tools)

    @property
    def lacks_answers(self) -> bool:
        """Whether nobody told what a tool has answered."""
        told = [part.get("response") is not None for _, part in self.list_answers()]
        shown = [span.failed or span.has_answer for span in self.tools]
        return any(not (a or b) for a, b in zip_longest(told, shown, fillvalue=False))

    @property
    def answer(self) -> str:
        """What the agent said last."""
        said = ["".join(t for one in model.said for t in list_texts(one)) for model in self.models]
        return next((text for text in reversed(said) if text.strip()), "")

    @property
    def past_answers(self) -> list[Part]:
        """The answers of earlier turns, which the last request repeats."""
        heard = self.models[-1].heard if self.models else []
        told = [part for message in heard for part in list_answers(message)]
        return told[: len(told) - len(self.list_answers())]

    def list_answers(self) -> list[tuple[Call, Part]]:
        """Each call with the part that answers it: those of one message are in the same order."""
        asked: list[Call] = []
        found: list[tuple[Call, Part]] = []
        for message in self.models[-1].heard if self.models else ():
            if calls := list_calls(message):
                asked = calls
            elif answers := list_answers(message):
                found += zip(asked, answers, strict=False)
            elif message.get("role") == "user":
                found = []  # what came before belongs to an earlier turn
        return found


def join_rounds(turns: list[Turn]) -> list[Turn]:
    """Requests without an agent that begin with the answers of tools go on with a turn."""
    found: list[Turn] = []
    for turn in turns:
        heard = turn.models[0].heard if turn.models else []
        goes_on = heard and list_answers(heard[-1]) and not any(s.is_agent for s in turn.spans)
        if goes_on and found and found[-1].is_open:
            found[-1] = Turn(found[-1].id, [*found[-1].spans, *turn.spans])
        else:
            found.append(turn)
    return found


def list_turns(spans: Sequence[Span]) -> Iterator[Turn]:
    """Each outermost agent with the spans below it; without agents, each outermost request."""
    known = {span.id: span for span in spans}
    agents = [span for span in spans if span.is_agent and not _has_agent_above(span, known)]
    requests = [span for span in spans if span.is_model and span.parent not in known]
    for outermost in agents or requests:
        below = {outermost.id}
        for span in spans:
            below |= {span.id} if span.parent in below else set()
        yield Turn(outermost.id, [span for span in spans if span.id in below])


def _has_agent_above(span: Span, known: dict[str, Span]) -> bool:
    above = known.get(span.parent)
    return above is not None and (above.is_agent or _has_agent_above(above, known))
