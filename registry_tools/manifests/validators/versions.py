"""Versions as semver orders them, and which of its three numbers a change has to raise."""

from enum import IntEnum

SortKey = tuple[int, int, int, tuple[tuple[int, int, str], ...]]

_RELEASE = (2, 0, "")  # after everything that is before a release


class Step(IntEnum):
    """The size of a change for those who use it."""

    NONE = 0
    PATCH = 1
    MINOR = 2
    MAJOR = 3


def parse_version(version: str) -> SortKey:
    """Return the key to sort versions by; they have the shape that a manifest demands."""
    numbers, _, before = version.partition("-")
    major, minor, patch = map(int, numbers.split("."))
    parts = tuple(_parse_part(part) for part in before.split(".")) if before else (_RELEASE,)
    return major, minor, patch, parts


def _parse_part(part: str) -> tuple[int, int, str]:
    return (0, int(part), "") if part.isdigit() else (1, 0, part)


def measure_step(old: str, new: str) -> Step:
    """Return which number a newer version raises. Before 1.0.0 they all mean one less."""
    if parse_version(new) <= parse_version(old):
        return Step.NONE
    (major, minor, *_), before = parse_version(new), parse_version(old)
    if major != before[0]:
        return Step.MAJOR
    if minor != before[1]:
        return Step.MAJOR if major == 0 else Step.MINOR
    return Step.MINOR if major == 0 else Step.PATCH


def raise_version(version: str, by: Step) -> str:
    """Return the least version that a change of this size may have."""
    major, minor, patch, parts = parse_version(version)
    if parts != (_RELEASE,) and by <= Step.PATCH:
        return f"{major}.{minor}.{patch}"
    if by is Step.MAJOR:
        return f"{major + 1}.0.0" if major else f"0.{minor + 1}.0"
    if by is Step.MINOR and major:
        return f"{major}.{minor + 1}.0"
    return f"{major}.{minor}.{patch + 1}"
