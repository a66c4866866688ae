"""How long a step waits before it hears from us, beside what any container takes to say a word."""

import statistics
import subprocess
import time
from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

import pytest

from tests.container import base_image
from tests.container.runner import Runner
from tests.container.test_action import INPUTS

pytestmark = pytest.mark.alone
ROUNDS = 10
MOST_SECONDS_MORE = 0.25


def test_the_first_line_comes_soon(runner: Runner, measured: Callable[[str], None]):
    if not runner.engine.is_ours:
        runner.engine.run("pull", base_image.NAME)  # the build may have used a cache of its own
    bare = replace(runner, image=base_image.NAME)
    silent = ("--network", "none", "--entrypoint", "python3")
    times = [
        (
            time_first_line(lambda: bare.started("-c", "print('ready')", options=silent)).line,
            time_first_line(lambda: runner.started(inputs=INPUTS)).line,
        )
        for _ in range(ROUNDS)
    ]
    bare_median, our_median = (statistics.median(side) for side in zip(*times, strict=True))
    more = our_median - bare_median
    measured(
        f"start: first line after {our_median:.2f} s, the bare base image's after "
        f"{bare_median:.2f} s: {more:.2f} s more (at most {MOST_SECONDS_MORE})"
    )

    assert more <= MOST_SECONDS_MORE


class Times(NamedTuple):
    """Seconds until the first line, and until the end."""

    line: float
    end: float


def time_first_line(start: Callable[[], subprocess.Popen[str]]) -> Times:
    began = time.perf_counter()
    with start() as process:
        assert process.stdout is not None
        line = process.stdout.readline()
        seconds = time.perf_counter() - began
        process.stdout.read()
    assert line.strip()
    assert "No module named" not in line

    return Times(seconds, time.perf_counter() - began)
