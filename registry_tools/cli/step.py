"""`registry-validate` and `registry-index` of the action: one step of a workflow.

GitHub knows who agreed to a pull request: its author, and who approves its head.
"""

import dataclasses
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager

from msgspec.structs import replace

from agentevals.action.job import Job
from agentevals.files.git_process import Git, describe_foreign
from agentevals.github import approvals, pull_requests
from agentevals.github.api import Api
from agentevals.github.runner import step_outputs
from agentevals.model.errors import InputError, UnavailableError
from agentevals.text.redaction import redact_texts
from agentevals.text.wording import plural
from registry_tools.cli import registry_comment
from registry_tools.cli.checked_change_page import Page
from registry_tools.cli.formats import FORMATS
from registry_tools.cli.registry_gate import Isolation, Level, Validation
from registry_tools.index import index_build, index_staleness
from registry_tools.manifests import registry_folder
from registry_tools.manifests.owner_agreement import WHO, Agreement
from registry_tools.manifests.registry_finding import Outcome

_ISOLATION = {level.value: level for level in Isolation}
_LEVELS = {level.value: level for level in Level}
_PULLS = ("pull_request", "pull_request_target")
_PROPOSALS = (*_PULLS, "merge_group")
_ADVICE = f"{WHO}, then run this job again"
_QUEUED = re.compile(r"gh-readonly-queue/.+/pr-([0-9]{1,9})-[0-9a-f]{40,64}")


def validate(job: Job) -> int:
    """Report every finding at its line; of a pull request, also what it changes for users."""
    with _trust_checkout(job):
        return _validate(job)


def index(job: Job) -> int:
    """Write the files of the index; with `dry-run`, check that they are there."""
    with _trust_checkout(job):
        return _index(job)


@contextmanager
def _trust_checkout(job: Job) -> Iterator[None]:
    """Let git read the checkout, which belongs to another user."""
    before = dict(os.environ)
    os.environ |= describe_foreign(job.workspace.root)
    try:
        yield
    finally:
        os.environ.clear()
        os.environ |= before


def _validate(job: Job) -> int:
    where = _find_entries(job)
    base = _find_base(job, where)
    is_proposed = _check_history(job, where, base)
    asked = Validation(
        where,
        base,
        _LEVELS[job.inputs.level],
        lambda: find_agreement(job),
        is_published=not is_proposed,
    )
    checked = _place(job, where, _validate_entries(job, asked))
    for piece in FORMATS["github" if job.log.obeyed else "text"].render(checked):
        job.log.stream.write(piece)
    if job.inputs.summary == "on":
        page = Page(checked, job.build_scene(), job.context.base_ref or "").render()
        for note in step_outputs.append_summary(job.environ, ["".join(page)]):
            job.log.warning(f"summary: {note}")
    address = registry_comment.write(job, checked) if is_proposed else ""
    return _finish(job, passed=checked.ok, address=address)


def _place(job: Job, where: registry_folder.Where, outcome: Outcome) -> Outcome:
    """Return findings without secrets, with paths from the top of the repository."""
    prefix = os.fsdecode(Git(where.root).answer("rev-parse", "--show-prefix") or b"").strip("\n")
    redacted = (redact_texts(finding, job.log.redact) for finding in outcome.findings)
    return replace(outcome, findings=tuple(replace(f, path=prefix + f.path) for f in redacted))


def _index(job: Job) -> int:
    root = job.workspace.folder
    made = index_build.build_index(root)
    for finding in made.findings:
        job.log.warning(f"{finding.place}: {finding.message}")
    leftovers = index_staleness.find_leftovers(root, made.files)
    files = {root / name: content for name, content in made.files.items()} | leftovers
    stale = index_staleness.find_differing(files)
    for sentence in index_staleness.explain(stale, made.index):
        job.log.log(sentence)
    if not job.inputs.dry_run:
        index_staleness.write(files)
    job.log.log(f"{plural(len(made.index.evaluators), 'evaluator')} listed")
    return _finish(job, passed=not (job.inputs.dry_run and stale))


def _find_base(job: Job, where: registry_folder.Where) -> str:
    """Return what the checkout is compared with; the payload's commit may be older than that."""
    context = job.context
    branch = f"refs/remotes/origin/{context.base_ref}^{{commit}}"
    words = ("rev-parse", "--verify", "--quiet", "--end-of-options", branch)
    if context.event in _PULLS and (found := Git(where.root).answer(*words)):
        return found.decode("ascii").strip()
    return context.base_sha or ""


def _check_history(job: Job, where: registry_folder.Where, base: str) -> bool:
    """Return whether this is a proposal that can be compared; InputError where nobody can tell."""
    if job.context.event not in _PROPOSALS:
        return False
    if not where.folder:
        job.log.notice("an evaluator that is in no registry is in no index: nothing is compared")
    elif Git(where.root).answer("merge-base", "--end-of-options", base, "HEAD") is None:
        msg = "the checkout cannot be compared with the base branch, whose history is not here; "
        raise InputError(msg + "give 'fetch-depth: 0' to actions/checkout")
    return True


def _validate_entries(job: Job, asked: Validation) -> Outcome:
    """Validate changed entries, or all where nobody can tell what changed."""
    isolation = _ISOLATION.get(job.inputs.isolation or "", Isolation.PARTIAL)
    try:
        return asked.validate(isolation=isolation)
    except InputError as error:
        if not (asked.changed_since and asked.is_published):
            raise
        job.log.notice(f"everything is checked: {error}")
        return dataclasses.replace(asked, changed_since="").validate(isolation=isolation)


def _find_entries(job: Job) -> registry_folder.Where:
    """Return the entries that `config` names, or all."""
    named = [job.workspace.resolve(text, "config") for text in job.inputs.config]
    return registry_folder.find(named or [job.workspace.folder])


def _finish(job: Job, *, passed: bool, address: str = "") -> int:
    values = {"verdict": "passed" if passed else "failed"}
    step_outputs.set_outputs(job.environ, values | ({"comment-url": address} if address else {}))
    return 0 if passed else 1


def find_agreement(job: Job) -> Agreement:
    """Return who agreed; nobody where GitHub does not answer, and the log says why."""
    number = job.context.number or _find_queued(job.context.head_ref or "")
    if job.api is None or number is None:
        job.log.notice("approvals: there is no token, or no pull request, to ask GitHub about")
        return Agreement(advice=_ADVICE)
    try:
        return _ask(job, job.api, number)
    except (UnavailableError, InputError) as error:
        job.log.warning(f"approvals: {error}")
        return Agreement(advice=_ADVICE)


def _ask(job: Job, api: Api, number: int) -> Agreement:
    repository = job.context.repository
    pull = pull_requests.get(api, repository, number)
    commit = job.context.head_sha if job.context.number else pull.head.sha
    people = approvals.list_approvers(api, repository, number, commit or "")
    if pull.user and pull.user.is_person:
        people.append(pull.user)
    return Agreement(
        frozenset(one.id for one in people),
        any(approvals.may_write(api, repository, one.login) for one in people),
        _ADVICE,
    )


def _find_queued(branch: str) -> int | None:
    """Return the pull request of an entry of a merge queue. Its branch is named by GitHub."""
    found = _QUEUED.fullmatch(branch)
    return int(found[1]) if found else None
