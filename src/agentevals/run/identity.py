"""Digests of what a run judges with: two runs are compared only as far as these agree."""

import dataclasses
import hashlib
from pathlib import Path
from typing import Any, cast

from msgspec.structs import replace

from agentevals.configs.plan import Expectation, Plan, StoredExpectations
from agentevals.graders.grader import Grader
from agentevals.judge import JudgeSettings
from agentevals.model.cases import Task
from agentevals.model.results import Identity
from agentevals.text.json_text import encode

_LENGTH = 16  # hexadecimal digits; enough that two never agree by chance
UNFORGEABLE = 40  # so many that nobody can search for two that agree
_OF_THE_JUDGE = ("provider", "model", "temperature", "samples", "max_tokens")
_LATER = frozenset({"env", "files", "subprocess", "judge", "image"})
_BESIDE = ("requirements.txt", "evaluator.yaml")  # belong to a program as its own text does


def identify(plan: Plan, length: int = _LENGTH) -> Identity:
    """Return the digests of a plan, wherever it lies; policies for the whole run aside."""
    bare = not any(grader.reads_invocations for grader in plan.all_graders)

    def digest(wanted: Expectation) -> str:
        return _expectation(_drop_invocations(wanted) if bare else wanted, length)

    known = plan.expectations or ()
    if isinstance(known, StoredExpectations):
        cases = known.digest(digest)
    else:
        cases = {wanted.case_id: digest(wanted) for wanted in known}
    policy = plan.policy
    paired = [plan.pair] if plan.pair != "auto" else []
    return Identity(
        evaluators={grader.name: _grader(grader, length) for grader in plan.graders},
        judged=tuple(dict.fromkeys(g.name for g in plan.outer_graders if g.judged)),
        judge=_judge(plan.judge, length),
        cases=cast("dict[str, str]", cases),
        rules=_digest(
            [
                *(policy.pass_at, policy.borderline_at, policy.fail_on_not_evaluated),
                *(plan.group_by, *paired),
            ],
            length,
        ),
    )


def _grader(grader: Grader, length: int) -> str:
    """Its settings; a file among them counts by what is in it, not by where it lies.

    What was fetched counts by what it is. A setting that is excluded only says where that stands.
    """
    fields = type(grader).model_fields
    settings = {
        name: _setting(value, length)
        for name, value in grader
        if not fields[name].exclude and not _is_later(name, value)
    }
    content = [grader.content] if grader.content else []
    return _digest([grader.type, settings, *content], length)


def _is_later(name: str, value: Any) -> bool:
    """Return whether a setting says nothing, which earlier versions did not know at all."""
    return value == frozenset() or (name in _LATER and not value)


def _setting(value: Any, length: int) -> Any:
    if isinstance(value, Path):
        return [_content(value), *(_content(value.parent / name) for name in _BESIDE)]
    if isinstance(value, tuple) and any(isinstance(item, Path) for item in value):
        return [_content(path) for path in value]
    if isinstance(value, tuple) and any(isinstance(item, Grader) for item in value):
        return [_grader(item, length) for item in value]
    if hasattr(value, "model_dump"):
        return value.model_dump(mode="json")
    return value


def _content(path: Path) -> str:
    try:
        # a pipe would be waited for, and a device never ends
        content = path.read_bytes() if path.is_file() else None
    except OSError:
        return ""
    # a checkout may write other ends of lines than a commit has
    return "" if content is None else hashlib.sha256(content.replace(b"\r\n", b"\n")).hexdigest()


def _drop_invocations(wanted: Expectation) -> Expectation:
    """Return what is judged by: not times, nor whatever else an eval set of ADK holds."""
    judged = wanted.drop_invocations()
    scenario = judged.scenario and replace(judged.scenario, written={})
    return dataclasses.replace(judged, scenario=scenario) if scenario else judged


def _expectation(wanted: Expectation, length: int) -> str:
    own = [_grader(grader, length) for grader in wanted.graders]
    said = [wanted.turns, wanted.opening, wanted.rubrics, wanted.criteria, wanted.scenario]
    task = wanted.task and _describe_task(wanted.task)
    return _digest([*said, task, wanted.own_only, wanted.pass_at, own], length)


def _describe_task(task: Task) -> Task:
    """Return the task with what is in its files in place of where they lie."""
    given, guiding = (
        tuple(_content(Path(name)) for name in names)
        for names in (task.input_files, task.guideline_files)
    )
    return replace(task, input_files=given, guideline_files=guiding)


def _judge(settings: JudgeSettings | None, length: int) -> str:
    if settings is None:
        return ""
    others = {name: target.model_dump(mode="json") for name, target in settings.targets.items()}
    named = (getattr(settings, name) for name in _OF_THE_JUDGE)
    return _digest([*named, *filter(None, [others])], length)


def _digest(value: Any, length: int) -> str:
    encoded = encode(value, order="deterministic")
    return hashlib.sha256(encoded).hexdigest()[:length]
