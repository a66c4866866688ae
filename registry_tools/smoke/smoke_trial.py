"""The trial of one evaluator: its fixtures twice, then hostile inputs.

The last words of a program that failed may tell what to do.
"""

import json
import re
from collections.abc import Iterator
from concurrent.futures import Executor
from typing import Any

from agentevals.files.document_places import Key, quote
from agentevals.model.cases import Grade, Status
from agentevals_evaluator_sdk.judge import ADDRESS
from registry_tools.manifests.manifest_fixtures import Expected, Fixture, Read
from registry_tools.manifests.registry_entry import Entry
from registry_tools.manifests.registry_finding import Finding, Rule, make_note, make_warning
from registry_tools.smoke import smoke_inputs, smoke_rules
from registry_tools.smoke.smoke_program import Outcome, SandboxedProgram

_NAMED = 5  # inputs that a sentence lists
_LARGEST = 1 << 20
_RUNS = 2
_AGAIN = "has another result each time"
_REPEATABLE = "make it repeatable, or write 'deterministic: false'"
_WITHOUT_BATCH = "print one answer for each line, with its 'id', or remove 'batch: true'"
_ROUNDING = 1e-9  # 1 - 0.99 is more than 0.01
_ADVICE = {
    # the SDK of the predecessor's first days
    r"No module named 'agentevals_grader_sdk'": (
        "import evaluator, EvalInput and EvalResult of agentevals_evaluator_sdk"
    ),
    r"No module named '|Cannot find (?:package|module) '": (
        "add the module to this folder, or its package to requirements.txt, pinned and with hashes"
    ),
    r"KeyError: '[A-Z][A-Z0-9_]*'": (
        "name the variable in capabilities.environment, and answer NOT_EVALUATED where it is not "
        "set"
    ),
    r"name resolution|EAI_AGAIN|urlopen error|fetch failed|ConnectionError|ConnectError": (
        "name the host in capabilities.network"
    ),
    r"(?:FileNotFoundError|PermissionError): .*|ENOENT|EACCES": (
        "put the file into this folder and open it by the program's own path, or name it in "
        "capabilities.files"
    ),
}


def try_out(
    entry: Entry, program: SandboxedProgram, read: Read | None, pool: Executor
) -> Iterator[Finding]:
    """All that its runs show. After a run that had to be ended, nothing more is tried, and
    who never answers is not asked what nobody expects.

    The pool runs as many programs at a time as there are processors.
    """
    trial = _Trial(entry, program, read, pool)
    yield from trial.run_fixtures() if read else trial.run_usual()
    if trial.answered and not trial.late:
        yield from trial.run_hostile()


