"""Answers of tools, handed out to the calls that the messages of the model ask for."""

from collections import defaultdict, deque
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import msgspec

from agentevals.traces.attribute_values import is_withheld
from agentevals.traces.chat_messages import ASSISTANT, Answer, Message, ToolRequest
from agentevals.traces.turns.turn_drafts import Step


class Request(msgspec.Struct, eq=False, gc=False):
    """A call that a model asked for, and what a model was told about it later."""

    asked: ToolRequest
    call: int
    agent: str = ""
    answered: bool = False
    answer: Any = None


def hides(result: Any) -> bool:
    """Return whether an answer is a placeholder for one that was withheld."""
    return isinstance(result, str) and is_withheld(result)


def hand_out(
    requests: Sequence[Request],
    steps: Iterable[Step],
    calls: Sequence[Step],
    matched: Mapping[int, Step],
) -> list[str]:
    """Give every request, and every span of a tool, its answer. Returns what had to be guessed.

    A span that is `matched` to an answered request of the same id is left to the caller.
    """
    warnings: list[str] = []
    ids = {request.asked.call_id for request in requests}
    waiting = _Waiting(ids | {step.reading.call_id for step in steps})
    ahead = deque(requests)
    for number, call in enumerate(calls):
        new = []
        while ahead and ahead[0].call < number:
            new.append(ahead.popleft())
        waiting.add(new)
        if waiting:
            # those with an id that is known first, so that no other one takes their place
            new_answers = _new_answers(call.reading.input_messages)
            for answer in sorted(new_answers, key=waiting.is_stranger):
                warnings += waiting.give(answer)
    told = {
        id(step)
        for request in requests
        if request.answered
        and (step := matched.get(id(request)))
        and step.reading.call_id == request.asked.call_id
    }
    _look_back(requests, [step for step in steps if id(step) not in told], calls)
    return warnings


class _Waiting:
    """Requests without an answer: those that were asked last come first."""

    def __init__(self, known_ids: set[str | None]) -> None:
        self._known_ids = known_ids - {None}
        self._all: deque[Request] = deque()
        self._by_id: dict[str, deque[Request]] = defaultdict(deque)
        self._by_name: dict[str, deque[Request]] = defaultdict(deque)

    def __bool__(self) -> bool:
        return _next(self._all) is not None

    def add(self, requests: Sequence[Request]) -> None:
        for request in reversed(requests):
            self._all.appendleft(request)
            self._by_name[request.asked.name].appendleft(request)
            if request.asked.call_id:
                self._by_id[request.asked.call_id].appendleft(request)

    def is_stranger(self, answer: Answer) -> bool:
        """Return whether nothing in the turn has the id of the answer."""
        return answer.call_id not in self._known_ids

    def give(self, answer: Answer) -> list[str]:
        """Give it to the request with its id; a stranger to the next in order, or of its name."""
        if not self.is_stranger(answer):
            request = _next(self._by_id[answer.call_id or ""])
        else:
            request = _next(self._by_name[answer.name] if answer.name else self._all)
        if request is None:
            return []
        request.answered, request.answer = True, None if hides(answer.value) else answer.value
        if not answer.call_id or not self.is_stranger(answer):
            return []
        name, call_id = request.asked.name, answer.call_id
        return [f"tool {name} result joined by order (response id {call_id!r} matches no call)"]


def _next(queue: deque[Request]) -> Request | None:
    """Return the first that has no answer yet; one may have been found through another queue."""
    while queue and queue[0].answered:
        queue.popleft()
    return queue[0] if queue else None


def _new_answers(messages: Sequence[Message]) -> list[Answer]:
    """Return answers after the model's last message: earlier ones may be of an earlier turn."""
    said = [number for number, message in enumerate(messages) if message.role == ASSISTANT]
    new = messages[said[-1] + 1 if said else 0 :]
    return [answer for message in new for answer in message.answers]


def _look_back(requests: Sequence[Request], steps: Iterable[Step], calls: Sequence[Step]) -> None:
    """An answer with the right id may also stand further back, if requests went unrecorded."""
    unanswered = [r for r in requests if not r.answered and r.asked.call_id]
    without = [step for step in steps if step.reading.result is None and step.reading.call_id]
    if not unanswered and not without:
        return
    latest: dict[str | None, tuple[int, Any]] = {
        answer.call_id: (number, answer.value)
        for number, call in enumerate(calls)
        for message in call.reading.input_messages
        for answer in message.answers
        if answer.call_id and not hides(answer.value)
    }
    for request in unanswered:
        number, value = latest.get(request.asked.call_id, (-1, None))
        request.answer = value if number > request.call else None
    for step in without:
        number, value = latest.get(step.reading.call_id, (-1, None))
        if number >= 0 and calls[number].start_ns >= step.start_ns:
            step.reading.result = value
