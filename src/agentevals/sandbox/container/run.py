"""Run a program in a container: the one that its evaluator has, or a new one."""

import atexit
import time
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock

from agentevals.model.errors import EvaluatorError
from agentevals.sandbox import cancelling
from agentevals.sandbox.container.engine import Engine, find_engine
from agentevals.sandbox.container.images import Image, choose_image, provide
from agentevals.sandbox.container.session import Container, Content, Order, remove_unstarted
from agentevals.sandbox.program import Finished

_MIB = 1 << 20
_MOST_PRINTED = 16 * _MIB


@dataclass(frozen=True, kw_only=True)
class Job:
    """A program, its interpreter by the name that images have for it, and where it runs."""

    program: Path
    interpreter: Sequence[str] = ()
    image: str = ""
    packages: Path | None = None
    memory_mb: int = 1024
    env: Mapping[str, str] = field(default_factory=dict)

    @property
    def key(self) -> tuple[object, ...]:
        """Return the same for all cases of one evaluator whose program has not changed."""
        found = self.program.stat()
        return self.program, self.image, self.memory_mb, found.st_mtime_ns, found.st_size


_idle: dict[tuple[object, ...], list[Container]] = defaultdict(list)
_images: dict[tuple[str, str], Image] = {}
_lock = Lock()


def run_in_container(job: Job, stdin: bytes, *, timeout: float) -> Finished:
    """Run a program to its end, or raise EvaluatorError.

    Two cases at a time need two containers; each container is used for one case after the other.
    """
    engine = find_engine()
    image = _find_image(engine, job)
    container = _take(job) or Container(engine, image, _describe(job))
    began = time.monotonic()
    argv = [*job.interpreter, container.program]
    ended = container.run(Order(argv, job.env, timeout, _MOST_PRINTED), stdin)
    _keep(job, container)
    if ended.is_late:
        msg = f"took longer than {timeout:g} s and was ended"
        raise EvaluatorError(msg)
    if len(ended.stdout) > _MOST_PRINTED:
        msg = f"printed more than {_MOST_PRINTED // _MIB} MiB to its standard output"
        raise EvaluatorError(msg)
    return Finished(
        stdout=ended.stdout,
        stderr=ended.stderr.decode(errors="replace"),
        exit_code=ended.exit_code,
        isolation=f"strict (container of {image})",
        seconds=time.monotonic() - began,
    )


def _find_image(engine: Engine, job: Job) -> Image:
    named = job.image or choose_image(job.program)
    with _lock:
        if (engine.place, named) not in _images:
            remove_unstarted(engine)
            _images[engine.place, named] = provide(engine, named)
        return _images[engine.place, named]


def _describe(job: Job) -> Content:
    by_node = job.interpreter[:1] == ["node"]
    return Content(job.program, job.packages, job.memory_mb, by_node)


def _take(job: Job) -> Container | None:
    if cancelling.is_cancelled():
        msg = "was not started, because the run was cancelled"
        raise EvaluatorError(msg)
    with _lock:
        kept = _idle[job.key]
        return kept.pop() if kept else None


def _keep(job: Job, container: Container) -> None:
    with _lock:
        _idle[job.key].append(container)


@atexit.register
def remove_all() -> None:
    """Remove the containers of this process. Those of one that is killed remove themselves."""
    with _lock:
        kept = [container for containers in _idle.values() for container in containers]
        _idle.clear()
    for container in kept:
        container.remove()
