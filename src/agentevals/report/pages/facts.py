"""The facts of the first line: what stands behind its sentence."""

from collections.abc import Iterator, Sequence

from agentevals.model.review import State
from agentevals.report.pages.digest import Digest
from agentevals.text import wording

ACCEPTED = "accepted"
_EVIDENCE = "evidence"

Latest = Sequence[Digest]


def list_facts(latest: Latest, what: str) -> Iterator[str]:
    """List the facts that the sentence does not say already."""
    done = [one for one in latest if one.state is State.DONE]
    if len(latest) == 1 and latest[0].is_scored and latest[0].lacking < latest[0].cases:
        yield from _figures(done[0])
    counts = {name: sum(getattr(one, name) for one in done) for name in _MOVED}
    if any(one.broken for one in latest):
        counts["errors"] = 0
    if what.endswith(ACCEPTED):
        counts[ACCEPTED] = 0
    moved = [(wording.plural(counts[n], "case"), verb) for n, verb in _MOVED.items() if counts[n]]
    if moved:
        chance = latest[0].chance if len(latest) == 1 and counts["regressed"] else ""
        told = ", ".join(f"{counted} {verb}" for counted, verb in moved)
        yield ": ".join(filter(None, (told, chance)))
    if len(latest) == 1 and latest[0].is_scored and done[0].cost:
        yield done[0].cost
    yield from _count_lacking(done, what)
    yield from _count_problems(latest, what)
    yield from (_describe_rules(one) for one in latest if one.rules)
    uncompared = dict.fromkeys(one.reason for one in done if one.reason)
    if uncompared:
        yield f"Not compared with the base: {'; '.join(uncompared)}"


def _count_problems(latest: Latest, what: str) -> Iterator[str]:
    """Count the problems that the sentence does not name."""
    problems = sum(one.problems for one in latest)
    if len(latest) == 1 and latest[0].error and latest[0].error in what:
        problems -= 1
        if problems:
            yield f"{wording.plural(problems, 'more problem')}, listed below"
    elif problems:
        yield f"{wording.plural(problems, 'problem')}, listed below"


def _describe_rules(one: Digest) -> str:
    if one.approved:
        return f"Rule change approved by {one.approved}: {one.rules}"
    kept = "" if one.pending or one.exit_code else f"; it passes by those of {one.base} as well"
    return f"Rules changed: {one.rules}{kept}"


def _count_lacking(done: Latest, what: str) -> Iterator[str]:
    lacking, cases = (sum(getattr(one, name) for one in done) for name in ("lacking", "cases"))
    if lacking and not what.endswith(_EVIDENCE):
        yield wording.write_lacking(lacking, cases)


_MOVED = {
    "regressed": "regressed",
    "fixed": "fixed",
    "removed_failing": "removed while failing",
    ACCEPTED: "accepted",
    "errors": "in error",
}


def _figures(one: Digest) -> Iterator[str]:
    if one.figure:
        against = f" against {one.base or 'the base'}" if one.compared else ""
        yield f"{one.figure}{against}"
