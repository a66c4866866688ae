"""Fixtures for tests that speak to GitHub. A `conftest.py` imports those that it needs."""

import os
from collections.abc import Iterator

import pytest

from tests.stand_in.description import description
from tests.stand_in.judge import Judge
from tests.stand_in.server import StandIn, running


@pytest.fixture(scope="session")
def judge() -> Judge | None:
    """None where the environment says that nothing can be fetched."""
    if os.environ.get("AGENTEVALS_TESTS_OFFLINE"):
        return None
    try:
        return Judge(description())
    except RuntimeError as error:
        pytest.fail(f"{error}; AGENTEVALS_TESTS_OFFLINE=1 tests without it", pytrace=False)


@pytest.fixture
def stand_in(judge: Judge | None) -> Iterator[StandIn]:
    """GitHub; what its own description does not allow fails the test."""
    with running() as github:
        yield github
    _judged(judge, github)


@pytest.fixture
def enterprise(judge: Judge | None) -> Iterator[StandIn]:
    """The same as an Enterprise Server serves it, below `/api/v3`."""
    with running(StandIn(prefix="/api/v3")) as github:
        yield github
    _judged(judge, github)


def _judged(judge: Judge | None, github: StandIn) -> None:
    complaints = judge.complaints(github.exchanges) if judge else []
    if complaints:
        pytest.fail("\n".join(complaints), pytrace=False)
