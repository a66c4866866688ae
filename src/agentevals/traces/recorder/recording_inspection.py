"""The content of a new recording: what was sent, what is missing in it, and why."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from agentevals.model.completeness import Fact, Presence
from agentevals.model.conversations import Conversation, Trace
from agentevals.text.wording import join_names, plural
from agentevals.traces import instrumentations, loaders
from agentevals.traces import turns as converting
from agentevals.traces.diagnosis.missing_turns import Silence, explain
from agentevals.traces.instrumentations import Instrumentation
from agentevals.traces.recorder.recording_settings import describe_settings, explain_refusal
from agentevals.traces.recording_coverage import Missing, Requests, explain_worthless, list_missing
from agentevals.traces.turns.turn_gaps import NO_MESSAGES

_LARGEST = 64 * 2**20  # bytes that are read only to give advice


@dataclass
class Inspection:
    """The content of the files of a recording, counted.

    `usable` conversations can be expected again. `settings` are what was set, or stayed as it was,
    so that messages are recorded.
    """

    conversations: int = 0
    turns: int = 0
    model_calls: int = 0
    tool_calls: int = 0
    usable: int = 0
    missing: tuple[str, ...] = ()
    silences: Counter[Silence] = field(default_factory=Counter)
    is_partial: bool = False
    requests: Requests = field(default_factory=Requests)
    settings: tuple[str, ...] = ()

    @property
    def is_unread(self) -> bool:
        """True if even the first file is too large to be read only to give advice."""
        return self.is_partial and not self.conversations and not self.silences

    def add(self, conversation: Conversation) -> None:
        """Count a conversation; one without turns is no conversation of an agent."""
        turns = conversation.turns
        if not turns:
            why = explain(conversation)
            if not why.expected:
                self.silences[why] += 1
            return
        self.conversations += 1
        self.turns += len(turns)
        self.model_calls += sum(len(turn.model_calls) for turn in turns)
        self.tool_calls += sum(len(turn.tool_calls) for turn in turns)
        self.usable += not explain_worthless(conversation, alone=False)
        self.requests.add(conversation)


def inspect(files: Sequence[Path], own: Mapping[str, str], told: Mapping[str, str]) -> Inspection:
    """Read the files of a recording that was made with these settings, as far as they are small."""
    small = list(_select_small(files))
    traces = loaders.load(small).traces
    found = Inspection(is_partial=len(small) < len(files))

    def count() -> Iterator[Conversation]:
        for conversation in converting.converse(traces, group_by="conversation"):
            found.add(conversation)
            yield conversation

    missing = list_missing(count())
    found.settings = tuple(describe_settings(_find_instrumentations(traces), own, told))
    has_logs = any(trace.logs for trace in traces)
    found.missing = tuple(_describe_missing(missing, found.turns, own, told, has_logs=has_logs))
    return found


def _find_instrumentations(traces: Sequence[Trace]) -> Iterable[Instrumentation]:
    named = (instrumentations.identify(span) for trace in traces for span in trace.spans)
    return {each.title: each for each in named if each}.values()


def _select_small(files: Sequence[Path]) -> Iterator[Path]:
    read = 0
    for file in files:
        read += file.stat().st_size
        if read > _LARGEST:
            return
        yield file


def _describe_missing(
    missing: Sequence[Missing],
    turns: int,
    own: Mapping[str, str],
    told: Mapping[str, str],
    *,
    has_logs: bool,
) -> Iterator[str]:
    """Yield a sentence for each remedy, with all facts that it records."""
    for remedy in dict.fromkeys(each.gap.remedy for each in missing):
        facts = [each for each in missing if each.gap.remedy == remedy]
        most = max(each.turns for each in facts)
        named = join_names([each.gap.subject for each in facts])
        first = facts[0].gap
        has_messages = first.fact is not Fact.QUESTION
        cause = explain_refusal(remedy, own, told, has_messages=has_messages, has_logs=has_logs)
        if not cause and (first.evidence == NO_MESSAGES or first.presence is Presence.WITHHELD):
            cause = f"the agent's own settings keep messages out: {first.evidence}. {remedy}"
        why = cause or f"{first.evidence}. {remedy}".strip()
        yield f"{named} in {most} of {plural(turns, 'turn')}: {why}"
