"""Every test in this folder needs a language model, a small one."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.small_model import server


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "small_model: needs a model, which is installed if need be")


def pytest_ignore_collect(config: pytest.Config) -> bool | None:
    """Only who asks for them gets them: `pytest -m small_model`."""
    return None if config.option.markexpr == "small_model" else True


def pytest_collection_modifyitems(items: list[pytest.Item], config: pytest.Config) -> None:
    if config.option.markexpr == "small_model":
        for item in items:
            if item.path.is_relative_to(Path(__file__).parent):
                item.add_marker(pytest.mark.small_model)


@pytest.fixture(scope="session")
def address() -> Iterator[str]:
    """Where a model answers in the way of OpenAI."""
    with server.running() as url:
        yield url
