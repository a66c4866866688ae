"""Asks a metric function that is written for `google.adk.evaluation`."""

import asyncio
import inspect
from collections.abc import Awaitable, Callable
from difflib import get_close_matches
from importlib import import_module
from typing import Any

from agentevals_evaluator_sdk.hosts import loading, signatures
from agentevals_evaluator_sdk.hosts.channel import (
    Answer,
    RefusalError,
    convert_number,
    describe_error,
    serve,
)


def answer(question: Answer) -> Answer:
    """Return the result of the function for the turns of a case."""
    loading.begin(question["roots"], question["packages"])
    function = _find_function(question["function"], question["tried"])
    names = signatures.find_form(question["function"], function)
    given = _list_arguments(question)
    try:
        result = asyncio.run(_call(function, [given[name] for name in names]))
    except Exception as error:
        raise RefusalError(describe_error(error)) from error
    return {**_describe(question["function"], result), "by_threshold": names == signatures.OLD}


def _find_function(path: str, tried: list[str]) -> Callable[..., Any]:
    module, _, name = path.rpartition(".")
    where = f"; looked in {', '.join(tried)}, then in what is installed"
    with loading.explain_errors(f"could not import {path}: it"):
        home = loading.load_path(module, where)
    found = getattr(home, name, None)
    if found is None:
        near = get_close_matches(name, dir(home), n=1)
        hint = f"; did you mean {near[0]!r}?" if near else ""
        msg = f"could not import {path}: {home.__file__ or module} has no {name!r}{hint}"
        raise RefusalError(msg)
    if not callable(found):
        msg = f"{path} does not refer to a callable, but to {type(found).__name__}"
        raise RefusalError(msg)
    return found  # type: ignore[no-any-return]


def _list_arguments(question: Answer) -> dict[str, Any]:
    """Everything that a function may be called with, by name."""
    cases = import_module("google.adk.evaluation.eval_case")
    metrics = import_module("google.adk.evaluation.eval_metrics")
    scenarios = import_module("google.adk.evaluation.conversation_scenarios")
    invocation, wanted = cases.Invocation.model_validate, question["expected"]
    scenario = question["scenario"]
    everything = (
        metrics.EvalMetric(
            metric_name=question["metric_name"],
            criterion=metrics.BaseCriterion.model_validate(question["criterion"]),
            custom_function_path=question["function"],
        ),
        [invocation(turn) for turn in question["actual"]],
        None if wanted is None else [invocation(turn) for turn in wanted],
        scenario and scenarios.ConversationScenario.model_validate(scenario),
    )
    return dict(zip(signatures.NEW, everything, strict=True))


async def _call(function: Callable[..., Any], given: list[Any]) -> Any:
    result = function(*given)
    return await _wait(result) if inspect.isawaitable(result) else result


async def _wait(result: Awaitable[Any]) -> Any:
    return await result


def _describe(path: str, result: Any) -> Answer:
    if not hasattr(result, "overall_eval_status") or not hasattr(result, "per_invocation_results"):
        msg = f"{path} returned {type(result).__name__}; return an EvaluationResult"
        raise RefusalError(msg)
    return {
        "score": convert_number(result.overall_score),
        "status": _name(result.overall_eval_status),
        "per_invocation": [
            {
                "score": convert_number(one.score),
                "status": _name(one.eval_status),
                "has_expected": one.expected_invocation is not None,
                **_rubrics(one.rubric_scores),
            }
            for one in result.per_invocation_results
        ],
        **_rubrics(result.overall_rubric_scores),
    }


def _name(status: Any) -> str:
    return str(getattr(status, "name", status))


def _rubrics(scores: Any) -> Answer:
    if not scores:
        return {}
    told = [
        {"rubric_id": s.rubric_id, "score": convert_number(s.score), "rationale": s.rationale}
        for s in scores
    ]
    return {"rubric_scores": told}


if __name__ == "__main__":
    serve(answer)
