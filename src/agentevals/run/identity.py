"""Digests of what a run judges with: two runs are compared only as far as these agree."""

import hashlib
from pathlib import Path
from typing import Any

from agentevals.configs.plan import Expectation, Plan
from agentevals.graders.grader import Grader
from agentevals.judge import JudgeSettings
from agentevals.model.results import Identity
from agentevals.text.json_ import encode

_LENGTH = 40  # hexadecimal digits; so many that nobody can search for two that agree
_OF_THE_JUDGE = ("provider", "model", "temperature", "samples", "max_tokens")
_BESIDE = ("requirements.txt", "evaluator.yaml")  # belong to a program as its own text does


def identify(plan: Plan) -> Identity:
    """Return the digests of a plan, wherever it lies; policies for the whole run aside."""
    cases = {wanted.case_id: _expectation(wanted) for wanted in plan.expectations or ()}
    policy = plan.policy
    paired = [plan.pair] if plan.pair != "auto" else []
    return Identity(
        evaluators={grader.name: _grader(grader) for grader in plan.graders},
        judged=tuple(dict.fromkeys(g.name for g in plan.outer_graders if g.judged)),
        judge=_judge(plan.judge),
        cases=cases,
        rules=_digest(
            [
                *(policy.pass_at, policy.borderline_at, policy.fail_on_not_evaluated),
                *(plan.group_by, *paired),
            ]
        ),
    )


def _grader(grader: Grader) -> str:
    """Its settings; a file among them counts by what is in it, not by where it lies.

    What was fetched counts by what it is. A setting that is excluded only says where that stands.
    """
    fields = type(grader).model_fields
    settings = {
        name: _setting(value)
        for name, value in grader
        if not fields[name].exclude and value != frozenset()  # as before there were sets of needs
    }
    return _digest([grader.type, settings, *([grader.content] if grader.content else [])])


def _setting(value: Any) -> Any:
    if isinstance(value, Path):
        return [_content(value), *(_content(value.parent / name) for name in _BESIDE)]
    if isinstance(value, tuple) and any(isinstance(item, Grader) for item in value):
        return [_grader(item) for item in value]
    if hasattr(value, "model_dump"):
        return value.model_dump(mode="json")
    return value


def _content(path: Path) -> str:
    try:
        # a pipe would be waited for, and a device never ends
        return hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else ""
    except OSError:
        return ""


def _expectation(wanted: Expectation) -> str:
    own = [_grader(grader) for grader in wanted.graders]
    said = [wanted.turns, wanted.opening, wanted.rubrics, wanted.criteria, wanted.scenario]
    return _digest([*said, wanted.task, wanted.own_only, wanted.pass_at, own])


def _judge(settings: JudgeSettings | None) -> str:
    if settings is None:
        return ""
    others = {name: target.model_dump(mode="json") for name, target in settings.targets.items()}
    return _digest([*(getattr(settings, name) for name in _OF_THE_JUDGE), *filter(None, [others])])


def _digest(value: Any) -> str:
    encoded = encode(value, order="deterministic")
    return hashlib.sha256(encoded).hexdigest()[:_LENGTH]
