"""The transcript of a case: what was recorded and expected, cut to a size that a page can hold."""

import zlib
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any

import msgspec

from agentevals.model.cases import Case
from agentevals.model.completeness import Fact
from agentevals.model.conversations import Span, ToolCall, Turn
from agentevals.model.results import CaseReport
from agentevals.model.transcripts import Bar, Call, Exchange, KeptCase, Transcript
from agentevals.text.json_text import encode, shorten
from agentevals.text.wording import plural

_TURNS, _CALLS, _SPANS = 100, 200, 500
_TEXT = 20_000  # characters of one question or answer
_VALUE = 4_000  # characters of the arguments of a call, or of what came back
_LARGEST = 256 * 1024  # bytes of one case, before it is compressed
_LESS = 10  # times less of each text, where a case is larger
_DEEPEST = 40  # levels of spans


def choose_kind(*, transcribe: bool) -> type[CaseReport]:
    """Return the noun of the cases of a run."""
    return KeptCase if transcribe else CaseReport


def add_transcript(report: CaseReport, case: Case) -> KeptCase:
    """Return the report with everything that a page shows of its case."""
    conversation, expected = case.conversation, case.expected
    turns = conversation.turns
    made = Transcript(
        turns=tuple(map(_make_exchange, turns[:_TURNS])),
        expected=None if expected is None else tuple(map(_make_exchange, expected[:_TURNS])),
        unpaired=case.unpaired,
        spans=tuple(_draw(conversation.spans)),
        left_out=tuple(_count_left_out(turns, conversation.spans)),
    )
    return KeptCase(**_list_members(report), transcript=made)


def pack_transcript(case: CaseReport) -> CaseReport:
    """Return the case with a small transcript, from which all secrets have to be gone by now."""
    if not isinstance(case, KeptCase) or not isinstance(case.transcript, Transcript):
        return case
    for least in (1, _LESS, _LESS**2):
        written = encode(_shrink(case.transcript, least))
        if len(written) <= _LARGEST:
            break
    else:
        said = "the conversation is too large to be shown; look into its recording"
        written = encode(Transcript(left_out=(said,)))
    return msgspec.structs.replace(case, transcript=zlib.compress(written))


def check_transcript(case: KeptCase) -> KeptCase:
    """Return a case that has a packed transcript, or one that says that it is damaged."""
    packed = case.transcript if isinstance(case.transcript, bytes) else b""
    try:
        unpacked = zlib.decompressobj().decompress(packed, _LARGEST + 1)
        msgspec.json.decode(unpacked, type=Transcript)
    except (zlib.error, msgspec.MsgspecError, RecursionError, UnicodeError):
        damaged = encode(Transcript(left_out=("the transcript is damaged",)))
        return msgspec.structs.replace(case, transcript=zlib.compress(damaged))
    return case


def _list_members(report: CaseReport) -> dict[str, Any]:
    return {name: getattr(report, name) for name in report.__struct_fields__}


def _make_exchange(turn: Turn) -> Exchange:
    counted = [call for call in turn.model_calls if call.has_counts]
    tokens = tuple(
        sum(getattr(call, name) or 0 for call in counted) if counted else None
        for name in ("input_tokens", "output_tokens")
    )
    hidden = turn.find_gap(Fact.ARGUMENTS) is not None
    return Exchange(
        user=turn.user,
        intermediate=turn.intermediate[:_CALLS],
        answer=turn.response,
        calls=tuple(_make_call(turn, call, hidden=hidden) for call in turn.tool_calls[:_CALLS]),
        tokens=(tokens[0], tokens[1]),
        milliseconds=max(0, turn.end_ns - turn.start_ns) / 1e6 if turn.is_timed else None,
    )


def _make_call(turn: Turn, call: ToolCall, *, hidden: bool) -> Call:
    return Call(
        name=call.name,
        args=None if hidden and not call.args else call.args,
        response=call.response,
        error=call.error or ("it failed" if call.failed else ""),
        agent=turn.name_other(call),
    )


def _draw(spans: Sequence[Span]) -> Iterator[Bar]:
    """Yield each span below its parent, children by the time at which they began."""
    known = {span.span_id for span in spans}
    children: dict[str, list[Span]] = {}
    for span in sorted(spans, key=lambda one: one.start_ns, reverse=True):
        parent = span.parent_id if span.parent_id in known - {span.span_id} else ""
        children.setdefault(parent, []).append(span)
    first = min((span.start_ns for span in spans if span.start_ns), default=0)
    yield from islice(_walk(children, first), _SPANS)


def _walk(children: dict[str, list[Span]], first: int) -> Iterator[Bar]:
    waiting = [(span, 0) for span in children.pop("", ())]
    while waiting or children:
        if not waiting:  # each of the rest is below another of them
            waiting = [(span, 0) for span in children.pop(next(iter(children)))]
        span, depth = waiting.pop()
        yield Bar(
            name=span.name,
            depth=min(depth, _DEEPEST),
            start_ms=max(0, span.start_ns - first) / 1e6,
            milliseconds=max(0, span.end_ns - span.start_ns) / 1e6,
            failed=span.failed,
        )
        waiting += [(child, depth + 1) for child in children.pop(span.span_id, ())]


def _count_left_out(turns: Sequence[Turn], spans: Sequence[Span]) -> Iterator[str]:
    if (more := len(turns) - _TURNS) > 0:
        yield f"{plural(more, 'more turn')} in the recording"
    if (more := len(spans) - _SPANS) > 0:
        yield f"{plural(more, 'more span')} in the recording"
    if any(len(turn.tool_calls) > _CALLS for turn in turns):
        yield f"only the first {_CALLS} calls of a turn are shown"


def _shrink(found: Transcript, least: int) -> Transcript:
    """Return the transcript with long texts cut: `least` times shorter than usually."""
    return msgspec.structs.replace(
        found,
        turns=tuple(_cut_exchange(turn, least) for turn in found.turns),
        expected=found.expected and tuple(_cut_exchange(turn, least) for turn in found.expected),
        spans=tuple(
            msgspec.structs.replace(one, name=_cut(one.name, 200))
            for one in found.spans[: _SPANS // least]
        ),
    )


def _cut_exchange(turn: Exchange, least: int) -> Exchange:
    text, calls = _TEXT // least, _CALLS // least
    return Exchange(
        user=_cut(turn.user, text),
        intermediate=tuple(_cut(said, text) for said in turn.intermediate[:calls]),
        answer=turn.answer and _cut(turn.answer, text),
        calls=tuple(_cut_call(call, _VALUE // least) for call in turn.calls[:calls]),
        tokens=turn.tokens,
        milliseconds=turn.milliseconds,
    )


def _cut_call(call: Call, longest: int) -> Call:
    """Write arguments and answers as JSON, because only texts can be cut."""
    return Call(
        name=_cut(call.name, 200),
        args=call.args if call.args is None else shorten(call.args, longest),
        response=None if call.response is None else shorten(call.response, longest),
        error=_cut(call.error, longest),
        agent=_cut(call.agent, 200),
    )


def _cut(text: str, longest: int) -> str:
    return text if len(text) <= longest else f"{text[:longest]}… ({len(text) - longest:,} more)"
