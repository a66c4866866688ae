"""Turns out of the log of a coding agent's session, put together while it is read."""

from collections import Counter
from itertools import count

import msgspec
from msgspec.structs import replace

from agentevals.model.completeness import Fact
from agentevals.model.conversations import ModelCall, ToolCall, Trace, Turn
from agentevals.model.results import Severity
from agentevals.text.wording import plural
from agentevals.traces.attribute_values import prose
from agentevals.traces.reading import spoken_turns
from agentevals.traces.reading.fact_evidence import WHOLE_LOG, Lacks, add_gaps
from agentevals.traces.reading.trace_files_opened import Recording

_SHOWN = 5  # kinds of records that are named
_LONGEST = 40  # characters of such a name
_COUNTS = (*spoken_turns.COUNTS, "cost")


class _Draft(msgspec.Struct):
    asked: list[str] = []
    said: list[str] = []
    concluded: str | None = None  # the answer, where a tool took it
    calls: list[ToolCall] = []
    requests: dict[str, ModelCall] = {}
    is_command: bool = False
    start_ns: int = 0
    end_ns: int = 0
    lacks: Lacks = {}
    timed: int = 0
    untimed: int = 0

    @property
    def was_worked_on(self) -> bool:
        return bool(self.said or self.calls or self.requests)

    @property
    def is_idle_command(self) -> bool:
        return self.is_command and not self.was_worked_on


