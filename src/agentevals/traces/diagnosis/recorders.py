"""The SDK, the service and the instrumentations that made a recording, as its spans name them."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

from agentevals.model.conversations import Span
from agentevals.model.noun import Noun
from agentevals.traces import remedies

_SDK, _SERVICE = "telemetry.sdk.", "service."
_DISTRIBUTION = "telemetry.distro."


class Scope(Noun, frozen=True, omit_defaults=False):
    """An instrumentation, and how many spans it recorded. `title` is set for a known one."""

    name: str
    version: str
    title: str
    spans: int


class Recorder(Noun, frozen=True, omit_defaults=False):
    """The SDKs, services and instrumentations that a recording names."""

    sdks: tuple[str, ...] = ()
    services: tuple[str, ...] = ()
    scopes: tuple[Scope, ...] = ()


def find_recorder(spans: Sequence[Span]) -> Recorder:
    """Return who recorded the spans; the scope with the most spans comes first."""
    resources = {id(span.resource): span.resource for span in spans}.values()
    counts = Counter((span.scope, span.scope_version) for span in spans)
    titles: dict[tuple[str, str], str] = {}
    for span in spans:
        key = span.scope, span.scope_version
        if not titles.get(key):
            known = remedies.identify(span)
            titles[key] = known.title if known else ""
    return Recorder(
        sdks=_list_distinct(map(_name_sdk, resources)),
        services=_list_distinct(map(_name_service, resources)),
        scopes=tuple(
            Scope(name=name, version=version, title=titles[name, version], spans=count)
            for (name, version), count in counts.most_common()
        ),
    )


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
