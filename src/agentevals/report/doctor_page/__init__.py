"""The state of recordings, as people read it in a terminal: the remedies first."""

from collections.abc import Iterator, Sequence

from agentevals.model.completeness import Fact
from agentevals.report.doctor_page import fact_matrix
from agentevals.text.terminal import WIDTH, Ink, Pen, clip, line, pad, plain, width, wrap
from agentevals.text.wording import NOTHING, join_names, plural
from agentevals.traces.diagnosis import (
    Diagnosis,
    Examined,
    Missing,
    Total,
)
from agentevals.traces.diagnosis.trace_recorders import Measured, Recorder, Scope, list_measured
from agentevals.traces.diagnosis.unread_files import Misfit

_MOST = 20  # conversations of one recorder that are listed
_IN_NO_FORMAT = "is not a trace file: found "
_LEGEND = (
    f"✓ recorded   ✗ missing   █ withheld   {NOTHING} not recorded: only a limit on it needs it"
)
_TITLES = {fact: fact.value.replace("_", " ") for fact in Fact} | {Fact.ARGUMENTS: "tool arguments"}


def render(diagnosis: Diagnosis, *, colour: bool = False, columns: int = WIDTH) -> Iterator[str]:
    """Yield sections with an empty line before each."""
    pen = Pen(colour)
    yield from map(line, _headline(diagnosis, pen, columns))
    sections = (
        _mend(diagnosis, pen, columns),
        *(_describe_misfit(each, pen, columns) for each in diagnosis.files[:_MOST]),
        _count_rest(diagnosis),
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


def _headline(diagnosis: Diagnosis, pen: Pen, columns: int) -> Iterator[str]:
    total = diagnosis.total
    read = f"{plural(total.conversations, 'conversation')}, {plural(total.turns, 'turn')}"
    missing = _name_missing(total, diagnosis.conversations)
    if diagnosis.files:
        word, ink = "UNREADABLE", Ink.BAD
        said = f"{plural(len(diagnosis.files), 'file')} cannot be read; the rest is {read}"
        said += f": {missing}" if missing else ""
    elif diagnosis.complete:
        word, ink = "COMPLETE", Ink.GOOD
        said = f"{read}: all that evaluators need was recorded"
    else:
        word, ink = "INCOMPLETE", Ink.WARN
        said = f"{read}: {missing}"
    word = f" {word} " if pen.colour else word
    start = f"{pen(word, ink, Ink.STRONG, Ink.BADGE)}  "
    for text in wrap(said, columns - len(word) - 2, 4):
        yield f"{start}{pen(text, Ink.STRONG)}"
        start = " " * (len(word) + 2)


def _name_missing(total: Total, examined: Sequence[Examined]) -> str:
    facts = [fact for fact in Fact if any(one.fact is fact for one in total.missing)]
    silent = sum(not each.complete and not each.turns for each in examined)
    said = []
    if facts:
        said.append(f"{join_names([_TITLES[fact] for fact in facts])} not recorded")
    if silent:
        said.append(f"{plural(silent, 'conversation')} without a turn of an agent")
    return "; ".join(said)


def _mend(diagnosis: Diagnosis, pen: Pen, columns: int) -> Iterator[str]:
    """Yield each remedy with the facts that it records, and why they are missing; then the rest."""
    for remedy in diagnosis.remedies:
        missing = [one for one in diagnosis.total.missing if one.remedy == remedy]
        yield from _write_remedy(remedy, pen, columns)
        yield from _explain_missing(missing, columns)
    yield from _explain_missing([one for one in diagnosis.total.missing if not one.remedy], columns)


def _write_remedy(remedy: str, pen: Pen, columns: int, indent: str = "") -> Iterator[str]:
    first, *rest = wrap(plain(remedy), columns - 2 - len(indent), 5)
    yield f"{indent}{pen('→', Ink.GOOD, Ink.STRONG)} {pen(first, Ink.STRONG)}"
    yield from (f"{indent}  {pen(text, Ink.STRONG)}" for text in rest)


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
    if misfit.remedy:
        yield from _write_remedy(misfit.remedy, pen, columns, "  ")
    rows = {
        "looks like": misfit.likely,
        "problem": "; ".join(map(_shorten, misfit.problems)),
        "keys": ", ".join(misfit.keys),
        "begins": misfit.begins,
    }
    yield from _list_rows(rows, pen, columns)


def _shorten(problem: str) -> str:
    """The keys stand below, and the known formats in the reference."""
    place, sign, _ = problem.partition(_IN_NO_FORMAT)
    return f"{place}is in no trace format that we read" if sign else problem


def _count_rest(diagnosis: Diagnosis) -> Iterator[str]:
    if len(diagnosis.files) > _MOST:
        rest = plural(len(diagnosis.files) - _MOST, "file")
        yield f"  and {rest} more that cannot be read"


def _list_rows(rows: dict[str, str], pen: Pen, columns: int) -> Iterator[str]:
    room = max((width(title) for title, text in rows.items() if text), default=0)
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
            "not measured": _explain_unmeasured(scopes),
            "SDK": ", ".join(dict.fromkeys(sdk for each in members for sdk in each.recorder.sdks)),
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
    scopes = [scope for each in members for scope in each.recorder.scopes]
    rows = {
        "recorded by": _list_scopes(scopes) or "not named: the file holds messages, and no spans",
        "not measured": _explain_unmeasured(scopes),
        "SDK": ", ".join(recorder.sdks) or ("not named" if scopes else ""),
        "service": ", ".join(recorder.services),
        **_compare_tools(members),
    }
    yield from _list_rows(rows, pen, columns)
    yield ""
    yield from fact_matrix.draw(members, pen, columns)


def _compare_tools(members: Sequence[Examined]) -> dict[str, str]:
    """Name the tools that the model was given, those of them unused, and what else was called."""
    offered = {name: None for each in members for name in each.tools_offered}
    called = {name: None for each in members for name in each.tools_called}
    if not offered:
        return {}
    return {
        "tools offered": ", ".join(offered),
        "never called": ", ".join(name for name in offered if name not in called),
        "in no offer": ", ".join(name for name in called if name not in offered),
    }


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


def _note(diagnosis: Diagnosis, pen: Pen, columns: int) -> Iterator[str]:
    for note in diagnosis.notes:
        first, *rest = wrap(plain(note), columns - 2, 3)
        yield f"{pen('!', Ink.WARN)} {first}"
        yield from (f"  {text}" for text in rest)


def _explain_unmeasured(scopes: Sequence[Scope]) -> str:
    """Name the instrumentations of which nobody has measured what they record."""
    said = []
    for scope in {(each.name, each.version): each for each in scopes}.values():
        if scope.measured is Measured.NO:
            said.append(f"{scope.name or '(no scope)'} {scope.version}".strip())
        elif scope.measured is Measured.ANOTHER_VERSION:
            named = [version or "one without a version" for version in list_measured()[scope.name]]
            versions = join_names(named)
            said.append(f"{scope.name} {scope.version} (measured: {versions})")
    if not said:
        return ""
    command = "agentevals doctor --sample sample.jsonl TRACE..."
    return f"{join_names(said)}. Is it read wrong? '{command}' writes what to report"
