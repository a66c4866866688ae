"""All surfaces, one after the other: each that fails costs itself only, and never the verdict."""

import threading
import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from types import TracebackType
from typing import TypeVar

import msgspec

from agentevals.action.destinations import DESTINATIONS, REPLACED_BY, Destination
from agentevals.action.job import Job
from agentevals.github.refusals import PermissionMissingError, RefusedError
from agentevals.model.errors import InputError, UnavailableError
from agentevals.model.results import Verdict
from agentevals.model.review import Review, State
from agentevals.sandbox.cancelling import Cancelled

_TO_CLOSE = 3.5  # seconds; whoever cancels waits for five, and something else is to be ended too
_READ_ONLY = (
    "runs for forks and Dependabot may only read; add a workflow with 'command: publish' on "
    "'workflow_run' to have it published"
)

Made = TypeVar("Made")


class Publisher(AbstractContextManager["Publisher"]):
    """The surfaces of one job. Each is tried at the beginning, so that a missing permission is
    known before a judge has been paid. None still says that something runs after a run that was
    cancelled."""

    def __init__(self, job: Job) -> None:
        self._job = job
        self._display: Review | None = None
        self._destinations: dict[str, Destination] = {}
        for name in DESTINATIONS:
            surface = DESTINATIONS[name](job)
            if surface.wanted and surface.obstacle:
                job.log.notice(f"{name}: {surface.obstacle}")
            elif surface.wanted:
                self._destinations[name] = surface

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if isinstance(error, Cancelled) and self._display:
            runs = self._display.state is State.RUNNING
            self._close(_cancelled(self._display, error.exit_code) if runs else self._display)

    def begin(self, review: Review) -> None:
        """Show that something runs. What is refused is not tried again; what was lost is."""
        self._display = review
        for name, surface in list(self._destinations.items()):
            self._tried(name, surface.begin, review)

    def publish(self, review: Review) -> dict[str, str]:
        """Show how it ended; the outputs that came of it."""
        self._display = review
        outputs: dict[str, str] = {}
        shown = set()
        for name, surface in list(self._destinations.items()):
            if REPLACED_BY.get(name) in shown:
                continue
            made = self._tried(name, surface.publish, review)
            if made is not None:
                shown.add(name)
                outputs |= made
        return outputs

    def _close(self, review: Review) -> None:
        """All at the same time, so that one which does not answer costs itself only."""
        if self._job.api:
            self._job.api.pace.hurry()
        deadline = time.monotonic() + _TO_CLOSE
        closing = {
            name: threading.Thread(
                target=self._tried, args=(name, surface.close, review), daemon=True
            )
            for name, surface in self._destinations.items()
        }
        for thread in closing.values():
            thread.start()
        for name, thread in closing.items():
            thread.join(max(0.0, deadline - time.monotonic()))
            if thread.is_alive():
                late = "GitHub takes too long, so nobody knows whether it was closed"
                self._job.log.warning(f"{name}: {late}")

    def _tried(self, name: str, deed: Callable[[Review], Made], review: Review) -> Made | None:
        """What came of it; None where it failed, which is said, and nothing more."""
        try:
            return deed(review)
        except PermissionMissingError as error:
            del self._destinations[name]
            self._refused(name, error)
        except (UnavailableError, InputError, OSError) as error:
            if isinstance(error, RefusedError | InputError):
                del self._destinations[name]
            self._job.log.warning(f"{name}: {error}")
        return None

    def _refused(self, name: str, error: PermissionMissingError) -> None:
        context = self._job.context
        if (context.fork or context.dependabot) and not context.privileged:
            self._job.log.notice(f"{name}: not written, because {_READ_ONLY}")
            return
        # with `auto` it is there where it is allowed, and nobody has asked for more
        asked_for = getattr(self._job.inputs, name, "on") != "auto"
        say = self._job.log.warning if asked_for else self._job.log.notice
        say(f"{name}: {error}or do without: '{name}: off'")


def _cancelled(running: Review, exit_code: int) -> Review:
    """Return what becomes of a review that had no verdict yet."""
    return msgspec.structs.replace(
        running, state=State.BROKEN, verdict=Verdict.FAIL, exit_code=exit_code
    )
