"""How far the evaluation of a job has come: what a cancelled job still tells."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from agentevals.action.job import Job
from agentevals.action.scoring import redact_report
from agentevals.compare import partial
from agentevals.model.outcome import Outcome
from agentevals.model.results import Evaluation, Finding
from agentevals.model.review import Review
from agentevals.text.redaction import redact_texts

_RULES = "rules of the base"


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
                partial.settle_partial(
                    run, config=left[0], today=job.now.date(), exit_code=exit_code
                )
            )
            left = left[1:]
        lost = map(partial.note_unevaluated, left if outcomes else ())
        return partial.review_partial(scene, outcomes, [*notes, *lost], exit_code)
