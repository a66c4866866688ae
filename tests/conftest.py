"""Fixtures that all tests may use."""

import pytest

from tests.support import DATA


def pytest_addoption(parser):
    parser.addoption("--accept", action="store_true", help="write the goldens anew")


@pytest.fixture
def golden(request):
    """Equal to a text under tests/data, which a person has accepted in a diff."""

    def equals(name: str, text: str) -> None:
        file = DATA / name
        if request.config.getoption("--accept"):
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")
        assert text == file.read_text(encoding="utf-8")

    return equals
