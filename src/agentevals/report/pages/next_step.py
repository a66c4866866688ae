"""The one thing to do next: the same line in the comment, the check and the log."""

from collections.abc import Sequence
from typing import NamedTuple

from agentevals.model import project_links
from agentevals.model.results import Verdict
from agentevals.model.review import State
from agentevals.report.pages.comment_digest import Digest
from agentevals.text import markdown


class Step(NamedTuple):
    """A sentence without its full stop, and the heading of our pages that says more."""

    text: str
    heading: str

    @property
    def words(self) -> str:
        """All of it as one line of plain text."""
        return f"Next: {self.text}: {project_links.find_page(self.heading)}"


def write(step: Step | None) -> str:
    """Write the line as Markdown; nothing where nothing is to be done."""
    if step is None:
        return ""
    return (
        f"**Next:** {markdown.text(step.text)} ([help]({project_links.find_page(step.heading)}))."
    )


def choose_after_failure(latest: Sequence[Digest]) -> Step:
    """Cases before limits: where both fail, the cases are the reason."""
    failed = any(one.failed > one.accepted or one.regressed for one in latest)
    return _FIX_CASES if failed else _KEEP_LIMITS


def choose_after_error(latest: Sequence[Digest]) -> Step:
    """Return what to do about the most severe error, or about a run that was cancelled."""
    if all(one.state is State.CANCELLED for one in latest):
        return _RUN_AGAIN
    return _OF_ERRORS.get(max(one.exit_code for one in latest), _READ_ERRORS)


def choose_without_score(latest: Sequence[Digest]) -> Step:
    """Return how the first config without a verdict gets one."""
    for one in latest:
        if one.state is State.UNCHANGED:
            return _RECORD_CHANGE
        if one.lacking:
            return _RECORD_EVIDENCE
        if one.stale:
            return _RECORD_AGAIN
        if not one.cases:
            return _FIND_TRACES
    return _READ_REASONS


def choose_after_doubt(latest: Sequence[Digest]) -> Step:
    """A figure that could not be decided before cases to look at."""
    if any(one.unsure and not one.compared for one in latest):
        return _GET_BASELINE
    if any(one.unsure for one in latest):
        return _ADD_CASES
    borderline = any(one.verdict is Verdict.BORDERLINE for one in latest)
    lacking = any(one.lacking for one in latest) and not borderline
    return _RECORD_EVIDENCE if lacking else _LOOK


_TROUBLE = "docs/troubleshooting.md"
_FIX_CASES = Step(
    "fix the agent, or, if the new behaviour is intended, change what the cases below expect",
    "docs/reading.md#a-case-fails",
)
_KEEP_LIMITS = Step(
    "fix the agent, or change the limit in 'gate'; the table says which is not kept",
    "docs/reading.md#a-limit-is-not-kept",
)
_RUN_AGAIN = Step("run the job again", "docs/reading.md#the-first-line")
_READ_ERRORS = Step(
    "fix what the errors below name, and run the job again", "docs/action.md#errors"
)
_OF_ERRORS = {
    1: Step("fix the evaluator that crashed, and push", "docs/action.md#errors"),
    2: Step("fix the file that is named, and push", "docs/action.md#errors"),
    3: Step(
        "run the job again; if the error stays, check the judge's key and address",
        "docs/action.md#errors",
    ),
    4: Step("run the job again; if the error stays, report it to us", "docs/action.md#errors"),
}
_RECORD_CHANGE = Step(
    "if the pull request changes the agent, record its traces again",
    f"{_TROUBLE}#a-recording-is-stale",
)
_RECORD_EVIDENCE = Step(
    "run 'agentevals doctor' on the traces; it names the setting that records what is missing",
    f"{_TROUBLE}#cases-lack-evidence",
)
_RECORD_AGAIN = Step("record the agent again", f"{_TROUBLE}#a-recording-is-stale")
_FIND_TRACES = Step(
    "check that traces were recorded, and that 'traces' names them",
    f"{_TROUBLE}#no-recording-arrived",
)
_READ_REASONS = Step("see the reason of each case below", "docs/reading.md#a-case-is-not-evaluated")
_GET_BASELINE = Step(
    "look at the figures below; the base has some once an evaluation has run there",
    "docs/action.md#what-it-is-compared-with",
)
_ADD_CASES = Step(
    "look at the figures below and decide for yourself; with more cases the gate would",
    "docs/action.md#the-table-of-figures",
)
_LOOK = Step("look at what is listed below before you merge", "docs/reading.md#the-cases")

TOLERATED = Step(
    "look at the failures below; 'fail-on' says what blocks", "docs/action.md#what-fails-the-step"
)
APPROVE = Step(
    "if the change of the rules is meant, approve it as below, and run the job again",
    f"{_TROUBLE}#rule-change-needs-approval",
)
