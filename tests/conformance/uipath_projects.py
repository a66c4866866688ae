"""Whole projects that UiPath has run: both files that it leaves behind, judged by the eval set."""

import json
import re
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from agentevals.configs.dialects import compile_plan
from agentevals.configs.plan import Overrides
from agentevals.judge import JudgeSettings
from agentevals.model.errors import ConfigError
from agentevals.model.results import Evaluation, Result
from agentevals.run import pipeline
from agentevals.run.pipeline import Settings
from tests.conformance.reading import compared, document
from tests.conformance.rows import Difference, Row, differences
from tests.conformance.uipath_expected import expect
from tests.servers import Reply, Seen, as_json, serve

Recorded = dict[str, Any]

_ROOT = Path("evaluations")
_SET = _ROOT / "eval-sets/set.json"
_FILES = {"output": "output.json", "trace": "trace.jsonl"}
_MOMENT = re.compile(r"\[20\d\d-\d\d-\d\d \d\d:\d\d:\d\d\]")
_BEGIN = "2026-01-01T00:00:00.%06dZ"


def write_project(folder: Path, given: Recorded) -> None:
    """The eval set, the evaluators and their classes."""
    texts = {_SET: json.dumps(given["set"], indent=1)}
    for name, file in given["evaluators"].items():
        texts[_ROOT / f"evaluators/{name}.json"] = json.dumps(file, indent=1)
    for name, source in given["classes"].items():
        texts[_ROOT / f"evaluators/custom/{name}.py"] = source
    for path, text in texts.items():
        Path(folder, path).parent.mkdir(parents=True, exist_ok=True)
        Path(folder, path).write_text(text, encoding="utf-8")


def read_results(folder: Path) -> Recorded:
    """What UiPath has left in a project, without what differs from run to run."""
    if json.loads(Path(folder, "refused.json").read_text(encoding="utf-8")) is not None:
        return {"refused": True}
    output = json.loads(Path(folder, _FILES["output"]).read_text(encoding="utf-8"))
    for item in output["evaluationSetResults"]:
        (item["agentExecutionOutput"] or {})["execution_time"] = 0.001
        for one in item["evaluationRunResults"]:
            one["result"].pop("evaluationTime", None)
    for one in output["datasetEvaluatorResults"].values():
        one.pop("evaluationTime", None)
    lines = Path(folder, _FILES["trace"]).read_text(encoding="utf-8").splitlines()
    found = {"refused": False, "output": output, "trace": _settle(list(map(json.loads, lines)))}
    text = _MOMENT.sub("[2026-01-01 00:00:00]", json.dumps(found).replace(str(folder), "."))
    return dict(json.loads(text))


def _settle(spans: list[Recorded]) -> list[Recorded]:
    """Spans whose ids and times are the same in every run."""
    times = sorted({span[key] for span in spans for key in ("start_time", "end_time")})
    names = {span["context"]["span_id"]: f"0x{at:016x}" for at, span in enumerate(spans, start=1)}
    for span in spans:
        span["context"] |= {"trace_id": f"0x{1:032x}", "span_id": names[span["context"]["span_id"]]}
        span["parent_id"] = names.get(span["parent_id"])
        for key in ("start_time", "end_time"):
            span[key] = _BEGIN % times.index(span[key])
        span["resource"] = {"attributes": {}, "schema_url": ""}
        span["attributes"].pop("agentId", None)
        for event in span["events"]:
            event["timestamp"] = span["end_time"]
            event["attributes"].pop("exception.stacktrace", None)
    return spans


def rows(folder: Path) -> Iterator[Row]:
    """Every project that was kept."""
    for path in sorted(Path(folder, "projects").glob("*.json")):
        name = f"projects/{path.stem}"
        yield compared(name, _compare, name, path)


def _compare(name: str, path: Path) -> Row:
    kept = document(path)
    given, result = kept["given"], kept["result"]
    told, decided = expect(given, result)
    explained: list[tuple[str, Difference]] = []
    wrong: list[Difference] = []
    for form, ours in _run(given, result).items():
        for where in dict.fromkeys((*told, *ours)):
            wanted, decisions = decided.get(where, (told.get(where), ()))
            place = f"{form}/{where}"
            different = tuple(differences(wanted, ours.get(where), place))
            if different:
                wrong += different
            else:
                explained += [
                    (decision, difference)
                    for difference in differences(told.get(where), ours.get(where), place)
                    for decision in decisions
                ]
    return Row(name, explained=tuple(explained), unexplained=tuple(wrong))


def _run(given: Recorded, result: Recorded) -> dict[str, Recorded]:
    """What ours says, from each of the files."""
    with tempfile.TemporaryDirectory() as place, _judge(given) as judge:
        folder = Path(place)
        write_project(folder, given)
        try:
            plan = replace(compile_plan(folder / _SET, Overrides()), judge=judge)
        except ConfigError as error:
            return {"set": {"refused": True, "why": [p.message for p in error.problems]}}
        if result["refused"]:
            return {"set": {"refused": False}}
        _write_recordings(folder, result)
        return {
            form: dict(_read(given, pipeline.run(plan, Settings(traces=(str(folder / name),)))))
            for form, name in _FILES.items()
        }


def _write_recordings(folder: Path, result: Recorded) -> None:
    lines = [json.dumps(span) for span in result["trace"]]
    texts = {"output": json.dumps(result["output"]), "trace": "\n".join(lines)}
    for form, name in _FILES.items():
        Path(folder, name).write_text(texts[form], encoding="utf-8")


def _read(given: Recorded, run: Evaluation) -> Iterator[tuple[str, Recorded]]:
    """Each result by item and evaluator, then what the evaluators say of all items."""
    ids = {_name(file): name for name, file in given["evaluators"].items()}
    for case in run.cases:
        for one in case.results:
            yield f"{case.case_id}/{ids[one.name]}", dict(_describe(one))
    for name, said in run.overall.items():
        reduced = said.get("reduce_scores")
        yield f"overall/{ids[name]}", {"score": round((reduced or 0.0) * 100, 2)}
        for key, value in said.items():
            if "::" in key:
                yield f"overall/{key}", value


def _name(file: Recorded) -> str:
    return str(file.get("evaluatorConfig", {}).get("name") or file.get("name") or file["id"])


def _describe(one: Result) -> Iterator[tuple[str, Any]]:
    yield "status", str(one.status)
    if one.score is None:
        return
    yield "score", one.score
    yield from one.details.items()
    if "line_by_line_results" in one.details:
        yield "lines", [line["score"] for line in one.details["line_by_line_results"]]


@contextmanager
def _judge(given: Recorded) -> Iterator[JudgeSettings]:
    """A judge that says what the case's judge says."""

    def answer(_: Seen) -> Reply:
        message = {"role": "assistant", "content": json.dumps(given["judge"])}
        return as_json({"choices": [{"message": message, "finish_reason": "stop"}]})

    with serve(answer) as server:
        yield JudgeSettings(model="m", base_url=f"{server.url}/v1", cache=False, retries=0)
