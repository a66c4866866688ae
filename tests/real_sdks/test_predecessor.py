"""The predecessor's client, as it is installed, lists and runs what our index offers to it.

It asks raw.githubusercontent.com, which a proxy on loopback answers for it.
"""

import json
import socketserver
import ssl
import subprocess
import threading

import pytest
import yaml

from agentevals.sandbox.program_runtimes import find_node
from tests.bench import peer
from tests.certificates import write_certificate
from tests.support import EXAMPLES, agentevals
from tests.walkthroughs import registries

HOST = "raw.githubusercontent.com"
REPOSITORY = "OWNER/agentevals-action"
TRACE = EXAMPLES / "traces/paris.jsonl"


class Proxy(socketserver.ThreadingTCPServer):
    """Hands out the files of a folder as those of main, to whoever asks for that host."""

    allow_reuse_address = daemon_threads = True

    def __init__(self, folder, certificate):
        super().__init__(("127.0.0.1", 0), _Tunnel)
        self.folder, self.asked = folder, []
        self.tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.tls.load_cert_chain(certificate)

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server_address[1]}"


class _Tunnel(socketserver.StreamRequestHandler):
    def handle(self):
        place = self.read_head().split()[1]
        if place != f"{HOST}:443":
            self.wfile.write(b"HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n")
            return
        self.wfile.write(b"HTTP/1.1 200 OK\r\n\r\n")
        with self.server.tls.wrap_socket(self.connection, server_side=True) as inside:
            self.rfile = inside.makefile("rb")
            path = self.read_head().split()[1].removeprefix(f"/{REPOSITORY}/main/")
            self.server.asked.append(path)
            file = self.server.folder / path
            content = file.read_bytes() if file.is_file() else b""
            status = "200 OK" if file.is_file() else "404 Not Found"
            head = (
                f"HTTP/1.1 {status}\r\nContent-Length: {len(content)}\r\nConnection: close\r\n\r\n"
            )
            inside.sendall(head.encode() + content)

    def read_head(self):
        first = self.rfile.readline().decode()
        while self.rfile.readline().strip():
            pass
        return first


@pytest.fixture(scope="module")
def published(tmp_path_factory):
    """Our registry with the index that it publishes."""
    folder = tmp_path_factory.mktemp("registry")
    registries.publish_ours(folder)
    return folder


@pytest.fixture(scope="module")
def old(published, tmp_path_factory):
    """Run the predecessor's client in a folder; it has a cache of its own."""
    home = tmp_path_factory.mktemp("home")
    certificate = write_certificate(home, HOST)
    command = peer.command()
    with Proxy(published, certificate) as proxy:
        threading.Thread(target=proxy.serve_forever, args=(0.01,), daemon=True).start()
        node = find_node().parent

        def run(*words, cwd=home):
            around = {
                "PATH": f"{node}:/usr/bin:/bin", "HOME": str(home), "HTTPS_PROXY": proxy.url,
                "SSL_CERT_FILE": str(certificate), "AGENTEVALS_EVALUATOR_REPO": REPOSITORY,
            }  # fmt: skip
            return subprocess.run(
                [command, *words], cwd=cwd, env=around, capture_output=True, encoding="utf-8",
                check=False, timeout=600,
            )  # fmt: skip

        yield run
        proxy.shutdown()


@pytest.fixture(scope="module")
def listed(published):
    """What the old form of our index has."""
    return {
        one["name"]: one
        for one in yaml.safe_load((published / "index.yaml").read_text())["evaluators"]
    }


def read_scores(done):
    """The score and status of each evaluator."""
    [trace] = json.loads(done.stdout)["traces"]
    return {
        one["metric_name"]: (one["score"], one["eval_status"], one["error"])
        for one in trace["metrics"]
    }


def test_it_lists_what_it_can_run_and_nothing_else(old, listed):
    done = old("evaluator", "list", "--source", "github")

    assert done.returncode == 0, done.stderr
    shown = {line.split()[0] for line in done.stdout.splitlines() if " github " in f"{line} "}
    assert shown == set(listed)


def test_what_is_not_for_it_is_in_our_index_alone(published, listed):
    whole = {
        one["name"]: one for one in json.loads((published / "index.json").read_text())["evaluators"]
    }

    asked = {name for name, entry in whole.items() if entry.get("capabilities", {}).get("judge")}
    assert asked
    assert not asked & set(listed)
    assert set(listed) < set(whole)


def list_entries(published, listed, **how):
    """The evaluators of a config, each as its first fixture configures it."""
    for name, entry in listed.items():
        program = published / entry["path"]
        written = yaml.safe_load(program.with_name("fixtures.yaml").read_text())["fixtures"]
        config = next((one["config"] for one in written if one.get("config")), {})
        place = {
            key: value.format(program=program, ref=entry["path"]) for key, value in how.items()
        }
        yield {"name": name, "config": config, **place}


def test_it_runs_all_of_them_with_the_scores_of_ours(old, published, listed, tmp_path):
    fetched = {"type": "remote", "source": "github", "ref": "{ref}"}
    here = {"type": "code", "path": "{program}"}
    for name, how in (("theirs.yaml", fetched), ("ours.yaml", here)):
        entries = [*list_entries(published, listed, **how)]
        (tmp_path / name).write_text(yaml.safe_dump({"evaluators": entries}))
    words = ("run", str(TRACE), "-o", "json", "--config")
    theirs = read_scores(old(*words, "theirs.yaml", cwd=tmp_path))
    path = f"{find_node().parent}:/usr/bin:/bin"
    ours = read_scores(agentevals(*words, "ours.yaml", cwd=tmp_path, PATH=path))

    assert theirs.keys() == set(listed)
    assert not [name for name, (_, _, error) in theirs.items() if error]
    assert theirs == ours
