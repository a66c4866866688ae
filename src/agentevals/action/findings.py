"""Findings of a run: with paths of the repository, and printed in the log.

Changes of a pull request to its own gate are findings too: allowed, and always reported.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import msgspec

from agentevals.action.checkouts import Checkouts, move_path
from agentevals.action.job import Job
from agentevals.action.scoring import choose_configs, compile_once
from agentevals.compare import policies
from agentevals.model.errors import AgentEvalsError, ConfigError
from agentevals.model.outcome import Outcome
from agentevals.model.results import Blame, Evaluation, Finding, Severity
from agentevals.run.verdict import EXIT_CODES

_BLAMES = {code: blame for blame, code in EXIT_CODES.items()}  # by the exit code of an error

_NAMED_CONFIGS = 5  # configs in a sentence


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
    """Log findings. Those with a place are also annotated there, by a destination."""
    for note in notes:
        if note.severity is Severity.ERROR and not note.path:
            job.log.error(note.message)
        else:
            place = ":".join(str(part) for part in (note.path, note.line, note.column) if part)
            where = f"{place}: " if place else ""
            job.log.log(f"{note.severity}: {where}{note.message}")


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


def add_gate_changes(job: Job, checkouts: Checkouts, config: Path, run: Evaluation) -> Evaluation:
    """Return the run with findings about gates that differ from the base, if that is unpacked."""
    context = job.context
    tree = checkouts.trees.find(context.base_sha or "")
    if tree is None or context.number is None or context.privileged:
        return run
    there = move_path(config, checkouts.config_root, tree)
    try:
        base = compile_once(job, checkouts, tree, there).policy if there.is_file() else run.policy
    except AgentEvalsError:  # a base that cannot be read has no gate to compare with
        return run
    found = policies.find_changes(base, run.policy, checkouts.name_config(config))
    return msgspec.structs.replace(run, findings=(*run.findings, *found))


def find_removed_configs(
    job: Job, checkouts: Checkouts, configs: Sequence[Path]
) -> Iterator[Finding]:
    """Yield a finding about configs that the inputs name in the base, but not any more here."""
    context = job.context
    tree = checkouts.trees.find(context.base_sha or "")
    if tree is None or context.number is None or context.privileged:
        return
    there = replace(checkouts, config_root=tree)
    try:
        before = [there.name_config(config) for config in choose_configs(job, there)]
    except AgentEvalsError:  # the base had none
        return
    missing = sorted(set(before) - {checkouts.name_config(config) for config in configs})
    if missing:
        more = f" and {len(missing) - _NAMED_CONFIGS} more" if len(missing) > _NAMED_CONFIGS else ""
        named = f"{', '.join(missing[:_NAMED_CONFIGS])}{more}"
        yield Finding(
            severity=Severity.WARNING,
            rule="config-removed",
            message=f"not evaluated any more, because this pull request removes it: {named}",
        )
