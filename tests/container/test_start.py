"""How long a step waits before it hears from us, beside what any container takes to say a word."""

import statistics
import subprocess
import time
from collections.abc import Callable

from tests.container import base_image
from tests.container.engine import Engine

ROUNDS = 10
MOST_SECONDS_MORE = 0.25


def test_the_first_line_comes_soon(engine: Engine, image: str, measured: Callable[[str], None]):
    engine.run("pull", base_image.NAME, check=False)  # which the build may have taken from a cache
    bare = ["--entrypoint", "python3", base_image.NAME, "-c", "print('ready', flush=True)"]
    ours = [image]
    times = [
        (_seconds_to_first_line(engine, bare), _seconds_to_first_line(engine, ours))
        for _ in range(ROUNDS)
    ]
    bare_median, our_median = (statistics.median(side) for side in zip(*times, strict=True))
    more = our_median - bare_median
    measured(
        f"start: first line after {our_median:.2f} s, the bare base image's after "
        f"{bare_median:.2f} s: {more:.2f} s more (at most {MOST_SECONDS_MORE})"
    )

    assert more <= MOST_SECONDS_MORE


def _seconds_to_first_line(engine: Engine, words: list[str]) -> float:
    command = [engine.client, "run", "--rm", "--network", "none", *words]
    began = time.perf_counter()
    with subprocess.Popen(
        command, env=engine.environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    ) as process:
        assert process.stdout is not None
        line = process.stdout.readline()
        seconds = time.perf_counter() - began
        process.stdout.read()
    assert line.strip()

    return seconds
