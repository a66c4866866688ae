"""Our own check run: the comment's first screen, annotations, and the baseline of later runs."""

import msgspec

from agentevals import baselines
from agentevals.action.job import Job
from agentevals.action.previous.reports import figures_of, history
from agentevals.github import checks
from agentevals.github.checks import TEXT_BYTES, Annotation, Check, Ending, Output
from agentevals.pages import annotations
from agentevals.pages import check as page
from agentevals.review import Origin, Review, Section

_ROOM = 48_000  # bytes of the text that baselines may take


class CheckRun:
    """Begun before the evaluation and concluded after it."""

    def __init__(self, job: Job) -> None:
        self._job = job
        self._begun: Check | None = None

    def missing(self) -> str | None:
        job = self._job
        if job.inputs.check == "off":
            return ""
        there = job.api and (job.occasion.head_sha or job.occasion.sha)
        return None if there else "there is no token, or no commit, to write a check run for"

    def begin(self, review: Review) -> None:
        job = self._job
        if job.api:
            shown = page.check(review)
            self._begun = checks.start(
                job.api, job.occasion.repository, job.name, self._sha, summary=shown.summary
            )

    def publish(self, review: Review) -> dict[str, str]:
        job = self._job
        if job.api is None:
            return {}
        shown = page.check(review)
        if self._begun is None:
            self.begin(review)
        if self._begun is None:
            return {}
        output = Output(title=shown.title, summary=shown.summary, text=_text(review, shown.text))
        ending = Ending(
            conclusion=shown.conclusion, output=output, annotations=self._annotations(review)
        )
        done = checks.conclude(job.api, job.occasion.repository, self._begun, ending)
        job.shown["check"] = done.html_url or "yes"
        return {"check-url": done.html_url} if done.html_url else {}

    @property
    def _sha(self) -> str:
        return self._job.occasion.head_sha or self._job.occasion.sha or ""

    def _annotations(self, review: Review) -> tuple[Annotation, ...]:
        if self._job.inputs.annotations == "off":
            return ()
        return tuple(
            Annotation(
                path=found.path,
                start_line=found.line,
                end_line=found.line,
                annotation_level=found.level,
                message=found.message,
                title=found.title,
            )
            for found in annotations.annotations(review)
        )


def _text(review: Review, text: str) -> str:
    """The page, and out of sight the baselines, which later runs read back."""
    room = min(_ROOM, TEXT_BYTES - len(text.encode()) - 200)
    hidden = [
        packed
        for section in review.sections
        if (packed := _packed(review, section, room // len(review.sections) - 20))
    ]
    return text + "".join(f"\n<!-- {packed} -->" for packed in hidden)


def _packed(review: Review, section: Section, room: int) -> str | None:
    if section.report is None or room <= 0:
        return None
    origin = Origin(path=section.config, commit=review.scene.head_sha)
    made = baselines.of_report(section.report, origin, figures=figures_of(section))
    return baselines.packed(msgspec.structs.replace(made, history=history(section, review)), room)
