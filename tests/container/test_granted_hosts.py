"""In the image: an evaluator reaches the host that it is granted, and no other."""

import json

from tests.container.runner import Runner, hand_over
from tests.servers import reply, serve

_CONFIG = """\
evaluators:
  - name: asks
    type: code
    path: ./asks.py
    network: ["127.0.0.1:{port}"]
"""
_ASKS = """\
import json, socket, urllib.request

def ask(port):
    try:
        return urllib.request.urlopen(f"http://127.0.0.1:{{port}}/", timeout=5).status
    except OSError as error:
        return str(error)

def connect(port):
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=5) as peer:
            peer.sendall(b"GET / HTTP/1.1\\r\\nHost: 127.0.0.1:%d\\r\\n\\r\\n" % port)
            return peer.recv(64).split(b"\\r\\n")[0].decode()
    except OSError as error:
        return str(error)

told = [ask({granted}), ask({neighbour}), connect({neighbour})]
print(json.dumps({{"score": float(told[0] == 200), "details": {{"told": told}}}}))
"""


def test_one_host_is_reached_and_its_neighbour_is_not(runner: Runner):
    with serve(lambda _: reply()) as granted, serve(lambda _: reply()) as neighbour:
        (runner.workspace / "granted.yaml").write_text(_CONFIG.format(port=granted.port))
        program = _ASKS.format(granted=granted.port, neighbour=neighbour.port)
        (runner.workspace / "asks.py").write_text(program)
        hand_over(runner.workspace)

        words = ("run", "traces/paris.jsonl", "--config", "granted.yaml", "-o", "json")
        step = runner.program("agentevals", *words, options=("--network", "host"))

    assert step.exit_code == 0, step.log
    [[result]] = [trace["metrics"] for trace in json.loads(step.log)["traces"]]
    reached, asked, connected = result["details"]["told"]
    assert reached == 200
    assert "403" in asked
    assert "403" in connected
    assert "strict (own user" in result["isolation"]
