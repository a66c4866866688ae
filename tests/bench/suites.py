"""Traces of four spans with an eval set of the same number, scored by five builtins."""

import json
import random
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.bench import inputs
from tests.bench.measure import Measured, measure

CORES = 1.8  # times as fast as one process, on two cores or more
MILLISECONDS = 0.18  # of CPU for each trace
MEGABYTES = 300
SECONDS = 12  # of 100,000 traces on two cores
DECODES = 4  # times a typed decode, on the cores that we use
USED_CORES = 2

GATE = 7  # times the CPU of reading and writing the same lines with `json`; was 3.6

# the cores of a process are those of all that it starts
_ON_ONE_CORE = (
    "import os, sys; os.sched_setaffinity(0, {sorted(os.sched_getaffinity(0))[int(sys.argv[1])]}); "
    "os.execv(sys.argv[2], sys.argv[2:])"
)
_TOWNS, _SKIES = ("Rome", "Oslo", "Paris", "Lima"), ("sunny", "cloudy", "dry")
_CONFIG = """\
evaluators:
  - {name: tool_trajectory_avg_score, type: builtin}
  - {name: response_match_score, type: builtin, threshold: 0.8}
  - {name: tool_call_count_v1, type: builtin, max: 3}
  - {name: inference_call_count_v1, type: builtin, max: 3}
  - {name: token_usage_v1, type: builtin, max: 1000}
"""
_WORDS = ("run", "t.jsonl", "-e", "set.json", "-c", "config.yaml", "-o", "json")
# the least that reading can cost: a typed decode of each line
_DECODE = (
    inputs.TYPED_DOCUMENT
    + """\
decoder = msgspec.json.Decoder(Document)
started = time.process_time()
for line in pathlib.Path("t.jsonl").open("rb"):
    decoder.decode(line)
print(time.process_time() - started)
"""
)


# work of the interpreter's own, which is slower on the machines where we are slower
_COPY = """\
import json, time, pathlib
started = time.process_time()
for line in pathlib.Path("t.jsonl").open("rb"):
    json.dumps(json.loads(line), indent=1)
print(time.process_time() - started)
"""


def write(folder: Path, count: int, seed: int = 1) -> None:
    """Write that many traces with an eval case for each; a fifth of the answers are wrong."""
    draw, cases = random.Random(seed), []
    with (folder / "t.jsonl").open("w", encoding="utf-8") as file:
        for number in range(count):
            town, sky = f"{draw.choice(_TOWNS)} {number}", draw.choice(_SKIES)
            document = inputs.make_document(list(_trace(number, town, sky)))
            file.write(json.dumps(document, separators=(",", ":")) + "\n")
            cases.append(_case(number, town, sky if draw.random() < 0.8 else "wet"))
    wanted = {"eval_set_id": "bench", "eval_cases": cases}
    (folder / "set.json").write_text(json.dumps(wanted), encoding="utf-8")
    (folder / "config.yaml").write_text(_CONFIG, encoding="utf-8")


def score(folder: Path, command: Path, *, alone: bool = False) -> Measured:
    """Score what is in a folder once, `alone` on one core."""
    words = _pin(command, 0) if alone else [str(command), *_WORDS]
    return measure(words, cwd=folder, repeat=1)


def score_side_by_side(folder: Path, command: Path) -> float:
    """Score all of it on each of two cores at once, by runs that share nothing: return the time.

    No way to split a run can use these cores better.
    """
    started = time.perf_counter()
    nowhere = subprocess.DEVNULL
    runs = [
        subprocess.Popen(_pin(command, core), cwd=folder, stdout=nowhere, stderr=nowhere)
        for core in range(USED_CORES)
    ]
    for run in runs:
        run.wait()
    return time.perf_counter() - started


def _pin(command: Path, core: int) -> list[str]:
    """Return the words of a run that has one core."""
    return [sys.executable, "-I", "-S", "-c", _ON_ONE_CORE, str(core), str(command), *_WORDS]


def decode(folder: Path) -> float:
    """Return the seconds of CPU of a typed decode of the traces alone."""
    return _clock(folder, _DECODE)


def copy(folder: Path) -> float:
    """Return the seconds of CPU of reading and writing the traces with `json` alone."""
    return _clock(folder, _COPY)


def _clock(folder: Path, text: str) -> float:
    program = [sys.executable, "-c", text]
    done = subprocess.run(program, cwd=folder, stdout=subprocess.PIPE, check=True)
    return float(done.stdout)


def _trace(number: int, town: str, sky: str) -> Iterator[dict[str, Any]]:
    call = {"type": "tool_call", "id": "c1", "name": "weather", "arguments": {"city": town}}
    answer = {"type": "tool_call_response", "id": "c1", "response": {"sky": sky}}
    told = {"type": "text", "content": f"It is {sky} in {town}."}
    asked = [inputs.make_message("user", {"type": "text", "content": _ask(town)})]
    wanted, answered = inputs.make_message("assistant", call), inputs.make_message("tool", answer)
    tool = {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "weather",
        "gen_ai.tool.call.id": "c1",
        "gen_ai.tool.call.arguments": json.dumps({"city": town}),
        "gen_ai.tool.call.result": json.dumps({"sky": sky}),
    }
    agent = {"gen_ai.operation.name": "invoke_agent"}
    first = inputs.make_chat(asked, [wanted])
    last = inputs.make_chat([*asked, wanted, answered], [inputs.make_message("assistant", told)])
    yield inputs.make_span((number, 1, 0), "invoke_agent bench", (0, 900), agent)
    yield inputs.make_span((number, 2, 1), "chat m", (10, 300), first)
    yield inputs.make_span((number, 3, 1), "execute_tool weather", (310, 400), tool)
    yield inputs.make_span((number, 4, 1), "chat m", (410, 800), last)


def _case(number: int, town: str, sky: str) -> dict[str, Any]:
    turn = {
        "invocation_id": "g1",
        "user_content": {"role": "user", "parts": [{"text": _ask(town)}]},
        "final_response": {"role": "model", "parts": [{"text": f"It is {sky} in {town} today."}]},
        "intermediate_data": {"tool_uses": [{"name": "weather", "args": {"city": town}}]},
    }
    return {"eval_id": f"case-{number}", "conversation": [turn]}


def _ask(town: str) -> str:
    return f"What is the weather in {town}?"
