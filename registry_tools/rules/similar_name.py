"""`similar-name`: a name is more than a slip of the finger away from every other."""

from collections import defaultdict
from collections.abc import Collection, Iterator
from functools import lru_cache
from itertools import combinations, product

from agentevals.evaluator.evaluator_names import fold
from agentevals.files.document_places import quote
from agentevals.model.results import Severity
from registry_tools.manifests.registry_entry import Entry
from registry_tools.manifests.registry_finding import Finding, Rule, make_error
from registry_tools.manifests.registry_folder import Registry

RULE = Rule(
    id="similar-name",
    severity=Severity.WARNING,
    title="A name differs clearly from other names",
    why=(
        "A user who mistypes a name must not get the program of another author. "
        "This is a warning for one different letter between names of five or "
        "more, and for two between names of eight or more. A digit instead of a "
        "letter, such as `equa1s`, is an error, because people do not see the "
        "difference."
    ),
    bad="evaluators/contains/evaluator.yaml\nevaluators/contain/evaluator.yaml",
    good="evaluators/contains/evaluator.yaml\nevaluators/contains_any_of/evaluator.yaml",
)
_SHOWN = 3
_BEGIN = 5  # letters that are compared to find candidates
_MOST = 2  # edits
_WITHOUT_DIGITS = dict.fromkeys(map(ord, "0123456789"))
_LETTERS = str.maketrans("01358", "olesb")  # as people read them
_SHORT, _LONG = 5, 8  # letters of a name from which one edit, or two, make it similar


def check(entry: Entry, registry: Registry) -> Iterator[Finding]:
    others = _find_all(registry).get(entry.name, ())
    if copied := [other for other in others if imitates(entry.name, other)]:
        message = f"the name {quote(entry.name)} looks like {quote(copied[0])}"
        found = entry.report(RULE, message, entry.locate("name"), fix="choose another name")
        yield make_error(found)
    elif others:
        names = ", ".join(map(quote, others[:_SHOWN]))
        message = f"the name {quote(entry.name)} is very near to {names}"
        fix = "choose a name that differs more"
        yield entry.report(RULE, message, entry.locate("name"), fix=fix)


def imitates(name: str, other: str) -> bool:
    """Return whether a name has digits in the place of letters of another one."""
    return name != other and name.translate(_LETTERS) == other and not other.isdigit()


@lru_cache(maxsize=1)
def _find_all(registry: Registry) -> dict[str, list[str]]:
    return find_similar(registry.by_name)


def find_similar(names: Collection[str]) -> dict[str, list[str]]:
    """Return for each name the others that one mistypes for it, but not those equal when folded.

    Names that differ in their digits only are a series, and nobody's mistake.
    """
    series: dict[str, list[str]] = defaultdict(list)
    for name in names:
        series[name.translate(_WITHOUT_DIGITS)].append(name)
    found: dict[str, list[str]] = defaultdict(list)
    for one, other in _find_candidates(series):
        for left, right in product(series[one], series[other]):
            if is_similar(left, right):
                found[left].append(right)
                found[right].append(left)
    return {name: sorted(others) for name, others in found.items()}


def is_similar(one: str, other: str) -> bool:
    """Return whether one edit is between names of five letters, or two between names of eight."""
    shorter = min(len(one), len(other))
    if shorter < _SHORT:
        return False
    most = _MOST if shorter >= _LONG else 1
    return measure_distance(one, other, most) <= most and fold(one) != fold(other)


def measure_distance(one: str, other: str, most: int) -> int:
    """Count letters added, dropped, replaced or swapped with a neighbour; give up beyond `most`."""
    if abs(len(one) - len(other)) > most:
        return most + 1
    begin = _count_common(one, other)
    one, other = one[begin:], other[begin:]
    end = _count_common(one[::-1], other[::-1])
    one, other = one[: len(one) - end], other[: len(other) - end]
    before: list[int] = []
    row = list(range(len(other) + 1))
    for i, letter in enumerate(one, 1):
        earlier, before, row = before, row, [i]
        for j, wanted in enumerate(other, 1):
            least = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (letter != wanted))
            if i > 1 and j > 1 and letter == other[j - 2] and one[i - 2] == wanted:
                least = min(least, earlier[j - 2] + 1)
            row.append(least)
        if min(row) > most:
            return most + 1
    return row[-1]


def _count_common(one: str, other: str) -> int:
    """Return how many letters both begin with."""
    pairs = zip(one, other, strict=False)
    return next((at for at, (a, b) in enumerate(pairs) if a != b), min(len(one), len(other)))


def _find_candidates(names: Collection[str]) -> Iterator[tuple[str, str]]:
    """Yield pairs that begin alike and have nearly the same letters: all similar ones, and more."""
    alike: dict[str, list[int]] = defaultdict(list)
    every = sorted(names)
    letters = [_pack_letters(name) for name in every]
    for index, name in enumerate(every):
        groups = [alike[variant] for variant in _list_variants(name[:_BEGIN])]
        own = letters[index]
        for other in set().union(*groups):
            if (own ^ letters[other]).bit_count() <= 2 * _MOST:
                yield every[other], name
        for group in groups:
            group.append(index)


def _list_variants(begin: str) -> set[str]:
    """Return what is left of a beginning without up to two of its letters."""
    found = {begin}
    for count in range(1, _MOST + 1):
        found.update("".join(kept) for kept in combinations(begin, max(len(begin) - count, 0)))
    return found


def _pack_letters(name: str) -> int:
    """Count each letter, up to three times, in bits: an edit changes two of them at most."""
    bits = 0
    for letter in name:
        at = (ord(letter) & 63) * 3
        bits |= ((bits >> at & 7) << 1 | 1) << at & 7 << at
    return bits
