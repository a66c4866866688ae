"""Packages of others, really installed: needs a package index."""

from pathlib import Path

import pytest


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "real_sdks: installs packages of others")


def pytest_ignore_collect(config: pytest.Config) -> bool | None:
    """Only who asks for them gets them: `pytest -m real_sdks`."""
    return None if config.option.markexpr == "real_sdks" else True


def pytest_collection_modifyitems(items: list[pytest.Item], config: pytest.Config) -> None:
    if config.option.markexpr == "real_sdks":
        for item in items:
            if item.path.is_relative_to(Path(__file__).parent):
                item.add_marker(pytest.mark.real_sdks)
