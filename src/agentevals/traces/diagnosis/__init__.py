"""The state of recordings: who made them, what they show of each turn, and what is missing.

A tool that was never offered cannot be called: then the agent has to be mended, not its prompt. So
the tools that the model was offered are shown, where an instrumentation records them.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

import msgspec

from agentevals.model.completeness import Fact, Presence
from agentevals.model.conversations import Conversation, Span, Turn
from agentevals.model.noun import Noun
from agentevals.model.results import Finding, Severity
from agentevals.traces import loaders, turns
from agentevals.traces.attribute_values import list_numbered, parse_json, word
from agentevals.traces.diagnosis.missing_turns import Silence, explain
from agentevals.traces.diagnosis.trace_recorders import Recorder, find_recorder
from agentevals.traces.diagnosis.unread_files import Misfit, describe_file

MEASURES = frozenset({Fact.TOKENS, Fact.COST, Fact.TIME})  # only limits on them need them
_LISTS = (
    "gen_ai.tool.definitions",
    "gen_ai.agent.tools",  # Strands
    "ai.prompt.tools",  # AI SDK up to 6
)
_SCHEMAS, _SCHEMA = "llm.tools", "tool.json_schema"  # OpenInference
_FUNCTIONS = "llm.request.functions"  # OpenLLMetry
_PARAMETERS = "model_request_parameters"  # Pydantic AI
_CUT = frozenset("{[")  # JSON that a limit on attributes has cut off
_NESTED = ("function", "function_declarations", "functionDeclarations")


class Shown(Noun, frozen=True, omit_defaults=False):
    """The number of turns that show a fact, and of those that do not."""

    recorded: int = 0
    withheld: int = 0
    unknown: int = 0


class Missing(Noun, frozen=True, omit_defaults=False):
    """A fact that turns do not show: the evidence that it is missing, and how to record it."""

    fact: Fact
    presence: Presence
    evidence: str
    remedy: str
    turns: int = 1


class Examined(Noun, frozen=True, omit_defaults=False):
    """One conversation. Without a turn, `silence` says why nothing was understood.

    `tools_offered` is empty where no span says which tools the model was given.
    """

    conversation_id: str
    complete: bool
    sources: tuple[str, ...]
    recorder: Recorder
    turns: int
    tool_calls: int
    model_calls: int
    shown: dict[Fact, Shown]
    missing: tuple[Missing, ...] = ()
    silence: Silence | None = None
    tools_offered: tuple[str, ...] = ()
    tools_called: tuple[str, ...] = ()


class Total(Noun, frozen=True, omit_defaults=False):
    """All conversations together."""

    conversations: int
    turns: int
    tool_calls: int
    model_calls: int
    shown: dict[Fact, Shown]
    missing: tuple[Missing, ...]


class Diagnosis(Noun, frozen=True, kw_only=True, omit_defaults=False):
    """All that was found out about the files. The remedy of most turns is the first."""

    schema_version: str = "1.0"
    complete: bool
    remedies: tuple[str, ...]
    total: Total
    conversations: tuple[Examined, ...]
    files: tuple[Misfit, ...] = ()
    notes: tuple[str, ...] = ()


def schema() -> dict[str, Any]:
    """Return the JSON Schema of a diagnosis."""
    return msgspec.json.schema(Diagnosis)


def examine(
    paths: Sequence[Path],
    findings: Sequence[Finding] = (),
    *,
    trace_format: str | None = None,
    group_by: str = "auto",
) -> Diagnosis:
    """Read the files, and say what state they are in. `findings` are about paths without a file."""
    recordings = loaders.load(paths, trace_format=trace_format)
    found = [*findings, *recordings.findings]
    examined = tuple(map(_examine, turns.converse(recordings.traces, group_by=group_by)))
    files = tuple(_describe_files(found))
    total = add_up(examined)
    return Diagnosis(
        complete=not files and all(each.complete for each in examined),
        remedies=tuple(_list_remedies(total.missing, examined)),
        total=total,
        conversations=examined,
        files=files,
        notes=tuple(str(each) for each in found if not _is_about_file(each)),
    )


def _examine(conversation: Conversation) -> Examined:
    found = conversation.turns
    silence = None if found else explain(conversation)
    missing = _sum_missing(
        Missing(fact=gap.fact, presence=gap.presence, evidence=gap.evidence, remedy=gap.remedy)
        for turn in found
        for gap in turn.gaps
    )
    return Examined(
        conversation_id=conversation.conversation_id,
        complete=not missing and (silence is None or silence.expected),
        sources=conversation.sources,
        recorder=find_recorder(conversation.spans),
        turns=len(found),
        tool_calls=sum(len(turn.tool_calls) for turn in found),
        model_calls=sum(len(turn.model_calls) for turn in found),
        shown=_count_shown(map(_list_shown, found)),
        missing=missing,
        silence=silence,
        tools_offered=list_offered(conversation.spans),
        tools_called=tuple(dict.fromkeys(call.name for t in found for call in t.tool_calls)),
    )


def _list_shown(turn: Turn) -> dict[Fact, Presence]:
    """Nothing is known about the arguments and answers of calls that are not known."""
    known = turn.completeness
    calls = known[Fact.TOOL_CALLS]
    if calls is Presence.RECORDED:
        return known
    return known | dict.fromkeys((Fact.ARGUMENTS, Fact.TOOL_ANSWERS), calls)


def _count_shown(each: Iterable[dict[Fact, Presence]]) -> dict[Fact, Shown]:
    counts = Counter((fact, presence) for known in each for fact, presence in known.items())
    return {
        fact: Shown(**{presence.value: counts[fact, presence] for presence in Presence})
        for fact in Fact
    }


def _sum_missing(each: Iterable[Missing]) -> tuple[Missing, ...]:
    """Count turns that miss the same for the same reason once, most turns first."""
    counts: Counter[tuple[Fact, Presence, str, str]] = Counter()
    for one in each:
        counts[one.fact, one.presence, one.evidence, one.remedy] += one.turns
    return tuple(
        Missing(fact=fact, presence=presence, evidence=evidence, remedy=remedy, turns=count)
        for (fact, presence, evidence, remedy), count in counts.most_common()
    )


def add_up(examined: Sequence[Examined]) -> Total:
    """Return the sums of conversations."""
    return Total(
        conversations=len(examined),
        turns=sum(each.turns for each in examined),
        tool_calls=sum(each.tool_calls for each in examined),
        model_calls=sum(each.model_calls for each in examined),
        shown={
            fact: Shown(
                **{
                    presence.value: sum(getattr(each.shown[fact], presence) for each in examined)
                    for presence in Presence
                }
            )
            for fact in Fact
        },
        missing=_sum_missing(one for each in examined for one in each.missing),
    )


def _list_remedies(missing: Sequence[Missing], examined: Sequence[Examined]) -> list[str]:
    counts: Counter[str] = Counter()
    for one in missing:
        counts[one.remedy] += one.turns
    for each in examined:
        if each.silence and not each.silence.expected:
            counts[each.silence.remedy] += 1
    return [remedy for remedy, _ in counts.most_common() if remedy]


def _is_about_file(finding: Finding) -> bool:
    return finding.severity is Severity.ERROR or finding.rule == "no-trace"


def _describe_files(findings: Sequence[Finding]) -> list[Misfit]:
    problems: dict[str, list[str]] = {}
    for finding in filter(_is_about_file, findings):
        place = f"line {finding.line}: " if finding.line else ""
        problems.setdefault(finding.path or "", []).append(place + finding.message)
    return [describe_file(path, said) for path, said in problems.items()]


def list_offered(spans: Sequence[Span]) -> tuple[str, ...]:
    """Return the names in the order of the first offer; none where nothing tells of them."""
    return tuple(dict.fromkeys(chain.from_iterable(map(_list_of_span, spans))))


def _list_of_span(span: Span) -> Iterator[str]:
    for attributes in (span.attributes, *(event.attributes for event in span.events)):
        for key in _LISTS:
            yield from _find_names(attributes.get(key))
        yield from _list_numbered(attributes)
        asked = parse_json(attributes.get(_PARAMETERS))
        if isinstance(asked, dict):
            yield from _find_names([asked.get("function_tools"), asked.get("output_tools")])


def _list_numbered(attributes: Mapping[str, Any]) -> Iterator[str]:
    for tool in list_numbered(attributes, _SCHEMAS, {_SCHEMA: _SCHEMA}):
        yield from _find_names([tool[_SCHEMA]])
    for tool in list_numbered(attributes, _FUNCTIONS, {"name": "name"}):
        yield from _find_names([tool])


def _find_names(value: Any) -> Iterator[str]:
    """Yield the names in a list of tools: each a name, an object, or the JSON of one."""
    found = parse_json(value)
    for item in found if isinstance(found, list) else ():
        tool = parse_json(item)
        if isinstance(tool, list):
            yield from _find_names(tool)
        elif isinstance(tool, dict):
            nested = [tool[key] for key in _NESTED if isinstance(tool.get(key), list | dict)]
            yield from filter(None, [word(tool.get("name"))] if not nested else [])
            yield from _find_names(nested)
        elif isinstance(tool, str) and tool and tool[0] not in _CUT:
            yield tool
