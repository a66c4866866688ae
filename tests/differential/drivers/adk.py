"""Runs in the environment of `google-adk`: judges recorded invocations as `adk eval` does.

On stdin a folder that imports begin in and cases; on stdout, last line, what came of each.
"""

import asyncio
import contextlib
import importlib
import inspect
import io
import json
import logging
import math
import sys
import tempfile
from pathlib import Path
from typing import Any

import scripted_judge  # beside this file
from google.adk.evaluation import base_eval_service as services
from google.adk.evaluation.eval_config import (
    get_eval_metrics_from_config,
    get_evaluation_criteria_or_default,
)
from google.adk.evaluation.eval_metrics import EvalMetricResultPerInvocation, EvalStatus
from google.adk.evaluation.eval_result import EvalCaseResult
from google.adk.evaluation.in_memory_eval_sets_manager import InMemoryEvalSetsManager
from google.adk.evaluation.local_eval_service import LocalEvalService
from google.adk.evaluation.local_eval_set_results_manager import LocalEvalSetResultsManager
from google.adk.evaluation.local_eval_sets_manager import load_eval_set_from_file
from google.adk.evaluation.metric_evaluator_registry import (
    DEFAULT_METRIC_EVALUATOR_REGISTRY,
    register_custom_metrics_from_config,
)
from pydantic import TypeAdapter

Json = dict[str, Any]
APP = "my_agent"
NOW = {"creation_timestamp": 1790000000.5}  # the same in every run
FIRST_RELEASE = ["actual_invocations", "expected_invocations", "conversation_scenario"]


class Service(LocalEvalService):
    """Notes what metrics raise: the original logs it, and goes on."""

    raised: dict[str, str]

    async def _evaluate_metric(self, eval_metric, **given):
        try:
            return await super()._evaluate_metric(eval_metric=eval_metric, **given)
        except Exception as error:
            self.raised[eval_metric.metric_name] = type(error).__name__
            raise


class Project:
    """A case as files and objects of ADK."""

    def __init__(self, given: Json, folder: str) -> None:
        self.folder = folder
        self.given = given
        config = self._write("config.json", given["config"])
        self.config = get_evaluation_criteria_or_default(config)
        path = self._write("set.evalset.json", given["eval_set"])
        self.eval_set = load_eval_set_from_file(path, path)
        self.sets = InMemoryEvalSetsManager()
        self.sets.create_eval_set(app_name=APP, eval_set_id=self.eval_set.eval_set_id)
        for case in self.eval_set.eval_cases:
            self.sets.add_eval_case(
                app_name=APP, eval_set_id=self.eval_set.eval_set_id, eval_case=case
            )
        self.results = LocalEvalSetResultsManager(agents_dir=folder)
        self.registry = register_custom_metrics_from_config(
            self.config, DEFAULT_METRIC_EVALUATOR_REGISTRY.fork()
        )

    def _write(self, name: str, document: Json) -> str:
        path = Path(self.folder, name)
        path.write_text(json.dumps(document), encoding="utf-8")
        return str(path)

    def infer(self, eval_id: str) -> services.InferenceResult:
        """What the agent did, as if it had just been run."""
        read = TypeAdapter(list[services.Invocation])
        return services.InferenceResult(
            app_name=APP,
            eval_set_id=self.eval_set.eval_set_id,
            eval_case_id=eval_id,
            inferences=read.validate_json(json.dumps(self.given["actual"][eval_id])),
            session_id=f"session-{eval_id}",
            status=services.InferenceStatus.SUCCESS,
        )

    def expect(self, eval_id: str) -> Any:
        return next(case for case in self.eval_set.eval_cases if case.eval_id == eval_id)

    async def evaluate(self, eval_ids: list[str], metrics: list[Any], *, save: bool = False):
        scripted_judge.begin(self.given.get("judge", {}))
        service = Service(
            root_agent=None,
            eval_sets_manager=self.sets,
            metric_evaluator_registry=self.registry,
            eval_set_results_manager=self.results if save else None,
        )
        service.raised = {}
        request = services.EvaluateRequest(
            inference_results=[self.infer(one) for one in eval_ids],
            evaluate_config=services.EvaluateConfig(eval_metrics=metrics, parallelism=1),
        )
        found = [one async for one in service.evaluate(request)]
        return sorted(found, key=lambda one: eval_ids.index(one.eval_id)), service.raised


