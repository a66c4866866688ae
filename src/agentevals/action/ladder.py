"""All surfaces, one after the other: each that fails costs itself only, and never the verdict."""

from collections.abc import Callable
from typing import TypeVar

from agentevals.action.job import Job
from agentevals.action.surfaces import REPLACED_BY, SURFACES, Surface
from agentevals.errors import InputError, UnavailableError
from agentevals.github.refusals import PermissionMissingError, RefusedError
from agentevals.review import Review

_READ_ONLY = (
    "runs for forks and Dependabot may only read; add a workflow with 'command: publish' on "
    "'workflow_run' to have it published"
)

Made = TypeVar("Made")


class Ladder:
    """The surfaces of one job. Each is tried at the beginning, so that a missing permission is
    known before a judge has been paid."""

    def __init__(self, job: Job) -> None:
        self._job = job
        self._rungs: dict[str, Surface] = {}
        for name in SURFACES:
            surface = SURFACES[name](job)
            if surface.wanted and surface.obstacle:
                job.log.notice(f"{name}: {surface.obstacle}")
            elif surface.wanted:
                self._rungs[name] = surface

    def begin(self, review: Review) -> None:
        """Show that something runs. What is refused is not tried again; what was lost is."""
        for name, surface in list(self._rungs.items()):
            self._tried(name, surface.begin, review)

    def publish(self, review: Review) -> dict[str, str]:
        """Show how it ended; the outputs that came of it."""
        outputs: dict[str, str] = {}
        shown = set()
        for name, surface in list(self._rungs.items()):
            if REPLACED_BY.get(name) in shown:
                continue
            made = self._tried(name, surface.publish, review)
            if made is not None:
                shown.add(name)
                outputs |= made
        return outputs

    def _tried(self, name: str, deed: Callable[[Review], Made], review: Review) -> Made | None:
        """What came of it; None where it failed, which is said, and nothing more."""
        try:
            return deed(review)
        except PermissionMissingError as error:
            del self._rungs[name]
            self._refused(name, error)
        except (UnavailableError, InputError, OSError) as error:
            if isinstance(error, RefusedError | InputError):
                del self._rungs[name]
            self._job.log.warning(f"{name}: {error}")
        return None

    def _refused(self, name: str, error: PermissionMissingError) -> None:
        at = self._job.occasion
        if (at.fork or at.dependabot) and not at.privileged:
            self._job.log.notice(f"{name}: not written, because {_READ_ONLY}")
            return
        # with `auto` it is there where it is allowed, and nobody has asked for more
        asked_for = getattr(self._job.inputs, name, "on") != "auto"
        say = self._job.log.warning if asked_for else self._job.log.notice
        say(f"{name}: {error}or do without: '{name}: off'")
