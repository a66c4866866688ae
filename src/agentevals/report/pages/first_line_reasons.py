"""Why one config ended as it did: the second half of the first line, and the facts behind it."""

from collections.abc import Iterator, Sequence

from agentevals.model.review import State
from agentevals.report.pages.comment_digest import Digest
from agentevals.text import wording

ACCEPTED = "accepted"
_EVIDENCE = "evidence"
Latest = Sequence[Digest]


def explain_failure(one: Digest) -> str:
    """Say what fails: gates before cases, and those before figures."""
    if one.failing:
        return "the gate fails" if one.gates == 1 else f"{one.failing} of {one.gates} gates fail"
    regressed = wording.plural(one.uncovered or one.regressed, "case") + " regressed"
    if one.only_worse and (one.uncovered or one.fallen or one.chance):
        fallen = f"{one.fallen or 'the share of attempts that pass'} regressed"
        return regressed if one.uncovered else fallen
    if one.failed > one.accepted:
        return share(one.failed - one.accepted, one.cases, "failed")
    if one.regressed:
        return regressed
    if one.fallen:
        return f"{one.fallen} regressed"
    # such as an expected case that nobody has recorded
    return (
        f"{wording.plural(one.problems, 'problem')} beside the cases"
        if one.problems
        else "it failed"
    )


def explain_breakage(one: Digest) -> str:
    """Say how far a cancelled run came, or what is in error; else whose doing that is."""
    if one.state is State.CANCELLED:
        progress = wording.write_progress(one.cases, one.of)
        failed = f", {one.failed:,} failed" if one.failed else ""
        return f"the evaluation was cancelled {progress}{failed}"
    return one.error or _BLAMED.get(one.exit_code, "the evaluation could not be completed")


_BLAMED = {
    2: "the evaluation was given something that is wrong",
    3: "something outside that the evaluation needs is unavailable",
    4: "the evaluation ran into a bug of its own",
}


def explain_no_score(one: Digest) -> str:
    """Why nothing can be told about a config that did not fail to run."""
    if one.state is State.UNCHANGED:
        return "nothing that the evaluation reads was changed"
    if one.lacking:
        return wording.write_lacking(one.lacking, one.cases)
    if one.stale:
        return one.stale
    if one.cases < 2:  # noqa: PLR2004 -- one or none
        return "the only case has no score" if one.cases else "there was no case"
    return f"none of {one.cases:,} cases has a score"


def explain_doubt(one: Digest) -> str:
    """Say what somebody should look at although nothing fails."""
    if one.unsure:
        which = "the gate" if one.gates == 1 else f"{one.unsure} of {one.gates} gates"
        return f"{which} could not be checked"
    if one.fallen:
        return f"{one.fallen} regressed"
    if one.uncovered:
        return f"{wording.plural(one.uncovered, 'case')} regressed"
    if one.lacking:
        return wording.write_lacking(one.lacking, one.cases)
    if one.unscored:
        return f"{one.unscored:,} of {one.cases:,} cases have no score"
    counted = (
        (one.borderline, "case", "borderline"),
        (one.removed, "case", "removed"),
        (one.changed, "expectation", "changed"),
    )
    told = [f"{wording.plural(count, noun)} {how}" for count, noun, how in counted if count]
    return ", ".join(told) or share(one.failed, one.cases, "failed")


def share(some: int, cases: int, verb: str) -> str:
    """`3 of 10 cases passed`, `all 10 cases passed`."""
    if not cases:
        return "there was no case"
    if some == cases:
        return f"the only case {verb}" if some == 1 else f"all {cases:,} cases {verb}"
    return f"{some:,} of {cases:,} cases {verb}"


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
