"""Places of traces and evaluators in the repository, the findings there, and the command that
repeats a run.
"""

import os
import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from shlex import quote

import msgspec

from agentevals.action.checkouts import Checkouts, make_relative
from agentevals.action.job import Job
from agentevals.action.kept_traces import Kept
from agentevals.compare.case_summaries import list_recordings, summarise_all
from agentevals.configs import dialects
from agentevals.files.named_files import exists
from agentevals.github.event_context import EventContext
from agentevals.github.runner.workflow_log import Kind, LogMessage
from agentevals.model.errors import AgentEvalsError, ConfigError
from agentevals.model.outcome import Highlight, Outcome, Place
from agentevals.model.results import Blame, CaseReport, Finding, Report, Severity
from agentevals.report.pages.page_links import is_within_repository
from agentevals.run.attempts import find_worst
from agentevals.run.verdict import EXIT_CODES

_MOST = 1_000  # characters; a longer list of traces is left to the config
_READ = 64 * 2**20  # bytes of a trace file that are searched
_SITED = 60  # highlights that get places; no page shows more
_COMPRESSED = {".gz"}
_BLAMES = {code: blame for blame, code in EXIT_CODES.items()}  # by the exit code of an error


def add_command(
    outcome: Outcome, job: Job, is_committed: Callable[[Path], bool], kept: Kept | None
) -> Outcome:
    """Return the section with the commands that give the same result locally."""
    inputs, folder = job.inputs, job.workspace.folder.relative_to(job.workspace.root)
    config = quote(os.path.relpath(outcome.config, folder))
    words = ["agentevals", "run", *_name_traces(job, kept), "--config", config]
    if inputs.eval_set:
        words += ["--eval-set", quote(inputs.eval_set)]
    if inputs.on_not_evaluated:
        words += ["--on-not-evaluated", inputs.on_not_evaluated]
    command = " ".join(words)
    lines = [*_list_checkout(job.context)]
    cases = outcome.report.cases if outcome.report else ()
    if kept:
        lines += _list_download(job, kept)
    elif not all(
        is_committed(Path(source)) for one in list_recordings(cases) for source in one.sources
    ):
        lines.append("# record the traces again: this run has read some that are not in the commit")
    lines += [f"cd {quote(str(folder))}"] if folder.parts else []
    lines.append(command if len(command) <= _MOST else f"agentevals run --config {config}")
    return msgspec.structs.replace(outcome, reproduce="\n".join(lines), leg=job.matrix_job)


def _name_traces(job: Job, kept: Kept | None) -> Iterator[str]:
    """Yield the traces as they are typed: those of the inputs, unless a copy of them is kept."""
    if kept is None:
        yield from map(quote, job.inputs.traces)
        return
    place = _find_download(job) / kept.folder
    yield quote(os.path.relpath(place, job.workspace.folder)) + ("" if kept.whole else "/*")


def _list_download(job: Job, kept: Kept) -> Iterator[str]:
    """Yield the commands that fetch the kept traces; none where no run can have an artifact."""
    if run := job.context.run_id:
        into = quote(_find_download(job).name)
        yield f"gh run download {run} -n {quote(job.artifact)} -D {into}"
    if kept.missing:
        yield f"# {kept.missing}"


def _find_download(job: Job) -> Path:
    """Return the folder that the artifact of this run is unpacked into, else that of the report."""
    if run := job.context.run_id:
        return job.workspace.root / f"{job.artifact}-{run}"
    return job.workspace.resolve(job.inputs.report_dir, "report-dir")


def _list_checkout(context: EventContext) -> Iterator[str]:
    """Yield commands that check out the commit. One of a fork needs the pull request's number."""
    head = context.head_sha or context.sha or ""
    if head and context.fork and context.number:
        yield f"git fetch origin refs/pull/{context.number}/head"
    if head:
        yield f"git checkout {head[:12]}"


