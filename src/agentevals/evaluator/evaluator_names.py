"""The names of evaluators: which are allowed, and what a `ref` in a config means.

A `ref` is a path in the registry, or a name with a range of versions.
"""

import keyword
import re
from collections.abc import Iterable
from dataclasses import dataclass

import msgspec

from agentevals.evaluator.evaluator_manifest import NAME, WORDS, Name
from agentevals.evaluator.publication_age import Age
from agentevals.evaluator.registry_index import Earlier, Index, IndexEntry
from agentevals.model.builtins import EVALUATORS
from agentevals.model.errors import InputError
from agentevals.model.plugins import suggestion
from agentevals.text.terminal import plain

_SEGMENT = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_-]*(\.[A-Za-z0-9_-]+)*")
_LONGEST_REF, _DEEPEST_REF = 512, 16
_ENDINGS = (".py", ".js", ".ts")
_NAME = re.compile(r"[a-z][a-z0-9]*([_-][a-z0-9]+)*", re.ASCII)
_SHAPE = "must be a path like a/b/c.py, or a name like contains or contains@^1.2"
_DEVICES = {"con", "prn", "aux", "nul"} | {
    f"{port}{n}" for port in ("com", "lpt") for n in "123456789"
}
_OURS = (
    "agentevals", "agentevals_evaluator_sdk", "registry_tools", "builtin", "code", "remote",
    "openai_eval", "all", "index", "head", "evaluator", "evaluators", "test", "tests", "latest",
    "true", "false", "null", "none", "yes", "no", "on", "off",
)  # fmt: skip
_VERSION = re.compile(r"(0|[1-9]\d{0,8})(?:\.(0|[1-9]\d{0,8}))?(?:\.(0|[1-9]\d{0,8}))?", re.ASCII)
_TERM = re.compile(r"(\^|~|>=|<=|>|<|=)?\s*([0-9.]+)", re.ASCII)
_NEWEST = {"", "*", "latest"}
Version = tuple[int, int, int]


def check_ref(ref: str) -> str:
    """Return the path of a program; ValueError where it could lead out of its source."""
    segments = ref.split("/")
    if not 0 < len(ref) <= _LONGEST_REF or len(segments) > _DEEPEST_REF:
        msg = f"must have 1 to {_LONGEST_REF} characters and at most {_DEEPEST_REF} segments"
        raise ValueError(msg)
    if not all(_SEGMENT.fullmatch(segment) for segment in segments):
        msg = "must be a relative path of letters, digits, '.', '_' and '-', like a/b/c.py"
        raise ValueError(msg)
    if not ref.endswith(_ENDINGS):
        msg = f"must end in {', '.join(_ENDINGS)}"
        raise ValueError(msg)
    return ref


def check(ref: str) -> str:
    """Return a path or a name; ValueError with the reason where it is neither."""
    if is_name(ref):
        Range.parse(ref.partition("@")[2])
        return ref
    if "/" not in ref and not ref.endswith(_ENDINGS):
        raise ValueError(_SHAPE)
    return check_ref(ref)


def is_name(ref: str) -> bool:
    """Return whether only an index knows the path of this reference."""
    return len(ref) <= _LONGEST_REF and bool(_NAME.fullmatch(ref.partition("@")[0]))


def read_name(ref: str) -> str:
    """Return the name in a reference; a path of our registries has it after the first folder."""
    return ref.partition("@")[0] if is_name(ref) else ref.split("/")[:2][-1]


@dataclass(frozen=True, kw_only=True)
class Choice:
    """An entry, and the earlier version of it that was meant, if one was."""

    entry: IndexEntry
    earlier: Earlier | None = None

    @property
    def version(self) -> str:
        return self.earlier.version if self.earlier else self.entry.version

    @property
    def yanked(self) -> str:
        return self.earlier.yanked if self.earlier else self.entry.yanked

    @property
    def published(self) -> str:
        """The time at which it became part of the registry, or nothing."""
        return self.earlier.updated if self.earlier else self.entry.updated


