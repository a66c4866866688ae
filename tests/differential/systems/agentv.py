"""AgentV: random tests of EVAL files, with what an agent left and what judges and programs say.

The newest release that can be installed is 4.42.4. Where it differs from 3.1.0, the reference,
`tests.conformance.agentv_model` computes what 3.1.0 says.
"""

import json
import os
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from agentevals.graders import GRADERS
from agentevals.graders.agentv.assertions import Assertion
from agentevals.graders.programs.program_grants import Grants
from tests.conformance.agentv_judges import answer
from tests.conformance.agentv_model import normalize
from tests.differential.draw import Draw
from tests.differential.grammar_keys import find_keys, list_keys
from tests.differential.systems import Case
from tests.differential.systems.agentv_entries import Entry
from tests.differential.systems.agentv_programs import PROGRAMS, PROMPT
from tests.differential.systems.agentv_tests import make_test
from tests.frameworks.installing import Installed
from tests.servers import serve

PACKAGES = ("agentv@4.42.4", "@agentv/core@4.42.4")
NODE = True

_RELEASE = "agentv-4.42.4"
_DRIVER = Path(__file__).parents[1] / "drivers/agentv.mjs"
_SECONDS = 600
_USUAL = "g_ok"
_OPINION = '{"score": 0.75, "hits": ["h"], "misses": [], "reasoning": "r"}'

# of releases that cannot be installed
_LATER = frozenset({"assert_set", "similar", "skill_used"})
_LATER_BEGIN = "trajectory_"
# settings of ours, which AgentV does not know
_OURS = frozenset(
    {
        *Grants.model_fields,
        *("threshold", "timeout", "memory_mb", "isolation", "needs", "template"),
        *("judge_model", "judge_base_url", "credential_ref", "max_steps"),
    }
)


def generate(name: str, draw: Draw) -> Case:
    """Make a test, and count what its evaluators reach."""
    given = make_test(name, draw)
    for key in (key for entry in given["test"]["assertions"] for key in _find_reached(entry)):
        draw.reached[key] += 1
    return Case(name, given)


def _find_reached(entry: Entry) -> Iterator[tuple[str, str]]:
    kind = normalize(entry["type"])
    yield "type", kind
    told = entry | entry["config"] if kind != "code_judge" and "config" in entry else entry
    yield from find_keys(GRADERS[kind], told, kind)
    if "aggregator" in entry:
        yield f"{kind}.aggregator.type", normalize(entry["aggregator"]["type"])
    for key in ("assertions", "assert", "evaluators"):
        for child in entry.get(key) or ():
            yield from _find_reached(child)


def list_reachable() -> set[tuple[str, str]]:
    """Every type that 4.42.4 knows, with every setting and choice that AgentV reads."""
    kinds = [name for name in GRADERS.ours if issubclass(GRADERS[name], Assertion)]
    known = [k for k in kinds if k not in _LATER and not k.startswith(_LATER_BEGIN)]
    keys = {key for kind in known for key in list_keys(GRADERS[kind], kind, _OURS)}
    return keys | {("type", kind) for kind in known}


def run(cases: Sequence[Case], installed: Installed) -> list[Any]:
    """All of them in one process of Node, with the judges on loopback."""
    with _lay_out(cases) as (folder, task):
        environment = _build_environment(folder)
        done = subprocess.run(
            [installed.program, _DRIVER, installed.folder, task],
            capture_output=True, text=True, timeout=_SECONDS, check=False, env=environment,
            cwd=folder,
        )  # fmt: skip
    results = [json.loads(line) for line in done.stdout.splitlines()]
    if len(results) != len(cases):
        msg = f"{len(results)} of {len(cases)} results: {done.stderr[-2000:]}"
        raise RuntimeError(msg)
    return results


def _build_environment(folder: Path) -> dict[str, str]:
    return {"PATH": os.environ["PATH"], "TZ": "UTC", "HOME": str(folder)}


@contextmanager
def _lay_out(cases: Sequence[Case]) -> Iterator[tuple[Path, Path]]:
    """Write the EVAL files, and let the judges answer."""
    said = _gather_answers(cases)
    with tempfile.TemporaryDirectory() as name, serve(partial(answer, said)) as server:
        folder = Path(name)
        listed = []
        for number, case in enumerate(cases):
            file = _write_case(folder / f"case-{number}", case)
            listed.append({"file": str(file), "agent": case.given.get("agent")})
        judges = [_USUAL, *(name for name in said if name != _USUAL)]
        task = folder / "task.json"
        task.write_text(json.dumps({"cases": listed, "judges": judges, "url": f"{server.url}/v1"}))
        yield folder, task


