"""The failed cases: what each evaluator wanted, and expected and actual calls side by side."""

from collections.abc import Iterable, Iterator

from agentevals.model.cases import Status
from agentevals.model.results import CaseReport, Result, Verdict
from agentevals.run.attempts import describe_attempts, list_sources
from agentevals.text import aligned_calls, wording
from agentevals.text.aligned_calls import Comparison, Kind, Row
from agentevals.text.terminal import Ink, Pen, block, clip, pad, plain, width
from agentevals.text.text_differences import compare_arguments

_CASES = 10  # shown in full; a reader of more than that wants a file
_TURNS = 5  # mismatching turns shown per evaluator
_TURNS_SCORED = 30
_MISSES = 8  # sentences shown per evaluator
_ARGUMENTS = 12  # differing arguments shown per call

_INKS = {
    Kind.SAME: Ink.QUIET,
    Kind.CHANGED: Ink.WARN,
    Kind.MISSING: Ink.BAD,
    Kind.EXTRA: Ink.GOOD,
    Kind.MOVED: Ink.WARN,
}


class Failures:
    """The first failed cases of a run, and how many more there are."""

    def __init__(self) -> None:
        self._cases: list[CaseReport] = []
        self._more = 0

    def add(self, case: CaseReport) -> None:
        """Keep a failed case, or count it."""
        if not _has_failed(case):
            return
        if len(self._cases) < _CASES:
            self._cases.append(case)
        else:
            self._more += 1

    def section(self, pen: Pen, columns: int) -> Iterator[str]:
        """Yield them in the order of the input, with an empty line between two."""
        for at, case in enumerate(self._cases):
            yield from [""] if at else []
            yield from _case(case, pen, columns)
        if self._more:
            yield ""
            yield pen(
                f"{wording.plural(self._more, 'more failed case')} not shown here; "
                "'-o report' and '-o json' have all of them",
                Ink.QUIET,
            )


def _has_failed(case: CaseReport) -> bool:
    """A case that only lacks grades is among the problems, once for all of its kind."""
    failed = any(result.case_status is Status.FAILED for result in case.results)
    graded = any(result.case_status is Status.PASSED for result in case.results)
    ungraded = any(result.status in (Status.ERROR, Status.NOT_EVALUATED) for result in case.results)
    if case.verdict in {Verdict.PASS, Verdict.ERROR} or case.lacks_evidence:
        return False
    return failed or (graded and not ungraded)


def _case(case: CaseReport, pen: Pen, columns: int) -> Iterator[str]:
    known = (wording.plural(case.turns, "turn"), describe_attempts(case))
    facts = " · ".join((f"score {wording.score(case.score)}", *filter(None, known)))
    name = pad(plain(case.case_id), columns - width(facts) - 4)
    sign, ink = ("✗", Ink.BAD) if case.verdict is Verdict.FAIL else ("~", Ink.WARN)
    yield f"{pen(sign, ink)} {pen(name, Ink.STRONG)}  {pen(facts, Ink.QUIET)}"
    if case.user:
        yield pen(f"  {clip(f'“{plain(case.user)}”', columns - 2)}", Ink.QUIET)
    sources = list_sources(case)
    if sources and sources != [case.case_id]:
        yield pen(f"  {clip(', '.join(map(plain, sources)), columns - 2)}", Ink.QUIET)
    for result in case.results:
        if result.case_status is Status.FAILED:
            yield from _result(result, case.turns, pen, columns)


def _result(result: Result, turns: int, pen: Pen, columns: int) -> Iterator[str]:
    name = clip(plain(result.name), columns - 40)
    score, comma, wanted = wording.write_judgement(result).partition(", ")
    yield f"  {pen('✗', Ink.BAD)} {name}  {pen(score, Ink.BAD)}{pen(comma + wanted, Ink.QUIET)}"
    yield from describe_misses(result, turns, pen, columns)