def choose(ref: str, index: Index, *, where: str, age: Age | None = None) -> Choice | None:
    """Return the entry that a reference means. None for a path that the index does not list."""
    if not is_name(ref):
        listed = (Choice(entry=each) for each in index.evaluators if each.path == ref)
        found = next((_refuse_yanked(each, where) for each in listed), None)
        return _drop_young([found], ref, where, age)[0] if found else None
    name, _, wanted = ref.partition("@")
    entry = find_entry(name, index, where=where)
    fitting = [c for c in _list_versions(entry) if Range.parse(wanted).holds(c.version)]
    if not fitting:
        known = ", ".join(c.version or "without a version" for c in _list_versions(entry))
        msg = f"{where} has no version of {name!r} that fits {wanted!r} (known: {known})"
        raise InputError(msg)
    fitting = _drop_young(fitting, ref, where, age)
    return next((c for c in fitting if not c.yanked), None) or _refuse_yanked(fitting[0], where)


def _drop_young(found: list[Choice], ref: str, where: str, age: Age | None) -> list[Choice]:
    """Return the versions that are old enough; InputError where there is none."""
    kept = [choice for choice in found if age is None or age.holds(choice.published)]
    if age and not kept:
        newest = found[0]
        told = f"{newest.version or 'the newest'} is of {newest.published or 'an unknown time'}"
        msg = f"{where} has no version of {plain(ref, 100)!r} that is {age} old ({told}); "
        raise InputError(msg + "wait, or lower 'min_age'")
    return kept


def find_entry(name: str, index: Index, *, where: str) -> IndexEntry:
    """Return the entry of that name, or the one that had it before; InputError for others."""
    for entry in index.evaluators:
        if entry.name == name:
            return entry
    for entry in index.evaluators:
        if name in entry.aliases:
            return entry
    if name in index.removed:
        removed = index.removed[name]
        msg = f"{name!r} was removed from {where}: {plain(removed.reason, 300)}"
        raise InputError(msg + _suggest_other(removed.replaced_by))
    known = [entry.name for entry in index.evaluators]
    hint = suggestion(name, known) if known else ""
    msg = f"{where} has no evaluator {plain(name, 100)!r} {plain(hint, 300)}".rstrip()
    raise InputError(msg)


def _list_versions(entry: IndexEntry) -> list[Choice]:
    """Return the versions, newest first; an entry without a version is the newest."""
    before = (each for each in entry.earlier if parse_version(each.version) and each.files)
    others = sorted(before, key=lambda each: parse_version(each.version) or (0, 0, 0), reverse=True)
    return [Choice(entry=entry), *(Choice(entry=entry, earlier=each) for each in others)]


def _refuse_yanked(choice: Choice, where: str) -> Choice:
    if choice.yanked:
        entry = choice.entry
        what = f"{entry.name} {choice.version}".strip()
        msg = f"{what} was withdrawn from {where}: {plain(choice.yanked, 300)}"
        raise InputError(msg + _suggest_other(entry.replaced_by))
    return choice


def _suggest_other(replaced_by: str) -> str:
    return f"; use {plain(replaced_by, 100)!r} instead" if replaced_by else ""


def list_deprecations(choice: Choice) -> Iterable[str]:
    """Return the warnings for users of this entry."""
    entry, why = choice.entry, plain(choice.entry.deprecated, 300)
    other = _suggest_other(entry.replaced_by)
    return [f"{entry.name} should not be used any more: {why}{other}"] if why else []


def fold(name: str) -> str:
    """Return one text for all names that differ only in case and separators."""
    return name.lower().replace("-", "").replace("_", "").replace(".", "")


RESERVED = {fold(name) for name in (*_DEVICES, *_OURS, *EVALUATORS, *keyword.kwlist)}


def is_reserved(name: str) -> bool:
    """Return whether the name, or one that people would take for it, is in use."""
    return fold(name) in RESERVED


def find_objection(name: str) -> str:
    """Return why every registry refuses a name; "" where the name itself is fine."""
    try:
        msgspec.convert(name, Name)
    except msgspec.ValidationError:
        return f"a name is {WORDS[NAME]}, of 2 to 64 characters"
    return "it is reserved" if is_reserved(name) else ""


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
