"""`evaluate`: score the traces of a pull request, compare with its base, publish, and gate.

A cancelled job still tells how far it has come.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import cast

import msgspec

from agentevals.action import (
    abandoned_runs,
    baseline_sources,
    config_scoring,
    event_lookups,
    freshness,
    job_configs,
    job_parts,
    relevance,
    repository_places,
    rules,
    step_closing,
    step_judges,
)
from agentevals.action.checkouts import Checkouts, open_checkouts
from agentevals.action.config_scoring import redact_report
from agentevals.action.job import Job
from agentevals.action.kept_traces import KeptTraces
from agentevals.action.publisher import Publisher, set_outputs, set_unevaluated
from agentevals.action.rules import grant_changes
from agentevals.compare import cancelled_settlement, comparison, settlement
from agentevals.files import documents
from agentevals.model.errors import AgentEvalsError
from agentevals.model.outcome import FailOn, Outcome
from agentevals.model.results import Evaluation, Finding, Verdict
from agentevals.model.review import Review, State
from agentevals.model.rule_changes import Rules
from agentevals.model.version import VERSION
from agentevals.report.outputs import table
from agentevals.sandbox import cancelling, package_indexes
from agentevals.text.redaction import redact_texts

_ENDED = "the evaluation stopped early; the log of the run has the reason"
_RULES = "rules of the base"


def evaluate(job: Job) -> int:
    """Return the exit code of the step. An error is published like a result."""
    job = event_lookups.look_up_or_warn(job)
    if job.context.fork:
        package_indexes.withhold_passwords()
    if job.context.refusal:
        job.log.notice(f"nothing is evaluated: {job.context.refusal}")
        if job.context.closed and job.context.comment is None:  # anybody may comment
            abandoned_runs.close_all(job)
        set_unevaluated(job)
        return 0
    if job.inputs.shard:
        return job_parts.evaluate_part(job, job.inputs.shard)
    progress = Progress()
    with Publisher(job) as publisher:
        try:
            with cancelling.insist(), documents.keep():
                review = _evaluate_configs(job, publisher, progress)
        except AgentEvalsError as error:
            review = _build_broken(job, error)
        except cancelling.Cancelled as cancelled:
            publisher.shows(_sign(job, progress.build_review(job, cancelled.exit_code)))
            raise
        except BaseException:  # what has begun must not look as if it ran for ever
            publisher.publish(_build_broken(job, AgentEvalsError(_ENDED)))
            raise
        repository_places.log(job, review.notes)
        addresses = publisher.publish(review)
    set_outputs(job, [review], addresses)
    step_closing.close(job, [review], addresses)
    return review.exit_code


def report_broken(job: Job, error: AgentEvalsError) -> int:
    """Publish that there is nothing to evaluate by, and return the exit code."""
    job = event_lookups.look_up_or_warn(job)
    review = _build_broken(job, error)
    repository_places.log(job, review.notes)
    addresses: Mapping[str, str] = {}
    if not job.context.refusal:
        with Publisher(job) as publisher:
            addresses = publisher.publish(review)
    set_outputs(job, [review], addresses)
    step_closing.close(job, [review], addresses)
    return review.exit_code


@dataclass
class Progress:
    """The configs of a job, the outcomes so far, and the run of the config under way."""

    configs: Sequence[str] = ()
    outcomes: list[Outcome] = field(default_factory=list)
    notes: list[Finding] = field(default_factory=list)
    run: Evaluation | None = None
    ended: int = 0  # configs that have an outcome, or a note that says why not
    sharing: int = 1  # configs that share one chance of a false alarm

    def keep(self, run: Evaluation) -> None:
        """Keep the run of the config under way, whole or as far as it came."""
        self.run = run

    def end_config(self) -> None:
        self.ended, self.run = self.ended + 1, None

    def build_review(self, job: Job, exit_code: int) -> Review:
        """Return the review of the job, which was cancelled."""
        # a config that passes says nothing before the rules of the base have judged it as well
        scene, outcomes = job.build_scene(), list(self.outcomes)
        notes, left = redact_texts(self.notes, job.log.redact), self.configs[self.ended :]
        left = left or [_RULES]
        if self.run:
            run = redact_report(self.run, job.log.redact)
            outcomes.append(
                cancelled_settlement.settle_partial(
                    run, config=left[0], today=job.now.date(), exit_code=exit_code
                )
            )
            left = left[1:]
        lost = map(cancelled_settlement.note_unevaluated, left if outcomes else ())
        return cancelled_settlement.review_partial(scene, outcomes, [*notes, *lost], exit_code)


def _evaluate_configs(job: Job, publisher: Publisher, progress: Progress) -> Review:
    closed = abandoned_runs.close_killed(job)
    checkouts = open_checkouts(job)
    chosen = job_configs.choose_configs(job, checkouts)
    if not relevance.is_relevant(job, checkouts, chosen):
        known = relevance.knows_agent(job, checkouts, chosen)
        state = State.UNAFFECTED if known else State.UNCHANGED
        return _start_review(job, state, verdict=None)
    publisher.begin(_start_review(job, State.RUNNING, verdict=None))
    progress.configs = list(map(checkouts.name_config, chosen))
    progress.sharing = job_configs.count_configs(job, checkouts, chosen)
    progress.notes = [*checkouts.notes, *closed]
    outcomes, notes = progress.outcomes, progress.notes
    kept = KeptTraces(job, checkouts, several=len(chosen) > 1)
    for config in chosen:
        try:
            outcomes.append(_evaluate_config(job, checkouts, config, progress, kept))
        except AgentEvalsError as error:
            notes += repository_places.convert_error(job, error)
        progress.end_config()
    changed: Rules | msgspec.UnsetType = msgspec.UNSET
    try:
        changed = rules.judge_rules(job, checkouts, chosen, outcomes)
    except AgentEvalsError as error:
        notes += repository_places.convert_error(job, error)
    notes = redact_texts(notes, job.log.redact)
    return _sign(job, settlement.review_of(job.build_scene(), outcomes, notes, changed))


def _evaluate_config(
    job: Job, checkouts: Checkouts, config: Path, progress: Progress, kept: KeptTraces
) -> Outcome:
    name = checkouts.name_config(config)
    with job.log.group(f"Evaluate {name}"):
        step_judges.check_judges(job, checkouts, config)
        held = grant_changes.hold_back(job, checkouts, config)
        if job.inputs.parts:
            run = job_parts.merge_parts(job, checkouts, config, held.plan)
        else:
            run = config_scoring.score(job, checkouts, config, held.plan, rescue=progress.keep)
        run = msgspec.structs.replace(run, findings=(*run.findings, *held.findings))
        progress.keep(run)
        run = step_judges.add_new_hosts(job, checkouts, config, run)
        earlier = baseline_sources.find_baseline(job, checkouts, config, run.identity)
        shown = table.Shown(run)
        outcome = comparison.settle(
            run,
            earlier,
            watch=shown.add,
            config=name,
            today=job.now.date(),
            fail_on=FailOn(job.inputs.fail_on),
            configs=progress.sharing,
        )
        # with the verdict of the outcome, which is that of the step
        for piece in table.render_run(outcome, shown):
            job.log.write(piece)
    outcome = freshness.add_arrivals(job, checkouts, outcome)
    outcome = freshness.add_freshness(job, checkouts, config, outcome)
    outcome = repository_places.rename_paths(
        job, repository_places.add_locations(outcome, config, checkouts)
    )
    outcome = repository_places.add_command(outcome, job, checkouts.is_committed, kept.keep(config))
    return cast("Outcome", redact_texts(outcome, job.log.redact))


def _build_broken(job: Job, error: AgentEvalsError) -> Review:
    notes = tuple(repository_places.convert_error(job, error))
    started = _start_review(job, State.BROKEN, Verdict.ERROR)
    return msgspec.structs.replace(started, exit_code=error.exit_code, notes=notes)


def _start_review(job: Job, state: State, verdict: Verdict | None) -> Review:
    review = Review(
        scene=job.build_scene(), state=state, verdict=verdict, exit_code=0, version=VERSION
    )
    return _sign(job, review)


def _sign(job: Job, review: Review) -> Review:
    """Return the review with its key, and with the image that has made it."""
    image = job.environ.get("AGENTEVALS_IMAGE", "")
    return msgspec.structs.replace(review, key=job.key, image=image)
