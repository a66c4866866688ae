"""Plain cases are read as `adk` reads them, member for member and in the same order."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from agentevals.configs.eval_sets import plain_eval_cases
from agentevals.configs.eval_sets.adk_eval_set import EvalCase, EvalSet
from agentevals.configs.plan import Expectation
from agentevals.files import documents
from agentevals.files.document_places import DEEPEST
from agentevals.model.errors import ConfigError

# a busy machine draws slowly, and that decides nothing
_patiently = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
_WORDS = st.text(max_size=8)
_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | _WORDS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_WORDS, inner, max_size=3),
    max_leaves=4,
)


def _objects(required: dict[str, Any], optional: dict[str, Any]) -> st.SearchStrategy[Any]:
    """Members in any order, some of them missing, null, or of another kind."""
    odd = {name: kind | st.none() | _VALUES for name, kind in optional.items()}
    members = st.fixed_dictionaries(required, optional=odd)
    return members.flatmap(lambda found: st.permutations(list(found.items()))).map(dict)


_CALLS = _objects({"name": _WORDS}, {"args": st.dictionaries(_WORDS, _VALUES), "id": _WORDS})
_ANSWERS = _objects({}, {"name": _WORDS, "response": _VALUES, "id": _WORDS})
_CONTENTS = _objects(
    {}, {"role": _WORDS, "parts": st.lists(_objects({}, {"text": _WORDS}), max_size=2)}
)
_DONE = _objects(
    {},
    {
        "tool_uses": st.lists(_CALLS, max_size=3),
        "tool_responses": st.lists(_ANSWERS, max_size=3),
        "intermediate_responses": st.just([]),
    },
)
_INVOCATIONS = _objects(
    {"user_content": _CONTENTS},
    {
        "invocation_id": _WORDS,
        "final_response": _CONTENTS,
        "intermediate_data": _DONE,
        "creation_timestamp": st.floats(allow_nan=False) | st.integers(),
    },
)
_CASES = _objects(
    {"eval_id": _WORDS, "conversation": st.lists(_INVOCATIONS, max_size=3)},
    {"creation_timestamp": st.integers(), "x-note": _VALUES},
)


@_patiently
@given(_CASES)
def test_a_plain_case_is_the_expectation_that_adk_makes_of_it(record: dict[str, Any]) -> None:
    found = plain_eval_cases.read_case(record)
    if found is not None:
        _assert_same(found, EvalCase.model_validate(record).expectation())


@_patiently
@given(st.lists(_CASES, max_size=2), _WORDS)
def test_a_plain_set_has_the_cases_that_adk_finds_in_it(cases: list[Any], name: str) -> None:
    record = {"eval_set_id": name, "eval_cases": cases}
    found = plain_eval_cases.read_set(record)
    if found is not None:
        wanted = EvalSet.model_validate(record)
        assert found[0] == wanted.eval_set_id
        for one, other in zip(found[1], wanted.eval_cases, strict=True):
            _assert_same(one, other.expectation())


_TURN = {
    "invocation_id": "turn-1",
    "user_content": {"role": "user", "parts": [{"text": "Hello"}]},
    "final_response": {"role": "model", "parts": [{"text": "Hi"}, {"text": "there"}]},
    "intermediate_data": {
        "tool_uses": [{"id": "call-1", "name": "look", "args": {"at": None}}],
        "tool_responses": [{"id": "call-1", "name": "look", "response": {"seen": [1, None]}}],
        "intermediate_responses": [],
    },
}


def test_what_bless_writes_is_plain() -> None:
    record = {"eval_id": "hello", "conversation": [_TURN]}
    found = plain_eval_cases.read_case(record)
    assert found is not None
    _assert_same(found, EvalCase.model_validate(record).expectation())


@pytest.mark.parametrize(
    "turn",
    [
        {**_TURN, "rubrics": []},
        {**_TURN, "userContent": _TURN["user_content"]},
        {**_TURN, "user_content": {"role": "user", "parts": [{"thought": True}]}},
        {**_TURN, "user_content": "Hello"},
        {**_TURN, "creation_timestamp": True},
    ],
)
def test_every_other_spelling_is_left_to_adk(turn: dict[str, Any]) -> None:
    assert plain_eval_cases.read_case({"eval_id": "hello", "conversation": [turn]}) is None


@pytest.mark.parametrize("invocations", [True, False])
@pytest.mark.parametrize("name", ["set.json", "set.jsonl"])
def test_a_file_is_read_case_by_case(tmp_path: Path, name: str, *, invocations: bool) -> None:
    cases = [{"eval_id": f"c{number}", "conversation": [_TURN]} for number in range(3)]
    path = tmp_path / name
    if name == "set.json":
        path.write_text(json.dumps({"eval_set_id": "s", "eval_cases": cases}), encoding="utf-8")
    else:
        path.write_text("\n".join(map(json.dumps, cases)), encoding="utf-8")

    found = plain_eval_cases.read_file(path, invocations=invocations)

    assert found is not None
    eval_set_id, read = found
    assert eval_set_id == ("s" if name == "set.json" else None)
    for one, record in zip(read, cases, strict=True):
        wanted = EvalCase.model_validate(record).expectation()
        _assert_same(one, wanted if invocations else wanted.drop_invocations())
        assert all(bool(turn.invocation) is invocations for turn in one.turns or ())


_CASE = '{"eval_id": "c", "conversation": []}'


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "eval_set_id: s",
        f'{{"eval_set_id": "s", "eval_cases": [{_CASE}, {_CASE}]}}',
        f'{{"eval_set_id": "s", "eval_set_id": "t", "eval_cases": [{_CASE}]}}',
        f'{{"eval_set_id": "s", "eval_cases": [{_CASE}], "eval_cases": [{_CASE}]}}',
        f'{{"eval_set_id": "s", "eval_cases": [{_CASE}], "more": 1}}',
        f'{{"eval_set_id": "s", "eval_cases": [{_CASE},]}}',
        f'{{"eval_set_id": "s", "eval_cases": [{_CASE}]}} {{}}',
        f'{{"eval_set_id": "\\ud800", "eval_cases": [{_CASE}]}}',
        f'{{"eval_set_id": "s", "eval_cases": [{_CASE[:-1]}, "eval_id": "d"}}]}}',
        '{"eval_set_id": "s", "eval_cases": [{"eval_id": "\\ud800", "conversation": []}]}',
        '{"eval_set_id": "s", "eval_cases": []}',
    ],
)
def test_what_somebody_has_to_be_told_about_is_not_plain(tmp_path: Path, text: str) -> None:
    path = tmp_path / "set.json"
    path.write_text(text, encoding="utf-8")

    assert plain_eval_cases.read_file(path) is None


@pytest.mark.parametrize("name", ["set.json", "set.jsonl"])
def test_a_case_may_be_as_deep_as_in_any_other_file(tmp_path: Path, name: str) -> None:
    """The slow reader counts levels from the top of the file."""
    path = tmp_path / name
    for levels in range(DEEPEST - 12, DEEPEST + 2):
        given = "[" * levels + "]" * levels
        call = f'{{"name": "look", "args": {{"at": {given}}}}}'
        said = '{"parts": [{"text": "Hello"}]}'
        turn = f'{{"user_content": {said}, "intermediate_data": {{"tool_uses": [{call}]}}}}'
        case = f'{{"eval_id": "c", "conversation": [{turn}]}}'
        is_set = name == "set.json"
        path.write_text(f'{{"eval_set_id": "s", "eval_cases": [{case}]}}' if is_set else case)

        assert (plain_eval_cases.read_file(path) is None) == _is_refused(path)


def _is_refused(path: Path) -> bool:
    try:
        documents.read(path)
    except ConfigError:
        return True
    return False


def _assert_same(found: Expectation, wanted: Expectation) -> None:
    assert found == wanted
    assert found.labels == wanted.labels
    for one, other in zip(found.turns or (), wanted.turns or (), strict=True):
        assert _write(one.invocation) == _write(other.invocation)


def _write(invocation: dict[str, Any]) -> str:
    return json.dumps(invocation)


def test_what_adk_refuses_is_never_plain() -> None:
    record = {"eval_id": 1, "conversation": [_TURN]}
    assert plain_eval_cases.read_case(record) is None
    with pytest.raises(ValidationError):
        EvalCase.model_validate(record)
