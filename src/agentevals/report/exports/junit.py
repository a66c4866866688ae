"""`junit.xml`: all configs in one document, for CI systems that draw test results."""

from collections.abc import Callable, Generator, Iterable, Iterator
from functools import partial
from itertools import groupby

from agentevals.model.cases import Status
from agentevals.model.results import Verdict
from agentevals.model.review import Outcome, Review
from agentevals.report.exports import rows
from agentevals.report.exports.rows import Row
from agentevals.report.reporters import junit

FILE = "junit.xml"

Suites = Generator[str, None, bool]  # pieces, and in the end whether a test among them failed


def render(review: Review) -> Iterator[str]:
    """Every reason to fail is a failed test somewhere, and there is none without a reason."""
    reports = [section.report for section in review.sections if section.report]
    title = review.sections[0].title if len(review.sections) == 1 else "agentevals"
    return junit.document(title, sum(report.duration_ms for report in reports), _suites(review))


def _suites(review: Review) -> Iterator[str]:
    failed = yield from _listed(rows.of_notes(review))
    for section in review.sections:
        failed |= yield from _section(review, section)
    if review.verdict is Verdict.FAIL and not failed:
        yield from _listed([rows.unexplained("(review)")])


def _section(review: Review, section: Outcome) -> Suites:
    named = partial(rows.named, review, section)
    failed = yield from _listed(rows.beside(section), named)
    for shown in rows.cases(section):
        yield junit.case(shown.case, named(shown.case.case_id), shown.facts)
        failed |= shown.case.verdict is Verdict.FAIL
    if section.verdict is Verdict.FAIL and not failed:
        failed = yield from _listed([rows.unexplained("(run)")], named)
    return failed


def _listed(listed: Iterable[Row], named: Callable[[str], str] = str) -> Suites:
    failed = False
    for suite, members in groupby(listed, key=lambda row: row.suite):
        name, tests = named(suite), list(members)
        count = {status: sum(row.status is status for row in tests) for status in Status}
        yield junit.suite(
            name,
            [_test(name, row) for row in tests],
            failures=count[Status.FAILED],
            errors=count[Status.ERROR],
            skipped=count[Status.NOT_EVALUATED],
        )
        failed |= bool(count[Status.FAILED] or count[Status.ERROR])
    return failed


def _test(suite: str, row: Row) -> str:
    body = junit.properties(row.facts, 6) + junit.outcome(row.status, row.text)
    return junit.test(suite, row.name, body)
