"""Run a program in a container: the one that its evaluator has, or a new one."""

import atexit
import os
import time
from collections import defaultdict
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

from agentevals.model.errors import EvaluatorError
from agentevals.model.plugins import Lazy
from agentevals.sandbox import cancelling
from agentevals.sandbox.container.container_engine import Engine, find_engine
from agentevals.sandbox.container.container_images import Image, choose_image, provide
from agentevals.sandbox.container.container_session import (
    Container,
    Content,
    Order,
    remove_unstarted,
)
from agentevals.sandbox.launcher import BEST, LEVELS
from agentevals.sandbox.program_rights import CERTIFICATES, NOTHING, Rights
from agentevals.sandbox.sandboxed_program import Finished, LateError

if TYPE_CHECKING:
    from agentevals.sandbox import host_proxy
else:  # most programs have no hosts
    host_proxy = Lazy("agentevals.sandbox.host_proxy")

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
    rights: Rights = NOTHING
    level: str = BEST
    env: Mapping[str, str] = field(default_factory=dict)

    @property
    def key(self) -> tuple[object, ...]:
        """Return the same for all cases of one evaluator whose files have not changed."""
        files = (self.program, *self.rights.files)
        changes = ((path, path.stat().st_mtime_ns, path.stat().st_size) for path in files)
        return self.image, self.memory_mb, *changes


_idle: dict[tuple[object, ...], list[Container]] = defaultdict(list)
_images: dict[tuple[str, str], Image] = {}
_lock = Lock()


def run_in_container(job: Job, stdin: bytes, *, timeout: float) -> Finished:
    """Run a program to its end, or raise EvaluatorError.

    Two cases at a time need two containers; each container is used for one case after the other.
    """
    engine = find_engine()
    image = _find_image(engine, job)
    isolation = f"{_find_level(engine)} (container of {image})"
    if job.level == LEVELS[-1] and not isolation.startswith(job.level):
        msg = f"cannot be started: {job.level!r} is not available with Podman, only {isolation}"
        raise EvaluatorError(msg)
    container = _take(job) or Container(engine, image, _describe(job))
    began = time.monotonic()
    with host_proxy.serve(job.rights) if job.rights.reachable else nullcontext() as granted:
        ended = container.run(_write_order(job, container, timeout, granted), stdin)
    _keep(job, container)
    finished = Finished(
        stdout=ended.stdout,
        stderr=ended.stderr.decode(errors="replace"),
        exit_code=ended.exit_code,
        isolation=isolation,
        seconds=time.monotonic() - began,
        files=(job.program,),
        rights=job.rights,
    )
    if ended.is_late:
        msg = f"took longer than {timeout:g} s and was ended"
        raise LateError(msg, finished)
    if len(ended.stdout) > _MOST_PRINTED:
        msg = f"printed more than {_MOST_PRINTED // _MIB} MiB to its standard output"
        raise EvaluatorError(msg)
    return finished


@cache
def _find_level(engine: Engine) -> str:
    """Podman gives a program folders to write to, in which the next case finds what it wrote."""
    return LEVELS[1] if engine.is_podman else LEVELS[-1]


def _write_order(
    job: Job, container: Container, timeout: float, granted: "host_proxy.Proxy | None"
) -> Order:
    rights = job.rights
    certificates = {
        name: container.find_path(path) for name, path in _find_certificates(rights).items()
    }
    variables = {n: v for n, v in rights.build_variables().items() if n not in CERTIFICATES}
    return Order(
        argv=[*job.interpreter, container.find_path(job.program)],
        env={**variables, **certificates, **job.env},
        timeout=timeout,
        most=_MOST_PRINTED,
        links={name: container.find_path(Path(goal)) for name, goal in rights.links.items()},
        ports=rights.ports if granted else (),
        connect=granted.connect if granted else None,
    )


def _find_certificates(rights: Rights) -> dict[str, Path]:
    """Return the files of certificates that our own variables name, for a program with hosts."""
    named = {name: Path(os.environ.get(name, "")) for name in CERTIFICATES if rights.hosts}
    return {name: path for name, path in named.items() if path.is_file()}


def _find_image(engine: Engine, job: Job) -> Image:
    named = job.image or choose_image(job.program)
    with _lock:
        if (engine.place, named) not in _images:
            remove_unstarted(engine)
            _images[engine.place, named] = provide(engine, named)
        return _images[engine.place, named]


def _describe(job: Job) -> Content:
    by_node = job.interpreter[:1] == ["node"]
    return Content(
        program=job.program,
        files=job.rights.files,
        certificates=tuple(dict.fromkeys(_find_certificates(job.rights).values())),
        packages=job.packages,
        memory_mb=job.memory_mb,
        by_node=by_node,
    )


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
