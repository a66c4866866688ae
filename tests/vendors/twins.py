"""A sample judged twice: by a recording of an agent that does what it expects, and once more with
each expectation made wrong. What had passed has to fail then.

Only evaluators that need no model and no program of the vendor are judged. The recording is made of
the expectations themselves, so that every sample has one.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory

from agentevals.configs.dialects import compile_plan
from agentevals.configs.plan import Overrides, Plan
from agentevals.graders.grader import Grader
from agentevals.model.cases import Status
from agentevals.model.errors import AgentEvalsError
from agentevals.model.policy import Policy
from agentevals.run import pipeline
from agentevals.run.pipeline import Settings
from tests.vendors.imagining import record
from tests.vendors.judged_types import OF_AN_EVAL_SET, is_offline
from tests.vendors.spoiling import spoil_plan


@dataclass(frozen=True)
class Twins:
    """What came of one file: how many results passed, and those that still do with wrong ones."""

    passed: int = 0
    blind: tuple[str, ...] = ()


def judge(path: Path, *, is_eval_set: bool) -> Twins:
    """Judge a file and its twin; nothing passes of a file that has nothing to judge offline."""
    try:
        plan = _compile(path, is_eval_set=is_eval_set)
    except AgentEvalsError:
        return Twins()
    if not plan.expectations:
        return Twins()
    with TemporaryDirectory() as scratch:
        recording = Path(scratch) / "twin.evalset_result.json"
        recording.write_text(json.dumps(record(plan)), encoding="utf-8")
        right = _run(plan, recording)
        wrong = _run(spoil_plan(plan), recording)
    passed = [key for key, status in right.items() if status is Status.PASSED]
    blind = tuple(": ".join(key) for key in passed if wrong.get(key) is not Status.FAILED)
    return Twins(len(passed), blind)


def _compile(path: Path, *, is_eval_set: bool) -> Plan:
    if is_eval_set:
        metrics = Overrides(eval_set=path, metrics=OF_AN_EVAL_SET)
        plan = compile_plan(None, metrics)
    else:
        plan = compile_plan(path, Overrides())
    expected = tuple(replace(one, graders=_select(one.graders)) for one in plan.expectations or ())
    graders = _select(plan.graders)
    return replace(plan, graders=graders, expectations=expected, traces=(), judge=None)


def _select(graders: Sequence[Grader]) -> tuple[Grader, ...]:
    return tuple(one for one in graders if is_offline(one) and not one.negate)


def _run(plan: Plan, recording: Path) -> dict[tuple[str, str], Status]:
    report = pipeline.run(replace(plan, policy=Policy()), Settings(traces=(str(recording),)))
    return {
        (case.case_id, result.name): result.status
        for case in report.cases
        for result in case.results
    }
