"""Our own check run: the comment's first screen, annotations, and the baseline of later runs."""

from collections.abc import Iterator, Mapping

from agentevals.action.job import Job
from agentevals.compare import baselines
from agentevals.github import checks
from agentevals.github.checks import TEXT_BYTES, Check, CheckAnnotation, Ending, Output
from agentevals.model.review import Origin, Outcome, Review
from agentevals.report.pages import annotations
from agentevals.report.pages import check as page

_BASELINES = 48_000  # bytes of the text that they may take together
_HIDDEN = "\n<!-- {} -->"
_DISARMED = baselines.DIGEST.replace(":", " ")  # what an agent said is nobody's baseline


class CheckRun:
    """Begun before the evaluation and concluded after it."""

    def __init__(self, job: Job) -> None:
        self._job = job
        self._begun: Check | None = None
        self._mark = ""  # of a check run that says that something runs
        self.wanted = job.inputs.check != "off"
        there = job.api and job.commit
        self.obstacle = "" if there else "there is no token, or no commit, to write a check run for"

    def begin(self, review: Review) -> None:
        self._begun = self._start(review)

    def publish(self, review: Review) -> Mapping[str, str]:
        begun = self._begun or self._start(review)
        done = self._conclude(begun, review)
        self._mark = ""
        return {"check-url": done.html_url} if done.html_url else {}

    def close(self, review: Review) -> None:
        begun = (self._begun or self._lost()) if self._mark else None
        if begun:
            self._conclude(begun, review)

    def _conclude(self, begun: Check, review: Review) -> Check:
        hidden = "".join(_baselines(review))
        shown = page.check(review, TEXT_BYTES - len(hidden))
        text = shown.text.replace(baselines.DIGEST, _DISARMED) + hidden
        output = Output(title=shown.title, summary=shown.summary, text=text)
        ending = Ending(
            conclusion=shown.conclusion, output=output, annotations=self._annotations(review)
        )
        return checks.conclude(self._job.github, self._job.context.repository, begun, ending)

    def _start(self, review: Review) -> Check:
        job, summary = self._job, page.check(review).summary
        place, self._mark = job.context.repository, checks.make_mark()
        return checks.start(
            job.github, place, job.name, job.commit, summary=summary, mark=self._mark
        )

    def _lost(self) -> Check | None:
        """What was begun when the signal came, so that the answer was not heard."""
        job = self._job
        place = job.context.repository
        return checks.find_marked(job.github, place, job.name, job.commit, self._mark)

    def _annotations(self, review: Review) -> tuple[CheckAnnotation, ...]:
        if self._job.inputs.annotations == "off":
            return ()
        return tuple(
            CheckAnnotation(
                path=found.path,
                start_line=found.line,
                end_line=found.line,
                annotation_level=found.level,
                message=found.message,
                title=found.title,
            )
            for found in annotations.annotations(review)
        )


def _baselines(review: Review) -> Iterator[str]:
    """What later runs read back, out of sight. The page gets the room that they leave.

    What a stranger has reported is no baseline for anybody.
    """
    sections = () if review.scene.secondhand else review.sections
    judged = [section for section in sections if section.report is not None]
    for section in judged:
        room = _BASELINES // len(judged) - len(_HIDDEN)
        packed = _packed(review, section, room)
        if packed:
            yield _HIDDEN.format(packed)


def _packed(review: Review, section: Outcome, room: int) -> str | None:
    made = baselines.of_section(section, review, Origin(path=section.config))
    return baselines.packed(made, room) if made else None