def add_locations(outcome: Outcome, config: Path, checkouts: Checkouts) -> Outcome:
    """Return the section with the places of highlights and findings in the head of the repository.

    A file that differs from the commit has no place: a link to it would lead nowhere, or to
    another line.
    """
    findings = tuple(_name_place(found, checkouts) for found in outcome.findings)
    rules = _Rules(config, checkouts)
    cases = _find_cases(outcome.report, {shown.case_id for shown in outcome.highlights[:_SITED]})
    located = (
        _locate_highlight(shown, cases.get(shown.case_id), rules, checkouts)
        for shown in outcome.highlights[:_SITED]
    )
    highlights = (*located, *outcome.highlights[_SITED:])
    return msgspec.structs.replace(outcome, highlights=highlights, findings=findings)


def _name_place(found: Finding, checkouts: Checkouts) -> Finding:
    """Return a finding that only its message places, if the head lacks the file it is about."""
    if not found.path or checkouts.is_at_head(Path(found.path)):
        return found
    place = ":".join(str(part) for part in (found.path, found.line, found.column) if part)
    message = f"{place}: {found.message}"
    return msgspec.structs.replace(found, path="", line=None, column=None, message=message)


def _find_cases(report: Report | None, wanted: set[str]) -> dict[str, CaseReport]:
    """Return the reports of the wanted cases; of several attempts the one that is shown."""
    if report is None:
        return {}
    names = (summary.kept.case_id for summary in summarise_all(report.cases))
    return {name: find_worst(report.cases[at]) for at, name in enumerate(names) if name in wanted}


def _locate_highlight(
    shown: Highlight, case: CaseReport | None, rules: "_Rules", checkouts: Checkouts
) -> Highlight:
    reasons = (
        msgspec.structs.replace(reason, rule=rules.locate(reason.evaluator))
        for reason in shown.reasons
    )
    trace = _locate_trace(case, checkouts) if case else None
    return msgspec.structs.replace(shown, trace=trace, reasons=tuple(reasons))


class _Rules:
    """The lines of evaluators in a config, each looked up once.

    A config that the head has changed has no lines there if another version of it judges.
    """

    def __init__(self, config: Path, checkouts: Checkouts) -> None:
        root, head = checkouts.config_root, checkouts.trace_root
        self._config, self._path = config, make_relative(config, root)
        if root == head:
            self._is_shown = checkouts.is_at_head(config)
        else:
            self._is_shown = _are_same(config, head / self._path)
        self._known: dict[str, Place | None] = {}

    def locate(self, evaluator: str) -> Place | None:
        if evaluator not in self._known:
            self._known[evaluator] = self._find_place(evaluator)
        return self._known[evaluator]

    def _find_place(self, evaluator: str) -> Place | None:
        if not self._path or not evaluator or not self._is_shown:
            return None
        try:
            return Place(path=self._path, line=dialects.find_line(self._config, evaluator))
        except AgentEvalsError:
            return Place(path=self._path)


def _are_same(one: Path, other: Path) -> bool:
    return other.is_file() and one.read_bytes() == other.read_bytes()


def _locate_trace(case: CaseReport, checkouts: Checkouts) -> Place | None:
    """Return the line where a trace begins: the first that names one of its spans."""
    head = checkouts.trace_root
    for source in case.sources:
        file = head / source
        path = make_relative(file, head)
        if path and exists(file) and checkouts.is_at_head(file):
            return Place(path=path, line=_find_line(file, _list_names(case)))
    return None


def _list_names(case: CaseReport) -> Iterable[str]:
    for ref in case.turn_refs:
        yield ref.span_id
    yield from case.trace_ids
    yield case.conversation_id


def _find_line(file: Path, names: Iterable[str]) -> int | None:
    if file.suffix in _COMPRESSED:
        return None
    with file.open("rb") as opened:
        text = opened.read(_READ)
    for name in names:
        at = text.find(f'"{name}"'.encode(errors="replace")) if name else -1
        if at >= 0:
            return text.count(b"\n", 0, at) + 1
    return None


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
