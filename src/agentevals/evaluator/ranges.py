"""Ranges of versions, as a reference in a config writes them."""

import re
from dataclasses import dataclass

from agentevals.text.terminal import plain

_VERSION = re.compile(r"(0|[1-9]\d{0,8})(?:\.(0|[1-9]\d{0,8}))?(?:\.(0|[1-9]\d{0,8}))?", re.ASCII)
_TERM = re.compile(r"(\^|~|>=|<=|>|<|=)?\s*([0-9.]+)", re.ASCII)
_NEWEST = {"", "*", "latest"}

Version = tuple[int, int, int]


@dataclass(frozen=True)
class Range:
    """Versions from the first to before the second; terms that must all hold."""

    bounds: tuple[tuple[Version, Version | None], ...] = ()

    @classmethod
    def parse(cls, text: str) -> "Range":
        """`^1.2`, `~1.2`, `1.2`, `1.2.3`, `>=1.2, <2`, or nothing; a ValueError for others."""
        if text.strip() in _NEWEST:
            return cls()
        return cls(tuple(_parse_term(term.strip()) for term in text.split(",")))

    def holds(self, version: str) -> bool:
        """Return whether a version is in the range; a version that is no release never is."""
        parsed = parse_version(version)
        if not self.bounds:
            return True
        return parsed is not None and all(
            low <= parsed and (high is None or parsed < high) for low, high in self.bounds
        )


def parse_version(version: str) -> Version | None:
    """Parse three numbers; None for anything else."""
    found = _VERSION.fullmatch(version)
    return _build_version(found) if found and found[3] is not None else None


def _build_version(found: re.Match[str]) -> Version:
    major, minor, patch = (int(part or 0) for part in found.groups())
    return major, minor, patch


def _parse_term(term: str) -> tuple[Version, Version | None]:
    shape = _TERM.fullmatch(term)
    found = _VERSION.fullmatch(shape[2]) if shape else None
    if shape is None or found is None:
        known = "'^1.2', '~1.2', '1.2.3' or '>=1.2, <2'"
        msg = f"has {plain(term, 40)!r} for a version; write it like {known}"
        raise ValueError(msg)
    low, given = _build_version(found), found.lastindex or 1
    last = given - 1
    match shape[1]:
        case "^":
            after = _raise_part(low, next((at for at in range(given) if low[at]), last))
            bounds: tuple[Version, Version | None] = (low, after)
        case "~":
            bounds = low, _raise_part(low, min(1, last))
        case ">=":
            bounds = low, None
        case ">":
            bounds = _raise_part(low, last), None
        case "<":
            bounds = (0, 0, 0), low
        case "<=":
            bounds = (0, 0, 0), _raise_part(low, last)
        case _:
            bounds = low, _raise_part(low, last)
    return bounds


def _raise_part(version: Version, at: int) -> Version:
    """Return the first version whose part at this index is greater."""
    major, minor, patch = version
    return ((major + 1, 0, 0), (major, minor + 1, 0), (major, minor, patch + 1))[at]