class Session:
    """A conversation: what was asked, said, called and counted, in the order of the log."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._drafts: list[_Draft] = []
        self._open: dict[str, tuple[_Draft, int]] = {}  # calls, by id
        self._speaker = ""
        self._anonymous = count()
        self._taken_back = 0
        self._has_totals = False
        self.warnings: dict[str, None] = {}

    @property
    def length(self) -> int:
        """Return the number of turns so far."""
        return len(self._drafts)

    def add_question(self, text: str, time_ns: int = 0, *, is_command: bool = False) -> None:
        """The user says something; before the agent did anything it is still the same turn.

        A command that nobody worked on (a change of the model, say) is none.
        """
        if self._drafts and self._drafts[-1].is_idle_command:
            self._drafts.pop()
        if is_command or not self._drafts or self._drafts[-1].was_worked_on:
            self._drafts.append(_Draft(is_command=is_command))
        draft = self._drafts[-1]
        if text:
            draft.asked.append(text)
        self._speaker = ""
        _extend(draft, time_ns)

    def add_gap(self, fact: Fact, why: str) -> None:
        """A record of the current turn does not show a fact."""
        if not self._drafts:
            self._drafts.append(_Draft())
        self._drafts[-1].lacks.setdefault(fact, why)

    def add_text(self, text: str, time_ns: int = 0, *, message: str = "") -> None:
        """The agent says something. Pieces of one message are one text, a longer copy wins."""
        draft = self._current(time_ns)
        if message and message == self._speaker and draft.said:
            before = draft.said[-1]
            draft.said[-1] = text if text.startswith(before) else before + text
        elif text:
            draft.said.append(text)
            self._speaker = message

    def add_call(self, call: ToolCall, *, time_ns: int = 0) -> None:
        """The agent asks for a tool; the same call told again is one call."""
        if call.call_id and call.call_id in self._open:
            return
        draft = self._current(time_ns)
        if call.call_id:
            self._open[call.call_id] = draft, len(draft.calls)
        draft.calls.append(replace(call, start_ns=time_ns) if time_ns else call)

    def has_call(self, call_id: str) -> bool:
        """Return whether a call with this id is known."""
        return call_id in self._open

    def start_call(self, call_id: str, time_ns: int) -> None:
        """A tool begins its work, after it was asked for."""
        draft, at = self._open[call_id]
        draft.calls[at] = replace(draft.calls[at], start_ns=time_ns)

    def add_answer(
        self, call_id: str, response: object, *, time_ns: int = 0, failed: bool = False
    ) -> None:
        """A tool answers; an answer to a call that nobody made is none."""
        if call_id not in self._open:
            self._explain_stray(call_id)
            return
        draft, at = self._open[call_id]
        call = draft.calls[at]
        if call.answered:
            return
        _extend(draft, time_ns)
        timed = bool(call.start_ns and time_ns >= call.start_ns)
        draft.calls[at] = replace(
            call,
            response=response,
            answered=True,
            failed=failed,
            timed=timed,
            end_ns=time_ns if timed else call.start_ns,
        )

    def conclude(self, call_id: str, tool: str) -> None:
        """Take what the agent gave to this tool as its answer to the user."""
        draft, at = self._open.get(call_id, (None, 0))
        if draft and draft.calls[at].name == tool and not draft.calls[at].answered:
            draft.concluded = prose(draft.calls[at].args)

    def _explain_stray(self, call_id: str) -> None:
        """Without an id nobody knows which call was answered; else the call is missing."""
        known = self._drafts[-1].calls if self._drafts else []
        if call_id and all(call.call_id for call in known):
            self.add_gap(Fact.TOOL_CALLS, "a tool has answered, and nothing has called it")
        else:
            self.add_gap(Fact.TOOL_ANSWERS, "the id of a call, or of its answer, is missing")

    def add_request(self, call: ModelCall, *, key: str = "", time_ns: int = 0) -> None:
        """A model was asked. What is told of one request several times counts once."""
        draft = self._current(time_ns, is_line=False)
        key = key or f"#{next(self._anonymous)}"
        known = draft.requests.get(key)
        draft.requests[key] = _merge_counts(known, call) if known else call

    def drop_failure(self) -> None:
        """Drop the last request if it has failed: it is told again, as an answer."""
        requests = self._drafts[-1].requests if self._drafts else {}
        key = next(reversed(requests), "")
        if key and requests[key].failed:
            del requests[key]

    def add_totals(self, total: ModelCall) -> None:
        """Counts of the whole session: what was not counted before goes to the last request."""
        self._has_totals |= None not in {total.input_tokens, total.output_tokens}
        requests = [call for draft in self._drafts for call in draft.requests.values()]
        draft = next((d for d in reversed(self._drafts) if d.requests), None)
        if draft is None:
            self.add_request(total)
            return
        key = next(reversed(draft.requests))
        last = draft.requests[key]
        sums = {}
        for field in _COUNTS:
            had, whole = getattr(last, field), getattr(total, field)
            if had is not None or whole is not None:
                counted = sum(getattr(request, field) or 0 for request in requests)
                sums[field] = (had or 0) + max(0, (whole or 0) - counted)
        draft.requests[key] = replace(last, **sums)

    def set_duration(self, duration_ns: int) -> None:
        """Set the duration of the last turn if no time was recorded in it."""
        if self._drafts and not self._drafts[-1].end_ns:
            self._drafts[-1].end_ns = duration_ns

    def rewind(self, length: int) -> None:
        """The user went back to where there were only so many turns."""
        gone = self._drafts[max(0, length) :]
        self._taken_back += len(gone)
        del self._drafts[max(0, length) :]

    def warn(self, sentence: str) -> None:
        """Something that people should know about this conversation."""
        self.warnings[sentence] = None

    def trace(self, source: str) -> Trace:
        """Return all of it."""
        drafts = [draft for draft in self._drafts if not draft.is_idle_command]
        if self._taken_back:
            turns = plural(self._taken_back, "turn")
            verb = "is" if self._taken_back == 1 else "are"
            self.warn(f"{turns} that the user took back {verb} skipped")
        return Trace(
            trace_id=self.name,
            turns=spoken_turns.keep_order(
                [self._build_turn(draft, at) for at, draft in enumerate(drafts, start=1)]
            ),
            session=self.name,
            sources=(source,),
            warnings=tuple(self.warnings),
        )

    def _build_turn(self, draft: _Draft, number: int) -> Turn:
        """The last thing the agent said is its response, unless it gave that to a tool."""
        said = draft.said if draft.concluded is None else [*draft.said, draft.concluded]
        turn = Turn(
            turn_id=f"{self.name}/{number}",
            user="\n\n".join(draft.asked),
            response=said[-1] if said else None,
            tool_calls=tuple(draft.calls),
            model_calls=tuple(draft.requests.values()),
            intermediate=tuple(said[:-1]),
            trace_id=self.name,
            start_ns=draft.start_ns,
            end_ns=draft.end_ns,
        )
        if draft.timed and draft.untimed:
            draft.lacks.setdefault(Fact.TIME, "a line of the log has no time, and others have one")
        return add_gaps(turn, draft.lacks, WHOLE_LOG, totals=self._has_totals)

    def _current(self, time_ns: int, *, is_line: bool = True) -> _Draft:
        if not self._drafts:
            self._drafts.append(_Draft())
        _extend(self._drafts[-1], time_ns, is_line=is_line)
        return self._drafts[-1]


def report_skipped(recording: Recording, kinds: Counter[str]) -> None:
    """Say which kinds of records nobody here knows, and how many of them there were."""
    if not kinds:
        return
    shown = ", ".join(f"{kind[:_LONGEST]!r}" for kind, _ in kinds.most_common(_SHOWN))
    more = " and others" if len(kinds) > _SHOWN else ""
    why = f"{plural(kinds.total(), 'record')} of unknown kinds skipped: {shown}{more}"
    recording.report(why, rule="skipped-record", severity=Severity.NOTE)


def _extend(draft: _Draft, time_ns: int, *, is_line: bool = True) -> None:
    draft.untimed += is_line and not time_ns
    draft.timed += is_line and bool(time_ns)
    if time_ns:
        draft.start_ns = min(draft.start_ns or time_ns, time_ns)
        draft.end_ns = max(draft.end_ns, time_ns)


def _merge_counts(known: ModelCall, again: ModelCall) -> ModelCall:
    """Merge two records of one request: a later copy has the larger counts."""
    counts = {
        field: max((c for c in told if c is not None), default=None)
        for field in _COUNTS
        if (told := (getattr(known, field), getattr(again, field)))
    }
    failed = known.failed or again.failed
    return replace(known, model=known.model or again.model, failed=failed, **counts)
