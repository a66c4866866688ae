"""Measure an evaluator: run it on its labelled examples, and count what it gets right.

It may ask a judge meanwhile.
"""

import hashlib
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, NamedTuple

import msgspec

from agentevals.evaluator import evaluator_files
from agentevals.graders.programs import judge_proxy
from agentevals.judge import Judge
from agentevals.model.cases import Status
from agentevals.model.noun import Noun
from agentevals_evaluator_sdk.types import EvalInput
from registry_tools.evidence import labelled_examples
from registry_tools.evidence.labelled_examples import Label, Labelled
from registry_tools.manifests.registry_entry import Entry
from registry_tools.smoke.smoke_program import Grants, Outcome

FILE = "evidence.json"
SETS = (labelled_examples.FILE, labelled_examples.HELD_OUT)
# they say something about the program, and are no part of it
_BESIDE = {*SETS, FILE, "README.md", "fixtures.yaml", "evaluator.yaml"}
_LARGEST = 64 << 20
Ask = Callable[[EvalInput], Outcome]
_MOST = 1_000_000  # questions; a budget of the judge may allow less


class Count(Noun, frozen=True):
    """The examples of one file, counted. A failure is an example that must not pass."""

    file: str
    sha256: str
    examples: int
    failures: int
    found: int  # failures that the evaluator reports
    false_alarms: int  # reports that are wrong
    right: int

    @property
    def recall(self) -> float | None:
        """The share of failures that the evaluator finds."""
        return self.found / self.failures if self.failures else None

    @property
    def precision(self) -> float | None:
        """The share of reported failures that are failures."""
        reported = self.found + self.false_alarms
        return self.found / reported if reported else None


class Evidence(Noun, frozen=True):
    """`evidence.json`: counts, and the program (and model) that they are of."""

    program: str
    sets: tuple[Count, ...] = ()
    judge: str = ""


class Misjudged(NamedTuple):
    """An example whose outcome is not its label."""

    example: Labelled
    outcome: Outcome

    def __str__(self) -> str:
        """Write place, label and outcome as one line."""
        grade, one = self.outcome.grade, self.example
        said = self.outcome.failure or f"{_judge(self.outcome, one.message.threshold)}"
        score = "" if grade is None or grade.score is None else f" (score {grade.score:.2f})"
        return f"{one.path}:{one.line}: must be {one.label}, is {said}{score}"


def measure(
    entry: Entry, ask: Ask, pool: Executor, judge: str = ""
) -> tuple[Evidence, list[Misjudged]]:
    """Return the counts of every file of examples, and each example that is judged wrongly."""
    counts: list[Count] = []
    wrong: list[Misjudged] = []
    for file in SETS:
        if file in entry.files:
            listed = labelled_examples.read(entry, file)
            outcomes = list(pool.map(ask, [one.message for one in listed]))
            counts.append(_count(entry, file, listed, outcomes))
            wrong += find_misjudged(listed, outcomes)
    return Evidence(program=hash_program(entry), sets=tuple(counts), judge=judge), wrong


def find_misjudged(listed: Sequence[Labelled], outcomes: Sequence[Outcome]) -> Iterator[Misjudged]:
    """Yield the examples whose outcome is not their label."""
    for one, outcome in zip(listed, outcomes, strict=True):
        if _judge(outcome, one.message.threshold) != one.label:
            yield Misjudged(one, outcome)


def _count(
    entry: Entry, file: str, listed: Sequence[Labelled], outcomes: Sequence[Outcome]
) -> Count:
    pairs = [
        (one.label, _judge(outcome, one.message.threshold))
        for one, outcome in zip(listed, outcomes, strict=True)
    ]
    return Count(
        file=file,
        sha256=_hash(entry, [file]),
        examples=len(pairs),
        failures=sum(label == Label.FAIL for label, _ in pairs),
        found=pairs.count((Label.FAIL, Label.FAIL)),
        false_alarms=sum(label != said == Label.FAIL for label, said in pairs),
        right=sum(label == said for label, said in pairs),
    )


def _judge(outcome: Outcome, threshold: float) -> Label | None:
    """Return the outcome as a label; None for a program that failed."""
    grade = outcome.grade
    if grade is None:
        return None
    if grade.status is Status.NOT_EVALUATED or grade.score is None:
        return Label.NOT_EVALUATED
    passed = grade.score >= threshold if grade.status is None else grade.status is Status.PASSED
    return Label.PASS if passed else Label.FAIL


def hash_program(entry: Entry) -> str:
    """Hash the files that decide how it judges."""
    return _hash(
        entry, [file for file in evaluator_files.drop_compiled(entry.files) if file not in _BESIDE]
    )


def _hash(entry: Entry, files: Sequence[str]) -> str:
    whole = hashlib.sha256()
    for file in files:
        content = hashlib.sha256(entry.read_bytes(file, _LARGEST)).hexdigest()
        whole.update(f"{content} {file}\n".encode())
    return whole.hexdigest()


def read_evidence(entry: Entry) -> Evidence | None:
    """Return what was measured of exactly these files; None where nothing was."""
    if FILE not in entry.files:
        return None
    try:
        known: Any = msgspec.json.decode(entry.read_bytes(FILE, 1 << 20), type=Evidence)
    except msgspec.DecodeError:
        return None
    return known if is_current(entry, known) else None


def is_current(entry: Entry, known: Evidence) -> bool:
    """Return whether the program and its examples are still those that were measured."""
    there = [file for file in SETS if file in entry.files]
    return (
        known.program == hash_program(entry)
        and [count.file for count in known.sets] == there
        and all(count.sha256 == _hash(entry, [count.file]) for count in known.sets)
    )


def asks_judge(entry: Entry) -> bool:
    """Return whether its manifest asks for the judge."""
    return entry.manifest is not None and entry.manifest.capabilities.judge


@contextmanager
def lend(entry: Entry, judge: Judge | None, given: Grants) -> Iterator[Grants]:
    """Grant the judge to an evaluator that asks for it, beside what it is given anyway.

    The first failure of the judge is raised in the end: what was counted is then of no use.
    """
    if judge is None or not asks_judge(entry):
        yield given
        return
    with judge_proxy.serve(judge, _MOST) as access:
        environment = (*given.environment, *access.env.items())
        yield replace(given, environment=environment, judge_port=access.port)
        access.check(entry.name)
