"""One item that `uipath eval` recorded: the agent's spans, without those of the judging."""

import json
from collections.abc import Iterable, Sequence
from typing import Any

from msgspec.structs import replace

from agentevals.model.conversations import Span, Trace

EXECUTION = "execution.id"

_TYPE = "span_type"
_ROOT = "eval"
_IN, _OUT, _TOOL = "input.value", "output.value", "tool.name"
_FUNCTION, _RESULT = "function_call", "result"
_AROUND = frozenset({"evaluation", "eval_set_run"})  # what the agent ran in
_JUDGING = frozenset({"evaluator", "evalOutput"})


def read_execution(span: Span) -> str:
    """Return the item that the span belongs to, if any."""
    found = span.attributes.get(EXECUTION)
    return found if isinstance(found, str) else ""


def keep_agent_spans(spans: Sequence[Span]) -> list[Span]:
    """Return the spans of the agent, without what it ran in and what judged it."""
    judging = _find_judging(spans)
    return [s for s in spans if _type(s) not in _AROUND and not judging[s.span_id]]


def build_trace(  # noqa: PLR0913 -- what one execution consists of
    spans: Sequence[Span],
    *,
    trace_id: str,
    case_id: str,
    source: str,
    given: Any = None,
    output: Any = None,
    failure: str = "",
) -> Trace:
    """Return the trace of an item, whose root says what the agent was given and what it put out."""
    root = next((span for span in spans if _type(span) == _ROOT), None)
    if root is None:
        root = Span(span_id="root", name="root", start_ns=1, end_ns=1)
        spans = [*(s if s.parent_id else replace(s, parent_id="root") for s in spans), root]
    said = {_TYPE: _ROOT, _IN: _text(given), _OUT: _text(output)}
    whole = replace(
        root,
        attributes={**root.attributes, **{k: v for k, v in said.items() if v is not None}},
        failed=root.failed or bool(failure),
        status_message=root.status_message or failure,
    )
    return Trace(
        trace_id=trace_id,
        spans=tuple(whole if span is root else span for span in spans),
        case_id=case_id,
        sources=(source,),
        warnings=(f"the agent failed: {failure}",) if failure else (),
    )


def find_boundary(spans: Iterable[Span], key: str) -> Any:
    """Return the input or output of the outermost function: the last to end that has it."""
    found = _find_outermost(spans, key)
    return found.attributes[key] if found else None


def find_output(spans: Iterable[Span]) -> Any:
    """Return the output of the run: what a function returns that is no object is its `result`.

    UiPath puts it there after the function has returned, and the evaluators see only that.
    """
    found = _find_outermost(spans, _OUT)
    if found is None or not _type(found).startswith(_FUNCTION):
        return found.attributes[_OUT] if found else None
    try:
        value = json.loads(found.attributes[_OUT])
    except (ValueError, TypeError, RecursionError):
        return found.attributes[_OUT]
    if value is None:
        return {}
    return found.attributes[_OUT] if isinstance(value, dict) else {_RESULT: value}


def _find_outermost(spans: Iterable[Span], key: str) -> Span | None:
    found = [s for s in spans if key in s.attributes and not s.attributes.get(_TOOL)]
    return max(found, key=lambda span: span.end_ns, default=None)


def find_input(spans: Iterable[Span]) -> Any:
    """Return the input of the item, where what the agent ran in says it."""
    around = (span.attributes for span in spans if _type(span) == "evaluation")
    return next((said["input"] for said in around if "input" in said), None)


def find_failure(spans: Sequence[Span]) -> str:
    """Return why the agent itself failed; nothing where only something that it used did."""
    outermost = sorted(spans, key=lambda span: span.end_ns)[-2:]
    failed = [span for span in outermost if span.failed and _TOOL not in span.attributes]
    return (
        next((s.status_message for s in failed if s.status_message), "with an error")
        if failed
        else ""
    )


def _type(span: Span) -> str:
    for key in (_TYPE, "span.type"):
        found = span.attributes.get(key)
        if isinstance(found, str):
            return found
    return ""


def _find_judging(spans: Sequence[Span]) -> dict[str, bool]:
    """Map each span id to whether the span judges or lies below one that does. One pass."""
    by_id = {span.span_id: span for span in spans}
    known: dict[str, bool] = {}
    for span in spans:
        path: dict[str, None] = {}
        at: Span | None = span
        while at is not None and at.span_id not in known and at.span_id not in path:
            path[at.span_id] = None
            if _type(at) in _JUDGING:
                known[at.span_id] = True
            at = by_id.get(at.parent_id) if at.span_id not in known else at
        below = at is not None and known.get(at.span_id, False)
        known.update(dict.fromkeys(path, below))
    return known


def _text(value: Any) -> str | None:
    if value is None or isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False)
