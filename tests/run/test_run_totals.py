import pytest

from agentevals.files.spool import encode
from agentevals.model.results import CaseReport, Verdict
from agentevals.run.run_totals import Judged, keep_reports, pack_cases
from agentevals.traces import turn_performance

MEASURED = turn_performance.measure(())
# of one turn, of one turn with figures of its own, of two, and of none
FIGURES = {
    "one": (MEASURED,),
    "its own": ({**MEASURED, "models": ["m"]},),
    "two": (MEASURED, MEASURED),
    "none": (),
}


def make_report(figures):
    return CaseReport(
        case_id="c", verdict=Verdict.PASS, performance=MEASURED, turn_performance=FIGURES[figures]
    )


@pytest.mark.parametrize("figures", FIGURES)
def test_a_report_is_on_disk_what_it_was(figures):
    report = make_report(figures)
    kept = keep_reports(CaseReport, budget=0)

    kept.append(report)
    kept.append_frame(pack_cases([Judged(report, 0, (), ())]).frames[0])

    assert kept.is_on_disk
    assert list(kept) == [report, report]


def test_the_figures_of_an_only_turn_are_kept_once():
    report = make_report("one")

    (frame,) = pack_cases([Judged(report, 0, (), ())]).frames

    assert len(frame) < len(encode(report)) - len(encode((MEASURED,))) // 2
