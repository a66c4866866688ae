"""One job of a workflow: its inputs, its event, its files and its API."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path

from agentevals.github.api import Api
from agentevals.github.api_retries import CLOCK, Clock
from agentevals.github.check_runs import Mark
from agentevals.github.event_context import EventContext
from agentevals.github.runner.inputs import Inputs
from agentevals.github.runner.workflow_log import Log
from agentevals.github.runner.workspace import Workspace
from agentevals.model.errors import InputError
from agentevals.model.review import Scene

NAME = "agentevals"
_LONGEST = 100  # characters of the name of an artifact


@dataclass(frozen=True, kw_only=True)
class Job:
    """One step of a workflow. `api` is None without a token or an address.

    `kept` are files that the report folder gets beside the report, by their names in it.
    """

    inputs: Inputs
    context: EventContext
    workspace: Workspace
    log: Log
    environ: Mapping[str, str]
    scratch: Path
    now: datetime
    clock: Clock = CLOCK
    api: Api | None = None
    kept: dict[str, Path] = field(default_factory=dict)

    @property
    def github(self) -> Api:
        """The API, or an InputError if there is none."""
        if self.api is None:
            msg = "there is no token to ask GitHub with; give 'github-token'"
            raise InputError(msg)
        return self.api

    def explain_unkept(self) -> str:
        """Return why conversations that no commit has are not kept; empty if they are."""
        wanted, private = self.inputs.keep_traces, self.context.private
        if wanted == "on" or (wanted == "auto" and private):
            return ""
        if wanted == "off":
            return "'keep-traces: off' says so"
        why = "this repository is public" if private is False else "the event names no repository"
        return f"{why}, and they hold conversations; 'keep-traces: on' keeps them"

    @property
    def commit(self) -> str:
        """The evaluated commit, which check runs and statuses belong to; empty if unknown.

        A privileged run has the base checked out, which it does not evaluate.
        """
        context = self.context
        return context.head_sha or (context.sha if not context.privileged else "") or ""

    @property
    def key(self) -> str:
        """The key that tells reviews of several workflows on one pull request apart."""
        context = self.context
        made_by = context.source.workflow if context.source else context.workflow
        return self.inputs.comment_key or made_by or NAME

    @property
    def matrix_job(self) -> str:
        """The matrix job and the shard, which tell jobs apart that publish into one review."""
        shard = f"shard {self.inputs.shard}" if self.inputs.shard else ""
        return ", ".join(filter(None, (self.context.matrix, shard)))

    @property
    def name(self) -> str:
        """The name of the check run and of the commit status."""
        return " / ".join(filter(None, (NAME, self.inputs.comment_key, self.matrix_job)))

    @property
    def mark(self) -> Mark:
        """The mark of a check run: what it is evaluated for, in which run."""
        context = self.context
        whose = "\n".join((self.key, context.workflow, context.job, self.matrix_job))
        key = sha256(whose.encode("utf-8", "replace")).hexdigest()[:12]
        return Mark(key=key, run_id=context.run_id or 0, attempt=context.run_attempt)

    @property
    def report_name(self) -> str:
        """The name under which the report of this job is kept: the same in every run, and that of
        no other job of the run, which could not keep another under it."""
        words = "-".join(filter(None, (NAME, self.key, self.context.job, self.matrix_job)))
        name = "".join(char if char.isalnum() or char in "-_." else "-" for char in words)
        if len(name) <= _LONGEST:
            return name
        digest = sha256(words.encode("utf-8", "replace")).hexdigest()[:8]
        return f"{name[: _LONGEST - len(digest) - 1]}-{digest}"

    @property
    def artifact(self) -> str:
        """The name of the artifact of this attempt, because an artifact cannot be replaced."""
        attempt = self.context.run_attempt
        return f"{self.report_name}-attempt-{attempt}" if attempt > 1 else self.report_name

    def build_scene(self) -> Scene:
        """Return the place of the run, for the review."""
        context = self.context
        return Scene(
            server_url=context.server_url,
            repository=context.repository,
            event=context.event,
            number=context.number,
            head_sha=self.commit,
            head_ref=self.log.redact(context.head_ref or ""),
            base_sha=context.base_sha or "",
            base_ref=context.base_ref or "",
            run_id=context.run_id or 0,
            run_number=context.run_number or 0,
            run_attempt=context.run_attempt,
            run_url=context.run_url,
            workflow=context.workflow,
            job=context.job,
            leg=self.matrix_job,
            fork=context.fork,
            made_at=self.now.astimezone(UTC).isoformat(timespec="seconds"),
        )
