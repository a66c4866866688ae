"""All surfaces, one after the other: each that fails costs itself only, and never the verdict."""

from collections.abc import Callable
from functools import partial

from agentevals.action.job import Job
from agentevals.action.surfaces import SURFACES, Surface
from agentevals.errors import InputError, UnavailableError
from agentevals.github.refusals import PermissionMissingError
from agentevals.review import Review

_READ_ONLY = (
    "runs for forks and Dependabot may only read; add a workflow with 'command: publish' on "
    "'workflow_run' to have it published"
)


class Ladder:
    """The surfaces of one job. Each is tried at the beginning, so that a missing permission is
    known before a judge has been paid."""

    def __init__(self, job: Job) -> None:
        self._job = job
        self._open: dict[str, Surface] = {}
        for name in SURFACES:
            surface = SURFACES[name](job)
            reason = surface.missing()
            if reason is None:
                self._open[name] = surface
            elif reason:
                job.log.notice(f"{name}: {reason}")

    def begin(self, review: Review) -> None:
        """Show that something runs; what is refused is not tried again."""
        for name, surface in list(self._open.items()):
            if not self._tried(name, partial(surface.begin, review)):
                del self._open[name]

    def publish(self, review: Review) -> dict[str, str]:
        """Show how it ended; the outputs that came of it."""
        outputs: dict[str, str] = {}
        for name, surface in self._open.items():
            self._tried(name, partial(self._published, surface, review, outputs))
        return outputs

    @staticmethod
    def _published(surface: Surface, review: Review, outputs: dict[str, str]) -> None:
        outputs |= surface.publish(review)

    def _tried(self, name: str, deed: Callable[[], None]) -> bool:
        """Whether it went well; what did not is said, and nothing more."""
        try:
            deed()
        except PermissionMissingError as error:
            self._refused(name, error)
        except (UnavailableError, InputError, OSError) as error:
            self._job.log.warning(f"{name}: {error}")
        else:
            return True
        return False

    def _refused(self, name: str, error: PermissionMissingError) -> None:
        at = self._job.occasion
        if (at.fork or at.dependabot) and not at.privileged:
            self._job.log.notice(f"{name}: not written, because {_READ_ONLY}")
        else:
            self._job.log.warning(f"{name}: {error}")
