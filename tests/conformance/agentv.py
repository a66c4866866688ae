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
from tests.conformance import agentv_payloads, agentv_prompts, agentv_stdin, agentv_units
from tests.conformance.agentv_expected import compare, expect
from tests.conformance.agentv_judges import Judges, judges
from tests.conformance.agentv_model.cases import list_entries
from tests.conformance.reading import ShapeError, document, each, graded, of_release, text
from tests.conformance.rows import Difference, Row, differences

READS = ("meta.json", "cases_*.json", "unit_goldens.json", "code_judge_stdin_by_version.json")

_REFERENCE = "agentv-3.1.0"
_RELEASES = (_REFERENCE, "agentv-4.42.4")  # the first that was recorded counts
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
    release = next((one for one in _RELEASES if one in case["expected"]), _RELEASES[0])
    recorded = of_release(case["expected"], release)
    found = _outcome(case, files, judge)
    explained = []
    if found.get("refused") and _UNKNOWN in json.dumps(case["test"]):
        explained.append(("3.16", Difference("prompt", "kept as it stands", found["problems"])))
        case = json.loads(json.dumps(case).replace(_UNKNOWN, ""))
        recorded = case["expected"][release]
        found = _outcome(case, files, judge)
    expected = expect(case, recorded, _read_answer(case), judge.said)
    asked, wrong = compare(_told(recorded, release), expected, found)
    sent = [
        *_compare_prompts(case, files, recorded, found.get("prompts", [])),
        *agentv_payloads.compare(recorded, found.get("payloads", [])),
    ]
    explained += [(decision, one) for decision, one in sent if decision]
    wrong += [one for decision, one in sent if not decision]
    return Row(name, (*explained, *asked), tuple(wrong))


def _compare_prompts(
    case: Recorded, files: dict[str, str], recorded: Recorded, prompts: list[str]
) -> Iterator[tuple[str, Difference]]:
    """What judges were asked; a decision stands before a difference that it asks for."""
    entries = list_entries(case["test"])
    asked = zip(entries, recorded.get("evaluators", ()), prompts, strict=False)
    for number, (entry, one, prompt) in enumerate(asked):
        theirs = (one.get("request") or {}).get("user_prompt")
        if not theirs or not prompt:
            continue
        wanted, decision = agentv_prompts.expect(entry, case, files, theirs)
        where = f"evaluators/{number}/prompt"
        shape = wanted if isinstance(wanted, dict) and "sections" in wanted else theirs
        shape = "" if isinstance(wanted, str) else shape
        if wanted is not None:
            ours = agentv_prompts.tell(shape, prompt)
            yield from (("", found) for found in differences(wanted, ours, where))
        if decision:
            yield decision, Difference(where, theirs, wanted)


def _told(recorded: Recorded, release: str) -> Recorded:
    """What a recording says, in the words of ours. Verdicts are those of the reference."""
    if recorded.get("test_skipped_at_load") or recorded.get("ran_default_llm_grader"):
        return {"refused": True}
    told = {
        "score": recorded["score"],
        "passes": recorded["execution_status"] == "ok",
        "evaluators": [_tell(one, release) for one in recorded["evaluators"]],
    }
    return told | ({"verdict": recorded["derived_verdict"]} if release == _REFERENCE else {})


def _tell(one: Recorded, release: str) -> Recorded:
    told = {key: one.get(key) for key in ("name", "score", "hits", "misses")}
    told |= {"verdict": one["verdict"]} if release == _REFERENCE else {}
    return told | _tell_children(one)


def _tell_children(one: Recorded) -> Recorded:
    children = [
        {key: child.get(key) for key in ("name", "score", "hits", "misses")} | _tell_children(child)
        for child in one.get("children") or ()
    ]
    return {"children": children} if children else {}


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
    results, prompts = [], []
    for grader in plan.graders_for(paired):
        results.append(graded(grader, paired, judge.services))
        prompts.append(judge.take_prompt())
    score = verdict.score_of(results)
    said = verdict.judge_case(results, score, plan.policy_for(paired)).value
    return {
        "score": score,
        "verdict": said,
        "passes": said == "pass",
        "evaluators": [_shown(result) for result in results],
        "prompts": prompts,
        "payloads": [result.details.get("stdin") for result in results],
    }


def _result_row(case: Recorded) -> Recorded:
    return {
        "test_id": case["test"]["id"],
        "score": 0,
        "answer": _read_answer(case),
        "input": [{"role": "user", "content": case["test"]["input"]}],
        "execution_status": "ok",
        **case["agent"],
    }


def _read_answer(case: Recorded) -> str:
    output = case["agent"]["output"]
    said = [m["content"] for m in output if m["role"] == "assistant" and "content" in m]
    return said[-1] if said and isinstance(said[-1], str) else json.dumps(said[-1:])[1:-1]


def _shown(result: Result) -> Recorded:
    return {
        "name": result.name,
        "score": result.score,
        "verdict": _band(result),
        "failed": result.status is Status.ERROR,
        "hits": list(result.hits),
        "misses": list(result.misses),
        "children": [_show_child(child) for child in result.details.get("children", ())],
    }


def _show_child(child: Recorded) -> Recorded:
    inner = child.get("details", {}).get("children", ())
    shown = {key: child[key] for key in ("name", "score", "hits", "misses")}
    return shown | {"children": [_show_child(one) for one in inner]}


def _band(result: Result) -> str:
    if result.vetoes or result.score is None:
        return "fail"
    if result.status is Status.PASSED or result.score >= 0.8:
        return "pass" if result.status is Status.PASSED else "fail"
    return next(
        (band for least, band in ((0.8, "pass"), (0.6, "borderline")) if result.score >= least),
        "fail",
    )
