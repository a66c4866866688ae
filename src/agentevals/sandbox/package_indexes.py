"""The package indexes of this machine, as the settings of pip and uv name them."""

import base64
import configparser
import os
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from importlib import import_module
from pathlib import Path
from typing import Any, Self
from urllib.parse import unquote, urlsplit

_WITHOUT_PASSWORDS = "AGENTEVALS_WITHOUT_INDEX_PASSWORDS"
_FOR_UV = (
    *("UV_CONFIG_FILE", "UV_DEFAULT_INDEX", "UV_INDEX", "UV_INDEX_URL", "UV_EXTRA_INDEX_URL"),
    *("UV_FIND_LINKS", "UV_NO_INDEX"),
)
_SYSTEM = ("/etc/xdg/pip/pip.conf", "/etc/pip.conf", "/etc/uv/uv.toml")
_NAMED = re.compile(r"[A-Za-z0-9._-]+=")  # before the address of an index of uv
_ON = frozenset({"1", "true", "yes", "on"})

Settings = Mapping[str, str]


@dataclass(frozen=True, kw_only=True)
class Place:
    """An index of packages, or a page or folder of files, and the password for its server."""

    url: str
    is_page: bool = False
    user: str = ""
    password: str = ""
    # whether its certificate is looked at, or the authorities that it may come from
    verify: bool | str = True

    @classmethod
    def parse(cls, text: str, *, is_page: bool = False) -> Self:
        """Parse an address, or a path. What is before `@` in it is a user and a password."""
        if not text.startswith(("http://", "https://")):
            return cls(url=text, is_page=is_page)
        parts = urlsplit(text)
        bare = parts._replace(netloc=parts.netloc.rpartition("@")[2]).geturl()
        user, password = unquote(parts.username or ""), unquote(parts.password or "")
        return cls(url=bare, is_page=is_page, user=user, password=password)

    @property
    def path(self) -> Path | None:
        """Its path, if it lies on this machine."""
        if self.url.startswith("file:"):
            return Path(unquote(urlsplit(self.url).path))
        return None if "://" in self.url else Path(self.url)

    def owns(self, url: str) -> bool:
        """Return whether an address is one of its own server."""
        there, here = urlsplit(url), urlsplit(self.url)
        return (there.scheme, there.netloc) == (here.scheme, here.netloc)

    def prove(self, url: str) -> dict[str, str]:
        """Return the header with its password for an address of its server; none for others."""
        if not self.user or not self.owns(url) or os.environ.get(_WITHOUT_PASSWORDS):
            return {}
        who = base64.b64encode(f"{self.user}:{self.password}".encode()).decode()
        return {"authorization": f"Basic {who}"}


def withhold_passwords() -> None:
    """Send no password to an index from now on: who asked for the packages may not have them."""
    os.environ[_WITHOUT_PASSWORDS] = "1"


def names_uv() -> bool:
    """Return whether the environment has settings of uv that name an index."""
    return any(name in os.environ for name in _FOR_UV)


def read_pip(ask_default: Callable[[], str]) -> list[Place]:
    """Return the places that the settings of pip name. The first index is the one of its own."""
    found = _read_pip_settings()
    none = found.get("no-index", "").lower() in _ON
    more = found.get("extra-index-url", "").split()
    return _build(
        [] if none else [found.get("index-url") or ask_default(), *more],
        found.get("find-links", "").split(),
        found.get("trusted-host", "").split(),
        found.get("cert"),
    )


def names_pip() -> bool:
    """Return whether the settings of pip name an index or links."""
    keys = {"index-url", "extra-index-url", "find-links", "no-index"}
    return not keys.isdisjoint(_read_pip_settings())


