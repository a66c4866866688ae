"""Which members of a report its JSON Schemas require."""

import os
from collections.abc import Iterator

import msgspec
import pytest

from agentevals.files.spool import Spool
from agentevals.model.noun import Noun
from agentevals.model.results import CaseReport, Verdict
from agentevals.report.outputs import report, review
from agentevals.report.report_json import write_cases
from agentevals.text.json_text import Items, Members, Parts, document


def kinds(base: type[Noun] = Noun) -> Iterator[tuple[str, type[Noun]]]:
    """Every noun, by the name that it has in a schema."""
    for kind in base.__subclasses__():
        yield kind.__name__, kind
        yield from kinds(kind)


@pytest.mark.parametrize("output", [report, review], ids=["report", "review"])
def test_a_member_that_is_written_only_where_it_applies_is_not_required(output):
    definitions = output.schema()["$defs"]
    known = [(name, kind) for name, kind in kinds() if name in definitions]

    absent = [
        (name, field.name)
        for name, kind in known
        for field in msgspec.structs.fields(kind)
        if field.default is msgspec.UNSET and field.name in definitions[name]["required"]
    ]

    assert known
    assert absent == [], "list them in agentevals.report.report_json, with what their absence means"


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