async def judge(given: Json) -> Json:
    """One case: what each metric said alone, what all said together, and the file of it."""
    with tempfile.TemporaryDirectory() as folder:
        try:
            project = Project(given, folder)
            metrics = get_eval_metrics_from_config(project.config)
        except Exception as error:  # noqa: BLE001 -- that it refuses is a result
            return {"refused": type(error).__name__}
        ids = [case.eval_id for case in project.eval_set.eval_cases]
        alone = {one: await judge_alone(project, one, metrics) for one in ids}
        try:
            together, _ = await project.evaluate(ids, metrics, save=True)
        except Exception as error:  # noqa: BLE001 -- one metric can end the whole run
            whole = {"aborted": type(error).__name__}
            save_unjudged(project, ids)
        else:
            whole = {one.eval_id: one.final_eval_status.name for one in together}
        passed = bool(ids) and all(whole.get(one) == "PASSED" for one in ids)
        return {
            "cases": alone,
            "final": whole,
            "exit": 0 if passed else 1,
            "recording": read_recording(folder),
        }


async def judge_alone(project: Project, eval_id: str, metrics: list[Any]) -> Json:
    return {one.metric_name: await judge_metric(project, eval_id, one) for one in metrics}


async def judge_metric(project: Project, eval_id: str, metric: Any) -> Json:
    try:
        [found], raised = await project.evaluate([eval_id], [metric])
    except Exception as error:  # noqa: BLE001 -- that it ends the run is a result
        return {"aborts": f"{type(error).__name__}: {error}"[:200]}
    [result] = found.overall_eval_metric_results
    turns = [turn.eval_metric_results[0] for turn in found.eval_metric_result_per_invocation]
    told = {
        "score": say(result.score),
        "status": result.eval_status.name,
        "per_turn": [say(turn.score) for turn in turns],
        "per_turn_status": [turn.eval_status.name for turn in turns],
    }
    if result.score is not None and math.isnan(result.score):
        told["no_number"] = True
    if result.details.rubric_scores:
        told["rubrics"] = [one.model_dump() for one in result.details.rubric_scores]
    if metric.metric_name in raised:
        told["raised"] = raised[metric.metric_name]
    if metric.custom_function_path:
        told |= call_as_first_release(metric, project.infer(eval_id), project.expect(eval_id))
    return told


def say(score: float | None) -> float | None:
    """As ADK's own files say it: what is no number is null."""
    return None if score is None or math.isnan(score) else score


def call_as_first_release(metric: Any, did: services.InferenceResult, case: Any) -> Json:
    """What a function of the release that had such functions first says, called as it was then."""
    module, _, name = metric.custom_function_path.rpartition(".")
    function = getattr(importlib.import_module(module), name)
    if list(inspect.signature(function).parameters) != FIRST_RELEASE:
        return {}
    found = function(did.inferences, case.conversation, case.conversation_scenario)
    per_turn = [turn.score for turn in found.per_invocation_results]
    return {"as_first_release": {"score": found.overall_score, "per_turn": per_turn}}


def save_unjudged(project: Project, ids: list[str]) -> None:
    """The recording of a run that was given up: ADK writes none."""
    cases = [
        EvalCaseResult(
            eval_set_id=project.eval_set.eval_set_id,
            eval_id=eval_id,
            final_eval_status=EvalStatus.NOT_EVALUATED,
            overall_eval_metric_results=[],
            eval_metric_result_per_invocation=[
                EvalMetricResultPerInvocation(actual_invocation=turn)
                for turn in project.infer(eval_id).inferences
            ],
            session_id=f"session-{eval_id}",
        )
        for eval_id in ids
    ]
    project.results.save_eval_set_result(APP, project.eval_set.eval_set_id, cases)


def read_recording(folder: str) -> Json | None:
    written = sorted(Path(folder, APP, ".adk", "eval_history").glob("*.json"))
    if not written:
        return None
    recording = json.loads(written[0].read_text(encoding="utf-8"))
    # the cases end in any order on a busy machine
    recording["eval_case_results"].sort(key=lambda case: case["eval_id"])
    for case in recording["eval_case_results"]:  # what metrics said is told by themselves
        case["overall_eval_metric_results"] = []
        for turn in case["eval_metric_result_per_invocation"]:
            turn.update(expected_invocation=None, eval_metric_results=[])
    return recording | {"eval_set_result_id": "r", "eval_set_result_name": "r"} | NOW


async def judge_all(cases: list[Json]) -> list[Json]:
    return [await judge(case) for case in cases]


def main() -> None:
    logging.disable(logging.CRITICAL)
    question = json.load(sys.stdin)
    sys.path.insert(0, question["imports"])
    with contextlib.redirect_stdout(io.StringIO()):
        answers = asyncio.run(judge_all(question["cases"]))
    print(json.dumps(answers))


if __name__ == "__main__":
    main()
