"""Requests to a model: what several layers of instrumentation recorded of one, told once."""

from agentevals.model.conversations import ModelCall
from agentevals.traces.spans import Reading
from agentevals.traces.turns.drafts import Draft, Step


def of_draft(draft: Draft) -> list[Step]:
    """The innermost requests in the order of time.

    Where there is only one below a request, both are the same, and it takes what only the outer
    one knows. Where there are several, the outer one is no request of its own.
    """
    found = [step for step in draft.inferences if not step.inner]
    for step in found:
        if step.outer is not None:
            _absorb_outer(step)
    found.sort(key=lambda step: step.start_ns)
    return _told_once(found)


def told(step: Step) -> ModelCall:
    """What everybody else needs to know of a request."""
    reading = step.reading
    return ModelCall(
        model=reading.model or reading.served_by,
        input_tokens=reading.input_tokens,
        output_tokens=reading.output_tokens,
        cache_read_tokens=reading.cache_read_tokens or 0,
        cache_creation_tokens=reading.cache_creation_tokens or 0,
        reasoning_tokens=reading.reasoning_tokens or 0,
        cost=reading.cost,
        start_ns=step.start_ns,
        end_ns=step.end_ns,
        failed=step.failed,
    )


def _told_once(steps: list[Step]) -> list[Step]:
    """Two instrumentations side by side see the same answer at the same time."""
    found: list[Step] = []
    by_answer: dict[str, Step] = {}
    for step in steps:
        answer = step.reading.response_id
        twin = by_answer.get(answer) if answer else None
        if twin is None or step.start_ns >= twin.end_ns:
            by_answer[answer] = step
            found.append(step)
        else:
            twin.stretch(step)
            _fill(twin.reading, step.reading)
    return found


def _absorb_outer(step: Step) -> None:
    outer = step.outer
    while outer is not None and outer.inner == 1:
        step.stretch(outer)
        _fill(step.reading, outer.reading)
        outer = outer.outer


def _fill(inner: Reading, outer: Reading) -> None:
    inner.model = inner.model or outer.model
    inner.served_by = inner.served_by or outer.served_by
    inner.heard_in += outer.heard_in
    inner.spoken_in += outer.spoken_in
    if inner.cost is None:
        inner.cost = outer.cost
    if not inner.counted and outer.counted:
        # all counts of one source, or the same tokens would be mixed from two
        inner.input_tokens, inner.output_tokens = outer.input_tokens, outer.output_tokens
        inner.cache_read_tokens = outer.cache_read_tokens
        inner.cache_creation_tokens = outer.cache_creation_tokens
        inner.reasoning_tokens = outer.reasoning_tokens
