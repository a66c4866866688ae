"""Holds what went over the wire against GitHub's own description of its API."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qsl, quote, urlsplit

from jsonschema_path import SchemaPath
from openapi_core import Config, OpenAPI
from openapi_core.datatypes import RequestParameters
from openapi_core.exceptions import OpenAPIError
from werkzeug.datastructures import Headers, ImmutableMultiDict

from tests.stand_in.exchange import Answer, Exchange, Request

_HOST = "https://api.github.com"
_UPLOADS = "https://uploads.github.com"  # `upload_url` of a release leads there
_PLACES = 100_000  # of the description, each of which is looked up once
_UPLOAD = re.compile(r"/repos/[^/]+/[^/]+/releases/\d+/assets")


class Judge:
    """Knows the description. Building one takes a second, so it is shared."""

    def __init__(self, description: dict[str, Any]) -> None:
        config = Config(spec_validator_cls=None)
        self._api = OpenAPI(
            SchemaPath.from_dict(description, resolved_cache_maxsize=_PLACES), config
        )
        self._operations = _Operations(description)
        self._known: dict[tuple[Any, ...], list[str]] = {}

    def complaints(self, exchanges: Iterable[Exchange]) -> list[str]:
        """What is wrong with requests, and with the answers that no script gave."""
        return [complaint for e in exchanges for complaint in self._judge(e)]

    def _judge(self, exchange: Exchange) -> list[str]:
        """Many tests ask the same and are answered the same, but for the port of their server."""
        asked, answer = exchange.request, exchange.answer
        if asked.path.startswith(("/graphql", "/twirp/")):
            return []
        place = (asked.method, asked.target, asked.prefix)
        headers = {name: text for name, text in asked.headers.items() if name != "host"}
        key: tuple[Any, ...] = (*place, asked.body, frozenset(headers.items()))
        if key not in self._known:
            self._known[key] = list(self._judge_request(asked))
        if self._known[key] or exchange.faulty:
            return self._known[key]
        content = answer.content.replace(asked.root.encode(), b"") if asked.root else answer.content
        key = (*place, answer.status, answer.headers.get("Content-Type"), content)
        if key not in self._known:
            self._known[key] = list(self._judge_answer(asked, answer))
        return self._known[key]

    def _judge_request(self, request: Request) -> Iterable[str]:
        what = f"{request.method} {request.target}"
        try:
            self._api.validate_request(_Asked.of(request))
        except OpenAPIError as error:
            yield f"{what}: {_reasons(error)}"
            return
        yield from (f"{what}: GitHub knows no {name}" for name in self._operations.unknown(request))

    def _judge_answer(self, request: Request, answer: Answer) -> Iterable[str]:
        if not self._operations.described(request, answer):
            return
        try:
            self._api.validate_response(_Asked.of(request), _Answered.of(answer))
        except OpenAPIError as error:
            what = f"{request.method} {request.target}"
            yield f"{what}: the answer {answer.status}: {_reasons(error)}"


class _Operations:
    """What operations know. Names that they do not know GitHub ignores without a word."""

    def __init__(self, description: dict[str, Any]) -> None:
        self._description = description
        self._patterns = {
            path: re.compile(re.sub(r"\{\w+\}", "[^/]+", path)) for path in description["paths"]
        }

    def unknown(self, request: Request) -> list[str]:
        operation = self._operation(request)
        query = {p["name"] for p in map(self._resolved, operation.get("parameters", []))}
        found = [f"parameter {name!r}" for name in request.query if name not in query]
        content = operation.get("requestBody", {}).get("content", {})
        if request.body and "application/json" in content:  # and no file
            schema = content["application/json"]["schema"]
            properties = self._resolved(schema)["properties"]
            found += [f"property {name!r}" for name in request.document if name not in properties]
        return found

    def described(self, request: Request, answer: Answer) -> bool:
        """Many refusals are nowhere described, and bytes have no shape."""
        kind = answer.headers.get("Content-Type", "")
        raw = ".raw" in kind or ".sha" in kind
        known = str(answer.status) in self._operation(request)["responses"]
        return not raw and (known or answer.status < 400)

    def _operation(self, request: Request) -> dict[str, Any]:
        path = _one_segment(request.path)
        place = next(p for p, pattern in self._patterns.items() if pattern.fullmatch(path))
        operation: dict[str, Any] = self._description["paths"][place][request.method.lower()]
        return operation

    def _resolved(self, node: dict[str, Any]) -> dict[str, Any]:
        if "$ref" not in node:
            return node
        _, _, kind, name = node["$ref"].split("/", 3)
        return self._resolved(self._description["components"][kind][name])


def _reasons(error: BaseException) -> str:
    told, at = [str(error)], error.__cause__
    while at is not None:
        inner = getattr(at, "schema_errors", None)
        told += [f"{'/'.join(map(str, e.path))}: {e.message[:300]}" for e in inner or ()]
        told += [] if inner else [str(at)[:300]]
        at = at.__cause__
    return " | ".join(told)


@dataclass
class _Asked:
    """A request in the words of openapi-core."""

    host_url: str
    path: str
    full_url_pattern: str
    method: str
    parameters: RequestParameters
    content_type: str
    body: bytes | None

    @classmethod
    def of(cls, request: Request) -> "_Asked":
        path = _one_segment(request.path)
        query = ImmutableMultiDict(parse_qsl(urlsplit(request.target).query))
        headers = Headers(list(request.headers.items()))
        uploads = request.method == "POST" and _UPLOAD.fullmatch(path)
        host = _UPLOADS if uploads else _HOST
        return cls(
            host_url=host,
            path=path,
            full_url_pattern=host + path,
            method=request.method.lower(),
            parameters=RequestParameters(query=query, header=headers),
            content_type=request.headers.get("content-type", ""),
            body=request.body or None,
        )


def _one_segment(path: str) -> str:
    """A path in a repository is one parameter of the description, whatever its slashes."""
    head, contents, rest = path.partition("/contents/")
    return head + contents + quote(rest, safe="") if contents else path


@dataclass
class _Answered:
    """An answer in the words of openapi-core."""

    status_code: int
    content_type: str
    headers: Mapping[str, Any]
    data: bytes | None

    @classmethod
    def of(cls, answer: Answer) -> "_Answered":
        kind = "application/json" if answer.document is not None else ""
        return cls(answer.status, kind, answer.headers, answer.content or None)
