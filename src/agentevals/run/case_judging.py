"""Judging the cases of a run: one after the other, or parts of them in processes of their own."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

from agentevals.configs.plan import Plan
from agentevals.files.workers import can_fork, count_cores, cut_range, do_parts
from agentevals.graders.grader import Grader, Services
from agentevals.model.cases import Case
from agentevals.model.results import Finding, Result
from agentevals.run.case_keeping import Keeper
from agentevals.run.engine import Grading, make_report
from agentevals.run.families import Families, FamilyCount
from agentevals.run.pairing import Pairing
from agentevals.run.pairing.unpaired_findings import Leftovers
from agentevals.run.run_costs import CostTally
from agentevals.run.run_totals import Judged
from agentevals.run.run_transcripts import add_transcript
from agentevals.sandbox import cancelling
from agentevals.traces.turns import read_groups
from agentevals.traces.turns.conversation_groups import Groups

_PART = 128  # conversations; a worker begins with the next part when it has told of one
_WORTH_IT = 512  # conversations, below which another process costs more than it saves
_OURS = "agentevals."


class Part(NamedTuple):
    """Holds what consecutive conversations of a run come to, wherever they were judged."""

    judged: Sequence[Judged]
    left: Leftovers
    findings: dict[str, Finding]


class _Packed(NamedTuple):
    """Holds a part of a run as a worker hands it over."""

    number: int
    cases: Any  # as the keeper has packed them
    families: Sequence[tuple[str, str, tuple[str, ...]]]
    left: Leftovers
    findings: dict[str, Finding]


@dataclass(frozen=True, kw_only=True)
class Judging:
    """The evaluators of a run, and the conversations that they judge."""

    plan: Plan
    services: Services
    families: Families
    costs: CostTally
    pairing: Pairing
    groups: Groups
    jobs: int
    transcribe: bool = False

    def walk(self, keeper: Keeper[Any], shard: range | None = None) -> None:
        """Judge each case, or those of a shard, and keep it, in the order of the conversations."""
        workers = min(self.jobs, count_cores())
        conversations = range(len(self.groups)) if shard is None else shard
        if workers > 1 and self._can_be_split(conversations):
            self._walk_parts(workers, conversations, keeper)
            return
        grading = Grading(self.plan, self._pair(shard), self.services, jobs=self.jobs)
        try:
            for case, results in grading:
                with cancelling.hold():
                    keeper.keep(self._judge(case, results))
        except cancelling.Cancelled:
            for case, results in grading.list_ended():
                keeper.keep(self._judge(case, results))
            raise

    def _pair(self, shard: range | None) -> Iterator[Case]:
        if shard is None:
            return self.pairing.pair(read_groups(self.groups))
        read = partial(read_groups, self.groups)
        return self.pairing.pair_shard(read, shard, len(self.groups))

    def _walk_parts(self, workers: int, conversations: range, keeper: Keeper[Any]) -> None:
        parts = cut_range(conversations, _PART)
        for done in do_parts(lambda at: self._pack_part(parts[at], keeper), len(parts), workers):
            self.pairing.left.add(done.left)
            self.services.findings.update(done.findings)
            for case_id, family, attributes in done.families:
                self.families.count.add(case_id, family, attributes)
            with cancelling.hold():
                keeper.take(done.cases, done.number)

    def _pack_part(self, part: range, keeper: Keeper[Any]) -> _Packed:
        done = self.judge_part(part)
        is_asked = self.families.count.is_asked
        families = [
            (one.report.case_id, one.report.family or "", one.attributes)
            for one in (done.judged if is_asked else ())
        ]
        cases = keeper.pack(done.judged)
        return _Packed(len(done.judged), cases, families, done.left, done.findings)

    def judge_part(self, part: range | None) -> Part:
        """Judge a part of the conversations, or all that there are in the run."""
        pairing = self.pairing.begin_anew()
        conversations = read_groups(self.groups, part)
        pair = pairing.pair if part is None else pairing.pair_part
        grading = Grading(self.plan, pair(conversations), self.services, jobs=1)
        judged = [self._judge(case, results) for case, results in grading]
        return Part(judged, pairing.left, self.services.findings)

    def _judge(self, case: Case, results: tuple[Result, ...]) -> Judged:
        family, attributes = self.families.find(case)
        self.families.count.add(case.case_id, family, attributes)
        turns = case.conversation.turns
        report = make_report(case, results, self.plan.policy_for(case), family)
        return Judged(
            report=add_transcript(report, case) if self.transcribe else report,
            start_ns=min([turn.start_ns for turn in turns], default=0),
            spent=self.costs.read(turns),
            attributes=attributes,
        )

    def _can_be_split(self, conversations: range) -> bool:
        """Return whether each part comes to what it does among all others, and sooner.

        A program, a request or another package may be asked once for all cases.
        """
        return (
            len(conversations) >= _WORTH_IT
            and can_fork()
            and not self.groups.has_attempts
            and all(map(only_computes, self.plan.all_graders))
            and self.pairing.begin_anew().has_several(read_groups(self.groups))
        )


def add_part(
    part: Part,
    pairing: Pairing,
    services: Services,
    families: FamilyCount,
    keep: Callable[[Judged], None],
) -> None:
    """Put the next part of a run to those before it."""
    pairing.left.add(part.left)
    services.findings.update(part.findings)
    for judged in part.judged:
        report = judged.report
        families.add(report.case_id, report.family or "", judged.attributes)
        with cancelling.hold():
            keep(judged)


def only_computes(grader: Grader) -> bool:
    """Return whether an evaluator needs nothing but a case: no program, request or package."""
    is_ours = type(grader).__module__.startswith(_OURS)
    return is_ours and not grader.waits and not grader.judged
