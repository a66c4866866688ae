"""Parts of a run put together: what comes out is what one run over all traces comes to."""

from collections.abc import Callable, Container, Iterator, Sequence

import msgspec

from agentevals.configs.plan import Plan
from agentevals.files.document_places import quote
from agentevals.graders.grader import Services
from agentevals.judge import create_judge
from agentevals.judge.judge_costs import add_usage
from agentevals.model.errors import InputError
from agentevals.model.results import CaseReport, Evaluation
from agentevals.model.transcripts import KeptCase
from agentevals.model.version import VERSION
from agentevals.run import identity
from agentevals.run.families import FamilyCount
from agentevals.run.pairing.unpaired_findings import Leftovers
from agentevals.run.run_frame import Frame, describe_frame, reduce_results
from agentevals.run.run_parts import Part
from agentevals.run.run_totals import Gathering, Rest, keep_reports
from agentevals.text.redaction import Redactor, redact_texts
from agentevals.text.wording import plural

_NAMED = 10  # numbers of parts in a sentence
_ODD = (KeyError, TypeError, ValueError, AttributeError, OverflowError)

Clean = Callable[[CaseReport], CaseReport]


def merge(
    parts: Sequence[Part], plan: Plan | None = None, clean: Clean | None = None
) -> Evaluation:
    """Put sorted parts together.

    The `plan` is needed only if an evaluator says something of all cases together.
    """
    frame = parts[0].foot.frame
    _check_reducing(frame, plan)
    reports = keep_reports(KeptCase)
    gathering = Gathering(reports, FamilyCount(frame.families))
    for part in parts:
        try:
            _add_cases(gathering, part, clean)
        except _ODD as error:
            msg = f"{part.name}: is damaged: a case is like none of a run ({error!r})"
            raise InputError(msg) from None
    services = Services(judge=create_judge(plan.judge)) if plan and frame.reducing else Services()
    overall = reduce_results(plan, reports, services) if plan else {}
    rests = [*(part.foot.rest for part in parts), Rest(Leftovers(), judge=services.judge.usage())]
    return msgspec.structs.replace(
        gathering.build(frame, _join_rests(frame, rests)),
        overall=overall,
        duration_ms=sum(part.foot.duration_ms for part in parts),
    )


def sort_parts(parts: Sequence[Part]) -> Sequence[Part]:
    """Return the parts in their order, or say which is missing, twice, or of another run."""
    first = parts[0]
    known: dict[int, Part] = {}
    for part in parts:
        if reason := _find_difference(first, part):
            msg = f"{part.name}: {reason} than {first.name}; give the parts of one run"
            raise InputError(msg)
        if other := known.get(part.shard.number):
            msg = f"{part.name}: is part {part.shard}, as {other.name} is; give each part once"
            raise InputError(msg)
        known[part.shard.number] = part
    missing = [str(n) for n in range(1, first.shard.total + 1) if n not in known]
    if missing:
        named = ", ".join(missing[:_NAMED]) + (", …" if len(missing) > _NAMED else "")
        msg = (
            f"of {plural(first.shard.total, 'part')} these are missing: {named}; "
            f"run them with '--shard N/{first.shard.total}'"
        )
        raise InputError(msg)
    return [known[number] for number in sorted(known)]


def _find_difference(first: Part, other: Part) -> str:
    """Return why two parts are not of one run; empty if they are."""
    if first.shard.total != other.shard.total:
        return f"is one of {other.shard.total} parts, which is another number"
    one, two = (part.foot.frame.run for part in (first, other))
    if one.version != two.version:
        return f"was made by another version ({quote(two.version)})"
    if _describe_judging(first.foot.frame) != _describe_judging(other.foot.frame):
        return "was judged by another config or eval set"
    return "" if first.foot.traces == other.foot.traces else "was made of other traces"


def _describe_judging(frame: Frame, aside: Container[str] = ()) -> Frame:
    """Return what a frame says beside findings, which name places on its machine.

    Evaluators that are put `aside` count by their names alone.
    """
    run, bare = frame.run, msgspec.structs.replace
    digests = {n: "" if n in aside else digest for n, digest in run.identity.evaluators.items()}
    known = bare(run.identity, evaluators=digests)
    return bare(
        frame, run=bare(run, cases=(), findings=(), identity=known), reading=(), has_traces=True
    )


def check_plan(part: Part, plan: Plan, hide: Redactor) -> None:
    """Refuse parts that were judged otherwise than this plan does."""
    run = part.foot.frame.run
    if run.version != VERSION:
        made = f"{part.name}: was made by version {quote(run.version)}, and this is {VERSION!r}"
        msg = f"{made}; use one version in all jobs"
        raise InputError(msg)
    fetched = {grader.name for grader in plan.graders if not grader.is_known}
    ours = redact_texts(describe_frame(plan, (), has_traces=True), hide)
    if _describe_judging(ours, fetched) != _describe_judging(part.foot.frame, fetched):
        msg = (
            f"{part.name}: was judged by another config or eval set than that of this job; "
            "give both jobs the same inputs and the same commit"
        )
        raise InputError(msg)


def _check_reducing(frame: Frame, plan: Plan | None) -> None:
    if not frame.reducing:
        return
    if plan is None:
        names = ", ".join(quote(name) for name in frame.reducing[:_NAMED])
        msg = f"{names} also judge all cases together; name their config with --config"
        raise InputError(msg)
    ours, theirs = identity.identify(plan), frame.run.identity
    if (ours.evaluators, ours.cases) != (theirs.evaluators, theirs.cases):
        msg = "--config: the parts were judged by another config or eval set; give that one"
        raise InputError(msg)


def _add_cases(gathering: Gathering, part: Part, clean: Clean | None) -> None:
    for judged in part.list_cases():
        found = judged.report
        gathering.families.add(found.case_id, found.family or "", judged.attributes)
        gathering.add(judged._replace(report=clean(found) if clean else found))


def _join_rests(frame: Frame, rests: Sequence[Rest]) -> Rest:
    left = Leftovers()
    for rest in rests:
        left.add(rest.left)
    return Rest(
        left=left,
        remarks={said: found for rest in rests for said, found in rest.remarks.items()},
        judge=add_usage((rest.judge for rest in rests), frame.judge_prices),
        refused=tuple(dict.fromkeys(_list_refused(rests))),
    )


def _list_refused(rests: Sequence[Rest]) -> Iterator[str]:
    for rest in rests:
        yield from rest.refused
