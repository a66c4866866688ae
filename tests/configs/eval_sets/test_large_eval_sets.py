"""A large eval set lies on disk, and comes to what it does in memory: cases, findings, mistakes."""

import json
import pickle
import tracemalloc
from pathlib import Path
from typing import Any

import pytest

from agentevals.configs import eval_sets
from agentevals.configs.eval_sets import large_eval_sets, plain_eval_cases
from agentevals.configs.plan import Plan, StoredExpectations
from agentevals.model.errors import ConfigError
from agentevals.run import identity
from agentevals.run.pairing.pairing_findings import describe
from agentevals.text.json_text import encode
from agentevals.text.redaction import Redactor, redact_texts

MANY = 2000  # cases, about five megabytes
TEXT = 'It says "x", {"eval_id": "no case"}, and \\ ends [here'


def case(number: int, **more: Any) -> dict[str, Any]:
    turn = {
        "invocation_id": f"i{number}",
        "user_content": {"role": "user", "parts": [{"text": f"What is {number}? {'é' * 40}"}]},
        "final_response": {"role": "model", "parts": [{"text": f"{TEXT * 40} {number}"}]},
        "intermediate_data": {"tool_uses": [{"name": "f", "args": {"n": number, "of": [1, 2.5]}}]},
    }
    return {"eval_id": f"case-{number}", "conversation": [turn, turn][: 1 + number % 2], **more}


def write(path: Path, cases: list[dict[str, Any]], **how: Any) -> Path:
    found = {"eval_set_id": "many", "eval_cases": cases, "creation_timestamp": 1.5}
    path.write_text(json.dumps(found, **how), encoding="utf-8")
    return path


def write_lines(path: Path, cases: list[dict[str, Any]]) -> Path:
    path.write_text("".join(f"{json.dumps(one)}\n\n" for one in cases), encoding="utf-8")
    return path


@pytest.mark.parametrize("name", ["set.json", "set.jsonl"])
@pytest.mark.parametrize("invocations", [True, False])
def test_a_large_set_has_the_cases_of_small_ones(
    name: str, invocations: bool, tmp_path: Path
) -> None:
    cases = [case(number) for number in range(MANY)]
    make = write_lines if name.endswith("l") else write
    small = [
        eval_sets.load(
            make(tmp_path / f"{at}-{name}", cases[at : at + 400]), invocations=invocations
        )
        for at in range(0, MANY, 400)
    ]

    large = eval_sets.load(make(tmp_path / name, cases), invocations=invocations)

    assert isinstance(large.cases, StoredExpectations)
    assert not any(isinstance(one.cases, StoredExpectations) for one in small)
    assert list(large.cases) == [each for one in small for each in one.cases]
    assert large.cases[3:5] == [large.cases[3], large.cases[4]]
    assert large.eval_set_id == ("many" if name == "set.json" else "set")
    assert large.cases.most_turns == 2


def test_a_large_set_lies_on_disk_wherever_it_is_sent(tmp_path: Path) -> None:
    large = eval_sets.load(write(tmp_path / "set.json", [case(number) for number in range(MANY)]))

    sent = pickle.dumps(large.cases)
    taken = pickle.loads(sent)

    assert isinstance(taken, StoredExpectations)
    assert list(taken) == list(large.cases)
    assert taken.most_turns == 2
    assert list(pickle.loads(pickle.dumps(taken))) == list(large.cases)
    assert len(sent) < (tmp_path / "set.json").stat().st_size / 20


def test_no_secret_stands_in_a_digest_of_a_case(tmp_path: Path) -> None:
    cases = [case(number) | {"eval_id": f"swordfish-{number}"} for number in range(MANY)]
    large = eval_sets.load(write(tmp_path / "set.json", cases))
    found = identity.identify(Plan(title="t", expectations=large.cases))
    assert not isinstance(found.cases, dict)

    shown = redact_texts(found, Redactor(["swordfish"]))

    assert b"swordfish" in encode(found)
    assert b"swordfish" not in encode(shown)
    assert list(shown.cases.values()) == list(found.cases.values())
    assert len(set(shown.cases)) == MANY


def test_what_a_run_says_of_a_stored_set_is_what_it_says_of_any(tmp_path: Path) -> None:
    kept = eval_sets.load(write(tmp_path / "set.json", [case(n) for n in range(MANY)])).cases
    plans = [Plan(title="t", expectations=known) for known in (kept, tuple(kept))]
    one, other = (identity.identify(plan) for plan in plans)
    names, known = (
        describe(plan.expectations, plan.policy, needed=True, pairs="auto") for plan in plans
    )

    assert len(one.cases) == MANY
    assert encode(one) == encode(other)
    assert encode(names) == encode(known)
    assert names == known
    assert plans[0].grouping == plans[1].grouping == "conversation"


@pytest.mark.parametrize("indent", [None, 0, 3])
@pytest.mark.parametrize("piece", [400, 1000, 5000])
def test_it_is_cut_between_cases(
    indent: int | None, piece: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cases = [case(number) for number in range(20)]
    path = write(tmp_path / "set.json", cases, indent=indent)
    wanted = plain_eval_cases.read_file(path)
    monkeypatch.setattr(large_eval_sets, "_LARGE", 0)
    monkeypatch.setattr(large_eval_sets, "_PIECE", piece)

    assert wanted is not None
    assert plain_eval_cases.read_file(path) == wanted


def test_names_that_do_not_come_first_show_no_place_to_cut(tmp_path: Path) -> None:
    cases = [dict(reversed(case(number).items())) for number in range(MANY)]
    path = write(tmp_path / "set.json", cases)

    found = eval_sets.load(path)

    assert [one.case_id for one in found.cases] == [f"case-{number}" for number in range(MANY)]


@pytest.mark.parametrize(
    ("name", "message"), [(5, "must be text, not 5"), ("case-8", "is here twice")]
)
def test_mistakes_are_told_with_their_place(name: Any, message: str, tmp_path: Path) -> None:
    cases = [case(number) for number in range(MANY)]
    cases[-1]["eval_id"] = name
    path = write(tmp_path / "set.json", cases, indent=1)

    with pytest.raises(ConfigError) as told:
        eval_sets.load(path)

    (problem,) = told.value.problems
    assert message in str(problem)
    assert problem.at is not None
    place = path.read_text(encoding="utf-8").splitlines()[problem.at[0] - 1 :][:2]
    assert f'"eval_id": {json.dumps(name)},' in "".join(place)


def test_a_set_that_is_cut_off_is_told_as_a_small_one(tmp_path: Path) -> None:
    path = write(tmp_path / "set.json", [case(number) for number in range(MANY)])
    text = path.read_text(encoding="utf-8")
    path.write_text(text[: text.rindex("case-1999")], encoding="utf-8")

    with pytest.raises(ConfigError, match=r"set\.json:1:"):
        eval_sets.load(path)


def test_each_case_takes_a_few_bytes_of_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(large_eval_sets, "_LARGE", 0)
    monkeypatch.setattr(large_eval_sets, "_HELD_BYTES", 0)
    sizes, held = [500, 2500], []
    for size in sizes:
        path = write(tmp_path / f"{size}.json", [case(number) for number in range(size)])
        tracemalloc.start()
        found = eval_sets.load(path)
        held.append(tracemalloc.get_traced_memory()[0])
        tracemalloc.stop()
        assert len(found.cases) == size

    assert (held[1] - held[0]) / (sizes[1] - sizes[0]) < 60
