"""The image of the action: its size, and how long a job waits for its first line and comment."""

import shutil
import statistics
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from tests.container import base_image
from tests.container.conftest import IMAGE, ROOT
from tests.container.engine import Engine, an_engine
from tests.container.runner import Runner, hand_over
from tests.container.test_action import INPUTS
from tests.container.test_pull_request import REPOSITORY, commit, propose
from tests.container.test_start import MOST_SECONDS_MORE, time_first_line
from tests.stand_in.server import running
from tests.support import EXAMPLES

__all__ = ["MOST_SECONDS_MORE", "Waited", "measure"]

_ENGINE = Path.home() / ".cache/agentevals-tests/engine"
_ROUNDS = 5


class Waited(NamedTuple):
    """Sizes of the images, and seconds until the first line and until the comment is there."""

    base_megabytes: float
    megabytes: float
    bare: float
    line: float
    comment: float


def measure(folder: Path) -> Waited:
    """Build the image, and run it as a step on a pull request, in turns with the bare one."""
    workspace = folder / "workspace"
    shutil.copytree(EXAMPLES, workspace, ignore=shutil.ignore_patterns("__pycache__"))
    event = commit(workspace)
    hand_over(workspace)
    with an_engine(_ENGINE) as engine, running() as stand_in:
        if engine.is_ours:
            base_image.provide(engine)
        engine.run("build", "--network", "host", "--tag", IMAGE, str(ROOT))
        propose(stand_in, event)
        env = {
            **stand_in.environ,
            "GITHUB_REPOSITORY": REPOSITORY,
            "GITHUB_REF": f"refs/pull/{event['number']}/merge",
            "INPUT_GITHUB-TOKEN": stand_in.token,
        }
        step = Runner(engine, IMAGE, workspace, folder / "runner", env)
        times = [_time_round(step, event) for _ in range(_ROUNDS)]
        assert stand_in.world.repository(REPOSITORY).comments_on(event["number"])
        bare, line, comment = map(statistics.median, zip(*times, strict=True))
        sizes = (_measure_size(engine, name) for name in (base_image.NAME, IMAGE))
        return Waited(*sizes, bare, line, comment)


def _time_round(step: Runner, event: dict[str, object]) -> tuple[float, float, float]:
    bare = replace(step, image=base_image.NAME)
    silent = ("--network", "none", "--entrypoint", "python3")
    nothing = time_first_line(lambda: bare.started("-c", "print('ready')", options=silent))
    times = time_first_line(
        lambda: step.started(
            inputs=INPUTS, event=event, event_name="pull_request", options=("--network", "host")
        )
    )
    return nothing.line, times.line, times.end


def _measure_size(engine: Engine, name: str) -> float:
    said = engine.run("image", "inspect", "--format", "{{.Size}}", name).stdout
    return int(said) / 2**20
