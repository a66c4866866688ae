"""The statistics beside scipy and statsmodels, which `make test-statistics` installs."""

import os
from collections import defaultdict
from typing import Any

import pytest


class Deviations:
    """What was compared with others, how often, and how far apart the two were at most."""

    def __init__(self) -> None:
        self.found: dict[str, list[float]] = defaultdict(list)

    def check(self, what: str, ours: float, theirs: float, most: float, scale: float = 0) -> None:
        """Compare two numbers, relative to theirs, or to a scale that is larger."""
        size = max(abs(theirs), scale)
        apart = abs(ours - theirs) / size if size and ours != theirs else 0.0
        self.found[what].append(apart)
        assert apart <= most, f"{what}: {ours} instead of {theirs}"


DEVIATIONS = Deviations()
SEED = int(os.environ.get("SEED", "1"))


def pytest_terminal_summary(terminalreporter: Any) -> None:
    if DEVIATIONS.found:
        terminalreporter.section(f"largest deviations, SEED={SEED}")
    for what, apart in sorted(DEVIATIONS.found.items()):
        terminalreporter.write_line(f"{max(apart):9.1e}  {len(apart):6,} times  {what}")


@pytest.fixture
def deviations() -> Deviations:
    """Where every comparison goes, and the end of the run shows the largest."""
    return DEVIATIONS


@pytest.fixture
def draw(request: pytest.FixtureRequest) -> Any:
    """A generator of random inputs, others in each test, the same in each run of one SEED."""
    import numpy as np

    return np.random.default_rng([SEED, *request.node.name.encode()])
