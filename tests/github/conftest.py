"""GitHub on loopback, and time that passes only when nobody does anything."""

import pytest

from agentevals.github.api import Api
from tests.github.clocks import VirtualTime
from tests.stand_in import fixtures

judge, stand_in, enterprise = fixtures.judge, fixtures.stand_in, fixtures.enterprise


@pytest.fixture
def time():
    return VirtualTime()


@pytest.fixture
def api(stand_in, time):
    return Api(
        url=stand_in.url, graphql_url=stand_in.graphql_url, token=stand_in.token, clock=time.clock
    )
