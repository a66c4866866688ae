"""Whole runs of ADK: a config, an eval set, what the agent did, and what every metric said."""

import json
import re
import shutil
import tempfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from agentevals.compare import comparison
from agentevals.compare.baselines import NoBaseline
from agentevals.configs.dialects import compile_plan
from agentevals.configs.plan import Overrides
from agentevals.judge import JudgeSettings
from agentevals.model.errors import ConfigError
from agentevals.model.results import CaseReport, Result
from agentevals.run import pipeline
from tests.conformance import adk_deviations
from tests.conformance.reading import each
from tests.conformance.rows import Row, differences
from tests.servers import Reply, Seen, as_json, serve
from tests.support import DATA

Recorded = dict[str, Any]

_PROJECT = DATA / "foreign/adk/my_agent"
_DAY = datetime(2026, 11, 19, tzinfo=UTC).date()


def rows(folder: Path) -> Iterator[Row]:
    """Every run of `runs.json`."""
    yield from each(folder / "runs.json", _row, "runs")


def _row(name: str, run: Recorded) -> Row:
    given, recorded = run["given"], run["result"]
    expected = adk_deviations.expect(given, recorded)
    found = tuple(differences(expected.told, run_ours(given, recorded)))
    return Row(name, explained=expected.explained, unexplained=found)


def run_ours(given: Recorded, recorded: Recorded) -> Recorded:
    """What ours makes of the same config and eval set, and of the recording that ADK wrote."""
    with tempfile.TemporaryDirectory() as written, serve(_Script(given.get("judge", {}))) as server:
        folder = Path(written)
        shutil.copytree(_PROJECT, folder / "my_agent")
        files = {
            "config.json": given["config"],
            "set.evalset.json": given["eval_set"],
            "run.evalset_result.json": recorded.get("recording"),
        }
        for file, document in files.items():
            (folder / file).write_text(json.dumps(document), encoding="utf-8")
        try:
            overrides = Overrides(eval_set=folder / "set.evalset.json")
            plan = compile_plan(folder / "config.json", overrides)
        except ConfigError as error:
            return {"refused": True, "said": str(error).replace(str(folder), "")}
        settings = JudgeSettings(provider="openai", base_url=server.url, cache=False, retries=0)
        plan = replace(plan, judge=settings) if given.get("judge") else plan
        traces = (str(folder / "run.evalset_result.json"),)
        evaluation = pipeline.run(plan, pipeline.Settings(traces=traces))
        cases = {case.case_id: _describe_case(case) for case in evaluation.cases}
        settled = comparison.settle(evaluation, NoBaseline(reason=""), config="c", today=_DAY)
        return {"refused": False, "cases": cases, "exit": settled.exit_code}


class _Script:
    """A judge that says what it was told to, for each model and case in turn."""

    def __init__(self, scripts: dict[str, list[str]]) -> None:
        self._scripts, self._asked = scripts, Counter[str]()

    def __call__(self, seen: Seen) -> Reply:
        text = seen.body.decode()
        cases = re.findall(r"case-\d+", text)
        asked = json.loads(text)
        key = f"{asked['model']} {cases[-1] if cases else ''}"
        script = self._scripts.get(key) or ["nothing to say"]
        again = any(message["role"] == "assistant" for message in asked["messages"])
        said = script[min(self._asked[key] - again, len(script) - 1)]
        self._asked[key] += not again
        if said == "429":
            return as_json({"error": {"message": "slow down"}}, 429)
        message = {"role": "assistant", "content": None if said == "None" else said}
        return as_json({"choices": [{"message": message, "finish_reason": "stop"}]})


def _describe_case(case: CaseReport) -> Recorded:
    return {result.name: _describe(result) for result in case.results}


def _describe(result: Result) -> Recorded:
    known = [score is not None for score in result.per_turn]
    told: Recorded = {
        "score": result.score,
        "status": result.status.value,
        "per_turn": list(result.per_turn) if any(known) else [],
        "error": result.error,
        "blame": result.blame and result.blame.value,
    }
    if result.type == "adk_function":
        told |= {"raw": result.details.get("raw_score"), "rubrics": _read_rubrics(result)}
    return told


def _read_rubrics(result: Result) -> list[Recorded]:
    """With what a function has seen as values, so that each can differ by itself."""
    return [adk_deviations.read_seen(one) for one in result.details.get("rubric_scores", ())]
