"""Run the old and the new program on the old fixtures, in the same sandbox."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from agentevals.model.cases import Grade
from agentevals.model.errors import EvaluatorError
from registry_tools.manifests import fixtures
from registry_tools.manifests.entry import Entry
from registry_tools.manifests.fixtures import Fixture
from registry_tools.manifests.registry import Registry
from registry_tools.manifests.validators.versions import Step
from registry_tools.smoke import comparing, program, sandbox

_LARGEST = 1 << 20
_TIMEOUT = 10  # seconds
_ROUNDING = 1e-9


@dataclass(frozen=True)
class Drift:
    """The result of a fixture; a step of NONE could not be compared."""

    step: Step
    message: str


def find_drifts(old: Entry, new: Entry, registry: Registry, level: str) -> list[Drift]:
    """Return the changed results; nothing where the old version has no fixtures."""
    path = fixtures.find_file(old)
    if not path or old.manifest is None or new.manifest is None:
        return []
    read = fixtures.read(old.read_bytes(path, _LARGEST + 1), path)
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
        allowed = sandbox.grant(entry, registry, {})
        with program.open_program(entry, allowed, level=level, timeout=_TIMEOUT) as opened:
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
    before = comparing.decide_status(was, fixture.threshold)
    after = comparing.decide_status(now, fixture.threshold)
    scores = f"{_show(was)} → {_show(now)}"
    tolerance = fixture.expect.tolerance + _ROUNDING
    if before is not after:
        yield Drift(Step.MAJOR, f"{where}: {before.value} → {after.value} ({scores})")
    elif abs((was.score or 0) - (now.score or 0)) > tolerance and deterministic:
        yield Drift(Step.MINOR, f"{where}: {scores}")


def _show(grade: Grade) -> str:
    return "not evaluated" if grade.score is None else f"{grade.score:g}"
