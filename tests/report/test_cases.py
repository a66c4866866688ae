import os

import pytest

from agentevals.files.spool import Spool
from agentevals.model.results import CaseReport, Verdict
from agentevals.report.cases import write_cases
from agentevals.text.json_ import Items, Members, Parts, document


def write(cases):
    found = write_cases(cases, lambda case: (case, case.case_id), level=1)
    return type(found), "".join(document(Members([("cases", found)])))


@pytest.mark.parametrize("budget", [0, 2**30], ids=["on disk", "in memory"])
def test_many_cases_are_written_on_every_core_to_the_same_bytes(budget):
    cases = Spool(CaseReport, budget=budget)
    for number in range(3000):
        cases.append(CaseReport(case_id=f"c{number}", verdict=Verdict.PASS))
    cases.flush()
    cores = os.sched_getaffinity(0)

    together = write(cases)
    os.sched_setaffinity(0, {min(cores)})
    try:
        alone = write(cases)
    finally:
        os.sched_setaffinity(0, cores)

    assert alone[0] is Items
    assert together == (Parts if len(cores) > 1 else Items, alone[1])


def test_a_few_cases_are_written_here():
    kind, _ = write([CaseReport(case_id="c", verdict=Verdict.PASS)])

    assert kind is Items
