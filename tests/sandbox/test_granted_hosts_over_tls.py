"""Over TLS, a client that heeds the proxy reaches a granted host, and not its neighbour.

Clients that evaluators bring along are in `tests/real_sdks/test_clients.py`.
"""

import sys
from pathlib import Path

import pytest

from agentevals.sandbox.allowed_hosts import Host
from agentevals.sandbox.isolation import Finished, Rights, describe, run_program
from agentevals.sandbox.program_runtimes import find_node
from tests.certificates import trust_localhost
from tests.servers import reply, serve

pytestmark = pytest.mark.skipif(
    sys.platform != "linux" or "seccomp" not in describe(), reason="only Linux can ask about calls"
)
STARTED = {".py": sys.executable, ".mjs": str(find_node()), ".sh": "/bin/sh"}
CLIENTS = {
    "with_urllib.py": "import sys; from urllib import request\n"
    "print(request.urlopen(sys.argv[1]).read().decode())",
    "with_requests.py": "import requests, sys; print(requests.get(sys.argv[1]).text)",
    "fetch.mjs": "console.log(await (await fetch(process.argv[2])).text())",
    "curl.sh": 'curl -sSf "$1" && echo',
}


def ask(client: Path, host: str, rights: Rights) -> Finished:
    command = [STARTED[client.suffix], str(client), f"https://{host}/"]
    return run_program(command, stdin=b"", timeout=30, folder=client.parent, rights=rights)


@pytest.mark.parametrize("name", CLIENTS)
def test_one_host_is_reached_and_its_neighbour_is_not(
    name: str,
    tmp_path: Path,
    tmp_path_factory: pytest.TempPathFactory,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    client = tmp_path / name
    client.write_text(CLIENTS[name])
    certificate = trust_localhost(tmp_path_factory.mktemp("tls"), monkeypatch)
    with (
        serve(lambda _: reply(body=b"here"), certificate) as granted,
        serve(lambda _: reply(), certificate) as neighbour,
    ):
        host, other = (f"localhost:{server.port}" for server in (granted, neighbour))
        rights = Rights(hosts=(Host.parse(host),), subprocess=True)
        reached, refused = (ask(client, one, rights) for one in (host, other))

    assert reached.stdout == b"here\n", reached.stderr
    assert (refused.stdout, refused.exit_code != 0) == (b"", True)
    assert (len(granted.seen), neighbour.seen) == (1, [])
    assert list(rights.refused) == [other]
