"""Every test in this folder needs a language model, a small one."""

from collections.abc import Iterator

import pytest

from tests.small_model import server


@pytest.fixture(scope="session")
def address() -> Iterator[str]:
    """Where a model answers in the way of OpenAI."""
    with server.running() as url:
        yield url