def _read_pip_settings() -> Settings:
    """Return the settings of pip by their long names, as they override each other."""
    parser = configparser.RawConfigParser(strict=False)
    parser.read(_list_pip_files(), encoding="utf-8")
    sections = (dict(parser.items(name)) for name in ("global", "install") if name in parser)
    given = {
        name.removeprefix("PIP_").lower(): value
        for name, value in os.environ.items()
        if name.startswith("PIP_") and value
    }
    merged = {key: text for settings in (*sections, given) for key, text in settings.items()}
    return {key.replace("_", "-"): text for key, text in merged.items()}


def _list_pip_files() -> list[Path]:
    named = os.environ.get("PIP_CONFIG_FILE", "")
    if named == os.devnull:
        return []
    home = os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config"
    places = (
        *(Path.home() / ".pip" / "pip.conf", Path(home) / "pip" / "pip.conf"),
        Path(sys.prefix) / "pip.conf",
    )
    return [*map(Path, _SYSTEM), *places, *([Path(named)] if named else [])]


def read_uv(ask_default: Callable[[], str]) -> list[Place]:
    """Return the places that the settings of uv name. The first index is the last that it asks."""
    found = _read_uv_settings()
    tables = [one for one in found.get("index", []) if isinstance(one, dict) and "url" in one]
    given = os.environ.get
    default = given("UV_DEFAULT_INDEX") or given("UV_INDEX_URL")
    in_file = [_name(one) for one in tables if one.get("default")]
    default = default or next(iter(in_file), "") or found.get("index-url")
    more = [
        *(given("UV_INDEX") or "").split(),
        *(_name(one) for one in tables if not one.get("default") and not one.get("explicit")),
        *(_split(given("UV_EXTRA_INDEX_URL")) or found.get("extra-index-url", [])),
    ]
    links = _split(given("UV_FIND_LINKS")) or found.get("find-links", [])
    trusted = _split(given("UV_INSECURE_HOST")) or found.get("allow-insecure-host", [])
    none = given("UV_NO_INDEX", str(found.get("no-index", ""))).lower() in _ON
    indexes = [] if none else [default or ask_default(), *more]
    return _build(indexes, links, trusted, given("SSL_CERT_FILE"))


def _read_uv_settings() -> dict[str, Any]:
    home = os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config"
    named = os.environ.get("UV_CONFIG_FILE")
    files = [Path(named)] if named else [*map(Path, _SYSTEM), Path(home) / "uv" / "uv.toml"]
    merged: dict[str, Any] = {}
    for path in (path for path in files if path.suffix == ".toml" and path.is_file()):
        found = import_module("tomllib").loads(path.read_text(encoding="utf-8"))
        merged |= {**found, **found.get("pip", {})}
    return merged


def _name(table: Mapping[str, Any]) -> str:
    return f"{table['name']}={table['url']}" if table.get("name") else str(table["url"])


def _split(text: str | None) -> list[str]:
    return [one for one in re.split(r"[\s,]+", text or "") if one]


def _build(
    indexes: list[str], links: list[str], trusted: list[str], authorities: str | None
) -> list[Place]:
    pages = [Place.parse(text, is_page=True) for text in links]
    return list(_add_trust([*map(_read_index, indexes), *pages], trusted, authorities))


def _read_index(text: str) -> Place:
    """Return an index, whose password uv may have been told by the name of the index."""
    name = found[0][:-1] if (found := _NAMED.match(text)) else ""
    place = Place.parse(text.removeprefix(f"{name}=") if name else text)
    prefix = "UV_INDEX_" + re.sub(r"[^A-Z0-9]", "_", name.upper())
    user, password = (os.environ.get(f"{prefix}_{word}", "") for word in ("USERNAME", "PASSWORD"))
    if not name or not (user or password):
        return place
    return Place(url=place.url, user=user or "__token__", password=password)


def _add_trust(places: list[Place], trusted: list[str], authorities: str | None) -> Iterator[Place]:
    """Yield the places; the certificates of trusted hosts are not looked at, as the owner wants."""
    for place in places:
        host = urlsplit(place.url).netloc if place.path is None else ""
        known = host in trusted or host.partition(":")[0] in trusted
        yield replace(place, verify=False if known else authorities or True)
