"""What evaluators were sent on stdin, and how the SDK's programs answered."""

import json
import re
import subprocess
import sys
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

from agentevals.configs import dialects
from agentevals.configs.plan import Overrides, Plan
from agentevals.model.cases import Case
from agentevals.model.errors import InputError
from agentevals.run import trace_arguments
from agentevals.run.pairing import Pairing
from agentevals.sandbox import wire_protocol
from agentevals.traces import loaders, turn_performance, turns
from tests.conformance.reading import compared, document
from tests.conformance.rows import Difference, Row, differences

if TYPE_CHECKING:
    from tests.conformance.agentevals import Recording


FOLDER = "sdk"


def read_captured(recording: "Recording") -> dict[str, Any] | None:
    """What an evaluator was sent then, where it was kept."""
    captured = recording.folder / "captured_stdin.json"
    return dict(document(captured)) if captured.is_file() else None


def sent_differences(recording: "Recording", recorded: dict[str, Any] | None) -> list[Difference]:
    """Whether an evaluator would be sent now what it has to be sent."""
    if recorded is None:
        return []
    try:
        ours = list(_sent(recording.folder, recording.words, recorded["metric_name"]))
    except InputError:
        return []  # nothing is sent, and the comparison of the run says what that means
    if recorded["protocol_version"] != wire_protocol.PROTOCOL_VERSION:
        recorded |= {"protocol_version": wire_protocol.PROTOCOL_VERSION}  # decisions §2.1
    found = [list(differences(recorded, one, "stdin")) for one in ours]
    return min(found, key=len, default=[Difference("stdin", "something", None)])


def _sent(place: Path, words: Sequence[str], name: str) -> Iterator[Any]:
    options = dict(pairwise(words))
    config = place / options.get("-c", "")
    eval_set = place / options["-e"] if "-e" in options else None
    overrides = Overrides(eval_set=eval_set, group_by=options.get("--group-by"))
    plan = dialects.compile_plan(config, overrides)
    traces = [str(place / word) for word in words[1:] if word.startswith(("trace", "a.", "b."))]
    grader = next(g for g in plan.graders if g.name == name)
    for case in _cases(plan, traces):
        asked = wire_protocol.EvaluatorSettings(
            grader.name, grader.threshold, getattr(grader, "config", {})
        )
        figures = turn_performance.measure(case.turns)
        yield json.loads(wire_protocol.encode_input(asked, case.turns, case.expected, figures))


def _cases(plan: Plan, traces: Sequence[str]) -> Iterator[Case]:
    paths, _ = trace_arguments.expand(traces)
    recordings = loaders.load(paths, trace_format=plan.trace_format)
    several = any(len(e.turns or ()) > 1 for e in plan.expectations or ())
    found = turns.converse(
        recordings.traces, group_by=plan.group_by or "auto", multi_turn_expected=several
    )
    return Pairing(plan.expectations, plan.policy).pair(found)


def sdk_rows(folder: Path) -> Iterator[Row]:
    """`sdk/results.txt`: a program, its stdin, and what it printed."""
    program, results = folder / FOLDER / "ev.py", folder / FOLDER / "results.txt"
    if not program.is_file() or not results.is_file():
        return
    told = results.read_text(encoding="utf-8", errors="replace")
    for block in re.split(r"^## ", told, flags=re.MULTILINE)[1:]:
        name, _, body = block.partition("\n")
        yield compared(f"sdk/{name}", _block, program, name, body)


def _block(program: Path, name: str, body: str) -> Row:
    parts = re.split(r"^(stdin|args|rc|stdout|stderr): ?", body, flags=re.MULTILINE)[1:]
    recorded = {k: value.rstrip("\n") for k, value in zip(parts[::2], parts[1::2], strict=True)}
    found = tuple(differences(_facts(recorded), _answer(program, recorded)))
    if name == "print":  # what an author prints no longer breaks the protocol (2.2)
        return Row(f"sdk/{name}", explained=tuple(("2.2", d) for d in found))
    return Row(f"sdk/{name}", unexplained=found)


def _answer(program: Path, recorded: dict[str, str]) -> dict[str, Any]:
    done = subprocess.run(
        [sys.executable, program, *recorded["args"].split()],
        input=recorded["stdin"],
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    given = {"rc": str(done.returncode), "stdout": done.stdout.rstrip("\n"), "stderr": done.stderr}
    return _facts(given)


def _facts(block: dict[str, str]) -> dict[str, Any]:
    """The exit code, the answer, and whether a failure was explained: words may differ."""
    failed = block["rc"] != "0"
    try:
        answer = json.loads(block["stdout"]) if block["stdout"].strip() else None
    except ValueError:
        answer = block["stdout"]
    return {"rc": block["rc"], "answer": answer, "explained": failed and bool(block["stderr"])}
