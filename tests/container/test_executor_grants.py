"""`executor: docker`: variables, files, hosts and the judge are granted in a container too."""

import json
from pathlib import Path
from textwrap import dedent

import pytest

from agentevals.model.errors import EvaluatorError
from agentevals.sandbox.allowed_hosts import Host
from agentevals.sandbox.program_rights import Rights
from tests.container.asking import Ask
from tests.servers import as_json, reply, serve


def grant(*ports: int, **others) -> Rights:
    return Rights(hosts=tuple(Host("127.0.0.1", port) for port in ports), **others)


ASKS = """
    import json, socket, sys, urllib.request
    def ask(port):
        try:
            return urllib.request.urlopen(f"http://127.0.0.1:{port}/", timeout=5).read().decode()
        except OSError as error:
            return str(error)
    def connect(port):
        try:
            with socket.create_connection(("127.0.0.1", port), 5) as peer:
                peer.sendall(b"GET / HTTP/1.1\\r\\nHost: 127.0.0.1:%d\\r\\n\\r\\n" % port)
                return peer.makefile("rb").read().decode()
        except OSError as error:
            return str(error)
    granted, neighbour = json.load(sys.stdin)
    print(json.dumps([f(port) for port in (granted, neighbour) for f in (ask, connect)]))
"""


def test_one_host_is_reached_and_its_neighbour_is_not(ask: Ask):
    with serve(lambda _: reply(body=b"yes")) as granted, serve(lambda _: reply()) as neighbour:
        rights = grant(granted.port)
        message = json.dumps([granted.port, neighbour.port]).encode()
        asked, connected, *others = json.loads(ask(ASKS, message, rights=rights).stdout)

    assert asked == "yes"
    assert connected.endswith("\r\n\r\nyes")
    assert f"403: 127.0.0.1:{neighbour.port} is not granted to this evaluator" in others[0]
    assert "refused" in others[1]
    assert neighbour.seen == []
    assert set(rights.refused) == {neighbour.host}


def test_the_next_case_reaches_no_more_than_it_is_granted(ask: Ask):
    with serve(lambda _: reply(body=b"yes")) as one, serve(lambda _: reply(body=b"no")) as other:
        message = json.dumps([one.port, other.port]).encode()
        for rights, wanted in (
            (grant(one.port), ["yes", "403"]),
            (grant(other.port), ["403", "no"]),
            (Rights(), ["refused", "refused"]),
        ):
            told = json.loads(ask(ASKS, message, rights=rights).stdout)[::2]
            assert [want in said for want, said in zip(wanted, told, strict=True)] == [True, True]


TALKS = """
    import json, os, sys, threading, urllib.request
    url, size = json.load(sys.stdin)
    told = []
    def talk(number):
        body = bytes([number]) * size
        with urllib.request.urlopen(url, body, timeout=20) as answer:
            told.append(answer.read() == body)
    threads = [threading.Thread(target=talk, args=(number,)) for number in range(16)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    print(json.dumps(told))
"""


def test_many_large_requests_at_a_time_come_and_go_whole(ask: Ask):
    with serve(lambda seen: reply(body=seen.body)) as server:
        message = json.dumps([server.url, 3_000_000]).encode()
        told = json.loads(ask(TALKS, message, rights=grant(server.port), timeout=60).stdout)

    assert told == [True] * 16


def test_who_reads_and_writes_nothing_is_ended_in_time(ask: Ask):
    text = """
        import socket, sys, time
        port = int(sys.stdin.read())
        peers = [socket.create_connection(("127.0.0.1", port)) for _ in range(9)]
        asked = b"GET / HTTP/1.1\\r\\nHost: 127.0.0.1:%d\\r\\n\\r\\n" % port
        for peer in peers: peer.sendall(asked)
        time.sleep(60)
    """
    with serve(lambda _: reply(body=b"x" * 50_000_000)) as server:
        with pytest.raises(EvaluatorError, match="took longer than 2 s and was ended"):
            ask(text, str(server.port).encode(), rights=grant(server.port), timeout=2)

        assert ask("print('next')").stdout == b"next\n"


