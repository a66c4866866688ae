"""What real frameworks have recorded of our agents, beside what was really said to them."""

import copy
import re
from pathlib import Path

import msgspec
import pytest

from agentevals.traces import loaders
from agentevals.traces.diagnosis import trace_recorders
from agentevals.traces.turns import converse
from tests.frameworks import page, samples
from tests.frameworks.comparison import (
    TEXTS,
    Reading,
    compare,
    compare_file,
    compare_scattered,
    read,
)
from tests.frameworks.table import BY_NAME
from tests.support import UPDATE

SETUPS = Path(page.__file__).with_name("setups")


def compare_sample(name: str, scenario: str) -> Reading:
    path = samples.FOLDER / name / f"{scenario}{samples.ENDING}"
    held = compare_scattered if BY_NAME[name].scattered else compare_file
    return held(path, samples.load(name, "said")[scenario])


@pytest.mark.parametrize("name", BY_NAME)
def test_a_recording_is_read_as_it_was_said_or_says_what_it_does_not_show(name, golden):
    readings = {each: compare_sample(name, each) for each in samples.load(name, "said")}

    assert {each: r.wrong for each, r in readings.items() if r.wrong} == {}
    missing = {each: sorted(reading.missing) for each, reading in readings.items()}
    golden(samples.FOLDER / name / "missing.json", missing)


def test_every_row_of_the_table_has_its_sample_and_every_sample_its_row():
    assert {path.name for path in samples.FOLDER.iterdir()} == set(BY_NAME)


def test_the_page_says_what_was_measured():
    assert page.PAGE.read_text(encoding="utf-8") == page.render(), UPDATE


@pytest.mark.parametrize("name", [name for name, row in BY_NAME.items() if row.setup])
def test_the_page_says_what_to_do_with_each_name_that_a_setup_is_for(name):
    row = BY_NAME[name]
    setup = (SETUPS / row.setup).read_text(encoding="utf-8")
    used = re.findall(
        r"^(?:export const ([A-Z]+)|([A-Z]+) = |def (start_\w+))", setup, re.MULTILINE
    )

    assert [found for each in used if (found := "".join(each)) not in row.note] == []


def test_doctor_knows_what_was_measured():
    assert trace_recorders.MEASURED.read_text(encoding="utf-8") == page.list_scopes(), UPDATE


def another_question(turn):
    turn["question"] += " please"


def another_answer(turn):
    turn["answer"] = "No."


def another_argument(turn):
    turn["requests"][0]["calls"][0]["args"] = {"order_id": 70}


def another_tool(turn):
    turn["requests"][0]["calls"][0]["name"] = "refund"


def one_more_call(turn):
    turn["requests"][0]["calls"].append({"name": "refund", "args": {}, "id": "c"})


def another_order(turn):
    turn["requests"][0]["calls"].reverse()


def another_answer_of_a_tool(turn):
    turn["told"] = dict.fromkeys(turn["told"], "lost")


def another_count(turn):
    turn["requests"][1]["tokens"] = [1, 1]


def another_text(turn):
    turn["requests"][0]["text"] = "I wait."


def one_more_request(turn):
    turn["requests"].append({"text": "", "calls": [], "tokens": [1, 1]})


@pytest.mark.parametrize(
    "change",
    [
        another_question,
        another_answer,
        another_argument,
        another_tool,
        one_more_call,
        another_order,
        another_answer_of_a_tool,
        another_count,
        another_text,
        one_more_request,
    ],
)
def test_a_reading_that_differs_in_one_fact_is_wrong(change):
    name = "openai-otel"
    [turn] = copy.deepcopy(samples.load(name, "said")["parallel"])
    turns = read(samples.FOLDER / name / f"parallel{samples.ENDING}")
    assert not compare(turns, [turn]).wrong

    change(turn)

    assert compare(turns, [turn]).wrong


def test_a_call_of_another_agent_than_was_read_is_wrong():
    [turn] = copy.deepcopy(samples.load("adk", "said")["handover"])
    turns = read(samples.FOLDER / "adk" / f"handover{samples.ENDING}")
    assert not compare(turns, [turn]).wrong

    turn["requests"][1]["agent"] = "bakery"

    assert compare(turns, [turn]).wrong == [
        "turn 1: agent of refund: 'returns', and it was 'bakery'",
        "turn 1: agent of a request: 'returns', and it was 'bakery'",
    ]


def test_a_text_on_the_way_that_is_not_recorded_is_missing():
    [turn] = copy.deepcopy(samples.load("openai-otel", "said")["parallel"])
    turns = read(samples.FOLDER / "openai-otel" / f"parallel{samples.ENDING}")
    turn["requests"][0]["text"], turn["requests"][1]["text"] = "I look.", "Both."
    silent = [msgspec.structs.replace(each, intermediate=()) for each in turns]

    reading = compare(silent, [turn])

    assert not reading.wrong
    assert TEXTS in reading.missing


@pytest.mark.parametrize("name", BY_NAME)
def test_no_conversation_has_turns_of_two_scenarios(name):
    paths = sorted((samples.FOLDER / name).glob(f"*{samples.ENDING}"))
    grouped = converse(loaders.load(paths).traces, group_by="conversation")

    assert [each.conversation_id for each in grouped if len(set(each.sources)) > 1] == []


def test_a_conversation_that_is_torn_apart_or_joined_with_another_is_wrong():
    path = samples.FOLDER / "adk" / f"turns{samples.ENDING}"
    said = samples.load("adk", "said")["turns"]

    assert not compare_file(path, said).wrong
    assert (
        "conversations of [3] turns, and there was one of 2" in compare_file(path, said[:2]).wrong
    )
