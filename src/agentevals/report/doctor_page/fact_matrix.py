"""A row for each conversation, and a column for each fact that evaluators judge by."""

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from agentevals.model.completeness import Fact
from agentevals.text.terminal import Ink, Pen, pad, plain, width
from agentevals.text.wording import NOTHING
from agentevals.traces.diagnosis import MEASURES, Examined, Total, add_up

_MOST = 20  # conversations that are listed
_ID = 12  # characters of a conversation's id
_THOUSAND = 1000
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
_ABOVE = dict.fromkeys((Fact.TOOL_CALLS, Fact.ARGUMENTS, Fact.TOOL_ANSWERS), "tool")


def draw(members: Sequence[Examined], pen: Pen, columns: int) -> Iterator[str]:
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
        if source and files[source] == 1:
            names[each.conversation_id] = plain(file)
        elif file and file in each.conversation_id:
            names[each.conversation_id] = plain(each.conversation_id)
        else:
            names[each.conversation_id] = plain(f"{file} {_short_id(each)}")
    return names


def _short_id(each: Examined) -> str:
    """Keep the end of an id: those of one program often begin alike."""
    whole = each.conversation_id
    return whole if len(whole) <= _ID else f"…{whole[1 - _ID :]}"


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
    absent = shown.withheld + shown.unknown
    if not absent:
        count = f" {_count(row.tool_calls)}" if fact is Fact.TOOL_CALLS else ""
        return f"✓{count}", Ink.GOOD
    if fact in MEASURES and not any(one.fact is fact for one in row.missing):
        return NOTHING, Ink.QUIET
    sign = "✗" if shown.unknown else "█"
    return sign + _write_share(absent, absent + shown.recorded, width(_HEADS[fact])), Ink.BAD


def _count(number: int) -> str:
    return str(number) if number < _THOUSAND else f"{number // _THOUSAND}k"


def _write_share(some: int, turns: int, room: int) -> str:
    """Write how many turns miss a fact, unless all do; as a percentage where that is shorter."""
    if some == turns:
        return ""
    texts = (f" {some}/{turns}", f" {max(1, 100 * some // turns)}%", "")
    return next(text for text in texts if len(text) < room)
