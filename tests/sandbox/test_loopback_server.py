import socket
from contextlib import closing

import pytest
import requests

from agentevals.sandbox import loopback_server
from agentevals.sandbox.loopback_server import LoopbackHandler


class Greets(LoopbackHandler):
    def do_GET(self):
        self.send_response(200)
        self.send_header("content-length", "5")
        self.end_headers()
        self.wfile.write(b"hello")


def connect(port):
    return closing(socket.create_connection(("127.0.0.1", port), timeout=30))


def test_it_answers_on_loopback_until_the_block_ends(capfd):
    with loopback_server.serve(Greets, at_a_time=4) as port:
        answer = requests.get(f"http://127.0.0.1:{port}/", timeout=30)

    assert (answer.text, answer.headers["server"].strip()) == ("hello", "agentevals")
    assert capfd.readouterr() == ("", "")
    with pytest.raises(ConnectionRefusedError):
        connect(port)


def test_a_connection_beyond_the_limit_is_closed():
    serving = loopback_server.serve(Greets, at_a_time=1)
    with serving as port, connect(port) as first, connect(port) as second:
        first.sendall(b"GET / ")  # half a request, so that it stays open
        assert second.recv(1) == b""


def test_the_end_does_not_wait_for_a_program_that_says_nothing(capfd):
    with loopback_server.serve(Greets, at_a_time=4) as port:
        silent = socket.create_connection(("127.0.0.1", port), timeout=30)
        silent.sendall(b"GET / ")
    silent.close()

    assert capfd.readouterr().err == ""