def test_the_judge_is_asked_on_its_own_port(ask: Ask):
    text = """
        import http.client, os
        peer = http.client.HTTPConnection(os.environ["JUDGE"])
        peer.request("POST", "/v1/chat/completions", b"{}")
        print(peer.getresponse().read().decode())
    """
    with serve(lambda _: as_json({"score": 1})) as judge:
        rights = Rights(served=(Host("127.0.0.1", judge.port),))
        answer = ask(text, rights=rights, env={"JUDGE": judge.host})

    assert json.loads(answer.stdout) == {"score": 1}


READS = """
    import json, os, pathlib
    def read(path):
        try: return pathlib.Path(path).read_text()
        except OSError as error: return type(error).__name__
    def write(path):
        try: return pathlib.Path(path).write_text("x")
        except OSError as error: return type(error).__name__
    above = pathlib.Path(__file__).parent.parent
    print(json.dumps({
        "relative": read("data/words.txt"), "beside": read(above / "data/words.txt"),
        "other": read(above / "data/other.txt"), "folder": sorted(os.listdir("lists")),
        "closed": read("lists/.env"), "written": write("data/words.txt"),
        "own": write("data/own.txt"),
    }))
"""


def test_granted_files_are_read_as_where_they_lie_and_never_written(
    ask: Ask, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    for name in ("data/words.txt", "data/other.txt", "lists/a.txt", "lists/.env"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(name)
    monkeypatch.chdir(tmp_path)
    rights = Rights(files=(tmp_path / "data/words.txt", tmp_path / "lists"), tree=tmp_path)

    assert json.loads(ask(READS, rights=rights).stdout) == {
        "relative": "data/words.txt",
        "beside": "data/words.txt",
        "other": "FileNotFoundError",
        "folder": ["a.txt"],
        "closed": "FileNotFoundError",
        "written": "PermissionError",
        "own": 1,
    }
    (tmp_path / "data/words.txt").write_text("changed")
    assert json.loads(ask(READS, rights=rights).stdout)["relative"] == "changed"


def test_the_first_line_of_an_error_names_the_keys(
    ask: Ask, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    (tmp_path / "data").mkdir()
    (tmp_path / "data/words.txt").touch()
    monkeypatch.chdir(tmp_path)
    text = "import os\nos.environ['DEPLOY_TOKEN']\nopen('data/words.txt')\n"

    with pytest.raises(EvaluatorError) as failed:
        ask(text)

    first = str(failed.value).splitlines()[0]
    assert "Add `env: [DEPLOY_TOKEN]` and `files: [data/words.txt]` to this evaluator" in first


def test_node_reaches_its_host_and_reads_its_file(ask: Ask, node_image: str, tmp_path: Path):
    (tmp_path / "words.txt").write_text("words")
    text = """
        const fs = require("node:fs"), http = require("node:http");
        const body = Buffer.alloc(3_000_000, 7);
        const port = Number(fs.readFileSync(0, "utf8"));
        const options = { method: "POST", host: "127.0.0.1", port };
        const request = http.request(options, async (answer) => {
          const pieces = [];
          for await (const piece of answer) pieces.push(piece);
          const same = Buffer.concat(pieces).equals(body);
          console.log(answer.statusCode, same, fs.readFileSync("words.txt", "utf8"));
        });
        request.end(body);
    """
    rights = {"files": (tmp_path / "words.txt",), "tree": tmp_path}
    with serve(lambda seen: reply(body=seen.body)) as server:
        for _ in range(2):
            answer = ask(
                dedent(text),
                str(server.port).encode(),
                name="judge.js",
                image=node_image,
                rights=grant(server.port, **rights),
            )
            assert answer.stdout == b"200 true words\n"
