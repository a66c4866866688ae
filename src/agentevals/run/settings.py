"""What one run was asked to do, by options on the command line or by an action's inputs."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from agentevals.model.results import CaseReport
from agentevals.model.shards import WHOLE, Shard


@dataclass(frozen=True, kw_only=True)
class Settings:
    """The options of one run. What is None is left to the config, then to the default."""

    traces: tuple[str, ...] = ()
    jobs: int | None = None
    isolation: str | None = None
    shard: Shard = WHOLE
    # why no judge may be asked; what only a judge can evaluate is then not evaluated
    unjudged: str = ""
    # the folder that trace files must lie in, links followed; anywhere when None
    root: Path | None = None
    # what is kept of the report of a case, in place of the report
    clean: Callable[[CaseReport], CaseReport] | None = None
    # called with the number of cases done and the number of traces there are
    progress: Callable[[int, int], None] | None = None
