"""A program with granted hosts reaches these, by whatever client, and nothing else."""

import json
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from agentevals.sandbox import allowed_hosts, granted_sockets, host_proxy
from agentevals.sandbox.allowed_hosts import Host
from agentevals.sandbox.isolation import Finished, Rights, describe, run_program
from tests.sandbox.conftest import Run
from tests.sandbox.test_interpreters import list_nodes

pytestmark = pytest.mark.skipif(
    sys.platform != "linux" or "seccomp" not in describe(), reason="only Linux can ask about calls"
)


class Server(ThreadingHTTPServer):
    """Remembers what it was asked."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.asked: list[str] = []

    @property
    def host(self) -> Host:
        return Host("127.0.0.1", self.server_address[1])


class _Handler(BaseHTTPRequestHandler):
    server: Server

    def do_GET(self) -> None:
        self.server.asked.append(f"{self.path} of {self.headers['host']}")
        self.send_response(302 if "to" in self.path else 200)
        if "to" in self.path:
            self.send_header("location", f"http://127.0.0.1:{self.path.partition('=')[2]}/")
        self.end_headers()
        self.wfile.write(b"here")

    def do_POST(self) -> None:
        length = int(self.headers["content-length"])
        body = json.dumps([length, len(self.rfile.read(length))]).encode()
        self.send_response(200)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: Any) -> None:
        """Nobody reads it."""


@pytest.fixture
def servers() -> Iterator[tuple[Server, Server]]:
    """The granted one, and its neighbour."""
    both = Server(), Server()
    for server in both:
        threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    yield both
    for server in both:
        server.shutdown()
        server.server_close()


CLIENTS = {
    "urllib": """
        import sys, urllib.request
        try: print(urllib.request.urlopen(sys.argv[1]).read().decode())
        except OSError as error: print(error)
        """,
    "urllib without the proxy": """
        import sys, urllib.request
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        try: print(opener.open(sys.argv[1]).read().decode())
        except OSError as error: print(error)
        """,
    "requests": "import requests, sys; print(requests.get(sys.argv[1]).text)",
    "a tunnel": """
        import http.client, sys
        caller = http.client.HTTPConnection("127.0.0.1", 1)
        caller.set_tunnel(sys.argv[1].removeprefix("http://").strip("/"))
        try: caller.request("GET", "/"); print(caller.getresponse().read().decode())
        except OSError as error: print(error)
        """,
}


@pytest.mark.parametrize("client", CLIENTS)
def test_one_host_is_reached_and_its_neighbour_is_not(
    either: Run, servers: tuple[Server, Server], client: str
) -> None:
    granted, neighbour = servers
    rights = Rights(hosts=(granted.host,))

    reached = either(CLIENTS[client], b"", f"http://{granted.host}/", rights=rights)
    refused = either(CLIENTS[client], b"", f"http://{neighbour.host}/", rights=rights)

    assert reached.stdout == b"here\n", reached.stderr
    assert f"{neighbour.host} is not granted" in refused.stdout.decode()
    assert (len(granted.asked), neighbour.asked) == (1, [])
    assert list(rights.refused) == [str(neighbour.host)]
    assert f"add `network: [{neighbour.host}]`" in rights.refused[str(neighbour.host)]


FETCH = """
for (const url of process.argv.slice(2)) {
  try {
    const answer = await fetch(url);
    console.log(answer.ok ? await answer.text() : "refused");
  }
  catch (error) { console.log("refused"); }
}
"""


def run(command: list[str], folder: Path, rights: Rights) -> Finished:
    return run_program(command, stdin=b"", timeout=20, folder=folder, rights=rights)


@pytest.mark.parametrize("node", list_nodes(), ids=str)
def test_every_node_fetches_from_one_host_alone(
    tmp_path: Path, servers: tuple[Server, Server], node: Path
) -> None:
    (tmp_path / "fetch.mjs").write_text(FETCH)
    urls = [f"http://{server.host}/" for server in servers]

    rights = Rights(hosts=(servers[0].host,))
    finished = run([str(node), str(tmp_path / "fetch.mjs"), *urls], tmp_path, rights)

    assert finished.stdout == b"here\nrefused\n", finished.stderr
    assert servers[1].asked == []


def test_curl_reaches_one_host_alone(tmp_path: Path, servers: tuple[Server, Server]) -> None:
    urls = [f"http://{server.host}/" for server in servers]

    finished = run(["curl", "-sSf", *urls], tmp_path, Rights(hosts=(servers[0].host,)))

    assert (finished.stdout, finished.exit_code) == (b"here", 22)
    assert servers[1].asked == []


def test_a_redirect_leads_to_no_other_host(either: Run, servers: tuple[Server, Server]) -> None:
    granted, neighbour = servers
    url = f"http://{granted.host}/?to={neighbour.host.port}"

    told = either(CLIENTS["urllib"], b"", url, rights=Rights(hosts=(granted.host,))).stdout

    assert b"is not granted" in told
    assert neighbour.asked == []


RAW = """
    import socket, sys
    with socket.create_connection(("203.0.113.9", 443), timeout=9) as caller:
        caller.sendall(sys.stdin.buffer.read())
        print(caller.recv(1 << 16).partition(b"\\r\\n")[0].decode("latin-1"))
    """


@pytest.mark.parametrize(
    "sent",
    [
        *("GET http://NEIGHBOUR/ HTTP/1.1\r\nHost: GRANTED\r\n\r\n",),
        *("GET / HTTP/1.1\r\nHost: GRANTED\r\nHost: NEIGHBOUR\r\n\r\n",),
        *("GET / HTTP/1.1\r\nHost: u@GRANTED\r\n\r\n", "GET / HTTP/1.1\r\n\r\n"),
        *("GET http://u@GRANTED@NEIGHBOUR/ HTTP/1.1\r\n\r\n", "CONNECT NEIGHBOUR HTTP/1.1\r\n\r\n"),
        *("GET / HTTP/1.1\r\n Host: GRANTED\r\n\r\n", "\x16\x03\x01\x02\x00", "\x05\x01\x00"),
        *("SSH-2.0-x\r\n", "GET http://GRANTED\\@NEIGHBOUR/ HTTP/1.1\r\n\r\n", "G" * 100_000),
    ],
)
def test_what_is_no_request_for_a_granted_host_reaches_nobody(
    either: Run, servers: tuple[Server, Server], sent: str
) -> None:
    granted, neighbour = servers
    text = sent.replace("GRANTED", str(granted.host)).replace("NEIGHBOUR", str(neighbour.host))

    finished = either(RAW, text.encode("latin-1"), rights=Rights(hosts=(granted.host,)))

    assert finished.stdout.startswith((b"HTTP/1.1 40", b"\n")), finished
    assert (granted.asked, neighbour.asked) == ([], [])


def test_the_host_is_told_the_name_that_was_granted(
    either: Run, servers: tuple[Server, Server]
) -> None:
    granted, _ = servers
    text = f"GET http://{granted.host}/ HTTP/1.1\r\nHost: other.example\r\n\r\n"

    either(RAW, text.encode(), rights=Rights(hosts=(granted.host,)))

    assert granted.asked == [f"/ of {granted.host}"]


def test_a_long_body_arrives_whole(either: Run, servers: tuple[Server, Server]) -> None:
    text = """
        import sys, urllib.request
        print(urllib.request.urlopen(sys.argv[1], data=b"x" * 5_000_000).read().decode())
        """
    url = f"http://{servers[0].host}/"

    finished = either(text, b"", url, rights=Rights(hosts=(servers[0].host,)))

    assert finished.stdout == b"[5000000, 5000000]\n", finished.stderr


ATTEMPTS = """
    import socket, sys
    def tried(what, attempt):
        try: attempt()
        except OSError: return
        print(what, end=" ")
    to = ("127.0.0.1", int(sys.argv[1]))
    tried("datagram", lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM))
    tried("daemon", lambda: socket.socket(socket.AF_UNIX))
    tried("raw", lambda: socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP))
    tried("netlink", lambda: socket.socket(socket.AF_NETLINK, socket.SOCK_RAW))
    tried("several-paths", lambda: socket.socket(proto=262))
    tried("listened", lambda: socket.create_server(("127.0.0.1", 0)))
    tried("at-once", lambda: socket.socket().sendto(b"x", socket.MSG_FASTOPEN, to))
    tried("name", lambda: socket.getaddrinfo("example.com", 443))
    def connected_again():
        caller = socket.create_connection(to)
        caller.connect(to)
        caller.sendall(b"x\\r\\n\\r\\n")
        if not caller.recv(99).startswith(b"HTTP/1.1 400"): return
        raise OSError
    tried("connected-again", connected_again)
    """


def test_there_is_no_other_way(either: Run, servers: tuple[Server, Server]) -> None:
    port = str(servers[1].host.port)

    finished = either(ATTEMPTS, b"", port, rights=Rights(hosts=(servers[0].host,)))

    assert (finished.stdout, finished.stderr) == (b"", "")


MANY = """
    import errno, socket
    held = []
    try:
        for _ in range(500): held.append(socket.create_connection(("127.0.0.1", 1)))
    except OSError as error:
        print(errno.errorcode[error.errno], len(held))
    """


def test_it_cannot_hold_so_many_that_nobody_else_has_any(
    either: Run, servers: tuple[Server, Server]
) -> None:
    finished = either(MANY, rights=Rights(hosts=(servers[0].host,)))

    assert finished.stdout == b"EMFILE 64\n"


def test_sockets_keep_what_the_program_makes_of_them(
    either: Run, servers: tuple[Server, Server]
) -> None:
    text = """
        import asyncio, socket, sys
        port = int(sys.argv[1])
        one = socket.socket()
        one.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        one.setblocking(False)
        print(one.connect_ex(("127.0.0.1", port)), one.getblocking())
        try: one.recv(1)
        except BlockingIOError: print("would block")
        async def ask():
            read, write = await asyncio.open_connection("127.0.0.1", port)
            write.write(b"GET / HTTP/1.1\\r\\nHost: 127.0.0.1:%d\\r\\n\\r\\n" % port)
            return (await read.read())[-4:]
        print(asyncio.run(ask()))
        """
    granted = servers[0]

    finished = either(text, b"", str(granted.host.port), rights=Rights(hosts=(granted.host,)))

    assert finished.stdout == b"0 False\nwould block\nb'here'\n", finished.stderr


def test_what_it_has_started_reaches_no_more(either: Run, servers: tuple[Server, Server]) -> None:
    text = """
        import subprocess, sys
        print(subprocess.run(["curl", "-sS", sys.argv[1]], capture_output=True, text=True).stdout)
        """
    granted, neighbour = servers
    rights = Rights(hosts=(granted.host,), subprocess=True)

    assert either(text, b"", f"http://{granted.host}/", rights=rights).stdout == b"here\n"
    assert b"is not granted" in either(text, b"", f"http://{neighbour.host}/", rights=rights).stdout
    assert neighbour.asked == []


def test_where_nobody_answers_any_more_there_is_no_socket() -> None:
    """As it is once our process was killed: the file by which it answers is closed."""
    text = """if True:
        import os, socket
        from agentevals.sandbox.launcher import kernel, seccomp
        kernel.prctl(kernel.PR_SET_NO_NEW_PRIVS, 1)
        built = seccomp.build_filter(reach=seccomp.Reach.HOSTS, same_user=True)
        os.close(built.enforce_with_listener())
        try: socket.socket()
        except OSError as error: print(error.strerror)
        """
    done = subprocess.run(
        [sys.executable, "-c", text], capture_output=True, text=True, check=True, timeout=20
    )

    assert done.stdout == "Function not implemented\n"


def test_nobody_else_may_take_the_place_of_the_program(servers: tuple[Server, Server]) -> None:
    read, write = socket.socketpair()
    with read, write:
        supervisor = granted_sockets.Supervisor(
            read.detach(), host_proxy.Proxy(allowed_hosts.Granted(()))
        )
        stranger = socket.create_connection(supervisor._listener.getsockname())
        theirs, ours = supervisor._connect()
        with stranger, theirs, ours:
            assert ours.getpeername() == theirs.getsockname()
        supervisor.close()
