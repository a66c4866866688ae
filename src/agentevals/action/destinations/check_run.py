"""Our own check run: the comment's first screen, annotations, and the baseline of later runs."""

from collections.abc import Iterator, Mapping

from agentevals.action.job import Job
from agentevals.compare import baselines
from agentevals.github import check_runs
from agentevals.github.check_runs import TEXT_BYTES, Check, CheckAnnotation, Ending, Output
from agentevals.model.errors import UnavailableError
from agentevals.model.outcome import Origin, Outcome
from agentevals.model.review import Review
from agentevals.report.pages import check_run_page as page
from agentevals.report.pages import line_annotations

_BASELINES = 48_000  # bytes of the text that they may take together
_HIDDEN = "\n<!-- {} -->"
_DISARMED = baselines.DIGEST.replace(":", " ")  # text of an agent is no baseline


class CheckRun:
    """A check run that begins before the evaluation and is concluded after it."""

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
        job = self._job
        if review.scene.secondhand and check_runs.is_judged(
            job.github, job.context.repository, job.commit, job.name
        ):
            job.log.notice("check: your own run has evaluated this commit, so its result stays")
            return {}
        begun = self._begun or self._start(review)
        done = self._conclude(begun, review)
        self._mark = ""
        return {"check-url": done.html_url} if done.html_url else {}

    def close(self, review: Review) -> None:
        begun = (self._begun or self._find_lost()) if self._mark else None
        if begun:
            self._conclude(begun, review)

    def _conclude(self, begun: Check, review: Review) -> Check:
        hidden = "".join(_pack_baselines(review))
        shown = page.check(review, TEXT_BYTES - len(hidden))
        text = shown.text.replace(baselines.DIGEST, _DISARMED) + hidden
        output = Output(title=shown.title, summary=shown.summary, text=text)
        remarks = self._list_annotations(review)
        api, place = self._job.github, self._job.context.repository
        if begun.output.annotations_count:  # of an earlier attempt: they add up
            known = set(check_runs.list_annotations(api, place, begun))
            remarks = tuple(one for one in remarks if one not in known)
        ending = Ending(conclusion=shown.conclusion, output=output, annotations=remarks)
        return check_runs.conclude(api, place, begun, ending)

    def _start(self, review: Review) -> Check:
        job, summary = self._job, page.check(review).summary
        start = check_runs.CLAIM if review.scene.secondhand else check_runs.OWN
        mark = check_runs.make_mark(start, job.mark)
        place, self._mark = job.context.repository, mark
        earlier = self._find_earlier(start) if job.context.run_attempt > 1 else None
        if earlier:
            return check_runs.restart(job.github, place, earlier, summary=summary, mark=mark)
        return check_runs.start(
            job.github, place, job.name, job.commit, summary=summary, mark=self._mark
        )

    def _find_earlier(self, start: str) -> Check | None:
        """Return the check run of an earlier attempt, which is the same check once more."""
        job = self._job
        try:
            named = check_runs.list_checks(job.github, job.context.repository, job.commit, job.name)
        except UnavailableError:
            return None
        return next((one for one in named if check_runs.is_earlier(one, start, job.mark)), None)

    def _find_lost(self) -> Check | None:
        """Find the check run whose answer was lost because the run was cancelled."""
        job = self._job
        place = job.context.repository
        return check_runs.find_marked(job.github, place, job.name, job.commit, self._mark)

    def _list_annotations(self, review: Review) -> tuple[CheckAnnotation, ...]:
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
            for found in line_annotations.annotations(review)
        )


def _pack_baselines(review: Review) -> Iterator[str]:
    """Yield the hidden baselines for later runs. The page gets the room that they leave.

    The run of a pull request leaves none: its head becomes the base of others if it is merged as
    it is, and its recordings are claims until a run of the base branch has judged them.
    """
    scene = review.scene
    sections = () if scene.secondhand or scene.number is not None else review.sections
    judged = [outcome for outcome in sections if outcome.report is not None]
    for outcome in judged:
        room = _BASELINES // len(judged) - len(_HIDDEN)
        packed = _pack(review, outcome, room)
        if packed:
            yield _HIDDEN.format(packed)


def _pack(review: Review, outcome: Outcome, room: int) -> str | None:
    made = baselines.make_from_outcome(outcome, review, Origin(path=outcome.config))
    return baselines.pack(made, room) if made else None
