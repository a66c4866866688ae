"""Several hundred runs of the evaluators in this repository, for who asks for them."""

from pathlib import Path

import pytest


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "our_evaluators: runs every evaluator of this repository")


def pytest_ignore_collect(config: pytest.Config) -> bool | None:
    """Only who asks for them gets them: `pytest -m our_evaluators`."""
    return None if config.option.markexpr == "our_evaluators" else True


def pytest_collection_modifyitems(items: list[pytest.Item], config: pytest.Config) -> None:
    if config.option.markexpr == "our_evaluators":
        for item in items:
            if item.path.is_relative_to(Path(__file__).parent):
                item.add_marker(pytest.mark.our_evaluators)
