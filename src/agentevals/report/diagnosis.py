"""A diagnosis of recordings, as people read it in a terminal: the remedies first."""

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from agentevals.model.completeness import Fact
from agentevals.report.terminal import WIDTH
from agentevals.text.terminal import Ink, Pen, clip, line, pad, plain, width, wrap
from agentevals.text.wording import NOTHING, plural
from agentevals.traces.diagnosis import (
    MEASURES,
    Diagnosis,
    Examined,
    Missing,
    Total,
    add_up,
)
from agentevals.traces.diagnosis.misfits import Misfit
from agentevals.traces.diagnosis.recorders import Recorder, Scope

_MOST = 20  # conversations of one recorder that are listed
_ID = 8  # characters of a conversation's id
_WIDE = 96  # columns from which on the columns of a matrix stand apart
_NARROWEST = 12  # columns of a name
_GAP = "  "
_TURNS = "turns"
_HEADS = {
    Fact.QUESTION: "question",
    Fact.ANSWER: "answer",
    Fact.TOOL_CALLS: "calls",
    Fact.ARGUMENTS: "arguments",
    Fact.TOOL_ANSWERS: "answers",
    Fact.TOKENS: "tokens",
    Fact.COST: "cost",
    Fact.TIME: "time",
}
_LEGEND = f"✓ recorded   ✗ missing   {NOTHING} not recorded: only a limit on it needs it"
_ABOVE = dict.fromkeys((Fact.TOOL_CALLS, Fact.ARGUMENTS, Fact.TOOL_ANSWERS), "tool")
_TITLES = {fact: fact.value.replace("_", " ") for fact in Fact}
_NAMES = {
    Fact.QUESTION: "the question",
    Fact.ANSWER: "the answer",
    Fact.TOOL_CALLS: "the tool calls",
    Fact.ARGUMENTS: "the arguments of tool calls",
    Fact.TOOL_ANSWERS: "the answers of tools",
    Fact.TOKENS: "the tokens",
    Fact.COST: "the cost",
    Fact.TIME: "the time",
}


def render(diagnosis: Diagnosis, *, colour: bool = False, columns: int = WIDTH) -> Iterator[str]:
    """Yield sections with an empty line before each."""
    pen = Pen(colour)
    yield line(_headline(diagnosis, pen))
    sections = (
        _mend(diagnosis, pen, columns),
        *(_describe_misfit(each, pen, columns) for each in diagnosis.files),
        _describe_silent(diagnosis, pen, columns),
        *_describe_recorders(diagnosis, pen, columns),
        _explain_signs(diagnosis, pen, columns),
        _note(diagnosis, pen, columns),
    )
    for section in sections:
        gap = "\n"
        for text in section:
            yield gap + line(text)
            gap = ""


def _headline(diagnosis: Diagnosis, pen: Pen) -> str:
    total = diagnosis.total
    read = f"{plural(total.conversations, 'conversation')}, {plural(total.turns, 'turn')}"
    if diagnosis.files:
        word, ink = "UNREADABLE", Ink.BAD
        said = f"{plural(len(diagnosis.files), 'file')} cannot be read; the rest is {read}"
    elif diagnosis.complete:
        word, ink = "COMPLETE", Ink.GOOD
        said = f"{read}: all that evaluators need was recorded"
    else:
        word, ink = "INCOMPLETE", Ink.WARN
        said = f"{read}: {_name_missing(total, diagnosis.conversations)}"
    word = f" {word} " if pen.colour else word
    return f"{pen(word, ink, Ink.STRONG, Ink.BADGE)}  {pen(said, Ink.STRONG)}"


def _name_missing(total: Total, examined: Sequence[Examined]) -> str:
    facts = [fact for fact in Fact if any(one.fact is fact for one in total.missing)]
    silent = sum(not each.complete and not each.turns for each in examined)
    said = []
    if facts:
        names = [_NAMES[fact] for fact in facts]
        listed = " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))
        said.append(f"{listed} {'are' if len(facts) > 1 else 'is'} missing")
    if silent:
        said.append(f"{plural(silent, 'conversation')} without a turn of an agent")
    return "; ".join(said)


