"""Publish to all destinations, and set the outputs of the step.

A failing destination affects neither the others nor the verdict. A run that may only read says once
what it does not write, unless a workflow publishes it.
"""

import re
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from types import TracebackType
from typing import TypeVar

import msgspec

from agentevals.action.destinations import DESTINATIONS, REPLACED_BY, Destination
from agentevals.action.job import NAME, Job
from agentevals.files.git_process import Git, describe_foreign
from agentevals.github.api_calls import PermissionMissingError, RefusedError
from agentevals.github.runner import step_outputs
from agentevals.model.errors import InputError, UnavailableError
from agentevals.model.outcome import Outcome
from agentevals.model.results import Verdict
from agentevals.model.review import Review, State
from agentevals.model.rule_changes import Rules
from agentevals.report.pages import first_line
from agentevals.sandbox import cancelling

_NOT_EVALUATED = "not-evaluated"
_TO_CLOSE = 3.5  # seconds; whoever cancels waits for five, and something else is to be ended too
Made = TypeVar("Made")
_FOLDER = ".github/workflows"
_SECONDS = 10
_PUBLISHES = re.compile(r"""^\s*command\s*:\s*["']?publish\b""", re.MULTILINE)
_LARGEST = 2**20  # bytes of a workflow that is looked at


def set_outputs(job: Job, reviews: Sequence[Review], addresses: Mapping[str, str]) -> None:
    """Set the outputs that `outputs.OUTPUTS` lists, as far as they have a value."""
    every = tuple(outcome for review in reviews for outcome in review.sections)
    worst = max(reviews, key=_rank)
    review = msgspec.structs.replace(worst, sections=every)
    counts = review.counts
    scores = [outcome.score for outcome in every if outcome.score is not None]
    values = {
        "verdict": _name_verdict(worst, reviews),
        "score": f"{sum(scores) / len(scores):.4f}" if scores else "",
        "passed": str(counts.passed + counts.borderline),
        "failed": str(counts.failed + sum(map(_count_unevaluated, every))),
        "errors": str(counts.errors),
        "regressed": str(counts.regressed),
        "improved": str(counts.fixed),
        **addresses,
    }
    for note in step_outputs.set_outputs(
        job.environ, values, details=list(_encode_details(review))
    ):
        job.log.warning(note)


def set_unevaluated(job: Job) -> None:
    """Set the verdict alone, if there was nothing to evaluate."""
    step_outputs.set_outputs(job.environ, {"verdict": _NOT_EVALUATED})


def _rank(review: Review) -> tuple[bool, bool, int, bool]:
    """An agent that has failed for certain comes before what is in error."""
    fails = review.exit_code == 1 and review.verdict is Verdict.FAIL
    is_bad = review.verdict is not None and review.verdict.is_bad
    return review.exit_code > 0, fails, review.exit_code, is_bad


def _name_verdict(worst: Review, reviews: Sequence[Review]) -> str:
    if worst.verdict is Verdict.ERROR or worst.state is State.BROKEN or worst.exit_code > 1:
        return "error"
    evaluated = first_line.is_evaluated(*reviews)
    if any(map(_has_failed, reviews)) or (evaluated and worst.verdict is Verdict.FAIL):
        return "failed"
    if worst.state is State.UNAFFECTED:
        return "not-affected"
    return "passed" if evaluated else _NOT_EVALUATED


def _count_unevaluated(outcome: Outcome) -> int:
    """Count the cases that lack evidence, where the config does not allow that."""
    strict = outcome.report is None or outcome.report.policy.fail_on_not_evaluated
    return outcome.unknown.cases if outcome.unknown and strict else 0


def _has_failed(review: Review) -> bool:
    """Return whether a config with a score fails, whatever the other configs did."""
    return any(
        outcome.verdict is Verdict.FAIL
        and outcome.counts.cases > outcome.counts.unscored
        and not (outcome.unknown and outcome.unknown.decides)
        and not (outcome.freshness and outcome.freshness.decides)
        for outcome in review.sections
    )


def _encode_details(review: Review) -> list[str]:
    """Encode the review, from the fullest to the smallest. Whole runs are in report.json alone."""
    left = {"report": None} | dict.fromkeys(("arrivals", "earlier", "strips"), msgspec.UNSET)
    without = [msgspec.structs.replace(section, **left) for section in review.sections]
    shorter = [msgspec.structs.replace(s, highlights=(), findings=()) for s in without]
    return [
        msgspec.json.encode(
            msgspec.structs.replace(review, sections=tuple(sections), rules=_shorten(review.rules))
        ).decode()
        for sections in (without, shorter, [])
    ]


_RULES = 50  # changed rules, and cases that they turn, in an output


def _shorten(rules: Rules | msgspec.UnsetType) -> Rules | msgspec.UnsetType:
    if not rules:
        return msgspec.UNSET
    changes, turned = rules.changes[:_RULES], rules.turned[:_RULES]
    return msgspec.structs.replace(rules, changes=changes, turned=turned, offers=())