def _write_case(folder: Path, case: Case) -> Path:
    for path, text in {**{f"judges/{n}": t for n, t in PROGRAMS.items()}, **PROMPT}.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, encoding="utf-8")
    file = folder / "EVAL.yaml"
    file.write_text(json.dumps({"tests": [case.given.get("test")]}))
    return file


def _gather_answers(cases: Sequence[Case]) -> dict[str, str]:
    said = {_USUAL: _OPINION}
    for case in cases:
        said |= case.given.get("judges") or {}
    return said


def run_command(case: Case, installed: Installed) -> Any:
    """`agentv eval`, with a target of type `cli` that leaves what the agent said."""
    if "duration_ms" not in case.given["agent"]:  # it would measure its own program
        return run([case], installed)[0]
    with _lay_out([case]) as (folder, task):
        laid = json.loads(task.read_text())
        environment = _name_targets(folder / "case-0", case, laid) | _build_environment(folder)
        words = ("eval", "EVAL.yaml", "--target", "agent", "--output", "out", "--workers", "1")
        subprocess.run(
            [installed.program, installed.scripts / "agentv", *words],
            capture_output=True, text=True, timeout=_SECONDS, check=False, env=environment,
            cwd=folder / "case-0",
        )  # fmt: skip
        index = folder / "case-0/out/index.jsonl"
        row = json.loads(index.read_text().splitlines()[0]) if index.exists() else {}
    if not row:
        return {"test_skipped_at_load": True}
    told = {key: row[key] for key in ("score", "error") if key in row}
    told |= {} if "scores" in row else {"ran_default_llm_grader": True}
    scores = [_show(one) for one in row.get("scores", ())]
    return {**told, "execution_status": row["execution_status"], "evaluators": scores}


def _name_targets(folder: Path, case: Case, laid: Entry) -> dict[str, str]:
    """Write the targets, and return the variables that they name."""
    (folder / "agent.json").write_text(json.dumps(case.given["agent"]))
    command = f"cp {folder / 'agent.json'} {{OUTPUT_FILE}}"
    agent = {"name": "agent", "provider": "cli", "command": command, "grader_target": _USUAL}
    judges = [
        {
            "name": name, "provider": "openai", "base_url": laid["url"], "max_retries": 0,
            "api_key": "${{ JUDGE_KEY }}", "model": f"${{{{ JUDGE_{number} }}}}",
        }
        for number, name in enumerate(laid["judges"])
    ]  # fmt: skip
    (folder / ".agentv").mkdir()
    (folder / ".agentv/targets.yaml").write_text(json.dumps({"targets": [agent, *judges]}))
    models = {f"JUDGE_{number}": name for number, name in enumerate(laid["judges"])}
    return models | {"JUDGE_KEY": "none"}


def _show(one: Entry) -> Entry:
    """As the driver tells it."""
    told = {key: one[key] for key in ("name", "type", "score", "weight", "verdict") if key in one}
    if "stdin" in one.get("details", {}):
        told["details"] = {"stdin": one["details"]["stdin"]}
    listed = one.get("assertions", ())
    told |= {
        "hits": [each["text"] for each in listed if each["passed"]],
        "misses": [each["text"] for each in listed if not each["passed"]],
    }
    return told | ({"children": [_show(each) for each in one["scores"]]} if "scores" in one else {})


def write(folder: Path, cases: Sequence[Case], results: Sequence[Any]) -> None:
    """As the recordings lie beside the reference's own."""
    meta = {"judges": PROGRAMS, "prompt_file": PROMPT, "mock_graders": _gather_answers(cases)}
    (folder / "meta.json").write_text(json.dumps(meta, indent=1))
    written = [
        {
            "id": case.name,
            "test": case.given["test"],
            "agent": case.given["agent"],
            "expected": {_RELEASE: result},
        }
        for case, result in zip(cases, results, strict=True)
    ]
    (folder / "cases_random.json").write_text(json.dumps({"cases": written}, indent=1))
