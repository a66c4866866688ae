"""Why the calls of a turn are not the expected ones, in a sentence."""

from collections import Counter
from typing import NamedTuple

from agentevals.text import aligned_calls, wording
from agentevals.text.aligned_calls import Call, Comparison, Kind, Row
from agentevals.text.terminal import plain
from agentevals.text.text_differences import Difference, compare_arguments

_TOLD = 3  # calls, and arguments of one call
_CALL = 100  # characters
_NAME = 60
_VALUE = 50
_SHORT = 16  # characters of a value of a call that has nothing beside it


class Strictness(NamedTuple):
    """The settings that say whether order, further calls and further arguments count."""

    order: bool = True
    extra_calls: bool = True
    extra_arguments: bool = True


def describe(comparison: Comparison, strict: Strictness) -> str:
    """Return the sentence; as much of it as is shown anywhere tells the first difference."""
    rows, before, left_out = aligned_calls.align(comparison)
    told = Counter(filter(None, (_describe_row(row, strict) for row in rows)))
    said = [f"{text} ({count} times)" if count > 1 else text for text, count in told.items()]
    if not said:
        return _EXCUSE_FAR if left_out else _EXCUSE_DEEP
    more = len(said) - _TOLD
    parts = [*said[:_TOLD], *([wording.plural(more, "more difference")] if more > 0 else [])]
    parts += [f"and {wording.plural(left_out, 'call')} beyond these"] if left_out else []
    return (f"after {before:,} equal calls: " if before else "") + "; ".join(parts)


_EXCUSE_FAR = (
    f"the calls differ after the first {aligned_calls.COMPARED}, which alone are compared here"
)
_EXCUSE_DEEP = "the arguments differ where they are nested too deeply to be shown"


def _describe_row(row: Row, strict: Strictness) -> str:
    if row.kind is Kind.CHANGED and row.expected and row.actual:
        change = _describe_change(row.expected, row.actual, strict)
        is_moved = row.elsewhere and strict.order
        if change:
            return f"{change}, in another place" if is_moved else change
        return f"called in another place: {_write_call(row.expected)}" if is_moved else ""
    if row.kind is Kind.MOVED and row.expected and strict.order:
        return f"called in another place: {_write_call(row.expected)}"
    if row.kind is Kind.MISSING and row.expected:
        return f"not called: {_write_call(row.expected)}"
    if row.kind is Kind.EXTRA and row.actual and strict.extra_calls:
        return f"not expected: {_write_call(row.actual)}"
    return ""


def _write_call(call: Call) -> str:
    return plain(aligned_calls.write_call(call, _SHORT), _CALL)


def _describe_change(expected: Call, actual: Call, strict: Strictness) -> str:
    found, same = compare_arguments(expected.args, actual.args, _VALUE)
    if not strict.extra_arguments:
        found = [one for one in found if not one.is_only_there]
    if not found:
        return ""
    more = len(found) - _TOLD
    parts = [*map(_describe_difference, found[:_TOLD])]
    parts += [f"{wording.plural(more, 'more argument')} different"] if more > 0 else []
    rest = f" ({wording.plural(same, 'argument')} the same)" if same else ""
    return f"{plain(expected.name, _NAME)}: {', '.join(parts)}{rest}"


def _describe_difference(one: Difference) -> str:
    subject = f"{one.name} was {one.actual}" if one.name else one.actual
    return f"{subject}, expected {one.expected}"
