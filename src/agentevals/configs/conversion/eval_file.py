"""An `eval_config.yaml` and its eval set as an EVAL file."""

from collections.abc import Iterator
from typing import Any

from agentevals.configs.conversion import Converted, Source, write_yaml
from agentevals.configs.plan import Expectation
from agentevals.files.places import quote
from agentevals.graders import messages
from agentevals.graders.grader import Grader
from agentevals.model.conversations import Turn
from agentevals.model.errors import InputError

FILE = "EVAL.yaml"


def convert(source: Source) -> Converted:
    """The evaluators judge every test; a case passes, as before, when each of them does."""
    plan = source.plan
    if not plan.expectations:
        msg = (
            f"{source.path}: an EVAL file needs tests, and this names no eval set with cases; "
            "give one with --eval-set"
        )
        raise InputError(msg)
    gate = {**(source.written.get("gate") or {}), "pass_at": 0.0, "borderline_at": 0.0}
    whole = {
        "name": plan.eval_set_id,
        **dict(source.alike()),
        "gate": gate,
        "assert": [
            _require_threshold(source.write_entry(grader), grader) for grader in plan.graders
        ],
        "tests": [_write_test(wanted, source) for wanted in plan.expectations],
    }
    return Converted(
        files={FILE: write_yaml(whole)},
        lost=(*_list_losses(plan.expectations), *source.find_immovable_programs()),
    )


def _require_threshold(entry: dict[str, Any], grader: Grader) -> dict[str, Any]:
    """With its threshold as what the case must reach, which a mean would not ask for."""
    return {**entry, "required": max(grader.threshold, grader.required or 0.0)}


def _write_test(wanted: Expectation, source: Source) -> dict[str, Any]:
    turns = wanted.turns or ()
    told: dict[str, Any] = {"id": wanted.case_id}
    if wanted.criteria:
        told["criteria"] = wanted.criteria
    told["input"] = turns[0].user if turns else wanted.opening
    if len(turns) > 1:
        told |= {"mode": "conversation", "turns": [_write_turn(turn) for turn in turns]}
    elif turns:
        told |= _write_turn(turns[0], with_input=False)
    if wanted.graders:
        told["assert"] = [
            _require_threshold(source.write_entry(one), one) for one in wanted.graders
        ]
    return told


def _write_turn(turn: Turn, *, with_input: bool = True) -> dict[str, Any]:
    told: dict[str, Any] = {"input": turn.user} if with_input else {}
    said = messages.list_agent_messages([turn])
    if len(said) == 1 and "tool_calls" not in said[0]:
        told["expected_output"] = said[0]["content"]
    elif said:
        told["expected_output"] = said
    return told


def _list_losses(tests: tuple[Expectation, ...]) -> Iterator[str]:
    for wanted in tests:
        about = f"case {quote(wanted.case_id)}: "
        if wanted.rubrics:
            yield f"{about}its rubrics, which other types of evaluator read than in an EVAL file"
        if wanted.scenario:
            yield f"{about}the scenario of a simulated user"
