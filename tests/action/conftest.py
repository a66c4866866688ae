"""A runner, and GitHub on loopback."""

import pytest

from tests.action.job import Job
from tests.stand_in import fixtures
from tests.stand_in.server import running

judge, stand_in, enterprise = fixtures.judge, fixtures.stand_in, fixtures.enterprise


@pytest.fixture
def job(tmp_path, stand_in, request):
    """A step that is ready to be told what happened."""
    records = request.node.get_closest_marker("recorded") is not None
    return Job(tmp_path / "job", stand_in, records=records)


@pytest.fixture
def twin(tmp_path):
    """The same step with another GitHub."""
    with running() as github:
        yield Job(tmp_path / "two", github)
