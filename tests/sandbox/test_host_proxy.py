"""Where the machine has a proxy of its own, granted hosts are reached through it, no others."""

import base64
import os
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from agentevals.sandbox.allowed_hosts import Host
from agentevals.sandbox.isolation import Rights, describe
from tests.sandbox.conftest import Run

pytestmark = pytest.mark.skipif(
    sys.platform != "linux" or "seccomp" not in describe(), reason="only Linux can ask about calls"
)
CREDENTIALS = "Basic " + base64.b64encode(b"me:my word").decode()


class Company(ThreadingHTTPServer):
    """A proxy that answers in the place of every host, and remembers what it was asked."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.asked: list[str] = []


class _Handler(BaseHTTPRequestHandler):
    server: Company
    protocol_version = "HTTP/1.1"

    def do_CONNECT(self) -> None:
        self.server.asked.append(f"{self.command} {self.path}")
        allowed = self.headers["proxy-authorization"] == CREDENTIALS
        self.send_response(200 if allowed else 407)
        self.end_headers()
        self.close_connection = not allowed

    def do_GET(self) -> None:
        self.server.asked.append(f"{self.command} {self.path} of {self.headers['host']}")
        self.send_response(200)
        self.send_header("content-length", "7")
        self.end_headers()
        self.wfile.write(b"through")

    def log_message(self, *_: Any) -> None:
        """Nobody reads it."""


@pytest.fixture
def company(monkeypatch: pytest.MonkeyPatch) -> Iterator[Company]:
    for name in [name for name in os.environ if name.lower().endswith("_proxy")]:
        monkeypatch.delenv(name)
    server = Company()
    threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    for name in ("HTTP_PROXY", "HTTPS_PROXY"):
        monkeypatch.setenv(name, f"http://me:my%20word@127.0.0.1:{server.server_address[1]}")
    yield server
    server.shutdown()
    server.server_close()


ASKS = """
    import http.client, os, sys, urllib.request
    def ask(url):
        try: return urllib.request.urlopen(url, timeout=9).read().decode()
        except OSError as error: return str(error)
    def ask_in_a_tunnel(host):
        caller = http.client.HTTPConnection("127.0.0.1", 3128, timeout=9)
        caller.set_tunnel(host, 443)
        try:
            caller.request("GET", "/inside")
            return caller.getresponse().read().decode()
        except OSError as error: return str(error)
    for host in ("granted.example", "neighbour.example"):
        print(ask(f"http://{host}/path?a=b"))
        print(ask_in_a_tunnel(host))
    print("my word" in str(os.environ), "my%20word" in str(os.environ))
"""
RIGHTS = Rights(hosts=(Host("granted.example", 80), Host("granted.example", 443)))


def test_granted_hosts_are_reached_through_it_and_their_neighbours_are_not(
    either: Run, company: Company
) -> None:
    told = either(ASKS, rights=RIGHTS).stdout.decode().splitlines()

    assert told[:2] == ["through", "through"]
    assert "neighbour.example:80 is not granted" in told[2]
    assert "neighbour.example:443 is not granted" in told[3]
    assert told[4] == "False False"
    assert company.asked == [
        "GET http://granted.example:80/path?a=b of granted.example",
        "CONNECT granted.example:443",
        "GET /inside of granted.example:443",
    ]


def test_what_it_refuses_is_told(
    evaluator: Run, company: Company, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTPS_PROXY", f"http://127.0.0.1:{company.server_address[1]}")

    told = evaluator(ASKS, rights=RIGHTS).stdout.decode().splitlines()

    assert "the proxy of this machine refuses it: 407" in told[1]


def test_this_machine_and_exceptions_are_reached_without_it(
    evaluator: Run, company: Company, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NO_PROXY", "granted.example")
    own = Host("127.0.0.1", company.server_address[1])
    text = f"import urllib.request; print(urllib.request.urlopen('http://{own}/').read().decode())"

    reached = evaluator(text, rights=Rights(hosts=(own,)))
    told = evaluator(ASKS, rights=RIGHTS).stdout.decode().splitlines()

    assert reached.stdout == b"through\n", reached.stderr
    assert company.asked == [f"GET / of {own}"]
    assert "its name has no address" in told[0]


def test_only_proxies_over_http_can_be_used(
    evaluator: Run, company: Company, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTP_PROXY", "socks5://127.0.0.1:1080")

    told = evaluator(ASKS, rights=RIGHTS).stdout.decode()

    assert "the proxy of this machine cannot be used; name one as http://host:port" in told
    assert company.asked == ["CONNECT granted.example:443", "GET /inside of granted.example:443"]