class _Trial:
    """Remembers whether a run took all the time there is, and whether any had a result."""

    def __init__(
        self, entry: Entry, program: SandboxedProgram, read: Read | None, pool: Executor
    ) -> None:
        self._entry, self._program, self._read, self._pool = entry, program, read, pool
        self.late = self.answered = False

    def run_fixtures(self) -> Iterator[Finding]:
        fixtures = self._read.fixtures if self._read else ()
        messages = [
            one.build_input(self._entry.name).model_dump_json().encode() for one in fixtures
        ]
        ran = self._pool.map(self._run_twice, messages)
        alone = list(ran)
        for index, (fixture, outcomes) in enumerate(zip(fixtures, alone, strict=True)):
            yield from self._compare_fixture(index, fixture, outcomes)
        manifest = self._entry.manifest
        if manifest and manifest.batch and not self.late:
            together = self._program.run_batch(messages)
            for index, (first, second) in enumerate(zip(alone, together, strict=True)):
                yield from self._compare_batch(index, (*first[:1], second))

    def run_usual(self) -> Iterator[Finding]:
        """Run an ordinary input, for evaluators without fixtures."""
        entry = self._entry
        (outcomes,) = self._pool.map(self._run_twice, [smoke_inputs.encode(self._usual())])
        at = entry.locate("entrypoint")
        failed = _describe_failure(outcomes)
        if failed:
            message = f"given an ordinary input, it {failed}"
            yield entry.report(smoke_rules.PROGRAM, message, at, fix=advise(failed))
            return
        differing = self._list_differences(outcomes)
        if differing:
            message = f"an ordinary input {_AGAIN}: {', '.join(differing)}"
            found = entry.report(smoke_rules.REPEAT, message, at, fix=_REPEATABLE)
            yield make_note(found) if entry.is_legacy else found
        said = ", ".join(describe(one.grade) for one in outcomes[:1] if one.grade)
        message = f"it runs, but nothing is proven: {said}"
        yield entry.report(
            smoke_rules.UNPROVEN, message, at, fix="add fixtures with what is expected"
        )

    def run_hostile(self) -> Iterator[Finding]:
        """Run hostile inputs; report one finding for all crashes."""
        given = dict(smoke_inputs.build_hostile(self._entry.name, self._config(), self._usual()))
        ran = zip(given, self._pool.map(self._run, given.values()), strict=True)
        failures = {
            what: one.failure
            for what, one in ran
            if one and one.failure and not self._lacks_judge(one)
        }
        if failures:
            yield self._report_crashes(failures)

    def _lacks_judge(self, outcome: Outcome) -> bool:
        """Return whether it ended because no judge answers here, as its manifest lets expect."""
        manifest = self._entry.manifest
        return bool(manifest and manifest.capabilities.judge and ADDRESS in outcome.failure)

    def _report_crashes(self, failures: dict[str, str]) -> Finding:
        first, why = next(iter(failures.items()))
        named = ", ".join(list(failures)[:_NAMED]) + (", …" if len(failures) > _NAMED else "")
        what = f"falls over {len(failures)} input(s) that nobody expects ({named})"
        found = self._entry.report(
            smoke_rules.HOSTILE,
            f"it {what}; {first}: it {why}",
            self._entry.locate("entrypoint"),
            fix="answer with a score, or with NOT_EVALUATED and a reason",
        )
        return make_warning(found) if self._entry.is_legacy else found

    def _compare_fixture(
        self, index: int, fixture: Fixture, outcomes: tuple[Outcome, ...]
    ) -> Iterator[Finding]:
        about = f"the fixture {quote(fixture.name)}"
        failed = _describe_failure(outcomes)
        if failed:
            message = f"{about}: it {failed}"
            yield self._report(smoke_rules.PROGRAM, message, index, "name", fix=advise(failed))
            return
        grades = [one.grade for one in outcomes if one.grade]
        wrong = [found for grade in grades for found in find_mismatches(fixture, grade)]
        for key, how in dict.fromkeys(wrong):
            yield self._report(
                smoke_rules.RESULT, f"{about} {self._program.shorten(how)}", index, "expect", key
            )
        differing = self._list_differences(outcomes)
        if differing:
            message = f"{about} {_AGAIN}: {', '.join(differing)}"
            found = self._report(smoke_rules.REPEAT, message, index, "name", fix=_REPEATABLE)
            yield make_warning(found) if has_only_details(differing) else found

    def _compare_batch(self, index: int, outcomes: tuple[Outcome, ...]) -> Iterator[Finding]:
        """Compare what came of a fixture alone with what came of it among others."""
        first, *others = outcomes
        failed = _describe_failure(tuple(others))
        differing = [f"it {failed}"] if failed else self._list_differences(outcomes)
        if differing and not first.failure:
            message = f"given as one line of a batch: {', '.join(differing)}"
            yield self._report(smoke_rules.BATCH, message, index, "name", fix=_WITHOUT_BATCH)

    def _list_differences(self, outcomes: tuple[Outcome, ...]) -> list[str]:
        """List the differences of both results, unless the manifest allows them."""
        manifest = self._entry.manifest
        grades = [one.grade for one in outcomes if one.grade]
        if len(grades) < _RUNS or (manifest and not manifest.deterministic):
            return []
        return list_differences(*grades)

    def _run_twice(self, message: bytes) -> tuple[Outcome, ...]:
        first = self._run(message)
        second = self._run(message) if first and not first.failure else None
        return tuple(outcome for outcome in (first, second) if outcome)

    def _run(self, message: bytes) -> Outcome | None:
        """Run once; None once another run was late."""
        if self.late:
            return None
        outcome = self._program.run(message)
        self.late = self.late or outcome.late
        self.answered = self.answered or outcome.grade is not None
        return outcome

    def _report(self, rule: Rule, message: str, index: int, *where: Key, fix: str = "") -> Finding:
        assert self._read is not None  # noqa: S101 -- only of fixtures that were read
        at = self._read.document.locate(("fixtures", index, *where))
        return self._entry.report_in(self._read.path, rule, message, at, fix=fix)

    def _config(self) -> dict[str, Any]:
        first = next(iter(self._read.fixtures if self._read else ()), None)
        return first.config if first else self._usual()["config"]

    def _usual(self) -> smoke_inputs.Message:
        """The first fixture, or an ordinary input."""
        if self._read and self._read.fixtures:
            given = self._read.fixtures[0].build_input(self._entry.name)
            return given.model_dump(mode="json")
        return smoke_inputs.build_ordinary(self._entry.name, _read_schema(self._entry))