class Publisher(AbstractContextManager["Publisher"]):
    """The destinations of one job. Each is tried at the beginning, so that a missing permission
    is known before a judge is paid. After a cancelled run none still shows a running evaluation."""

    def __init__(self, job: Job) -> None:
        self._job = job
        self._display: Review | None = None
        self._unwritten: list[str] = []  # destinations, because this run may only read
        self._destinations: dict[str, Destination] = {}
        for name in DESTINATIONS:
            destination = DESTINATIONS[name](job)
            if destination.wanted and destination.obstacle:
                job.log.notice(f"{name}: {destination.obstacle}")
            elif destination.wanted:
                self._destinations[name] = destination

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        exit_code = cancelling.get_exit_code()  # whatever else has gone wrong since
        if exit_code is not None and self._display:
            runs = self._display.state is State.RUNNING
            self._close(_mark_cancelled(self._display, exit_code) if runs else self._display)

    def shows(self, review: Review) -> None:
        """Set what is shown if the run is cancelled now."""
        self._display = review

    def begin(self, review: Review) -> None:
        """Show that the evaluation runs. A refused destination is dropped; a lost answer is not."""
        self._display = review
        for name, destination in list(self._destinations.items()):
            self._try(name, destination.begin, review)
        self._explain_unwritten()

    def publish(self, review: Review) -> dict[str, str]:
        """Show the result, and return the outputs of the step."""
        self._display = review
        outputs: dict[str, str] = {}
        shown = set()
        for name, destination in list(self._destinations.items()):
            if REPLACED_BY.get(name) in shown:
                continue
            made = self._try(name, destination.publish, review)
            if made is not None:
                shown.add(name)
                outputs |= made
                review = _name_artifact(review, made)
        self._explain_unwritten()
        return outputs

    def _explain_unwritten(self) -> None:
        """Say once what a run that may only read has not written."""
        if self._unwritten:
            explain(self._job, self._unwritten)
            self._unwritten.clear()

    def _close(self, review: Review) -> None:
        """Close all destinations at the same time: one without an answer delays no other one."""
        if self._job.api:
            self._job.api.pace.hurry()
        deadline = time.monotonic() + _TO_CLOSE
        closing = {
            name: threading.Thread(
                target=self._try, args=(name, destination.close, review), daemon=True
            )
            for name, destination in self._destinations.items()
        }
        for thread in closing.values():
            thread.start()
        for name, thread in closing.items():
            thread.join(max(0.0, deadline - time.monotonic()))
            if thread.is_alive():
                late = "GitHub takes too long, so we do not know whether it was closed"
                self._job.log.warning(f"{name}: {late}")

    def _try(self, name: str, deed: Callable[[Review], Made], review: Review) -> Made | None:
        """Return the outcome, or None after a failure, which is only logged."""
        try:
            return deed(review)
        except PermissionMissingError as error:
            del self._destinations[name]
            self._report_refusal(name, error)
        except (UnavailableError, InputError, OSError) as error:
            if isinstance(error, RefusedError | InputError):
                del self._destinations[name]
            self._job.log.warning(f"{name}: {error}")
        return None

    def _report_refusal(self, name: str, error: PermissionMissingError) -> None:
        context = self._job.context
        if (context.fork or context.dependabot) and not context.privileged:
            self._unwritten.append(name)
            return
        # with `auto` a missing permission is expected
        asked_for = getattr(self._job.inputs, name, "on") != "auto"
        say = self._job.log.warning if asked_for else self._job.log.notice
        say(f"{name}: {error}or do without: '{name}: off'")


def _name_artifact(review: Review, made: Mapping[str, str]) -> Review:
    """Return the review with the address of its artifact, if a destination has made one."""
    address = made.get("artifact-url")
    if not address:
        return review
    scene = msgspec.structs.replace(review.scene, artifact_url=address)
    return msgspec.structs.replace(review, scene=scene)


def _mark_cancelled(running: Review, exit_code: int) -> Review:
    """Return the review of a cancelled run."""
    return msgspec.structs.replace(
        running, state=State.CANCELLED, verdict=Verdict.FAIL, exit_code=exit_code
    )


def explain(job: Job, names: Sequence[str]) -> None:
    """Say what is not written, and what publishes it; a workflow that does so needs no notice."""
    what = (
        f"{' and '.join(names)}: not written, because runs for forks and Dependabot may only read"
    )
    if publishes(job):
        job.log.log(f"{what}; the workflow with 'command: publish' does so")
    else:
        job.log.notice(
            f"{what}; add a workflow with 'command: publish' on 'workflow_run' to have it published"
        )


def publishes(job: Job) -> bool:
    """Return whether a workflow of the base runs this action to publish, as far as it is here."""
    root, base = job.workspace.root, job.context.base_sha or ""
    texts = _read_base(root, base) or _read_checkout(root)
    return any(_PUBLISHES.search(text) and f"{NAME}-action" in text for text in texts)


def _read_base(root: Path, base: str) -> list[str]:
    """Return the workflows of the base; none where its commit is not here."""
    git = Git(root, describe_foreign(root), _SECONDS)
    words = ("ls-tree", "--name-only", "--end-of-options", base, f"{_FOLDER}/")
    listed = git.answer(*words) if base else None
    found = (git.answer("cat-file", "blob", f"{base}:{path}") for path in _split(listed))
    return [content[:_LARGEST].decode(errors="replace") for content in found if content]


def _split(listed: bytes | None) -> list[str]:
    return [path for path in (listed or b"").decode(errors="replace").splitlines() if path]


def _read_checkout(root: Path) -> list[str]:
    """Return those of the checkout: it is merged into the base."""
    files = sorted((root / _FOLDER).glob("*.y*ml"))
    inside = (path for path in files if path.is_file() and path.resolve().is_relative_to(root))
    return [path.read_bytes()[:_LARGEST].decode(errors="replace") for path in inside]
