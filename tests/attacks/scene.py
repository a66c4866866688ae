"""A machine that is worth an attack: secrets, a checkout, another process, servers that listen."""

import os
import socket
import subprocess
import tempfile
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

TOKEN = "secret-of-the-run"
_LENT = ("words.txt", ".env", "deep/.git/config", "deep/id_rsa")
_CHECKOUT = (".git/config", "tool/.git/config", ".env", "deep/er/id_rsa", "own/main.py")


class Scene:
    """The things that attempts name, and what became of them."""

    def __init__(self, folder: Path, stack: ExitStack) -> None:
        self._folder = folder
        self._victim = subprocess.Popen(["sleep", "900"], env={"TOKEN": TOKEN, "PATH": os.defpath})
        stack.callback(self._victim.wait)
        stack.callback(self._victim.kill)
        self._granted = stack.enter_context(_serve())
        self._listening = [stack.enter_context(server) for server in self._listen()]
        self._before = self._describe_files()

    @property
    def things(self) -> dict[str, object]:
        tcp, udp, _, abstract = self._listening
        return {
            "folder": self._folder,
            "secret": self._folder / "secret",
            "everybodys": self._folder / "everybodys",
            "checkout": self._folder / "checkout",
            "lent": self._folder / "lent",
            "granted": self._granted.server_address[1],
            "own": self._folder / "checkout/own",
            "unix": self._folder / "socket",
            "abstract": abstract.getsockname()[1:].decode(),
            "tcp": tcp.getsockname()[1],
            "udp": udp.getsockname()[1],
            "victim": self._victim.pid,
            "us": os.getpid(),
        }

    def list_damage(self) -> list[str]:
        """Return what the attempts did, whatever they say themselves."""
        after = self._describe_files()
        changed = [
            f"changed {name}"
            for name in sorted({*self._before, *after})
            if self._before.get(name) != after.get(name)
        ]
        left = [f"left {path}" for path in Path(tempfile.gettempdir()).glob("left*")]
        heard = [f"was heard by {server}" for server in self._listening if _has_heard(server)]
        ended = [] if self._victim.poll() is None else ["ended another process"]
        return [*changed, *left, *heard, *ended]

    def _listen(self) -> Iterator[socket.socket]:
        yield socket.create_server(("127.0.0.1", 0))
        datagrams = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        datagrams.bind(("127.0.0.1", 0))
        yield datagrams
        for address in (str(self._folder / "socket"), f"\0agentevals-{os.getpid()}"):
            unix = socket.socket(socket.AF_UNIX)
            unix.bind(address)
            unix.listen()
            yield unix
        (self._folder / "socket").chmod(0o777)

    def _describe_files(self) -> dict[str, tuple[object, ...]]:
        found = {}
        for path in self._folder.rglob("*"):
            status = path.lstat()
            content = path.read_bytes() if path.is_file() and not path.is_symlink() else b""
            found[str(path)] = (status.st_mode, status.st_uid, status.st_mtime_ns, content)
        return found


@contextmanager
def set_up() -> Iterator[Scene]:
    """Make a scene whose files are open to everybody, so that their modes protect nothing."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="attacked-")))
        below = (*(f"checkout/{name}" for name in _CHECKOUT), *(f"lent/{name}" for name in _LENT))
        for name in ("secret", "everybodys", *below):
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(TOKEN)
        (folder / "checkout/link-to-secret").symlink_to(folder / "secret")
        (folder / "lent/link").symlink_to(folder / "secret")
        for path in (folder, *folder.rglob("*")):
            if not path.is_symlink():
                path.chmod(0o777)
        yield Scene(folder, stack)


class _Granted(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("content-length", "0")
        self.end_headers()

    def log_message(self, *_: Any) -> None:
        """Requests are not logged."""


@contextmanager
def _serve() -> Iterator[ThreadingHTTPServer]:
    with ThreadingHTTPServer(("127.0.0.1", 0), _Granted) as server:
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        yield server
        server.shutdown()


def _has_heard(server: socket.socket) -> bool:
    server.setblocking(False)
    try:
        if server.type == socket.SOCK_DGRAM:
            return bool(server.recv(1))
        server.accept()[0].close()
    except BlockingIOError:
        return False
    return True
