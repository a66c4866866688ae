"""Tool calls: spans of tools, completed by what the messages of the model say about them."""

from collections import defaultdict, deque
from collections.abc import Iterable, Iterator, Mapping, Sequence

from msgspec.structs import replace

from agentevals.model.conversations import ToolCall
from agentevals.traces.attribute_values import arguments, holds_withheld, parse_json
from agentevals.traces.turns.turn_drafts import Step
from agentevals.traces.turns.turn_tool_answers import Request, hand_out, hides

_HANDOVER = "transfer_to_"  # OpenAI's agents hand over by calls that have no span of a tool


def read(calls: Sequence[Step], tools: Iterable[Step]) -> tuple[tuple[ToolCall, ...], list[str]]:
    """Return the calls of one turn in the order of time, and what people should know about them."""
    requests = [
        _recall(request, calls) for n, call in enumerate(calls) for request in _list_asked(n, call)
    ]
    steps = sorted(tools, key=lambda step: step.start_ns)
    if not steps and not requests:
        return (), []
    warnings: list[str] = []
    for made in steps:
        _drop_placeholder(made)
    matched = _match(steps, requests)
    _sort(steps, requests, matched)
    if len(matched) < len(requests) or any(step.reading.result is None for step in steps):
        warnings += hand_out(requests, steps, calls, matched)
    for request in requests:
        own = matched.get(id(request))
        if own is not None:
            _complete(own, request, warnings)
        elif steps and not (name := request.asked.name).startswith(_HANDOVER):
            warnings.append(f"tool {name} appears only in message parts, without a tool span")
    return tuple(_order(steps, requests, matched, warnings)), warnings


def _list_asked(number: int, call: Step) -> Iterator[Request]:
    """Yield the calls that a request asked for; what the provider has run has its answer there."""
    said = call.reading
    if not said.output_calls:
        return
    told = {
        answer.call_id: answer for message in said.output_messages for answer in message.answers
    }
    for asked in said.output_calls:
        answer = told.get(asked.call_id) if asked.is_hosted and asked.call_id else None
        value = answer.value if answer else None
        yield Request(asked, number, call.agent, answered=answer is not None, answer=value)


def _recall(request: Request, calls: Sequence[Step]) -> Request:
    """Take arguments that a stream has lost from the next request, which repeats the same call.

    Only the last message with its id tells: an earlier call may have had the same one.
    """
    asked = request.asked
    if asked.args or not asked.call_id or request.call + 1 >= len(calls):
        return request
    for message in reversed(calls[request.call + 1].reading.input_messages):
        same = [c for c in message.asked if (c.name, c.call_id) == (asked.name, asked.call_id)]
        if same:
            lost = len(same) == 1 and same[0].args
            return replace(request, asked=same[0]) if lost else request
    return request


def _drop_placeholder(step: Step) -> None:
    """A placeholder in place of the answer of a tool is no answer; a message may hold it."""
    if hides(step.reading.result):
        step.reading.result, step.reading.withheld = None, True


def _match(steps: Sequence[Step], requests: Sequence[Request]) -> dict[int, Step]:
    """Return the span of each request: the one with its id, else the next one of its name.

    Of several of its name, one with its arguments comes first.
    """
    matched: dict[int, Step] = {}
    for by_id, alike in ((True, False), (False, True), (False, False)):
        if len(matched) in {len(steps), len(requests)}:
            break
        taken = {id(step) for step in matched.values()}
        queues: dict[str | None, deque[Step]] = defaultdict(deque)
        for step in steps:
            if id(step) not in taken:
                queues[step.reading.call_id if by_id else _name(step)].append(step)
        for request in requests:
            key = request.asked.call_id if by_id else request.asked.name
            if key is None or not queues[key] or id(request) in matched:
                continue
            if taking := _take(queues[key], request, alike=alike):
                matched[id(request)] = taking
    return matched


def _take(queue: deque[Step], request: Request, *, alike: bool) -> Step | None:
    """Take the first with the arguments of the request; else, if it need not be alike, the next."""
    if len(queue) == 1 and not alike:
        return queue.popleft()
    same = (step for step in queue if parse_json(step.reading.args) == request.asked.args)
    chosen = next(same, None if alike else queue[0])
    if chosen is not None:
        queue.remove(chosen)
    return chosen


def _sort(steps: list[Step], requests: Sequence[Request], matched: Mapping[int, Step]) -> None:
    """Sort by time, and calls that a model asked for together as it asked for them.

    Those may run side by side, and the clock tells only which thread was faster.
    """
    if len(steps) < 2:  # noqa: PLR2004 -- one alone
        return
    in_order = [(matched[id(r)], r.call) for r in requests if id(r) in matched]
    asked_at = {id(step): number for number, (step, _) in enumerate(in_order)}
    steps.sort(key=lambda step: (step.start_ns, asked_at.get(id(step), len(asked_at))))
    together: dict[int, list[Step]] = defaultdict(list)
    for step, call in in_order:
        together[call].append(step)
    place = {id(step): number for number, step in enumerate(steps)}
    for group in together.values():
        for number, step in zip(sorted(place[id(s)] for s in group), group, strict=True):
            steps[number] = step


def _complete(step: Step, request: Request, warnings: list[str]) -> None:
    """Fill what the span does not say from what the messages say.

    A span may hold the bare text of the only argument; only the message then names it.
    """
    reading, asked, filled = step.reading, request.asked, []
    step.agent = step.agent or request.agent
    if reading.remote:  # a server is not told the ids of the model
        reading.call_id = reading.call_id or asked.call_id
    given = parse_json(reading.args)
    if asked.args and (not (given and isinstance(given, dict)) or holds_withheld(given)):
        if asked.args != arguments(reading.args):
            filled.append("arguments")
        reading.args = asked.args
    elif given is None:
        reading.args = asked.args
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
    """Yield spans in the order of time; a call without one follows what was asked for before it."""
    following: dict[int, list[Request]] = defaultdict(list)
    before = 0
    for request in requests:
        step = matched.get(id(request))
        if step is None:
            following[before].append(request)
        else:
            before = id(step)
    for request in following.get(0, ()):
        yield _build_spanless_call(request)
    for step in steps:
        yield _build_call(step, warnings)
        for request in following.get(id(step), ()) if following else ():
            yield _build_spanless_call(request)


def _build_spanless_call(request: Request) -> ToolCall:
    asked = request.asked
    return ToolCall(
        name=asked.name,
        args=asked.args,
        call_id=asked.call_id,
        response=request.answer,
        answered=request.answer is not None,
        agent=request.agent,
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
        agent=step.agent,
    )


def names_tool(step: Step) -> bool:
    """Return whether a span says which tool it is, by an attribute or by its own name."""
    return bool(step.reading.tool) or _name(step) != step.reading.span.name


def _name(step: Step) -> str:
    if step.reading.tool:
        return step.reading.tool
    name = step.reading.span.name
    words = name.split(maxsplit=2)
    return words[1] if name.startswith("execute_tool") and len(words) > 1 else name
