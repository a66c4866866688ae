"""`registry-validate` and `registry-index` of the action: one step of a workflow."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

from agentevals.action import git
from agentevals.action.job import Job
from agentevals.errors import InputError
from agentevals.presentation.wording import plural
from agentevals.runner import outputs
from registry_tools import registry
from registry_tools.outcome import Outcome
from registry_tools.outputs import OUTPUTS
from registry_tools.published import build, staleness
from registry_tools.published.serialise import FOLDER
from registry_tools.validation import Validation, Walls

_WALLS = {"basic": Walls.BASIC, "partial": Walls.PARTIAL, "strict": Walls.STRICT}


def validate(job: Job) -> int:
    """Every finding at its line; of a pull request, what it changes."""
    with _checkout(job):
        return _validate(job)


def index(job: Job) -> int:
    """The files of the index, where they belong; with `dry-run` they must be there already."""
    with _checkout(job):
        return _index(job)


@contextmanager
def _checkout(job: Job) -> Iterator[None]:
    """It belongs to somebody else, and whoever asks git about it has to be allowed to."""
    before = dict(os.environ)
    os.environ |= git.environment(job.workspace.root)
    try:
        yield
    finally:
        os.environ.clear()
        os.environ |= before


def _validate(job: Job) -> int:
    walls = _WALLS.get(job.inputs.isolation or "", Walls.PARTIAL)
    outcome = _outcome(job, Validation(_where(job), job.occasion.base_sha or ""), walls)
    for piece in OUTPUTS["github" if job.log.obeyed else "text"].render(outcome):
        job.log.stream.write(piece)
    if job.inputs.summary == "on":
        page = "".join(OUTPUTS["markdown"].render(outcome))
        for note in outputs.append_summary(job.environ, [page]):
            job.log.warning(f"summary: {note}")
    return _ended(job, passed=outcome.ok)


def _index(job: Job) -> int:
    root = job.workspace.folder
    made = build.built(root)
    for finding in made.findings:
        job.log.warning(f"{finding.place}: {finding.message}")
    leftovers = staleness.leftovers(root / FOLDER, made.files)
    files = {root / name: content for name, content in made.files.items()} | leftovers
    stale = staleness.differing(files)
    for sentence in staleness.explained(stale, made.index):
        job.log.log(sentence)
    if not job.inputs.dry_run:
        staleness.write(files)
    job.log.log(f"{plural(len(made.index.evaluators), 'evaluator')} listed")
    return _ended(job, passed=not (job.inputs.dry_run and stale))


def _outcome(job: Job, asked: Validation, walls: Walls) -> Outcome:
    """Of everything, where nobody can tell what has changed."""
    try:
        return asked.outcome(walls=walls)
    except InputError as error:
        if not asked.changed_since:
            raise
        job.log.notice(f"everything is checked: {error}")
        return replace(asked, changed_since="").outcome(walls=walls)


def _where(job: Job) -> registry.Where:
    """The entries that `config` names, or all."""
    named = [job.workspace.path(text, "config") for text in job.inputs.config]
    return registry.find(named or [job.workspace.folder])


def _ended(job: Job, *, passed: bool) -> int:
    outputs.set_outputs(job.environ, {"verdict": "passed" if passed else "failed"})
    return 0 if passed else 1
