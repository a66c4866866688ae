"""What went wrong with the input of a run: in the names of the repository, and said in the log."""

import re
from collections.abc import Iterable, Iterator

import msgspec

from agentevals.action.job import Job
from agentevals.model.errors import AgentEvalsError, ConfigError
from agentevals.model.results import Blame, Finding, Severity
from agentevals.model.review import Outcome
from agentevals.run.verdict import EXIT_CODES

_BLAMES = {code: blame for blame, code in EXIT_CODES.items()}  # by the exit code of an error


def of_error(job: Job, error: AgentEvalsError) -> Iterator[Finding]:
    """One for each problem that an error knows of."""
    blame = _BLAMES.get(error.exit_code, Blame.BUG)
    if not isinstance(error, ConfigError):
        message = shortened(job, str(error))
        yield Finding(severity=Severity.ERROR, rule="error", message=message, blame=blame)
        return
    for problem in error.problems:
        yield Finding(
            severity=Severity.ERROR,
            rule="config",
            message=shortened(job, problem.message),
            path=shortened(job, problem.path),
            line=problem.line,
            column=problem.column,
            blame=blame,
        )


def named(job: Job, section: Outcome) -> Outcome:
    """The section, with the findings of its run in the names of the repository."""
    report = section.report
    return msgspec.structs.replace(
        section,
        findings=_all_named(job, section.findings),
        report=report
        and msgspec.structs.replace(report, findings=_all_named(job, report.findings)),
    )


def log(job: Job, notes: Iterable[Finding]) -> None:
    """What has a place is annotated there, by a surface; here it is a line of the log."""
    for note in notes:
        if note.severity is Severity.ERROR and not note.path:
            job.log.error(note.message)
        else:
            place = ":".join(str(part) for part in (note.path, note.line, note.column) if part)
            where = f"{place}: " if place else ""
            job.log.log(f"{note.severity}: {where}{note.message}")


def _all_named(job: Job, findings: Iterable[Finding]) -> tuple[Finding, ...]:
    return tuple(
        msgspec.structs.replace(
            finding, path=shortened(job, finding.path), message=shortened(job, finding.message)
        )
        for finding in findings
    )


def shortened(job: Job, text: str) -> str:
    """Without the folder of the checkout, and without that into which something was unpacked."""
    scratch, checkout = re.escape(str(job.scratch)), re.escape(str(job.workspace.root))
    return job.log.redact(re.sub(rf"{scratch}/[^/\s]+/|{checkout}/", "", text))