def describe_misses(result: Result, turns: int, pen: Pen, columns: int) -> Iterator[str]:
    """Yield why a result is what it is: its gates, its sentences or the calls it compared."""
    yield from _list_sentences(wording.list_missed_gates(result), pen, columns)
    mismatches = aligned_calls.mismatches(result)
    if not mismatches:
        yield from _sentences(result, pen, columns)
    for turn, comparison in mismatches[:_TURNS]:
        where = f" in turn {turn} of {turns}" if turns > 1 else ""
        yield from compare_calls(where, comparison, pen, columns)
    if len(mismatches) > _TURNS:
        left = wording.plural(len(mismatches) - _TURNS, "more turn")
        yield pen(f"    {left} with other calls than expected", Ink.QUIET)


def _sentences(result: Result, pen: Pen, columns: int) -> Iterator[str]:
    """Why, in the evaluator's own words."""
    if len(result.per_turn) > 1:
        turns = wording.read_turns(result)[:_TURNS_SCORED]
        scores = "  ".join(map(wording.score, turns))
        yield pen(clip(f"    by turn: {scores}", columns), Ink.QUIET)
    yield from _list_sentences(result.misses[:_MISSES], pen, columns)
    if len(result.misses) > _MISSES:
        yield pen(f"      and {len(result.misses) - _MISSES} more", Ink.QUIET)
    if not any(miss.startswith(result.reasoning) for miss in result.misses):
        yield from (f"    {text}" for text in block(result.reasoning, columns - 4, 4))


def _list_sentences(sentences: Iterable[str], pen: Pen, columns: int) -> Iterator[str]:
    for sentence in sentences:
        for number, text in enumerate(block(sentence, columns - 6, 3)):
            yield f"    {' ' if number else pen('-', Ink.BAD)} {text}"


def compare_calls(where: str, compared: Comparison, pen: Pen, columns: int) -> Iterator[str]:
    """Two columns, a sign before each pair: `=`, `≠`, `-`, `+`, `~`."""
    half = (columns - 8) // 2
    yield pen(f"      {_pair(f'expected{where}', 'actual', half)}", Ink.QUIET)
    rows, before, left_out = aligned_calls.align(compared)
    if before:
        yield pen(f"      {before:,} calls before are the same", Ink.QUIET)
    for row in rows:
        yield from _row(row, half, pen)
    if left_out:
        yield pen(f"      and {wording.plural(left_out, 'more call')}", Ink.QUIET)


def _row(row: Row, half: int, pen: Pen) -> Iterator[str]:
    ink = _INKS[row.kind]
    if row.kind is Kind.CHANGED and row.expected and row.actual:
        called = aligned_calls.name_agent(row.actual.name, row.actual.agent)
        names = _pair(plain(row.expected.name), plain(called), half)
        yield f"    {pen(row.kind, ink)} {names}"
        found, same = compare_arguments(row.expected.args, row.actual.args, half // 2)
        for one in found[:_ARGUMENTS]:
            pair = _pair(f"  {plain(one.write_expected())}", f"  {plain(one.write_actual())}", half)
            yield f"      {pen(pair, ink)}"
        more = len(found) - _ARGUMENTS
        notes = [f"{more} more different"] if more > 0 else []
        notes += [f"{wording.plural(same, 'argument')} the same"] if same else []
        notes += ["in another place"] if row.elsewhere else []
        if notes:
            yield pen(f"        {', '.join(notes)}", Ink.QUIET)
        return
    elsewhere = "(in another place)" if row.kind is Kind.MOVED else ""
    expected = aligned_calls.write_call(row.expected) if row.expected else elsewhere
    actual = aligned_calls.write_call(row.actual) if row.actual else elsewhere
    yield pen(f"    {row.kind} {_pair(plain(expected), plain(actual), half)}", ink)


def _pair(expected: str, actual: str, half: int) -> str:
    return f"{pad(expected, half)}  {clip(actual, half)}".rstrip()
