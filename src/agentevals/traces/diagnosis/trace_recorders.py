"""The SDK, the service and the instrumentations that made a recording, as its spans name them."""

import json
from collections.abc import Iterable, Sequence
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import Any

from agentevals.model.conversations import Span
from agentevals.model.noun import Noun
from agentevals.traces import instrumentations

_SDK, _SERVICE = "telemetry.sdk.", "service."
_DISTRIBUTION = "telemetry.distro."


MEASURED = Path(__file__).with_name("measured.json")


class Measured(StrEnum):
    """An instrumentation in docs/frameworks.md: in this version, in another one, or not at all."""

    YES = "yes"
    ANOTHER_VERSION = "another version"
    NO = "no"


class Scope(Noun, frozen=True, omit_defaults=False):
    """An instrumentation, and how many spans it recorded. `title` is set for a known one.

    One that records no models and agents, such as that of HTTP, is never to be `measured`.
    """

    name: str
    version: str
    title: str
    spans: int
    measured: Measured | None = None


class Recorder(Noun, frozen=True, omit_defaults=False):
    """The SDKs, services and instrumentations that a recording names."""

    sdks: tuple[str, ...] = ()
    services: tuple[str, ...] = ()
    scopes: tuple[Scope, ...] = ()


def find_recorder(spans: Sequence[Span]) -> Recorder:
    """Return who recorded the spans; the scope with the most spans comes first."""
    resources = {id(span.resource): span.resource for span in spans}.values()
    groups: dict[tuple[str, str], list[Span]] = {}
    for span in spans:
        groups.setdefault((span.scope, span.scope_version), []).append(span)
    return Recorder(
        sdks=_list_distinct(map(_name_sdk, resources)),
        services=_list_distinct(map(_name_service, resources)),
        scopes=tuple(_describe_scope(found) for found in _sort_by_size(groups.values())),
    )


def _sort_by_size(groups: Iterable[list[Span]]) -> list[list[Span]]:
    return sorted(groups, key=len, reverse=True)


def _describe_scope(spans: Sequence[Span]) -> Scope:
    name, version = spans[0].scope, spans[0].scope_version
    title = next((known.title for span in spans if (known := instrumentations.identify(span))), "")
    of_agents = title or any(map(_is_of_agents, spans))
    return Scope(
        name=name,
        version=version,
        title=title,
        spans=len(spans),
        measured=_look_up(name, version) if of_agents else None,
    )


def _is_of_agents(span: Span) -> bool:
    return (
        instrumentations.names_its_kind(span)
        or instrumentations.is_tool(span)
        or instrumentations.is_request(span)
        or instrumentations.is_agent(span)
    )


def _look_up(name: str, version: str) -> Measured:
    versions = list_measured().get(name)
    if versions is None:
        return Measured.NO
    return Measured.YES if version in versions else Measured.ANOTHER_VERSION


@cache
def list_measured() -> dict[str, list[str]]:
    """Return the versions of each scope that docs/frameworks.md has; `make docs` writes them."""
    found: dict[str, list[str]] = json.loads(MEASURED.read_text(encoding="utf-8"))
    return found


def _list_distinct(names: Any) -> tuple[str, ...]:
    return tuple(dict.fromkeys(filter(None, names)))


def _name_sdk(resource: dict[str, Any]) -> str:
    parts = [resource.get(f"{_SDK}{key}") for key in ("name", "language", "version")]
    parts += [resource.get(f"{_DISTRIBUTION}{key}") for key in ("name", "version")]
    return " ".join(str(part) for part in parts if part)


def _name_service(resource: dict[str, Any]) -> str:
    name = resource.get(f"{_SERVICE}name")
    parts = (name, resource.get(f"{_SERVICE}version")) if name else ()
    return " ".join(str(part) for part in parts if part)
