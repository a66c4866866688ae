"""The kinds of config to convert to: an eval config with its eval set, and an EVAL file."""

from collections.abc import Iterator, Sequence
from typing import Any

from agentevals.configs.config_agent import EXTENSION, KEY
from agentevals.configs.conversion import Converted, Source, write_yaml
from agentevals.configs.eval_sets import eval_set_writer
from agentevals.configs.plan import Expectation
from agentevals.files.document_places import quote
from agentevals.graders import judged_messages
from agentevals.graders.grader import Grader
from agentevals.model.conversations import Conversation, Turn
from agentevals.model.errors import InputError
from agentevals.text.json_text import readable

CONFIG, EVAL_SET, FILE = "eval_config.yaml", "eval_set.json", "EVAL.yaml"

_BOUNDS = ("pass_at", "borderline_at")
_NAMED = 5  # tests that a sentence names


def write_eval_config(source: Source) -> Converted:
    """Write a config of what all tests have in common, and an eval set of the tests."""
    plan = source.plan
    tests = plan.expectations or ()
    shared = _find_shared(tests)
    gate = {k: v for k, v in (source.written.get("gate") or {}).items() if k not in _BOUNDS}
    config = {
        "eval_set": EVAL_SET,
        **({KEY: agent} if (agent := source.list_agent()) else {}),
        **dict(source.alike()),
        **({"gate": gate} if gate else {}),
        "evaluators": [source.write_entry(grader) for grader in (*plan.graders, *shared)],
    }
    files = {EVAL_SET: readable(_write_eval_set(tests, plan.eval_set_id))}
    if plan.graders or shared:
        files = {CONFIG: write_yaml(config), **files}
    return Converted(
        files=files, lost=(*_list_config_losses(source, shared), *source.find_immovable_programs())
    )


def _find_shared(tests: Sequence[Expectation]) -> tuple[Grader, ...]:
    """Return the evaluators that each test has for itself, where those are the same for all."""
    first = tests[0].graders if tests else ()
    alike = all(test.graders == first and not test.own_only for test in tests)
    return first if alike else ()


def _write_eval_set(tests: Sequence[Expectation], name: str) -> dict[str, Any]:
    conversations = [
        Conversation(
            conversation_id=test.case_id,
            case_id=test.case_id,
            turns=test.turns or (Turn(user=test.opening),),
        )
        for test in tests
    ]
    eval_set, _ = eval_set_writer.write_eval_set(conversations, eval_set_id=name)
    for test, case in zip(tests, eval_set["eval_cases"], strict=True):
        if not any(turn.tool_calls for turn in test.turns or ()):
            for turn in case["conversation"]:
                del turn["intermediate_data"]  # nothing is said about calls
    return eval_set


def _list_config_losses(source: Source, shared: Sequence[Grader]) -> Iterator[str]:
    plan = source.plan
    tests = plan.expectations or ()
    if not plan.graders and not shared:
        yield "no evaluator judges every test, so there is no config, only an eval set"
    own = [test.case_id for test in tests if test.graders and not shared]
    if own:
        yield f"evaluators that only one test has: {_join_ids(own)}"
    alone = [test.case_id for test in tests if test.own_only]
    if alone:
        yield f"'skip_defaults': the evaluators of the file judge these as well: {_join_ids(alone)}"
    for what, ids in _name_parts(tests):
        if ids:
            yield f"{what}: {_join_ids(ids)}"
    if len(plan.graders) + len(shared) > 1:
        yield (
            f"that a test passes at a mean score of {plan.policy.pass_at:g}: by a config, every "
            "evaluator must reach its own threshold"
        )


def _name_parts(tests: Sequence[Expectation]) -> Iterator[tuple[str, list[str]]]:
    """Name the parts of a test that an eval set has no place for."""
    told = [(test, test.task) for test in tests]
    yield "criteria", [test.case_id for test in tests if test.criteria]
    yield "a threshold of its own", [test.case_id for test in tests if test.pass_at is not None]
    yield "metadata", [test.case_id for test, task in told if task and task.metadata]
    yield (
        "input beside the user's words",
        [
            t.case_id
            for t, task in told
            if task and (task.question != t.opening or task.input_files)
        ],
    )
    yield (
        "expected output that is no text",
        [
            test.case_id
            for test, task in told
            if task and any(not isinstance(m.get("content", ""), str) for m in task.expected_output)
        ],
    )


def _join_ids(ids: Sequence[str]) -> str:
    shown = ", ".join(quote(one) for one in ids[:_NAMED])
    return f"{shown} and {len(ids) - _NAMED} more" if len(ids) > _NAMED else shown


def write_eval_file(source: Source) -> Converted:
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
        **({EXTENSION: {KEY: agent}} if (agent := source.list_agent()) else {}),
        **dict(source.alike()),
        "gate": gate,
        "assert": [
            _require_threshold(source.write_entry(grader), grader) for grader in plan.graders
        ],
        "tests": [_write_test(wanted, source) for wanted in plan.expectations],
    }
    return Converted(
        files={FILE: write_yaml(whole)},
        lost=(*_list_file_losses(plan.expectations), *source.find_immovable_programs()),
    )


def _require_threshold(entry: dict[str, Any], grader: Grader) -> dict[str, Any]:
    """Return an entry that requires its threshold, which a mean would not ask for."""
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
    said = judged_messages.list_agent_messages([turn])
    if len(said) == 1 and "tool_calls" not in said[0]:
        told["expected_output"] = said[0]["content"]
    elif said:
        told["expected_output"] = said
    return told


def _list_file_losses(tests: Sequence[Expectation]) -> Iterator[str]:
    for wanted in tests:
        about = f"case {quote(wanted.case_id)}: "
        if wanted.rubrics:
            yield f"{about}its rubrics, which other types of evaluator read than in an EVAL file"
        if wanted.scenario:
            yield f"{about}the scenario of a simulated user"
