"""What one run was asked to do, by options on the command line or by an action's inputs."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from agentevals.plan import Overrides


@dataclass(frozen=True, kw_only=True)
class Settings:
    """The options of one run. What is None is left to the config, then to the default."""

    config: Path | None = None
    traces: tuple[str, ...] = ()
    overrides: Overrides = field(default_factory=Overrides)
    jobs: int | None = None
    isolation: str | None = None
    progress: Callable[[int], None] | None = None
