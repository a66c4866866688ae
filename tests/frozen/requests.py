"""Requests that arrived, as a text that people read."""

import gzip
import io
import json
import zipfile
from collections.abc import Iterable
from typing import Any

from tests.frozen.packed import unpacked

_ANY = {"host", "content-length"}  # they follow from the rest


def shown(requests: Iterable[Any]) -> str:
    """Method, path, headers and body of each, in the order of arrival."""
    return json.dumps([_one(request) for request in requests], indent=1, ensure_ascii=False) + "\n"


def _one(request: Any) -> dict[str, Any]:
    path = request.path if not hasattr(request, "target") else request.target
    headers = {k.lower(): v for k, v in request.headers.items() if k.lower() not in _ANY}
    return {
        "request": f"{request.method} {path}",
        "headers": headers,
        **({"body": _body(request.body)} if request.body else {}),
    }


def _body(content: bytes) -> Any:
    if content.startswith(b"\x1f\x8b"):
        content = gzip.decompress(content)
    if content.startswith(b"PK\x03\x04"):
        return _members(content)
    try:
        return _by_line(json.loads(content))
    except ValueError:
        return content.decode(errors="backslashreplace").split("\n")


def _members(content: bytes) -> Any:
    """What an archive holds, but for the texts: they lie in the report folder as well."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return {
            member.filename: {
                "modified": list(member.date_time),
                "mode": oct(member.external_attr >> 16),
                "compression": member.compress_type,
            }
            for member in archive.infolist()
        }


def _by_line(value: Any) -> Any:
    """Texts of several lines as lists of lines, because these are looked at by people."""
    if isinstance(value, dict):
        return {key: _by_line(part) for key, part in value.items()}
    if isinstance(value, list):
        return [_by_line(part) for part in value]
    if isinstance(value, str):
        text = unpacked(value)
        return text.split("\n") if "\n" in text else text
    return value