def _mend(diagnosis: Diagnosis, pen: Pen, columns: int) -> Iterator[str]:
    """Yield each remedy with the facts that it records, and why they are missing."""
    for remedy in diagnosis.remedies:
        missing = [one for one in diagnosis.total.missing if one.remedy == remedy]
        first, *rest = wrap(plain(remedy), columns - 2, 5)
        yield f"{pen('→', Ink.GOOD, Ink.STRONG)} {pen(first, Ink.STRONG)}"
        yield from (f"  {pen(text, Ink.STRONG)}" for text in rest)
        yield from _explain_missing(missing, columns)


def _explain_missing(missing: Sequence[Missing], columns: int) -> Iterator[str]:
    room = max((width(_TITLES[one.fact]) for one in missing), default=0)
    for one in missing:
        turns = plural(one.turns, "turn")
        head = f"    {pad(_TITLES[one.fact], room)}  {one.presence} in {turns}: "
        first, *rest = wrap(plain(one.evidence), max(columns - width(head), 20), 3)
        yield f"{head}{first}"
        yield from (" " * width(head) + text for text in rest)


def _describe_misfit(misfit: Misfit, pen: Pen, columns: int) -> Iterator[str]:
    yield f"{pen('✗', Ink.BAD)} {pen(clip(plain(misfit.path), columns - 2), Ink.STRONG)}"
    rows = {
        "problem": "; ".join(misfit.problems),
        "looks like": misfit.likely,
        "keys": ", ".join(misfit.keys),
        "begins": misfit.begins,
        "do": misfit.remedy,
    }
    yield from _list_rows(rows, pen, columns)


def _list_rows(rows: dict[str, str], pen: Pen, columns: int) -> Iterator[str]:
    room = max(map(width, rows))
    for title, text in rows.items():
        if text:
            first, *rest = wrap(plain(text), columns - room - 4, 4)
            yield f"  {pen(pad(title, room), Ink.QUIET)}  {first}"
            yield from (" " * (room + 4) + part for part in rest)


def _describe_silent(diagnosis: Diagnosis, pen: Pen, columns: int) -> Iterator[str]:
    """Yield the conversations without a turn, those with the same reason together."""
    groups: dict[tuple[str, bool], list[Examined]] = {}
    for each in diagnosis.conversations:
        if each.silence:
            groups.setdefault((each.silence.reason, each.silence.expected), []).append(each)
    for (reason, expected), members in groups.items():
        sign, ink = ("·", Ink.QUIET) if expected else ("✗", Ink.BAD)
        named = f"{plural(len(members), 'conversation')} without a turn of an agent"
        yield f"{pen(sign, ink)} {pen(named, Ink.STRONG)}"
        scopes = [scope for each in members for scope in each.recorder.scopes]
        rows = {
            "because": reason,
            "recorded by": _list_scopes(scopes),
            "in": ", ".join(dict.fromkeys(s for each in members for s in each.sources)),
        }
        yield from _list_rows(rows, pen, columns)


def _describe_recorders(diagnosis: Diagnosis, pen: Pen, columns: int) -> Iterator[Iterator[str]]:
    """Yield a section for all conversations with one recorder."""
    groups: dict[tuple[object, ...], list[Examined]] = {}
    for each in diagnosis.conversations:
        if each.turns:
            groups.setdefault(_identify(each.recorder), []).append(each)
    for members in sorted(groups.values(), key=lambda each: all(one.complete for one in each)):
        yield _describe_recorder(members, pen, columns)


def _explain_signs(diagnosis: Diagnosis, pen: Pen, columns: int) -> Iterator[str]:
    if diagnosis.total.turns:
        yield f"  {pen(clip(_LEGEND, columns - 2), Ink.QUIET)}"


def _identify(recorder: Recorder) -> tuple[object, ...]:
    scopes = sorted((scope.name, scope.version) for scope in recorder.scopes)
    return recorder.sdks, recorder.services, tuple(scopes)


def _describe_recorder(members: Sequence[Examined], pen: Pen, columns: int) -> Iterator[str]:
    recorder = members[0].recorder
    rows = {
        "recorded by": _list_scopes([scope for each in members for scope in each.recorder.scopes]),
        "SDK": ", ".join(recorder.sdks) or "not named",
        "service": ", ".join(recorder.services),
    }
    yield from _list_rows(rows, pen, columns)
    yield ""
    yield from _draw_matrix(members, pen, columns)


