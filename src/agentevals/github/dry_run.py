"""A dry run: requests that would write are printed and not sent."""

from collections.abc import Callable
from dataclasses import dataclass
from urllib.parse import urlsplit

import msgspec

from agentevals import web
from agentevals.github.api import Api
from agentevals.github.api_calls import Call
from agentevals.text.terminal import line, plain

_SHOWN = 100_000  # characters of one request


@dataclass(frozen=True, kw_only=True)
class DryRunApi(Api):
    """Reads from GitHub, if there is a token, and prints writing requests."""

    show: Callable[[str], object]

    @property
    def is_dry_run(self) -> bool:
        return True

    def ready_to_write(self) -> None:
        """Return at once: nothing is sent."""

    def _send(self, call: Call) -> web.Response:
        if call.writes or not self.token:
            self.show(self._format(call))
            return _pretend(call)
        return self._exchange(call)

    def _format(self, call: Call) -> str:
        document = b"" if call.document is None else msgspec.json.encode(call.document)
        inside = call.url.startswith(self.url)
        place = call.url.removeprefix(self.url.rstrip("/")) if inside else urlsplit(call.url).path
        return line(plain(f"{call.method} {place} {document.decode()}", _SHOWN))


def _pretend(call: Call) -> web.Response:
    """Return a possible answer: the document that was sent, with a number and an address."""
    if call.method == "GET":
        found = call.empty is not None
        words = call.empty if found else {"message": "nothing is read without a token"}
        return _make_response(200 if found else 404, words)
    if call.url.endswith("/graphql"):
        return _make_response(200, {"data": {}})
    sent = call.document if isinstance(call.document, dict) else {}
    return _make_response(201, {"id": 0, "html_url": "", **sent})


def _make_response(status: int, document: object) -> web.Response:
    return web.Response(status=status, headers={}, body=msgspec.json.encode(document))
