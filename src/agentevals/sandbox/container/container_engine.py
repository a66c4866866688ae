"""The API of a container engine, over its UNIX socket: Docker's, which Podman speaks too."""

import http.client
import json
import os
import socket
from collections.abc import Mapping
from dataclasses import dataclass
from typing import IO, Any
from urllib.parse import quote, urlencode

from agentevals.model.errors import EvaluatorError, UnavailableError

_UNIX = "unix://"
_PATIENCE = 60.0
_REFUSED = 400
_LONGEST = 1 << 16  # bytes of a reason
_UPGRADED = 101
_MISSING = 404
_INSTEAD = "or use executor: local"


class EngineError(EvaluatorError):
    """The reason of the engine why it did not do something."""

    def __init__(self, status: int, reason: str) -> None:
        super().__init__(f"the container engine refused: {reason}")
        self.status = status

    @property
    def is_missing(self) -> bool:
        return self.status == _MISSING


def list_sockets() -> list[str]:
    """Return where an engine may listen: where DOCKER_HOST says, else the usual places."""
    if named := os.environ.get("DOCKER_HOST", ""):
        if not named.startswith(_UNIX):
            what = f"DOCKER_HOST is {named!r}, and only a socket 'unix:///…' can be used"
            msg = f"cannot be started: {what}; unset it, {_INSTEAD}"
            raise UnavailableError(msg)
        return [named.removeprefix(_UNIX)]
    own = os.environ.get("XDG_RUNTIME_DIR") or f"/run/user/{os.getuid()}"
    return ["/var/run/docker.sock", f"{own}/podman/podman.sock", "/run/podman/podman.sock"]


def find_engine() -> "Engine":
    """Return the first engine that answers, or raise an UnavailableError that says why not."""
    places, closed = list_sockets(), []
    for place in places:
        try:
            with _connect(place):
                return Engine(place)
        except PermissionError:
            closed.append(place)
        except OSError:
            continue
    if closed:
        what = f"this user may not use {closed[0]}; join the group 'docker', {_INSTEAD}"
    else:
        listed = " or ".join(places)
        what = f"no container engine answers at {listed}; start Docker, {_INSTEAD}"
    msg = f"cannot be started: {what}"
    raise UnavailableError(msg)


@dataclass(frozen=True)
class Engine:
    """An engine that listens on a socket."""

    place: str

    @property
    def is_podman(self) -> bool:
        parts = self.ask("GET", "/version").get("Components") or ()
        return any("podman" in str(part.get("Name", "")).lower() for part in parts)

    def ask(self, method: str, path: str, body: object = None, **parameters: object) -> Any:
        """Return the answer to a request, an empty object where there is none."""
        content = None if body is None else json.dumps(body).encode()
        answer = self._send(method, path, content, "application/json", parameters)
        return json.loads(answer) if answer.strip() else {}

    def put_archive(self, container: str, folder: str, archive: IO[bytes]) -> None:
        """Unpack a tar in a folder of a container that is a volume: the rest is read-only."""
        path = f"/containers/{container}/archive"
        self._send("PUT", path, archive, "application/x-tar", {"path": folder})

    def pull(self, image: str) -> None:
        """Fetch an image from its registry."""
        said = self._send("POST", "/images/create", None, "", {"fromImage": image})
        last = json.loads(said.strip().splitlines()[-1] or b"{}") if said.strip() else {}
        if "error" in last:
            raise EngineError(_REFUSED, str(last["error"]))

    def attach(self, container: str) -> socket.socket:
        """Return a connection to the streams of a container: to write to, and to read from."""
        connection = _connect(self.place)
        query = urlencode({"stream": 1, "stdin": 1, "stdout": 1, "stderr": 1})
        asked = f"POST /containers/{container}/attach?{query} HTTP/1.1"
        headers = ("Host: engine", "Connection: Upgrade", "Upgrade: tcp", "Content-Length: 0")
        connection.sendall("\r\n".join((asked, *headers, "", "")).encode())
        status = _read_status(connection)
        if status not in {_UPGRADED, http.client.OK}:
            reason = _read_reason(connection.recv(_LONGEST))
            connection.close()
            raise EngineError(status, f"it does not attach (status {status}): {reason}")
        return connection

    def _send(
        self, method: str, path: str, body: Any, kind: str, parameters: Mapping[str, object]
    ) -> bytes:
        query = f"?{urlencode(parameters)}" if parameters else ""
        caller = _Connection(self.place)
        try:
            caller.request(
                method, quote(path) + query, body, {"Content-Type": kind} if kind else {}
            )
            answer = caller.getresponse()
            content = answer.read()
        except (OSError, http.client.HTTPException) as error:
            msg = f"the container engine at {self.place} does not answer: {error}"
            raise UnavailableError(msg) from error
        finally:
            caller.close()
        if answer.status >= _REFUSED:
            raise EngineError(answer.status, _read_reason(content))
        return content


class _Connection(http.client.HTTPConnection):
    def __init__(self, place: str) -> None:
        super().__init__("engine", timeout=_PATIENCE)
        self._place = place

    def connect(self) -> None:
        self.sock = _connect(self._place)
        self.sock.settimeout(_PATIENCE)


def _connect(place: str) -> socket.socket:
    connection = socket.socket(socket.AF_UNIX)
    try:
        connection.connect(place)
    except OSError:
        connection.close()
        raise
    return connection


def _read_status(connection: socket.socket) -> int:
    """Read up to where the streams begin, and not a byte of them."""
    head = b""
    while not head.endswith(b"\r\n\r\n") and (read := connection.recv(1)):
        head += read
    words = head.split(maxsplit=2)
    return int(words[1]) if len(words) > 1 and words[1].isdigit() else 0


def _read_reason(content: bytes) -> str:
    try:
        return str(json.loads(content)["message"]).strip()
    except (ValueError, KeyError, TypeError):
        return content[:200].decode(errors="replace")
