"""Findings of a run: with paths of the repository, and printed in the log."""

import re
from collections.abc import Iterable, Iterator

import msgspec

from agentevals.action.job import Job
from agentevals.github.runner.workflow_log import Kind, LogMessage
from agentevals.model.errors import AgentEvalsError, ConfigError
from agentevals.model.outcome import Outcome
from agentevals.model.results import Blame, Finding, Severity
from agentevals.report.pages.links import is_within_repository
from agentevals.run.verdict import EXIT_CODES

_BLAMES = {code: blame for blame, code in EXIT_CODES.items()}  # by the exit code of an error


def convert_error(job: Job, error: AgentEvalsError) -> Iterator[Finding]:
    """Yield a finding for each problem of an error."""
    blame = _BLAMES.get(error.exit_code, Blame.BUG)
    if not isinstance(error, ConfigError):
        message = shorten(job, str(error))
        yield Finding(severity=Severity.ERROR, rule="error", message=message, blame=blame)
        return
    for problem in error.problems:
        yield Finding(
            severity=Severity.ERROR,
            rule="config",
            message=shorten(job, problem.message),
            path=shorten(job, problem.path),
            line=problem.line,
            column=problem.column,
            blame=blame,
        )


def rename_paths(job: Job, outcome: Outcome) -> Outcome:
    """Return the section, with paths of the repository in its findings."""
    report = outcome.report
    return msgspec.structs.replace(
        outcome,
        findings=_rename_all(job, outcome.findings),
        report=report
        and msgspec.structs.replace(report, findings=_rename_all(job, report.findings)),
    )


def log(job: Job, notes: Iterable[Finding]) -> None:
    """Log findings. Errors are annotations at their place; a destination annotates the others."""
    for note in notes:
        if note.severity is Severity.ERROR:
            job.log.annotate(make_message(job, note))
        else:
            place = ":".join(str(part) for part in (note.path, note.line, note.column) if part)
            where = f"{place}: " if place else ""
            job.log.log(f"{note.severity}: {where}{note.message}")


def make_message(job: Job, note: Finding) -> LogMessage:
    """Return an annotation, at a line if the repository has the file."""
    is_file = is_within_repository(note.path) and (job.workspace.root / note.path).is_file()
    if not is_file or job.inputs.annotations == "off":
        return LogMessage(kind=Kind.ERROR, message=str(note))
    return LogMessage(
        kind=Kind.ERROR,
        message=note.message,
        file=note.path,
        line=note.line,
        column=note.column,
    )


def _rename_all(job: Job, findings: Iterable[Finding]) -> tuple[Finding, ...]:
    return tuple(
        msgspec.structs.replace(
            finding, path=shorten(job, finding.path), message=shorten(job, finding.message)
        )
        for finding in findings
    )


def shorten(job: Job, text: str) -> str:
    """Return a text without the folders of the checkout and of unpacked commits."""
    scratch, checkout = re.escape(str(job.scratch)), re.escape(str(job.workspace.root))
    return job.log.redact(re.sub(rf"{scratch}/[^/\s]+/|{checkout}/", "", text))
