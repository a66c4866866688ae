"""What a run adds up over its cases, in whatever process and on whatever machine."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from sys import maxsize
from typing import Any, NamedTuple

import msgspec

from agentevals.files.spool import BUDGET, Spool, encode
from agentevals.model.noun import Noun
from agentevals.model.results import CaseReport, Evaluation, Finding, Severity
from agentevals.run import verdict
from agentevals.run.attempts import Places
from agentevals.run.families import FamilyCount
from agentevals.run.pairing.pairing_findings import report
from agentevals.run.pairing.unpaired_findings import Leftovers
from agentevals.run.run_costs import CostTally, Spent
from agentevals.run.run_frame import Frame
from agentevals.traces import turn_performance

# where the figures of a turn are those of the case: no turn has none
_THE_SAME: tuple[dict[str, Any], ...] = ({},)


class Judged(NamedTuple):
    """All that is known of one case: its report, and what a run adds up over its cases."""

    report: CaseReport
    start_ns: int
    spent: tuple[Spent, ...]
    attributes: tuple[str, ...]  # that might tell its family, if it has none


class Packed(NamedTuple):
    """Consecutive cases as a run keeps them, and what they add up to."""

    frames: list[bytes]
    names: list[tuple[str, str, int]]  # of the cases and their files, and when they began
    sums: "Sums"


@dataclass
class Sums:
    """Adds up the cases of a run, or of a part of it."""

    costs: CostTally = field(default_factory=lambda: CostTally({}))
    tally: verdict.Tally = field(default_factory=verdict.Tally)
    used: turn_performance.RunPerformance = field(default_factory=turn_performance.RunPerformance)

    def add(self, judged: Judged) -> None:
        """Add the next case."""
        self.tally.add(judged.report)
        self.used.add(judged.report.performance)
        self.costs.add(judged.spent)

    def join(self, later: "Sums") -> None:
        """Add the cases that follow."""
        self.tally.join(later.tally)
        self.used.join(later.used)
        self.costs.join(later.costs)


def keep_reports(kind: type[CaseReport], *, budget: int = BUDGET) -> Spool[CaseReport]:
    """Return what keeps the reports of a run."""
    return Spool(kind, budget=budget, shorten=_drop_repeat, restore=_repeat)


def _drop_repeat(report: CaseReport) -> CaseReport:
    """Return a report without the figures of its only turn, which are those of the case."""
    told = report.turn_performance
    if len(told) != 1 or told[0] is not report.performance:
        return report
    return msgspec.structs.replace(report, turn_performance=_THE_SAME)


def _repeat(report: CaseReport) -> CaseReport:
    if report.turn_performance != _THE_SAME:
        return report
    return msgspec.structs.replace(report, turn_performance=(report.performance,))


def pack_cases(judged: Iterable[Judged]) -> Packed:
    """Return consecutive cases as a run keeps them."""
    packed = Packed([], [], Sums(tally=verdict.Tally(most_gates=maxsize)))
    for each in judged:
        found = each.report
        packed.frames.append(encode(_drop_repeat(found)))
        source = found.sources[0] if found.sources else ""
        packed.names.append((found.case_id, source, each.start_ns))
        packed.sums.add(each)
    return packed


class Rest(Noun, frozen=True, omit_defaults=False):
    """The facts that are known of a part once all of its cases were judged."""

    left: Leftovers
    remarks: dict[str, Finding] = {}
    judge: dict[str, Any] = {}
    refused: tuple[str, ...] = ()  # settings that a judge did not take, as sentences


@dataclass
class Gathering:
    """Adds up the cases of a run in their order, and makes an evaluation of them."""

    reports: Spool[CaseReport]
    families: FamilyCount
    sums: Sums = field(default_factory=Sums)
    places: Places = field(default_factory=Places)

    def add(self, judged: Judged) -> None:
        """Add the next case."""
        self.sums.add(judged)
        self.places.add(judged.report, judged.start_ns)
        self.reports.append(judged.report)

    def take(self, packed: Packed) -> None:
        """Add the next cases, which another process has packed."""
        self.sums.join(packed.sums)
        for name in packed.names:
            self.places.add_name(*name)
        for frame in packed.frames:
            self.reports.append_frame(frame)

    def build(self, frame: Frame, rest: Rest) -> Evaluation:
        """Return the evaluation of all cases that were added."""
        known = self.describe(frame, rest.judge)
        told = (
            Finding(severity=Severity.WARNING, rule="judge-setting-refused", message=one)
            for one in rest.refused
        )
        # what evaluators say beside their grades is not in the order of their threads
        remarks = (rest.remarks[said] for said in sorted(rest.remarks))
        found = self._list_findings(frame, rest.left)
        findings = (*frame.run.findings, *found, *known.findings, *remarks, *told)
        return msgspec.structs.replace(known, findings=findings)

    def describe(self, frame: Frame, judge: dict[str, Any]) -> Evaluation:
        """Return what is known of the cases up to now."""
        cases, tally = self._join_attempts(frame)
        return msgspec.structs.replace(
            frame.run,
            cases=cases,
            findings=tally.missed_gates,
            score=tally.score,
            counts=tally.counts,
            performance=self.sums.used.result(),
            recording_cost=self.sums.costs.result(is_asked=frame.is_priced) or msgspec.UNSET,
            isolation=tally.isolation,
            judge=judge,
        )

    def _list_findings(self, frame: Frame, left: Leftovers) -> Iterator[Finding]:
        """Yield the findings. If nothing could be read, those that follow from that are omitted."""
        yield from frame.reading
        failed = any(found.severity is Severity.ERROR for found in frame.reading)
        if frame.has_traces or not failed:
            yield from report(frame.expected, left)
            yield from self.families.findings()

    def _join_attempts(self, frame: Frame) -> tuple[Sequence[CaseReport], verdict.Tally]:
        """Return the cases with their counts: several attempts of a case are one case."""
        number = len(self.reports)
        cases = self.places.join(self.reports, frame.run.policy)
        if cases is self.reports:
            return cases, self.sums.tally
        tally = verdict.Tally(attempts=number if len(cases) < number else 0)
        for case in cases:
            tally.add(case)
        return cases, tally
