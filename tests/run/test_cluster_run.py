"""Partitions of a run, judged apart, come to what the whole run comes to."""

import gzip
import json
import pickle
import re
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import msgspec
import pytest

from agentevals.configs.dialects import compile_plan
from agentevals.configs.plan import Overrides
from agentevals.model.errors import InputError
from agentevals.model.results import Evaluation
from agentevals.run import pipeline
from agentevals.run.partitions import Job, Partition, judge_partition, make_job
from agentevals.run.pipeline import Settings
from tests.run.suites import Suite
from tests.support import DATA, EXAMPLES

_LINES = 12  # of a file


class Pickling:
    """Does the work here, and the last item first; everything goes through pickle."""

    workers = 4

    def __init__(self) -> None:
        self.rounds: list[list[tuple[int, ...]]] = []

    def map(
        self, work: Callable[[Any, Any], Any], shared: Any, items: Sequence[Any]
    ) -> Iterator[tuple[int, Any]]:
        self.rounds.append([tuple(file.number for file in item.files) for item in items])
        sent = pickle.dumps((work, shared))
        for at in reversed(range(len(items))):
            work, shared = pickle.loads(sent)
            yield at, pickle.loads(pickle.dumps(work(shared, items[at])))


def score(plan: Any, traces: Sequence[str], cluster: Pickling | None) -> bytes:
    settings = Settings(traces=tuple(traces), jobs=1, cluster=cluster)
    run: Evaluation = pipeline.run(plan, settings)
    whole = msgspec.structs.replace(run, cases=tuple(run.cases))
    return re.sub(rb'"duration_ms":[\d.e+-]+', b"", msgspec.json.encode(whole))


def split(folder: Path, names: Sequence[str]) -> list[str]:
    """Write few lines of each file into files of their own."""
    written = []
    for name in names:
        lines = (folder / name).read_text(encoding="utf-8").splitlines(keepends=True)
        for start, end in pairwise([*range(0, len(lines), _LINES), len(lines)]):
            path = folder / f"{name[:-6]}-{start:04}.jsonl"
            path.write_text("".join(lines[start:end]), encoding="utf-8")
            written.append(str(path))
    return written


@pytest.mark.parametrize("seed", range(31, 37))
def test_random_suites_in_many_files_come_to_the_same_bytes(seed: int, tmp_path: Path) -> None:
    words = Suite(seed, tmp_path, conversations=80).write()
    traces = split(tmp_path, [word for word in words if word.endswith(".jsonl")])
    allowed = {name[2:].replace("-", "_"): True for name in words if name.startswith("--allow")}
    overrides = Overrides(eval_set=tmp_path / "set.json", **allowed)
    plan, cluster = compile_plan(tmp_path / "config.yaml", overrides), Pickling()

    assert score(plan, traces, cluster) == score(plan, traces, None)
    assert len(cluster.rounds[0]) > 5


def write_trace(
    path: Path, number: int, about: dict[str, str] | None = None, **attributes: str
) -> str:
    """Write a recording of one question, and return its name."""
    said = {
        "gen_ai.operation.name": "invoke_agent",
        "gen_ai.input.messages": json.dumps(
            [{"role": "user", "parts": [{"type": "text", "content": f"question {number}"}]}]
        ),
        "gen_ai.output.messages": json.dumps(
            [{"role": "assistant", "parts": [{"type": "text", "content": f"answer {number}"}]}]
        ),
        **attributes,
    }
    span = {
        "traceId": f"{number:032x}",
        "spanId": f"{number:016x}",
        "name": "invoke_agent a",
        "startTimeUnixNano": number,
        "endTimeUnixNano": number + 1,
        "attributes": [{"key": k, "value": {"stringValue": v}} for k, v in said.items()],
    }
    resource = [{"key": k, "value": {"stringValue": v}} for k, v in (about or {}).items()]
    export = {
        "resourceSpans": [
            {"resource": {"attributes": resource}, "scopeSpans": [{"spans": [span]}]},
        ]
    }
    path.write_text(json.dumps(export) + "\n", encoding="utf-8")
    return str(path)


def plan_for(folder: Path, text: str = "", **fields: Any) -> Any:
    config = folder / "config.yaml"
    config.write_text(f"{text}evaluators: [{{name: c, type: contains, value: answer}}]\n")
    return compile_plan(config, Overrides(**fields))


def test_files_that_share_a_conversation_are_judged_together(tmp_path: Path) -> None:
    plan = plan_for(tmp_path, group_by="conversation")
    traces = [
        write_trace(tmp_path / f"{n}.jsonl", n, {}, **{"gen_ai.conversation.id": f"c{n % 3}"})
        for n in range(1, 6)
    ]
    cluster = Pickling()

    assert score(plan, traces, cluster) == score(plan, traces, None)
    assert cluster.rounds == [[(0,), (1,), (2,), (3,), (4,)], [(0, 3), (1, 4)]]


def test_a_name_of_a_conversation_in_one_file_holds_for_all(tmp_path: Path) -> None:
    plan = plan_for(tmp_path)
    conversation = {"gen_ai.conversation.id": "c"}
    named = {"agentevals.session_name": "s"}
    traces = [
        write_trace(tmp_path / "1.jsonl", 1, {}, **conversation),
        write_trace(tmp_path / "2.jsonl", 2, named),
        write_trace(tmp_path / "3.jsonl", 3, {}, **conversation),
    ]
    cluster = Pickling()

    assert score(plan, traces, cluster) == score(plan, traces, None)
    assert cluster.rounds == [[(0,), (1,), (2,)], [(0,), (2,)], [(0, 2)]]


