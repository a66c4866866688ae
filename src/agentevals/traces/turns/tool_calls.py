"""Tool calls: spans of tools, completed by what the messages of the model say about them."""

from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Iterator, Sequence

from agentevals.model.conversations import ToolCall
from agentevals.traces.spans.values import arguments, parse_json
from agentevals.traces.turns import answers
from agentevals.traces.turns.answers import Request
from agentevals.traces.turns.drafts import Step


def read(calls: Sequence[Step], tools: Iterable[Step]) -> tuple[tuple[ToolCall, ...], list[str]]:
    """The calls of one turn in the order of time, and what people should know about them."""
    requests = [
        Request(asked, number)
        for number, call in enumerate(calls)
        for message in call.reading.output_messages
        for asked in message.asked
    ]
    steps = sorted(tools, key=lambda step: step.start_ns)
    if not steps and not requests:
        return (), []
    warnings: list[str] = []
    matched = _match(steps, requests)
    if len(matched) < len(requests) or any(step.reading.result is None for step in steps):
        warnings += answers.hand_out(requests, steps, calls, matched)
    for request in requests:
        step = matched.get(id(request))
        if step is not None:
            _complete(step, request, warnings)
        elif steps:
            name = request.asked.name
            warnings.append(f"tool {name} appears only in message parts, without a tool span")
    return tuple(_order(steps, requests, matched, warnings)), warnings


def _match(steps: Sequence[Step], requests: Sequence[Request]) -> dict[int, Step]:
    """The span of each request: the one with its id, else the next one of its name."""
    matched: dict[int, Step] = {}
    _pair(matched, _queues(steps, lambda step: step.reading.call_id), requests, by_id=True)
    if len(matched) < len(requests):
        taken = {id(step) for step in matched.values()}
        rest = [step for step in steps if id(step) not in taken]
        _pair(matched, _queues(rest, _name), requests, by_id=False)
    return matched


def _queues(
    steps: Iterable[Step], key: Callable[[Step], str | None]
) -> dict[str | None, deque[Step]]:
    found: dict[str | None, deque[Step]] = defaultdict(deque)
    for step in steps:
        found[key(step)].append(step)
    found.pop(None, None)
    return found


def _pair(
    matched: dict[int, Step],
    queues: dict[str | None, deque[Step]],
    requests: Iterable[Request],
    *,
    by_id: bool,
) -> None:
    for request in requests:
        queue = queues.get(request.asked.call_id if by_id else request.asked.name)
        if queue and id(request) not in matched:
            matched[id(request)] = queue.popleft()


def _complete(step: Step, request: Request, warnings: list[str]) -> None:
    """Fill what the span does not say from what the messages say.

    A span may hold the bare text of the only argument; only the message then names it.
    """
    reading, asked, filled = step.reading, request.asked, []
    given = parse_json(reading.args)
    if asked.args and not (given and isinstance(given, dict)):
        reading.args = asked.args
        filled.append("arguments")
    if reading.result is None and request.answer is not None:
        reading.result = request.answer
        filled.append("result")
    if filled and (not asked.call_id or asked.call_id != reading.call_id):
        facts = " and ".join(filled)
        warnings.append(
            f"tool {asked.name} {facts} joined from message parts by name (call ids differ)"
        )


def _order(
    steps: Iterable[Step],
    requests: Iterable[Request],
    matched: dict[int, Step],
    warnings: list[str],
) -> Iterator[ToolCall]:
    """Spans in the order of time; a call without one follows what was asked for before it."""
    following: dict[int, list[Request]] = defaultdict(list)
    before = 0
    for request in requests:
        step = matched.get(id(request))
        if step is None:
            following[before].append(request)
        else:
            before = id(step)
    yield from map(_build_spanless_call, following[0])
    for step in steps:
        yield _build_call(step, warnings)
        yield from map(_build_spanless_call, following.get(id(step), ()))


def _build_spanless_call(request: Request) -> ToolCall:
    asked = request.asked
    return ToolCall(
        name=asked.name,
        args=asked.args,
        call_id=asked.call_id,
        response=request.answer,
        answered=request.answer is not None,
    )


def _build_call(step: Step, warnings: list[str]) -> ToolCall:
    reading = step.reading
    name = _name(step)
    if not reading.tool:
        warnings.append(
            f"tool span {reading.span.span_id} has no gen_ai.tool.name;"
            f" used span name token {name!r}"
        )
    return ToolCall(
        name=name,
        args=arguments(reading.args),
        call_id=reading.call_id,
        response=parse_json(reading.result),
        answered=reading.result is not None,
        failed=step.failed,
        error=(reading.span.status_message or reading.error) if step.failed else "",
        start_ns=step.start_ns,
        end_ns=step.end_ns,
        timed=True,
    )


def _name(step: Step) -> str:
    """The name of the tool; without one, what the name of the span says."""
    if step.reading.tool:
        return step.reading.tool
    name = step.reading.span.name
    words = name.split(maxsplit=2)
    return words[1] if name.startswith("execute_tool") and len(words) > 1 else name
