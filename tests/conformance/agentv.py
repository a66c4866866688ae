"""Rows recorded from AgentV: one test of an EVAL file, what an agent left, and every score."""

import json
import tempfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

from agentevals.configs.dialects import compile_plan
from agentevals.model.cases import Status
from agentevals.model.errors import ConfigError
from agentevals.model.results import Result
from agentevals.run import verdict
from agentevals.run.pairing import Pairing
from agentevals.traces import loaders, turns
from tests.conformance import agentv_stdin, agentv_units
from tests.conformance.agentv_deviations import explain
from tests.conformance.agentv_judges import Judges, judges, told
from tests.conformance.reading import ShapeError, document, each, graded, of_release, text
from tests.conformance.rows import Difference, Row, differences

READS = ("meta.json", "cases_*.json", "unit_goldens.json", "code_judge_stdin_by_version.json")

_RELEASE = "agentv-3.1.0"  # the behavioural reference
_UNKNOWN = " {{unknown}}"  # in prompts of the recordings, where it is left as it stands

Recorded = dict[str, Any]


def rows(folder: Path) -> Iterator[Row]:
    """Every recorded case that the reference release ran."""
    try:
        meta = document(folder / "meta.json")
        files = {f"judges/{name}": text(program) for name, program in meta["judges"].items()}
        files |= meta["prompt_file"]
        said = meta["mock_graders"]
    except (AttributeError, LookupError, ShapeError, TypeError) as error:
        reason = f"meta.json has no judges and prompts: {error}"
        for path in _groups(folder):
            yield from each(path, partial(_unread, reason), "cases")
    else:
        with judges(said) as judge:
            for path in _groups(folder):
                yield from each(path, partial(_row, files, judge), "cases")
    yield from agentv_stdin.rows(folder)
    yield from agentv_units.rows(folder)


def _groups(folder: Path) -> list[Path]:
    return sorted(folder.glob("cases_*.json"))


def _unread(reason: str, name: str, case: Recorded) -> Row:
    return Row(name, incomparable=reason)


def _row(files: dict[str, str], judge: Judges, name: str, case: Recorded) -> Row:
    recorded = of_release(case["expected"], _RELEASE)
    found = _outcome(case, files, judge)
    explained, unexplained = [], []
    if found.get("refused") and _UNKNOWN in json.dumps(case["test"]):
        explained.append(("3.16", Difference("prompt", "kept as it stands", found["problems"])))
        case = json.loads(json.dumps(case).replace(_UNKNOWN, ""))
        recorded = case["expected"][_RELEASE]
        found = _outcome(case, files, judge)
    for difference in differences(_told(recorded), found):
        decision = explain(difference, case, recorded, found)
        if decision:
            explained.append((decision, difference))
        else:
            unexplained.append(difference)
    return Row(name, tuple(explained), tuple(unexplained))


def _told(recorded: Recorded) -> Recorded:
    """What a recording says, in the words of ours."""
    if recorded.get("test_skipped_at_load") or recorded.get("ran_default_llm_grader"):
        return {"refused": True}
    return {
        "score": recorded["score"],
        "verdict": recorded["derived_verdict"],
        "evaluators": [
            {key: one.get(key) for key in ("name", "score", "hits", "misses")}
            | {"verdict": one["verdict"], **_request(one)}
            for one in recorded["evaluators"]
        ],
    }


def _request(recorded: Recorded) -> Recorded:
    prompt = (recorded.get("request") or {}).get("user_prompt")
    return {"prompt": told(prompt)} if prompt else {}


def _outcome(case: Recorded, files: dict[str, str], judge: Judges) -> Recorded:
    with tempfile.TemporaryDirectory() as folder:
        for name, text in files.items():
            path = Path(folder, name)
            path.parent.mkdir(exist_ok=True)
            path.write_text(text, encoding="utf-8")
        return _judged(case, Path(folder, "EVAL.yaml"), judge)


def _judged(case: Recorded, config: Path, judge: Judges) -> Recorded:
    """Through the front door: an EVAL file and a row of results, as AgentV leaves them."""
    config.write_text(json.dumps({"judge": judge.settings, "tests": [case["test"]]}))
    results_file = config.with_name("results.jsonl")
    results_file.write_text(json.dumps(_result_row(case)))
    try:
        plan = compile_plan(config)
    except ConfigError as error:
        return {"refused": True, "problems": [str(problem) for problem in error.problems]}
    recordings = loaders.load([results_file])
    pairing = Pairing(plan.expectations, plan.policy)
    (paired,) = pairing.pair(turns.converse(recordings.traces))
    results, shown = [], []
    theirs = case["expected"][_RELEASE].get("evaluators", [])
    for number, grader in enumerate(plan.graders_for(paired)):
        results.append(graded(grader, paired, judge.services))
        shown.append(_shown(results[-1]) | judge.shown(theirs[number : number + 1]))
    score = verdict.score_of(results)
    return {
        "score": score,
        "verdict": verdict.judge_case(results, score, plan.policy).value,
        "evaluators": shown,
    }


def _result_row(case: Recorded) -> Recorded:
    agent = case["agent"]
    said = [m["content"] for m in agent["output"] if m["role"] == "assistant" and "content" in m]
    return {
        "test_id": case["test"]["id"],
        "score": case["expected"][_RELEASE].get("score", 0),
        "answer": said[-1] if said and isinstance(said[-1], str) else json.dumps(said[-1:])[1:-1],
        "input": [{"role": "user", "content": case["test"]["input"]}],
        "execution_status": "ok",
        **agent,
    }


def _shown(result: Result) -> Recorded:
    return {
        "name": result.name,
        "score": result.score,
        "verdict": _band(result),
        "hits": list(result.hits),
        "misses": list(result.misses),
        "error": result.error,
    }


def _band(result: Result) -> str:
    if result.vetoes or result.score is None:
        return "fail"
    if result.status is Status.PASSED or result.score >= 0.8:
        return "pass" if result.status is Status.PASSED else "fail"
    return next(
        (band for least, band in ((0.8, "pass"), (0.6, "borderline")) if result.score >= least),
        "fail",
    )
