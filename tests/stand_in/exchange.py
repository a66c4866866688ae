"""A request, its answer, and the table of who answers what."""

import json
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

_PATTERNS = {"repo": "[^/]+/[^/]+", "rest": ".+"}


@dataclass(frozen=True)
class Request:
    """What arrived. `path` is without the prefix that GitHub Enterprise Server puts before it."""

    method: str
    target: str
    headers: dict[str, str]
    body: bytes
    root: str = ""
    prefix: str = ""
    storage: str = ""

    @property
    def path(self) -> str:
        return urlsplit(self.target).path.removeprefix(self.prefix)

    @property
    def query(self) -> dict[str, str]:
        return dict(parse_qsl(urlsplit(self.target).query, keep_blank_values=True))

    @property
    def document(self) -> Any:
        return json.loads(self.body) if self.body else None

    @property
    def api(self) -> str:
        """The address under which this API is reached, for the addresses in its answers."""
        return self.root + self.prefix


@dataclass
class Answer:
    """What goes back: a document, or bytes. `cut` closes the connection instead."""

    status: int = 200
    document: Any = None
    body: bytes = b""
    headers: dict[str, str] = field(default_factory=dict)
    cut: bool = False

    @property
    def content(self) -> bytes:
        return self.body if self.document is None else json.dumps(self.document).encode()


@dataclass(frozen=True)
class Exchange:
    """What arrived and what went back; `faulty` where a script answered instead of the API."""

    request: Request
    answer: Answer
    faulty: bool = False


Answering = Callable[..., Answer]


@dataclass(frozen=True)
class Route:
    """Who answers such requests, and which of the token's permissions that takes."""

    method: str
    pattern: re.Pattern[str]
    answer: Answering
    needs: tuple[str, ...] = ()
    level: str = "read"


ROUTES: list[Route] = []


def route(method: str, template: str, *needs: str) -> Callable[[Answering], Answering]:
    """Enter a function into the table; any one of the permissions will do."""
    kinds = r"\{(\w+)\}"
    pattern = re.sub(kinds, lambda m: f"(?P<{m[1]}>{_PATTERNS.get(m[1], '[^/]+')})", template)
    level = "read" if method == "GET" else "write"

    def enter(answering: Answering) -> Answering:
        ROUTES.append(Route(method, re.compile(pattern), answering, needs, level))
        return answering

    return enter


def find(request: Request) -> tuple[Route, dict[str, str]] | None:
    for each in ROUTES:
        found = each.pattern.fullmatch(request.path)
        if found and each.method == request.method:
            return each, {name: unquote(value) for name, value in found.groupdict().items()}
    return None


def refusal(status: int, message: str, *errors: dict[str, Any], **headers: str) -> Answer:
    """A refusal as GitHub words it."""
    document: dict[str, Any] = {"message": message, "documentation_url": "https://docs.invalid/x"}
    if status != 422:
        document["status"] = str(status)
    if errors:
        document["errors"] = list(errors)
    return Answer(status, document, headers={k.replace("_", "-"): v for k, v in headers.items()})


def page(request: Request, items: list[Any], key: str = "") -> Answer:
    """One page of a listing, with the `Link` header that leads to the others."""
    size = min(int(request.query.get("per_page", 30)), 100)
    number = int(request.query.get("page", 1))
    last = max(1, -(-len(items) // size))
    shown = items[(number - 1) * size : number * size]
    document = {"total_count": len(items), key: shown} if key else shown
    places = {"next": number + 1, "last": last} if number < last else {}
    places |= {"prev": number - 1, "first": 1} if number > 1 else {}
    return Answer(200, document, headers=_links(request, places))


def _links(request: Request, places: dict[str, int]) -> dict[str, str]:
    query = {k: v for k, v in request.query.items() if k != "page"}
    base = request.root + urlsplit(request.target).path
    rest = "".join(f"&{k}={v}" for k, v in query.items())
    links = [f'<{base}?page={number}{rest}>; rel="{rel}"' for rel, number in places.items()]
    return {"Link": ", ".join(links)} if links else {}
