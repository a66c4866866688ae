"""A long run is settled on every core, and without a baseline in little memory."""

import gc
import tracemalloc
from datetime import date

import pytest

from agentevals.compare import comparison
from agentevals.compare.baselines import NoBaseline
from agentevals.compare.case_pairs import LonePairs
from agentevals.compare.case_summaries import Summaries, pack_summary, summarise
from agentevals.files.spool import Spool
from agentevals.files.workers import use_cores
from agentevals.model.outcome import Outcome
from agentevals.model.results import CaseReport, Evaluation
from tests.compare.runs import case, report, result, unknown

MANY = 2100  # cases, of which several processes take parts


def make_cases(number: int) -> list[CaseReport]:
    """Cases of every kind: passed and failed ones, errors, and missing evidence."""
    made = []
    for at in range(number):
        results = [result("path", (at % 7) / 6), result("words", 1 / (1 + at % 3))]
        if at % 50 == 1:
            results.append(unknown("cost", remedy=f"Record more ({at % 3})"))
        if at % 90 == 2:
            results.append(result("code", None, status="ERROR", error=f"broken {at % 4}"))
        made.append(case(f"case-{at}", *results, sources=("t.jsonl",)))
    return made


def settle(run: Evaluation, **more: object) -> Outcome:
    return comparison.settle(run, NoBaseline(reason=""), config="c", today=date(2026, 1, 1), **more)


@pytest.fixture
def cores():
    yield use_cores
    use_cores(None)


@pytest.mark.parametrize("repeated", [False, True])
def test_parts_come_to_what_one_walk_does(repeated, cores):
    cases = make_cases(MANY)
    run = report([*cases, *cases[:40]] if repeated else cases)
    cores(1)
    alone = settle(run)
    cores(2)

    split = settle(run)

    assert split.findings == alone.findings
    assert split.gates == alone.gates
    assert split.counts == alone.counts
    assert split.highlights == alone.highlights
    assert (split.verdict, split.exit_code) == (alone.verdict, alone.exit_code)
    assert list(split.report.cases.summaries) == list(alone.report.cases.summaries)


def test_who_watches_sees_each_case_in_its_order(cores):
    cores(2)
    seen = []

    settle(report(make_cases(MANY)), watch=seen.append)

    assert [one.case_id for one in seen] == [f"case-{at}" for at in range(MANY)]


def test_summaries_are_the_same_in_memory_and_on_disk():
    known = [summarise(one) for one in make_cases(40)]
    held, packed = Summaries(), Summaries()
    for summary in known:
        held.append(summary)
        packed.append_frame(pack_summary(summary))

    assert list(held) == list(packed) == known
    assert held[3:6] == packed[3:6] == known[3:6]
    assert [pair.case_id for pair in LonePairs(packed)] == [one.kept.case_id for one in known]
    assert LonePairs(packed)[-1].head == known[-1].attempts


def test_a_settled_run_holds_a_few_bytes_of_each_case(cores):
    cores(2)
    held = []
    for number in (MANY, 3 * MANY):
        reports = Spool(CaseReport, budget=0)
        for one in make_cases(number):
            reports.append(one)
        run = Evaluation(title="t", cases=reports, evaluators=("path", "words"))
        gc.collect()
        tracemalloc.start()
        outcome = settle(run)
        gc.collect()
        held.append(tracemalloc.get_traced_memory()[0])
        tracemalloc.stop()
        assert len(outcome.report.cases) == number

    assert (held[1] - held[0]) / (2 * MANY) < 150
