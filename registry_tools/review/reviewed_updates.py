"""The differences of an update for its users: in what manifests say, and in scores."""

from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, NamedTuple

from agentevals.evaluator.registry_index import IndexEntry
from agentevals.files.document_places import quote
from agentevals.model.cases import Grade
from agentevals.model.errors import EvaluatorError
from agentevals.text.wording import plural
from registry_tools.index.index_updates import Step
from registry_tools.manifests import manifest_fixtures
from registry_tools.manifests.manifest_fixtures import Fixture
from registry_tools.manifests.registry_entry import Entry
from registry_tools.manifests.registry_folder import Registry
from registry_tools.smoke import smoke_program, smoke_trial

MAINTAINERS = "maintainers"
_LARGEST = 1 << 20
_TIMEOUT = 10  # seconds
_ROUNDING = 1e-9


class Change(NamedTuple):
    """One thing that is another now, which step it needs, and where the manifest says it.

    `aloud` is whether somebody has to agree to it.
    """

    step: Step
    key: str
    message: str
    aloud: bool = False


def list_changes(old: IndexEntry, new: IndexEntry) -> Iterator[Change]:
    """List every change, the most important first."""
    found = [
        *_compare_capabilities(old, new),
        *_compare_people(old, new),
        *_compare_terms(old, new),
        *_compare_config(old, new),
    ]
    if old.files != new.files:
        found.append(Change(Step.PATCH, "version", _describe_files(old.files, new.files)))
    return iter(sorted(found, key=lambda change: (-change.step, change.message)))


def _compare_capabilities(old: IndexEntry, new: IndexEntry) -> Iterator[Change]:
    for key in ("network", "environment", "files"):
        before, after = getattr(old.capabilities, key), getattr(new.capabilities, key)
        more = [quote(one)[1:-1] for one in after if one not in before]
        if more:
            message = f"it asks for more: {key} {', '.join(more)}"
            yield Change(Step.MINOR, "capabilities", message, aloud=True)
    for key, what in (("subprocess", "to start programs"), ("judge", "to ask the judge")):
        if getattr(new.capabilities, key) and not getattr(old.capabilities, key):
            yield Change(Step.MINOR, "capabilities", f"it asks for more: {what}", aloud=True)


def _compare_people(old: IndexEntry, new: IndexEntry) -> Iterator[Change]:
    known = {one.id for one in old.maintainers}
    more = [f"{one.login} ({one.id})" for one in new.maintainers if one.id not in known]
    if more and known:
        message = f"{', '.join(more)} would maintain it as well"
        yield Change(Step.PATCH, MAINTAINERS, message, aloud=True)
    elif more:
        message = f"{', '.join(more)} would maintain it; it has no maintainer so far"
        yield Change(Step.PATCH, MAINTAINERS, message, aloud=True)


def _compare_terms(old: IndexEntry, new: IndexEntry) -> Iterator[Change]:
    if old.license and new.license != old.license:
        message = f"the licence was {old.license} and is {new.license or 'none'}"
        yield Change(Step.MAJOR, "license", message, aloud=True)
    if new.language != old.language:
        message = f"it was written in {old.language} and is in {new.language}"
        yield Change(Step.MINOR, "language", message)
    if new.runtime != old.runtime:
        yield Change(Step.MINOR, "runtime", "it asks for another interpreter")
    if more := [quote(one)[1:-1] for one in new.needs if one not in old.needs]:
        message = f"it is not asked any more if a recording lacks {', '.join(more)}"
        yield Change(Step.MINOR, "needs", message)
    if old.deterministic and not new.deterministic:
        yield Change(Step.MAJOR, "deterministic", "the same input no longer gives the same score")


def _compare_config(old: IndexEntry, new: IndexEntry) -> Iterator[Change]:
    """Compare the settings that valid configs use."""
    before, after = _find_schema(old), _find_schema(new)
    if before is None or after is None or before == after:
        return
    was, now = _get_mapping(before, "properties"), _get_mapping(after, "properties")
    for name in was:
        if name not in now:
            yield Change(Step.MAJOR, "config_schema", f"the setting {quote(name)} is gone")
        elif was[name] != now[name]:
            yield _compare_setting(name, was[name], now[name])
    yield from _list_new_settings(before, after)
    if before.get("additionalProperties") != after.get("additionalProperties"):
        closed = after.get("additionalProperties") is False
        what = "unknown settings are refused now" if closed else "more settings are taken now"
        yield Change(Step.MAJOR if closed else Step.MINOR, "config_schema", what)


def _list_new_settings(before: dict[str, Any], after: dict[str, Any]) -> Iterator[Change]:
    was, now = _get_mapping(before, "properties"), _get_mapping(after, "properties")
    for name in _list_names(after):
        if name not in _list_names(before):
            message = f"the setting {quote(name)} must be given now"
            yield Change(Step.MAJOR, "config_schema", message)
    more = [name for name in now if name not in was and name not in _list_names(after)]
    if more:
        message = f"{plural(len(more), 'new setting')}: {', '.join(map(quote, more))}"
        yield Change(Step.MINOR, "config_schema", message)


