import json
import shutil
from pathlib import Path

import msgspec
import pytest
from msgspec.structs import replace

from agentevals.compare.summaries import keep_case
from agentevals.model.cases import Case
from agentevals.model.completeness import Fact, Gap, Presence
from agentevals.model.conversations import ToolCall
from agentevals.model.policy import Policy
from agentevals.run.attempts import join_attempts
from agentevals.run.case_report import digest_recording, make_report
from agentevals.traces import loaders
from agentevals.traces.turns import converse
from tests.support import DATA, case, conversation, turn
from tests.traces.loaders.test_formats import SAMPLES, trace_file

EXPORT = DATA / "traces/otlp-json/export/trace.json"


def digests(*paths: Path) -> list[str]:
    """The recordings of files, by conversation."""
    return [digest_recording(found) for found in converse(loaders.load(paths).traces)]


def written(path: Path, *questions: str) -> Path:
    """Conversations as chat messages, one to a line, without an id or a time."""
    lines = [{"messages": [{"role": "user", "content": text}]} for text in questions]
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    return path


# ---- the digest of a recording


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda f: f"{f.parent.name}/{f.name}")
def test_a_recording_of_any_format_is_the_same_under_another_name(sample, tmp_path):
    path = trace_file(sample)
    moved = tmp_path / "elsewhere" / f"moved{''.join(path.suffixes)}"
    shutil.copytree(sample, moved.parent)
    shutil.copy(path, moved)

    known = digests(path)

    assert digests(moved) == known
    assert any(known)
    assert all(len(one) == 16 for one in known if one)


def test_it_does_not_depend_on_what_was_recorded_beside_it(tmp_path):
    alone = written(tmp_path / "b.jsonl", "weather in rome")
    other = written(tmp_path / "a.jsonl", "weather in rome?", "weather in oslo")

    assert digests(other, alone)[-1:] == digests(alone)
    assert len({*digests(other, alone)}) == 3


@pytest.mark.parametrize(
    ("recorded", "anew"),
    [
        ("1760000000000000007", "1760000000000000008"),
        ("b9c7c989f97918e1", "b9c7c989f97918e2"),
        ('"12"', '"13"'),
        ('"version": "1"', '"version": "2"'),
    ],
    ids=["time", "span", "tokens", "instrumentation"],
)
def test_a_new_recording_of_a_case_has_another(recorded, anew, tmp_path):
    text = EXPORT.read_text()
    assert recorded in text
    path = tmp_path / "trace.json"
    path.write_text(text.replace(recorded, anew))

    assert digests(path) != digests(EXPORT)


def test_what_we_say_about_a_recording_is_no_part_of_it():
    gap = Gap(fact=Fact.COST, presence=Presence.UNKNOWN, evidence="no span has it", remedy="")
    told = conversation(
        turn(gaps=(gap,)), warnings=("a span is missing",), sources=("a.json",), name="c2"
    )

    assert digest_recording(told) == digest_recording(conversation(turn()))


def test_where_nothing_was_recorded_it_is_unknown():
    assert digest_recording(conversation(error="the agent could not be started")) == ""
    report = make_report(Case(conversation=conversation(error="no turns")), (), Policy())
    assert report.recording is msgspec.UNSET
    assert keep_case(report).recording == ""


def test_each_attempt_of_a_case_has_one_and_later_runs_know_it():
    reports = [make_report(case(answer), (), Policy()) for answer in ("sunny", "rainy")]

    joined = join_attempts(reports, Policy())

    assert joined.recording is msgspec.UNSET
    known = [one.recording for one in joined.attempts]
    assert known == [one.recording for one in reports]
    assert len(set(known)) == 2
    assert [keep_case(one).recording for one in joined.attempts] == known


def test_a_call_of_another_agent_is_outlined_with_its_name():
    calls = ToolCall(name="a", agent="bakery"), ToolCall(name="b", agent="returns")
    recorded = conversation(turn(agent="bakery", tool_calls=calls))

    report = make_report(Case(conversation=recorded), (), Policy())

    assert report.calls == ("a()", "b() by returns")
    anonymous = tuple(replace(call, agent="") for call in calls)
    unnamed = conversation(turn(agent="bakery", tool_calls=anonymous))
    assert digest_recording(unnamed) == digest_recording(recorded)
