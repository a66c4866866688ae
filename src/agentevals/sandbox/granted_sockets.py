"""The sockets of a program with granted hosts: made here, connected to our proxy, and handed to it.

The kernel asks us whenever the program, or one that it has started, makes a socket (seccomp user
notification). We read nothing of its memory, and it cannot reach us. If we are gone, it gets none.
https://docs.kernel.org/userspace-api/seccomp_filter.html#userspace-notification
"""

import errno
import os
import socket
import struct
from contextlib import suppress

from agentevals.sandbox.host_proxy import Proxy

with suppress(ImportError):  # Windows has none, and no program runs there
    import fcntl

# as linux/seccomp.h has them: the call, its process and arguments; a file for it; our answer
_CALL = struct.Struct("=QIIiIQ6Q")
_FILE = struct.Struct("=QIIII")
_ERROR = struct.Struct("=QqiI")
_RECEIVE, _SEND, _ADD_FILE = 0xC0502100, 0xC0182101, 0x40182103
_AND_ANSWER = 2
_TYPE = 7  # where the second argument of socket(2) stands, which has its flags as well
_MOST = 64  # sockets that are open at a time, with those to the hosts
_PATIENCE = 1.0  # with a connection from us to us


class Supervisor:
    """Answers the calls of one program. `file` is to be polled until there are none."""

    def __init__(self, file: int, proxy: Proxy) -> None:
        self.file, self._proxy = file, proxy
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._listener.settimeout(_PATIENCE)

    def close(self) -> None:
        """Answer no more: whoever still asks gets no socket."""
        os.close(self.file)
        self._listener.close()
        self._proxy.close()

    def answer(self) -> bool:
        """Answer the call that waits; False once there is nobody left to call."""
        asked = bytearray(_CALL.size)
        try:
            fcntl.ioctl(self.file, _RECEIVE, asked, True)
        except FileNotFoundError:  # the caller was killed meanwhile
            return True
        except OSError:
            return False
        call, flags = _CALL.unpack(asked)[0], _CALL.unpack(asked)[_TYPE]
        with suppress(OSError):  # the caller was killed meanwhile
            try:
                self._hand_over(call, flags)
            except OSError as error:
                number = error.errno or errno.EIO
                fcntl.ioctl(self.file, _SEND, _ERROR.pack(call, 0, -number, 0))
        return True

    def _hand_over(self, call: int, flags: int) -> None:
        """Answer with a socket that is connected, and blocks only if it was to."""
        if self._proxy.connections >= _MOST:
            raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))
        theirs, ours = self._connect()
        with theirs:
            theirs.setblocking(not flags & socket.SOCK_NONBLOCK)
            closes = os.O_CLOEXEC if flags & socket.SOCK_CLOEXEC else 0
            file = _FILE.pack(call, _AND_ANSWER, theirs.fileno(), 0, closes)
            fcntl.ioctl(self.file, _ADD_FILE, file)
        self._proxy.begin(ours)

    def _connect(self) -> tuple[socket.socket, socket.socket]:
        theirs = socket.create_connection(self._listener.getsockname(), timeout=_PATIENCE)
        while True:
            ours, whose = self._listener.accept()
            if whose == theirs.getsockname():  # anybody on this machine may connect
                return theirs, ours
            ours.close()
