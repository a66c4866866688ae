"""100 tests of an EVAL file: answered by a mock and scored by `agentv`, its results by ours."""

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import yaml

from agentevals.sandbox.program_runtimes import find_node
from tests import npm
from tests.bench import limits, peer
from tests.bench.measure import Measured, measure, measure_in_turns

PACKAGES = ("agentv@4.42.4", "@agentv/core@4.42.4")
TESTS = 100
WANTED = {"judges": 10.0, "strings": 4.0}
LIMITS = {"judges": limits.fork(TESTS), "strings": limits.START}

_ANSWER = "an async function has to await what it calls"
_JUDGE = """\
import json
import sys
from typing import Any

told: dict[str, Any] = json.load(sys.stdin)
# the answer is the `output` of theirs, and has a name of its own in ours
answer = told["output"] if isinstance(told["output"], str) else told["answer"]
checks = [{"text": word, "passed": word in answer} for word in ("async", "await")]
print(json.dumps({"score": sum(c["passed"] for c in checks) / 2, "assertions": checks}))
"""
_EVALUATORS: dict[str, list[dict[str, Any]]] = {
    "judges": [{"name": "words", "type": "code-grader", "command": ["python3", "judge.py"]}],
    "strings": [
        {"type": "contains", "value": "async"},
        {"type": "regex", "value": "a.ait"},
        {"type": "starts-with", "value": "an async"},
    ],
}


def project(folder: Path, which: str) -> Path:
    """An EVAL file, its judge, and a target that always says the same."""
    (folder / "judge.py").write_text(_JUDGE, encoding="utf-8")
    target = {"name": "default", "provider": "mock", "response": _ANSWER}
    (folder / ".agentv").mkdir()
    (folder / ".agentv" / "targets.yaml").write_text(json.dumps({"targets": [target]}))
    tests = [
        {"id": f"t{number}", "criteria": "it awaits", "input": f"What about question {number}?"}
        for number in range(TESTS)
    ]
    path = folder / "words.eval.yaml"
    written = {
        "execution": {"target": "default"},
        "assertions": _EVALUATORS[which],
        "tests": tests,
    }
    path.write_text(yaml.safe_dump(written, sort_keys=False), encoding="utf-8")
    return path


def compare(folder: Path, ours: Path, which: str) -> list[Measured]:
    """Theirs, ours on what theirs left behind, and what costs the least, in turns."""
    path = project(folder, which)
    theirs = [*command(), "eval", path.name]
    measure(theirs, cwd=folder, repeat=1)
    results = sorted(folder.glob(".agentv/results/runs/default/*/index.jsonl"))
    run = [ours, "run", results[0], "--config", path.name]
    return measure_in_turns([theirs, run, LIMITS[which].command], cwd=folder, rounds=5)


def command() -> list[str]:
    """`agentv` of the package index; where it is not there yet that takes a minute."""
    place = peer.cache() / PACKAGES[0].replace("@", "-")
    found = place / "node_modules" / ".bin" / "agentv"
    if not found.exists():
        print(f"installing {' and '.join(PACKAGES)} into {place} (once)", file=sys.stderr)
        place.mkdir(parents=True, exist_ok=True)
        words = [*npm.command(), "install", "--silent", "--no-audit", "--no-fund", "--prefix"]
        subprocess.run([*words, str(place), *PACKAGES], cwd=place, check=True)
    # the Node that its users have
    return [shutil.which("node") or str(find_node()), str(found)]
