"""The command that gives the same result on anybody's machine."""

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from shlex import quote

import msgspec

from agentevals.action.job import Job
from agentevals.compare.summaries import summarise_all
from agentevals.github.context import EventContext
from agentevals.model.review import Outcome

_MOST = 1_000  # characters; a longer list of traces is left to the config


def add_command(section: Outcome, job: Job, is_committed: Callable[[Path], bool]) -> Outcome:
    """Return the section with the command that gives the same result locally."""
    inputs, folder = job.inputs, job.workspace.folder.relative_to(job.workspace.root)
    config = quote(os.path.relpath(section.config, folder))
    words = ["agentevals", "run", *map(quote, inputs.traces), "--config", config]
    if inputs.eval_set:
        words += ["--eval-set", quote(inputs.eval_set)]
    if inputs.on_not_evaluated:
        words += ["--on-not-evaluated", inputs.on_not_evaluated]
    command = " ".join(words)
    lines = [*_list_checkout(job.context)]
    cases = section.report.cases if section.report else ()
    if not all(
        is_committed(Path(source)) for case in summarise_all(cases) for source in case.sources
    ):
        lines.append("# record the traces again: this run has read some that are not in the commit")
    lines += [f"cd {quote(str(folder))}"] if folder.parts else []
    lines.append(command if len(command) <= _MOST else f"agentevals run --config {config}")
    return msgspec.structs.replace(section, reproduce="\n".join(lines), leg=job.matrix_job)


def _list_checkout(context: EventContext) -> Iterator[str]:
    """Yield commands that check out the commit. One of a fork needs the pull request's number."""
    head = context.head_sha or context.sha or ""
    if head and context.fork and context.number:
        yield f"git fetch origin refs/pull/{context.number}/head"
    if head:
        yield f"git checkout {head[:12]}"