@pytest.mark.parametrize("attempts", [("1", "2"), ("2", "1")])
def test_attempts_are_judged_as_one(tmp_path: Path, attempts: tuple[str, ...]) -> None:
    plan = plan_for(tmp_path)
    traces = [
        write_trace(tmp_path / f"{at}.jsonl", at, {"agentevals.attempt": attempt})
        for at, attempt in enumerate(attempts, start=1)
    ]

    assert score(plan, traces, Pickling()) == score(plan, traces, None)


def test_the_only_conversation_answers_the_only_case(tmp_path: Path) -> None:
    (tmp_path / "set.json").write_text(
        json.dumps(
            {
                "eval_set_id": "s",
                "eval_cases": [
                    {
                        "eval_id": "one",
                        "conversation": [
                            {"user_content": {"role": "user", "parts": [{"text": "else"}]}}
                        ],
                    }
                ],
            }
        )
    )
    plan = plan_for(tmp_path, eval_set=tmp_path / "set.json")
    (tmp_path / "2.jsonl").write_text("\n")
    traces = [write_trace(tmp_path / "1.jsonl", 1), str(tmp_path / "2.jsonl")]

    alone = score(plan, traces, None)

    assert score(plan, traces, Pickling()) == alone
    assert b'"eval_case_id":"one"' in alone


def test_pairs_by_position_are_one_partition(tmp_path: Path) -> None:
    plan = plan_for(tmp_path, eval_set=EXAMPLES / "eval_set.json", pair="position")
    traces = [write_trace(tmp_path / f"{n}.jsonl", n) for n in range(1, 5)]
    cluster = Pickling()

    assert score(plan, traces, cluster) == score(plan, traces, None)
    assert cluster.rounds == [[(0, 1, 2, 3)]]


def test_findings_of_files_come_in_the_order_of_the_files(tmp_path: Path) -> None:
    plan = plan_for(tmp_path)
    traces = [write_trace(tmp_path / f"{n}.jsonl", n) for n in range(1, 5)]
    (tmp_path / "2.jsonl").write_text("nothing\n")
    (tmp_path / "5.jsonl").write_bytes((tmp_path / "1.jsonl").read_bytes())
    traces += [str(tmp_path / "5.jsonl"), str(tmp_path / "missing.jsonl")]

    assert score(plan, traces, Pickling()) == score(plan, traces, None)


def test_a_judge_is_refused_by_its_name(tmp_path: Path) -> None:
    config = tmp_path / "config.yaml"
    config.write_text(
        "evaluators: [{name: tone, type: llm_judge, prompt: 'Is it polite? {{answer}}'}]\n"
        "judge: {model: gpt-4o-mini}\n"
    )

    with pytest.raises(InputError, match="evaluator 'tone': workers of an engine"):
        score(compile_plan(config), ["t.jsonl"], Pickling())


def test_a_worker_of_another_version_is_refused(tmp_path: Path) -> None:
    job: Job = make_job(plan_for(tmp_path), transcribe=False)
    job.version = "0.0.1"

    with pytest.raises(InputError, match=r"and the run 0\.0\.1; install the same"):
        judge_partition(job, Partition((), is_whole=True))


def list_samples() -> list[Path]:
    """Real recordings of every kind."""
    shapes = (DATA / "shapes").glob("*.jsonl.gz")
    return [*sorted(shapes), *sorted(p for p in (DATA / "traces").glob("*/*/*") if p.is_file())]


@pytest.mark.parametrize("group_by", ["auto", "conversation"])
def test_recordings_of_every_kind_come_to_the_same_bytes(group_by: str, tmp_path: Path) -> None:
    plan = plan_for(tmp_path, group_by=group_by)
    traces = list(map(str, list_samples()))
    cluster = Pickling()

    assert score(plan, traces, cluster) == score(plan, traces, None)
    assert len(cluster.rounds[0]) > 20


@pytest.mark.parametrize(
    "path", sorted((DATA / "shapes").glob("*-and-*.jsonl.gz")), ids=lambda path: path.name
)
def test_a_recording_torn_into_its_lines_comes_to_the_same_bytes(
    path: Path, tmp_path: Path
) -> None:
    plan, traces = plan_for(tmp_path), []
    for number, line in enumerate(gzip.decompress(path.read_bytes()).splitlines()):
        (tmp_path / f"{number:03}.jsonl").write_bytes(line)
        traces.append(str(tmp_path / f"{number:03}.jsonl"))

    assert score(plan, traces, Pickling()) == score(plan, traces, None)


def test_a_long_file_read_in_pieces_is_known_by_the_name_it_was_given(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    plan = plan_for(tmp_path)
    line = Path(write_trace(tmp_path / "1.jsonl", 1)).read_text()
    pad = json.dumps("x" * 40_000)
    long = (line.replace('"traceId"', f'"droppedNote": {pad}, "traceId"') for _ in range(250))
    Path("long.jsonl").write_text("".join(long))

    found = score(plan, ["long.jsonl"], Pickling())

    assert b'"sources":["long.jsonl"]' in found
    assert found == score(plan, ["long.jsonl"], None)
