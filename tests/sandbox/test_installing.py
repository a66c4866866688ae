"""What installs packages reaches public hosts and the indexes of the machine, nothing else."""

import sys
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from agentevals.model.errors import EvaluatorError
from agentevals.sandbox import environments, isolation
from agentevals.sandbox.hosts import GrantedToInstaller, Host, RefusedHostError
from agentevals.sandbox.installers import Installer, list_indexes
from tests.sandbox.test_environments import wheel

pytestmark = pytest.mark.skipif(
    sys.platform != "linux" or "seccomp" not in isolation.describe(),
    reason="only Linux can ask about calls",
)
INSTALLERS = pytest.mark.parametrize("installer", [{}, {"uv": None}], ids=["uv", "pip"])
BUILT = '[build-system]\nrequires = []\nbuild-backend = "backend"\nbackend-path = ["."]\n'
BACKEND = """
import socket, urllib.request

def build_wheel(folder, settings=None, metadata=None):
    with socket.create_connection(("127.0.0.1", PORT)) as one:
        one.sendall(b"GET /secret HTTP/1.1\\r\\nHost: 127.0.0.1:PORT\\r\\n\\r\\n")
        said = one.recv(1 << 16)
    with socket.create_connection(("127.0.0.1", PORT)) as one:
        one.sendall(b"GET /secret HTTP/1.1\\r\\nHost: localhost:PORT\\r\\n\\r\\n")
        said += one.recv(1 << 16)
    try:
        said += urllib.request.urlopen("http://127.0.0.1:PORT/secret").read()
    except OSError:
        pass
    raise SystemExit(f"heard {said.count(b' 403 ')} refusals, {said.count(b' 200 ')} answers")
build_editable = build_wheel
"""


class _Handler(SimpleHTTPRequestHandler):
    def do_GET(self) -> None:
        self.server.asked.append(self.path)  # type: ignore[attr-defined]
        super().do_GET()

    def log_message(self, *_: Any) -> None:
        """Nobody reads it."""


class Server(ThreadingHTTPServer):
    """Serves a folder, and remembers what it was asked for."""

    def __init__(self, folder: Path) -> None:
        super().__init__(("127.0.0.1", 0), partial(_Handler, directory=str(folder)))
        self.asked: list[str] = []

    @property
    def port(self) -> int:
        return self.server_address[1]


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    environments._failures.clear()


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    """A server on this machine, which is an index as well."""
    wheel(tmp_path / "served" / "simple" / "tiny")
    with Server(tmp_path / "served") as server:
        Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        yield server
        server.shutdown()


def install(folder: Path, text: str, installer: dict[str, Any]) -> environments.Environment:
    folder.mkdir(exist_ok=True)
    (folder / "requirements.txt").write_text(text)
    return environments.prepare(folder / "requirements.txt", Installer(**installer))


@INSTALLERS
def test_a_build_does_not_reach_a_server_of_this_machine(
    server: Server, tmp_path: Path, installer: dict[str, Any]
) -> None:
    package = tmp_path / "judge" / "package"
    package.mkdir(parents=True)
    (package / "pyproject.toml").write_text(BUILT)
    (package / "backend.py").write_text(BACKEND.replace("PORT", str(server.port)))

    with pytest.raises(EvaluatorError, match="heard 2 refusals, 0 answers") as failed:
        install(tmp_path / "judge", f"{package}\n", installer)

    assert f"127.0.0.1:{server.port} is no public host" in str(failed.value)
    assert server.asked == []


@INSTALLERS
def test_an_index_on_this_machine_is_reached_where_the_settings_name_it(
    server: Server, tmp_path: Path, installer: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    index = f"http://127.0.0.1:{server.port}/simple"
    monkeypatch.setenv("PIP_INDEX_URL", index)
    monkeypatch.setenv("UV_DEFAULT_INDEX", index)

    made = install(tmp_path / "judge", "tiny==1.0\n", installer)

    assert (made.packages / "tiny" / "__init__.py").is_file()


@INSTALLERS
def test_an_index_on_this_machine_that_only_the_requirements_name_is_not_reached(
    server: Server, tmp_path: Path, installer: dict[str, Any]
) -> None:
    index = f"http://127.0.0.1:{server.port}/simple"

    with pytest.raises(EvaluatorError, match="is no public host"):
        install(tmp_path / "judge", f"--index-url {index}\ntiny==1.0\n", installer)

    assert server.asked == []


def test_where_sockets_cannot_be_led_an_installer_has_the_network(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(environments, "_opens_single_hosts", lambda: False)
    index = f"http://127.0.0.1:{server.port}/simple"

    install(tmp_path / "judge", f"--index-url {index}\ntiny==1.0\n", {"uv": None})

    assert "/simple/tiny/" in server.asked


def test_the_indexes_are_those_of_the_environment_and_of_settings_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "pip.conf").write_text("[global]\nextra-index-url = http://u:p@10.0.0.1/simple\n")
    monkeypatch.setenv("PIP_CONFIG_FILE", str(tmp_path / "pip.conf"))
    (tmp_path / "uv.toml").write_text('[[index]]\nurl = "https://[::1]:8443/simple"\n')
    monkeypatch.setenv("UV_CONFIG_FILE", str(tmp_path / "uv.toml"))
    monkeypatch.setenv("UV_INDEX", "own=https://pypi.example.org/simple http://a..b/ http://c:x/")

    found = {str(host) for host in list_indexes()}

    assert {"10.0.0.1:80", "[::1]:8443", "pypi.example.org:443"} <= found
    assert not any("a..b" in one or one.startswith("c:") for one in found)


def resolve_inside(name: str, port: int) -> list[str]:
    return ["10.0.0.7", "93.184.215.14"] if "mixed" in name else ["10.0.0.7"]


GRANTED = GrantedToInstaller((Host("pypi.example.org"),), resolve_inside)


def test_a_name_that_the_settings_name_may_stand_for_a_private_address() -> None:
    assert GRANTED.find_addresses(Host("pypi.example.org")) == ("10.0.0.7",)


def test_another_name_stands_for_its_public_addresses_alone() -> None:
    assert GRANTED.find_addresses(Host("mixed.example.org")) == ("93.184.215.14",)
    assert GRANTED.find_addresses(Host("8.8.8.8", 80)) == ("8.8.8.8",)


@pytest.mark.parametrize(
    "text",
    [
        *("127.0.0.1:80", "localhost:80", "10.0.0.7:443", "169.254.169.254:80", "[::1]:80"),
        *("168.63.129.16:80", "0.0.0.0:80", "[fd00:ec2::254]:80", "[::ffff:127.0.0.1]:80"),
        *("100.100.100.200:80", "evil.example.org:443", "pypi.example.org:80"),
    ],
)
def test_what_is_not_public_is_refused(text: str) -> None:
    with pytest.raises(RefusedHostError, match="is no public host"):
        GRANTED.find_addresses(Host.parse(text))


@pytest.mark.parametrize("text", ["127.0.0.1:80", "169.254.169.254:80", "[fd00:ec2::254]:80"])
def test_an_address_that_is_not_public_is_refused_before_another_proxy_is_asked(text: str) -> None:
    with pytest.raises(RefusedHostError, match="is no public host"):
        GRANTED.check(Host.parse(text))