def _list_scopes(scopes: Sequence[Scope]) -> str:
    """Name instrumentations, known ones with their title, with the spans of each."""
    counts: dict[tuple[str, str, str], int] = {}
    for scope in scopes:
        key = scope.title, scope.name, scope.version
        counts[key] = counts.get(key, 0) + scope.spans
    named = []
    for (title, name, version), count in counts.items():
        label = " ".join(filter(None, (name or "(no scope)", version)))
        known = f"{title}: " if title else ""
        named.append(f"{known}{label} ({plural(count, 'span')})")
    return "; ".join(named)


def _draw_matrix(members: Sequence[Examined], pen: Pen, columns: int) -> Iterator[str]:
    """Draw a row for each conversation, incomplete ones first, and a column for each fact."""
    gap = _GAP if columns >= _WIDE else " "
    names = _name_rows(members)
    taken = sum(width(title) + len(gap) for title in _HEADS.values()) + width(_TURNS) + len(gap) + 2
    room = min(max(map(width, names.values())), max(columns - taken, _NARROWEST))
    for heads in ([_ABOVE.get(fact, "") for fact in Fact], [*_HEADS.values()]):
        cells = [pad(head, width(_HEADS[fact])) for fact, head in zip(Fact, heads, strict=True)]
        turns = _TURNS if heads[0] else " " * width(_TURNS)
        yield f"  {pen(gap.join([' ' * room, turns, *cells]), Ink.QUIET)}"
    ordered = sorted(members, key=lambda each: each.complete)
    for each in ordered[:_MOST]:
        yield _draw_row(_clip_start(names[each.conversation_id], room), each, gap, pen)
    if rest := ordered[_MOST:]:
        complete = sum(each.complete for each in rest)
        yield f"  and {len(rest):,} more, of which {complete:,} are complete"
    if len(members) > 1:
        yield _draw_row(pad("total", room), add_up(members), gap, pen)


def _name_rows(members: Sequence[Examined]) -> dict[str, str]:
    """Name conversations by their file, and by their id where a file holds several."""
    files = Counter(each.sources[0] if each.sources else "" for each in members)
    is_one_folder = len({Path(file).parent for file in files}) == 1
    names: dict[str, str] = {}
    for each in members:
        source = each.sources[0] if each.sources else ""
        file = Path(source).name if is_one_folder else source
        is_alone = source and files[source] == 1
        names[each.conversation_id] = plain(file if is_alone else f"{file} {_short_id(each)}")
    return names


def _short_id(each: Examined) -> str:
    return each.conversation_id[:_ID]


def _clip_start(name: str, room: int) -> str:
    """Keep the end of a name: files of one folder begin alike."""
    if width(name) <= room:
        return pad(name, room)
    kept = name
    while width(kept) >= room:
        kept = kept[1:]
    return pad(f"…{kept}", room)


def _draw_row(name: str, row: Examined | Total, gap: str, pen: Pen) -> str:
    cells = [name, f"{row.turns:>{width(_TURNS)},}"]
    for fact, head in _HEADS.items():
        text, ink = _mark(fact, row)
        cells.append(pen(pad(text, width(head)), ink))
    return "  " + gap.join(cells)


def _mark(fact: Fact, row: Examined | Total) -> tuple[str, Ink]:
    """Return a sign; with counts where there are calls, or where only some turns miss a fact."""
    shown = row.shown[fact]
    missing = shown.withheld + shown.unknown
    if not missing:
        count = f" {row.tool_calls:,}" if fact is Fact.TOOL_CALLS else ""
        return f"✓{count}", Ink.GOOD
    if not shown.recorded and fact in MEASURES:
        return NOTHING, Ink.QUIET
    share = "" if not shown.recorded else f" {missing}/{missing + shown.recorded}"
    return f"✗{share}", Ink.BAD


def _note(diagnosis: Diagnosis, pen: Pen, columns: int) -> Iterator[str]:
    for note in diagnosis.notes:
        first, *rest = wrap(plain(note), columns - 2, 3)
        yield f"{pen('!', Ink.WARN)} {first}"
        yield from (f"  {text}" for text in rest)