def _compare_setting(name: str, was: Any, now: Any) -> Change:
    """Compare one setting. A change of words is none for users; others may break configs."""
    if _drop_words(was) == _drop_words(now):
        message = f"the setting {quote(name)} is described in other words"
        return Change(Step.PATCH, "config_schema", message)
    wider = _is_wider(was, now)
    message = f"the setting {quote(name)} takes {'more' if wider else 'something else'} now"
    return Change(Step.MINOR if wider else Step.MAJOR, "config_schema", message)


def _drop_words(schema: Any) -> Any:
    if not isinstance(schema, dict):
        return schema
    return {key: value for key, value in schema.items() if key not in _WORDS}


def _is_wider(was: Any, now: Any) -> bool:
    """Return whether every valid value is still valid, as far as that is easy to see."""
    if not isinstance(was, dict) or not isinstance(now, dict):
        return now is True
    return all(
        key in _WORDS
        or now.get(key) == was.get(key)
        or (key in _LIMITS and key in was and key not in now)
        or (key == "enum" and set(map(repr, was.get(key, ()))) <= set(map(repr, now.get(key, ()))))
        for key in {*was, *now}
    )


def _find_schema(entry: IndexEntry) -> dict[str, Any] | None:
    """Return the schema; one in a file of its own is only compared as a file."""
    return entry.config_schema if isinstance(entry.config_schema, dict) else None


def _get_mapping(schema: dict[str, Any], key: str) -> dict[str, Any]:
    found = schema.get(key)
    return found if isinstance(found, dict) else {}


def _list_names(schema: dict[str, Any]) -> list[str]:
    found = schema.get("required")
    return [name for name in found if isinstance(name, str)] if isinstance(found, list) else []


def _describe_files(old: Mapping[str, str], new: Mapping[str, str]) -> str:
    changed = sorted({name for name in {*old, *new} if old.get(name) != new.get(name)})
    return f"{plural(len(changed), 'file')} changed: {', '.join(changed[:5])}" + (
        ", …" if len(changed) > 5 else ""  # noqa: PLR2004
    )


_WORDS = {"title", "description", "examples", "$comment"}
_LIMITS = {
    "enum", "const", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf",
    "minLength", "maxLength", "pattern", "format", "minItems", "maxItems", "uniqueItems",
}  # fmt: skip


@dataclass(frozen=True)
class Drift:
    """The result of a fixture; a step of NONE could not be compared."""

    step: Step
    message: str


def find_drifts(old: Entry, new: Entry, registry: Registry, level: str) -> list[Drift]:
    """Return the changed results; nothing where the old version has no fixtures."""
    path = manifest_fixtures.find_file(old)
    if not path or old.manifest is None or new.manifest is None:
        return []
    read = manifest_fixtures.read(old.read_bytes(path, _LARGEST + 1), path)
    with ThreadPoolExecutor(max_workers=2) as pool:
        asked = (old, new)
        outcomes = list(
            pool.map(lambda one: _collect_outcomes(one, read.fixtures, registry, level), asked)
        )
    pairs = zip(read.fixtures, *outcomes, strict=True)
    return list(_compare(pairs, deterministic=old.manifest.deterministic))


_Outcome = Grade | str


def _collect_outcomes(
    entry: Entry, given: tuple[Fixture, ...], registry: Registry, level: str
) -> list[_Outcome]:
    """Return a grade or a failure for each fixture; no variable is handed over."""
    try:
        allowed = smoke_program.grant(entry, registry, {})
        with smoke_program.open_program(entry, allowed, level=level, timeout=_TIMEOUT) as opened:
            return [
                outcome.grade or outcome.failure
                for fixture in given
                for outcome in (
                    opened.run(fixture.build_input(entry.name).model_dump_json().encode()),
                )
            ]
    except EvaluatorError as error:
        return [str(error)] * len(given)


def _compare(
    pairs: "zip[tuple[Fixture, _Outcome, _Outcome]]", *, deterministic: bool
) -> Iterator[Drift]:
    for fixture, was, now in pairs:
        where = f"fixture {fixture.name!r}"
        if isinstance(was, str):
            yield Drift(Step.NONE, f"{where} cannot be compared: the old program {was}")
        elif isinstance(now, str):
            yield Drift(Step.MAJOR, f"{where}: was {_show(was)}, and now it {now}")
        else:
            yield from _describe_move(where, fixture, was, now, deterministic=deterministic)


def _describe_move(
    where: str, fixture: Fixture, was: Grade, now: Grade, *, deterministic: bool
) -> Iterator[Drift]:
    before = smoke_trial.decide_status(was, fixture.threshold)
    after = smoke_trial.decide_status(now, fixture.threshold)
    scores = f"{_show(was)} → {_show(now)}"
    tolerance = fixture.expect.tolerance + _ROUNDING
    if before is not after:
        yield Drift(Step.MAJOR, f"{where}: {before.value} → {after.value} ({scores})")
    elif abs((was.score or 0) - (now.score or 0)) > tolerance and deterministic:
        yield Drift(Step.MINOR, f"{where}: {scores}")


def _show(grade: Grade) -> str:
    return "not evaluated" if grade.score is None else f"{grade.score:g}"
