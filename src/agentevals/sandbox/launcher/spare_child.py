"""A child that is forked before there is an order for it.

Forking, and what every program has in common, take longer than most programs run.
"""

import marshal
import os
import socket
from collections.abc import Sequence

from agentevals.sandbox.launcher import forked_child
from agentevals.sandbox.launcher.control_groups import Group
from agentevals.sandbox.launcher.process_isolation import Machine


class Spare:
    """A process that waits to become a program. It ends if it never does."""

    def __init__(self, machine: Machine, group: Group | None) -> None:
        self.group = group
        self._place, theirs = socket.socketpair()
        self.pid = os.fork()
        if self.pid == 0:
            self._place.close()
            forked_child.wait(machine, theirs)
        theirs.close()
        if group:  # the kernel may wait for all processors before it lets anybody in
            group.add(self.pid)

    def begin(self, files: Sequence[int], user: int, folder: str) -> None:
        """Become a program: the channel, the order, and the three standard streams."""
        with self._place:
            socket.send_fds(self._place, [marshal.dumps((user, folder))], files)

    def end(self) -> None:
        """Become none."""
        self._place.close()
