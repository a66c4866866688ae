"""From traces to conversations: what was asked, what was done about it, what was answered."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate, chain
from operator import itemgetter

from msgspec.structs import replace

from agentevals.model.conversations import Conversation, Trace, Turn
from agentevals.traces.turns.conversation_groups import Groups, find_attempt, find_groups
from agentevals.traces.turns.echoed_spans import Echoes
from agentevals.traces.turns.turn_builder import TurnBuilder
from agentevals.traces.turns.turn_drafts import ASIDE, Draft, Sketch, Step, sketch

NO_TURNS = "No invocations extracted from trace."

_CASE_ID, _TEST_ID = "agentevals.eval.case.id", "agentv.test_id"
_LONGEST_NAME = 80


def converse(
    traces: Sequence[Trace], *, group_by: str = "auto", multi_turn_expected: bool = False
) -> Iterator[Conversation]:
    """Yield the conversations in the traces, in the order of their first trace."""
    groups = find_groups(traces, group_by, multi_turn_expected=multi_turn_expected)
    return read_groups(groups)


def read_groups(groups: Groups, part: range | None = None) -> Iterator[Conversation]:
    """Yield the conversation of each group, or of a part of them."""
    named = Counter[tuple[int, str]]()
    echoes = Echoes(groups.traces)
    wanted = range(len(groups)) if part is None else part
    # attempts are named by those before them, so that these are read, too
    first = 0 if wanted.start and groups.has_attempts else wanted.start
    for number, (name, members) in enumerate(groups.take(range(first, wanted.stop)), first):
        if len(members) > 1:
            members.sort(key=lambda trace: (_find_start(trace), trace.trace_id))
        again = [echoes.find(each) for each in members]
        if any(again) and all(map(_says_nothing, members, again)):
            continue
        sketches = [
            sketch(each, spans)
            for each, spans in zip(members, again, strict=True)
            if each.turns is None
        ]
        conversation, attempt = _conversation(name, members, sketches), find_attempt(members[0])
        if attempt:
            conversation = _name_by_question(conversation, attempt, named)
        if number >= wanted.start:
            yield conversation


def _says_nothing(trace: Trace, echoes: frozenset[str]) -> bool:
    """Return whether another trace tells of all that is in this one."""
    return trace.turns is None and all(span.span_id in echoes for span in trace.spans)


def _name_by_question(
    conversation: Conversation, attempt: int, named: Counter[tuple[int, str]]
) -> Conversation:
    """Name an attempt that has only the id of its trace by its question, as in other attempts."""
    if conversation.conversation_id not in conversation.trace_ids or not conversation.turns:
        return conversation
    question = " ".join(conversation.turns[0].user.split())[:_LONGEST_NAME]
    if not question:
        return conversation
    named[attempt, question] += 1
    times = named[attempt, question]
    name = f"{question} ({times})" if times > 1 else question
    return replace(conversation, conversation_id=name)


def _conversation(name: str, members: Sequence[Trace], sketches: Sequence[Sketch]) -> Conversation:
    case_ids = tuple(dict.fromkeys(chain.from_iterable(map(_case_ids, members))))
    turns, notes = _turns(sketches)
    kinds = {kind for each in sketches for kind in each.kinds}
    if any(trace.turns for trace in members):
        recorded = [placed for trace in members for placed in _place_recorded(trace.turns or ())]
        drafted = [(turn.start_ns, turn) for turn in turns]
        turns = [turn for _, turn in sorted([*drafted, *recorded], key=itemgetter(0))]
    warned = {*notes, *[warning for each in sketches for warning in each.warnings]}
    warned.update([warning for trace in members for warning in trace.warnings])
    return Conversation(
        conversation_id=name,
        trace_ids=tuple(dict.fromkeys([trace.trace_id for trace in members])),
        turns=tuple(turns),
        case_id=case_ids[0] if case_ids else "",
        rival_case_ids=case_ids[1:],
        sources=tuple(dict.fromkeys([source for trace in members for source in trace.sources])),
        warnings=tuple(sorted(warned)),
        error="" if turns else next((t.error for t in members if t.error), NO_TURNS),
        foreign=not turns and not kinds and bool(sketches),
        preparation=not turns and bool(kinds) and kinds <= ASIDE,
        elapsed_ns=() if turns else tuple(ns for each in sketches for ns in each.root_ns),
        spans=members[0].spans
        if len(members) == 1
        else tuple(chain.from_iterable(trace.spans for trace in members)),
        session=members[0].session,
    )


def _place_recorded(turns: Sequence[Turn]) -> Iterator[tuple[int, Turn]]:
    """Yield each turn with when it comes: never before the one that its file has above it.

    A format that records turns may not know when they began.
    """
    return zip(accumulate((turn.start_ns for turn in turns), max), turns, strict=True)


def _turns(sketches: Sequence[Sketch]) -> tuple[list[Turn], list[str]]:
    drafts = [draft for each in sketches for draft in each.drafts if draft.is_turn()]
    drafts.sort(key=lambda draft: draft.order)
    drafted: list[TurnBuilder] = []
    for draft in drafts:
        following = TurnBuilder(draft)
        if not drafted or not drafted[-1].take(following):
            drafted.append(following)
    _place_orphans([d for each in sketches for d in each.drafts if d.is_orphaned_tool()], drafted)
    built = [each.build() for each in drafted]
    return [turn for turn, _ in built], [note for _, notes in built for note in notes]


def _place_orphans(orphans: Iterable[Draft], turns: Sequence[TurnBuilder]) -> None:
    """Give a tool whose parent was not recorded to the turn that had begun before it."""
    for orphan in orphans:
        own = [each for each in turns if each.drafts[0].trace_id == orphan.trace_id]
        begun = [each for each in own if each.drafts[0].start_ns <= orphan.start_ns]
        if own:
            draft = (begun[-1] if begun else own[0]).drafts[0]
            draft.tools += [tool for tool in orphan.tools if not _is_served(tool, draft.tools)]


def _is_served(tool: Step, known: Sequence[Step]) -> bool:
    """Return whether a server tells of a call that the agent tells of, around it in time."""
    return tool.reading.remote and any(
        tool.reading.tool == each.reading.tool
        and each.start_ns <= tool.start_ns
        and tool.end_ns <= each.end_ns
        for each in known
    )


def _case_ids(trace: Trace) -> Iterator[str]:
    """Yield the eval cases that a trace says it answers: one, unless something went wrong."""
    if trace.case_id:
        yield trace.case_id
    last = None
    for span in trace.spans:
        resource = {} if span.resource is last else span.resource
        last = span.resource
        for said in (span.attributes, resource):
            if _CASE_ID in said or _TEST_ID in said:
                case_id = said.get(_CASE_ID) or said.get(_TEST_ID)
                if isinstance(case_id, str) and case_id:
                    yield case_id


def _find_start(trace: Trace) -> int:
    recorded = trace.spans or trace.turns or ()
    return min((each.start_ns for each in recorded), default=0)