def _describe_failure(outcomes: tuple[Outcome, ...]) -> str:
    return next((one.failure for one in outcomes if one.failure), "")


def _read_schema(entry: Entry) -> dict[str, Any]:
    """Return the schema of the config; empty where it cannot be read."""
    schema: Any = entry.manifest.config_schema if entry.manifest else {}
    if isinstance(schema, str):
        if schema not in entry.files:
            return {}
        try:
            schema = json.loads(entry.read_bytes(schema, _LARGEST))
        except ValueError:
            return {}
    return schema if isinstance(schema, dict) else {}


def decide_status(grade: Grade, threshold: float) -> Status:
    """Return the evaluator's own status, or the engine's for its score."""
    if grade.status is not None:
        return grade.status
    passed = grade.score is not None and grade.score >= threshold
    return Status.PASSED if passed else Status.FAILED


def find_mismatches(fixture: Fixture, grade: Grade) -> Iterator[tuple[str, str]]:
    """Yield each key of `expect` that is not met, and how."""
    expected, status = fixture.expect, decide_status(grade, fixture.threshold)
    if status is Status.NOT_EVALUATED and expected.status != status.value:
        reason = f": {grade.misses[0]}" if grade.misses else ""
        yield "status" if expected.score is None else "score", f"was not evaluated{reason}"
        return
    if expected.status is not None and expected.status != status.value:
        yield "status", f"is {status.value}, not {expected.status}"
    if expected.score is not None and not _meets(expected, grade):
        yield "score", f"scores {grade.score:g}, not {expected.score:g}"


def list_differences(first: Grade, second: Grade) -> list[str]:
    """List the differences of two results of one input, scores first."""
    pairs = {
        f"the score is {first.score:g}, then {second.score:g}": first.score != second.score,
        "the status": first.status != second.status,
        "the scores of turns": first.per_turn != second.per_turn,
        "the details": first.details != second.details,
    }
    return [what for what, differ in pairs.items() if differ]


def describe(grade: Grade) -> str:
    """Describe a result in a few words."""
    if grade.status is Status.NOT_EVALUATED:
        return "an ordinary input was not evaluated"
    return f"an ordinary input scores {grade.score:g}"


def has_only_details(differing: list[str]) -> bool:
    """Return whether nothing differs that a verdict depends on."""
    return differing == ["the details"]


def _meets(expected: Expected, grade: Grade) -> bool:
    if expected.score is None or grade.score is None:
        return expected.score == grade.score
    return abs(grade.score - expected.score) <= expected.tolerance + _ROUNDING


def advise(failed: str) -> str:
    """Return what to do; empty where nobody can tell."""
    return next((fix for words, fix in _ADVICE.items() if re.search(words, failed)), "")
