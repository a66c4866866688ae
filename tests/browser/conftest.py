"""One Chromium for all tests of this folder."""

from collections.abc import Iterator

import pytest

from tests.browser import devtools


@pytest.fixture(scope="session")
def tab() -> Iterator[devtools.Page]:
    """A tab, which tests take one after the other."""
    with devtools.start() as started:
        yield started
