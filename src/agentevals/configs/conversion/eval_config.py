"""An EVAL file as an `eval_config.yaml` and an eval set."""

from collections.abc import Iterator, Sequence
from typing import Any

from agentevals.configs.conversion import Converted, Source, write_yaml
from agentevals.configs.eval_sets import writer
from agentevals.configs.plan import Expectation
from agentevals.files.places import quote
from agentevals.graders.grader import Grader
from agentevals.model.conversations import Conversation, Turn
from agentevals.text.json_ import readable

CONFIG, EVAL_SET = "eval_config.yaml", "eval_set.json"

_BOUNDS = ("pass_at", "borderline_at")
_NAMED = 5  # tests that a sentence names


def convert(source: Source) -> Converted:
    """Write a config of what all tests have in common, and an eval set of the tests."""
    plan = source.plan
    tests = plan.expectations or ()
    shared = _find_shared(tests)
    gate = {k: v for k, v in (source.written.get("gate") or {}).items() if k not in _BOUNDS}
    config = {
        "eval_set": EVAL_SET,
        **dict(source.alike()),
        **({"gate": gate} if gate else {}),
        "evaluators": [source.write_entry(grader) for grader in (*plan.graders, *shared)],
    }
    files = {EVAL_SET: readable(_write_eval_set(tests, plan.eval_set_id))}
    if plan.graders or shared:
        files = {CONFIG: write_yaml(config), **files}
    return Converted(
        files=files, lost=(*_list_losses(source, shared), *source.find_immovable_programs())
    )


def _find_shared(tests: Sequence[Expectation]) -> tuple[Grader, ...]:
    """The evaluators that each test has for itself, where those are the same for all."""
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
    eval_set, _ = writer.write_eval_set(conversations, eval_set_id=name)
    for test, case in zip(tests, eval_set["eval_cases"], strict=True):
        if not any(turn.tool_calls for turn in test.turns or ()):
            for turn in case["conversation"]:
                del turn["intermediate_data"]  # nothing is said about calls
    return eval_set


def _list_losses(source: Source, shared: Sequence[Grader]) -> Iterator[str]:
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
