"""Both ends of a relay in one process: what a program sends arrives, whoever closes first."""

import select
import socket
from collections import deque
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field

import pytest

from agentevals.sandbox.container.relay import Relay


@dataclass
class Ends:
    """The end in the container, and ours; what was said between them is delivered by `step`."""

    said: deque[tuple[Relay, dict, bytes]] = field(default_factory=deque)
    poll: select.poll = field(default_factory=select.poll)
    hosts: list[socket.socket] = field(default_factory=list)
    programs: list[socket.socket] = field(default_factory=list)
    refuses: bool = False

    def __post_init__(self) -> None:
        self.inner = Relay(self.poll, lambda m, c: self.said.append((self.outer, m, c)))
        self.outer = Relay(
            self.poll, lambda m, c: self.said.append((self.inner, m, c)), self.connect
        )

    def close(self) -> None:
        for one in (self.inner, self.outer, *self.hosts, *self.programs):
            one.close()

    def connect(self) -> socket.socket:
        if self.refuses:
            raise OSError
        ours, theirs = socket.socketpair()
        theirs.settimeout(5)
        self.hosts.append(theirs)
        return ours

    def step(self) -> None:
        """Until there is nothing more to do."""
        while self.said or (ready := self.poll.poll(5)):
            while self.said:
                relay, message, content = self.said.popleft()
                relay.receive(message["link"], message["what"], content)
            for file, _ in self.poll.poll(0) or ready:
                self.inner.serve(file)
                self.outer.serve(file)
            ready = []

    def open(self, port: int) -> socket.socket:
        """Open a connection as a program does, and return its end."""
        self.programs.append(socket.create_connection(("127.0.0.1", port), timeout=5))
        self.programs[-1].sendall(b"first")
        self.step()
        return self.programs[-1]

    def call(self, port: int) -> tuple[socket.socket, socket.socket]:
        """Open one that is not refused, and return both of its ends."""
        program = self.open(port)
        assert self.hosts[-1].recv(5) == b"first"
        return program, self.hosts[-1]


@pytest.fixture
def ends() -> Iterator[Ends]:
    made = Ends()
    yield made
    made.close()


@pytest.fixture
def port(ends: Ends) -> int:
    with socket.create_server(("127.0.0.1", 0)) as free:
        found = free.getsockname()[1]
    ends.inner.listen([found])
    return found


def read_all(ends: Ends, one: socket.socket) -> bytes:
    one.setblocking(False)
    read = b""
    while True:
        ends.step()
        try:
            piece = one.recv(1 << 20)
        except BlockingIOError:
            continue
        if not piece:
            return read
        read += piece


def test_an_answer_arrives_whole_although_its_sender_has_closed(ends: Ends, port: int) -> None:
    program, host = ends.call(port)
    host.sendall(b"x" * 100_000)
    host.close()

    assert read_all(ends, program) == b"x" * 100_000


def test_who_has_said_all_still_gets_an_answer(ends: Ends, port: int) -> None:
    program, host = ends.call(port)
    program.shutdown(socket.SHUT_WR)
    ends.step()
    assert host.recv(1) == b""
    host.sendall(b"answer")
    host.close()

    assert read_all(ends, program) == b"answer"


def test_who_was_first_to_connect_may_be_the_last_to_speak(ends: Ends, port: int) -> None:
    first, second = (socket.create_connection(("127.0.0.1", port), timeout=5) for _ in range(2))
    ends.programs += (first, second)
    ends.step()
    second.sendall(b"second")
    ends.step()
    first.sendall(b"first")
    ends.step()

    assert [host.recv(6) for host in ends.hosts] == [b"first", b"second"]


def test_no_end_holds_more_than_a_piece_of_what_nobody_reads(ends: Ends, port: int) -> None:
    _, host = ends.call(port)
    host.setblocking(False)
    taken = 0
    with suppress(BlockingIOError):
        while taken < 100 << 20:
            taken += host.send(b"x" * 65536)
            ends.step()

    assert taken < 50 << 20


def test_a_program_that_is_gone_is_gone_for_the_host(ends: Ends, port: int) -> None:
    program, host = ends.call(port)
    program.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
    program.close()
    ends.step()

    assert host.recv(1) == b""


def test_a_connection_that_is_refused_outside_is_closed_inside(ends: Ends, port: int) -> None:
    ends.refuses = True
    program = ends.open(port)

    with pytest.raises(ConnectionResetError):  # what it has sent was not read
        program.recv(1)


def test_at_most_64_are_open_at_a_time(ends: Ends, port: int) -> None:
    for _ in range(64):
        ends.call(port)
    one_more = socket.create_connection(("127.0.0.1", port), timeout=5)
    ends.step()
    ends.programs.append(one_more)

    assert one_more.recv(1) == b""
    for one in (ends.programs[0], ends.hosts[0]):
        one.close()
    ends.step()
    assert ends.call(port)
