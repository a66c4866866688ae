"""Clients of HTTP that evaluators bring along reach a granted host, and not its neighbour.

Those that this machine has anyway are in `tests/sandbox`.
"""

import sys

import pytest

from agentevals.sandbox import program_environments
from agentevals.sandbox.allowed_hosts import Host
from agentevals.sandbox.isolation import Rights, describe, run_program
from tests.certificates import trust_localhost
from tests.servers import reply, serve

pytestmark = pytest.mark.skipif(
    sys.platform != "linux" or "seccomp" not in describe(), reason="only Linux can ask about calls"
)
REQUIREMENTS = "aiohttp==3.14.5\nhttpx==0.28.1\nrequests==2.34.2\nurllib3==2.8.0\n"
_AIOHTTP = """
import aiohttp, asyncio, sys
async def ask(url):
    async with aiohttp.ClientSession({options}) as session, session.get(url) as answer:
        return await answer.text()
print(asyncio.run(ask(sys.argv[1])))
"""
_HTTPX = """
import asyncio, httpx, sys
async def ask(url):
    async with httpx.AsyncClient({options}) as client:
        return (await client.get(url)).text
print(asyncio.run(ask(sys.argv[1])))
"""
_URLLIB3 = """
import os, sys, urllib3
manager = {manager}
print(manager.request("GET", sys.argv[1], retries=False).data.decode())
"""
WITH_PROXY = {
    "aiohttp": _AIOHTTP.format(options="trust_env=True"),
    "httpx": "import httpx, sys; print(httpx.get(sys.argv[1]).text)",
    "httpx, asynchronously": _HTTPX.format(options=""),
    "requests": "import requests, sys; print(requests.get(sys.argv[1]).text)",
    "urllib3": _URLLIB3.format(manager="urllib3.ProxyManager(os.environ['HTTPS_PROXY'])"),
}
WITHOUT_PROXY = {
    "aiohttp": _AIOHTTP.format(options=""),
    "httpx": _HTTPX.format(options="trust_env=False"),
    "urllib3": _URLLIB3.format(manager="urllib3.PoolManager()"),
}
EVERY = [*WITH_PROXY.values(), *WITHOUT_PROXY.values()]
NAMES = [*WITH_PROXY, *(f"{name} without the proxy" for name in WITHOUT_PROXY)]


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """The environment that an evaluator with these requirements gets."""
    folder = tmp_path_factory.mktemp("clients")
    (folder / "requirements.txt").write_text(REQUIREMENTS)
    return program_environments.prepare(folder / "requirements.txt")


@pytest.fixture
def ask(installed, tmp_path):
    """Run the text of a client as an evaluator with these packages."""

    def run(client, url, rights):
        (tmp_path / "client.py").write_text(client)
        return run_program(
            [str(installed.python), str(tmp_path / "client.py"), url],
            stdin=b"",
            timeout=60,
            folder=tmp_path,
            packages=[installed.folder],
            rights=rights,
        )

    return run


@pytest.fixture
def certificate(tmp_path_factory, monkeypatch):
    """A certificate that every client of this machine trusts."""
    return trust_localhost(tmp_path_factory.mktemp("tls"), monkeypatch)


@pytest.mark.parametrize("client", EVERY, ids=NAMES)
def test_one_host_is_reached_and_its_neighbour_is_not(ask, client):
    with serve(lambda _: reply(body=b"here")) as granted, serve(lambda _: reply()) as neighbour:
        rights = Rights(hosts=(Host.parse(granted.host),))
        reached, refused = (ask(client, server.url, rights) for server in (granted, neighbour))

    assert reached.stdout == b"here\n", reached.stderr
    assert f"{neighbour.host} is not granted" in refused.stdout.decode(), refused.stderr
    assert (len(granted.seen), neighbour.seen) == (1, [])
    assert list(rights.refused) == [neighbour.host]


@pytest.mark.parametrize("client", WITH_PROXY.values(), ids=WITH_PROXY)
def test_over_tls_one_host_is_reached_and_its_neighbour_is_not(ask, certificate, client):
    with (
        serve(lambda _: reply(body=b"here"), certificate) as granted,
        serve(lambda _: reply(), certificate) as neighbour,
    ):
        host, other = (f"localhost:{server.port}" for server in (granted, neighbour))
        rights = Rights(hosts=(Host.parse(host),))
        reached, refused = (ask(client, f"https://{one}", rights) for one in (host, other))

    assert reached.stdout == b"here\n", reached.stderr
    assert "403" in refused.stderr
    assert (len(granted.seen), neighbour.seen) == (1, [])
    assert list(rights.refused) == [other]


@pytest.mark.parametrize("client", WITHOUT_PROXY.values(), ids=WITHOUT_PROXY)
def test_over_tls_a_client_has_to_heed_the_proxy(ask, certificate, client):
    with serve(lambda _: reply(), certificate) as granted:
        rights = Rights(hosts=(Host.parse(f"127.0.0.1:{granted.port}"),))
        refused = ask(client, f"https://127.0.0.1:{granted.port}", rights)

    assert refused.exit_code == 1
    assert granted.seen == []
    assert "use a client that heeds HTTPS_PROXY" in str(rights.refused)
