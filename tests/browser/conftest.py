"""Every test in this folder needs a browser."""

from pathlib import Path

import pytest


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "browser: needs Chromium, which is installed if need be")


def pytest_ignore_collect(config: pytest.Config) -> bool | None:
    """Only who asks for them gets them: `pytest -m browser`."""
    return None if config.option.markexpr == "browser" else True


def pytest_collection_modifyitems(items: list[pytest.Item], config: pytest.Config) -> None:
    if config.option.markexpr == "browser":
        for item in items:
            if item.path.is_relative_to(Path(__file__).parent):
                item.add_marker(pytest.mark.browser)
