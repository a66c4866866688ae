"""Ask a metric function that is written for `google.adk.evaluation`, in either of its forms."""

import asyncio
import inspect
import json
import re
from collections.abc import Awaitable, Callable
from difflib import get_close_matches
from importlib import import_module
from typing import Any

from agentevals_evaluator_sdk import hosts
from agentevals_evaluator_sdk.hosts import (
    Answer,
    RefusalError,
    convert_number,
    describe_error,
    serve,
)

NEW = ("eval_metric", "actual_invocations", "expected_invocations", "conversation_scenario")
OLD = NEW[1:]  # of the first release that had metric functions

_POSITIONAL = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
_WORD = re.compile("[A-Z]?[a-z]+")  # of `actual_invocations` and of `actualInvocations`
_BY_NAME = dict(zip(("metric", "actual", "expected", "scenario"), NEW, strict=True))
_BY_TYPE: dict[str, set[str]] = {
    "EvalMetric": {NEW[0]},
    "Invocation": {NEW[1], NEW[2]},
    "ConversationScenario": {NEW[3]},
}


def find_form(path: str, function: Callable[..., Any]) -> tuple[str, ...]:
    """Return what the function is called with, in this order, or raise a RefusalError.

    ADK hands four arguments over by position, whatever they are called: names and annotations
    must not say something else. Three are the old form only if a name or an annotation says so,
    because a function of today that lacks a parameter has three as well.
    """
    try:
        signature = _read_signature(function)
    except (TypeError, ValueError):
        return NEW
    parameters = _list_positional(signature, len(NEW))
    if _takes(signature, len(NEW)) and _fits(parameters, NEW, short=False):
        return NEW
    if (
        _takes(signature, len(OLD))
        and _fits(parameters, OLD, short=True)
        and _is_told(parameters[: len(OLD)])
    ):
        return OLD
    given = signature.replace(return_annotation=inspect.Signature.empty)
    msg = (
        f"{path} takes {given}, which is not what a metric is called with: write "
        f"({', '.join(NEW)}), or as in the first release ({', '.join(OLD)})"
    )
    raise RefusalError(msg)


def _read_signature(function: Callable[..., Any]) -> inspect.Signature:
    """Return a function's own signature, unless its decorator changes it."""
    outer = inspect.signature(function, follow_wrapped=False)
    inner = inspect.signature(function)
    kinds = {p.kind for p in outer.parameters.values()}
    same = len(_list_positional(outer, 0)) == len(_list_positional(inner, 0))
    return inner if same or inspect.Parameter.VAR_POSITIONAL in kinds else outer


def _list_positional(signature: inspect.Signature, most: int) -> list[inspect.Parameter]:
    """The parameters by position; `*args` stands for as many as there are at most."""
    parameters = list(signature.parameters.values())
    found = [p for p in parameters if p.kind in _POSITIONAL]
    rest = [p for p in parameters if p.kind is inspect.Parameter.VAR_POSITIONAL]
    return found + rest * (most - len(found))


def _takes(signature: inspect.Signature, count: int) -> bool:
    try:
        signature.bind(*range(count))
    except TypeError:
        return False
    return True


def _fits(parameters: list[inspect.Parameter], names: tuple[str, ...], *, short: bool) -> bool:
    """Return whether no parameter contradicts its name in the list."""
    pairs = zip(parameters, names, strict=False)
    return all(name in _find_meanings(parameter, short=short) for parameter, name in pairs)


def _is_told(parameters: list[inspect.Parameter]) -> bool:
    return any(_find_meanings(parameter, short=True) < set(NEW) for parameter in parameters)


def _find_meanings(parameter: inspect.Parameter, *, short: bool) -> set[str]:
    """Return what a parameter may be by its annotation and name: anything if neither says so.

    With `short`, the beginning of a word is enough: `a` means the actual invocations.
    """
    if parameter.kind is inspect.Parameter.VAR_POSITIONAL:
        return set(NEW)
    given = parameter.annotation
    annotation = given if isinstance(given, str) else inspect.formatannotation(given)
    types = set(re.findall(r"\w+", annotation))
    typed = set().union(*(meant for name, meant in _BY_TYPE.items() if name in types))
    words = [word.lower() for word in _WORD.findall(parameter.name)]
    named = {meant for known, meant in _BY_NAME.items() if any(w.startswith(known) for w in words)}
    if short and not named:
        named = {meant for known, meant in _BY_NAME.items() if known.startswith(parameter.name)}
    return (typed & named) or typed or named or set(NEW)


def answer(question: Answer) -> Answer:
    """Return the result of the function for the turns of a case; nothing if it is only imported."""
    hosts.begin(question["roots"], question["packages"])
    with hosts.loading():
        function = _find_function(question["function"], question["tried"])
        names = find_form(question["function"], function)
    if question["task"] == "inspect":
        return {}
    given = _list_arguments(question)
    try:
        result = asyncio.run(_call(function, [given[name] for name in names]))
    except Exception as error:
        raise RefusalError(describe_error(error)) from error
    return {**_describe(question["function"], result), "by_threshold": names == OLD}


def _find_function(path: str, tried: list[str]) -> Callable[..., Any]:
    module, _, name = path.rpartition(".")
    where = f"; looked in {', '.join(tried)}, then in what is installed"
    with hosts.explain_errors(f"could not import {path}: it"):
        home = hosts.load_path(module, where)
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
    wanted = question["expected"]

    def read(turns: list[Answer]) -> list[Any]:
        """As JSON, in which bytes are texts."""
        return [cases.Invocation.model_validate_json(json.dumps(turn)) for turn in turns]

    scenario = question["scenario"]
    everything = (
        metrics.EvalMetric(
            metric_name=question["metric_name"],
            criterion=metrics.BaseCriterion.model_validate(question["criterion"]),
            custom_function_path=question["function"],
        ),
        read(question["actual"]),
        None if wanted is None else read(wanted),
        scenario and scenarios.ConversationScenario.model_validate(scenario),
    )
    return dict(zip(NEW, everything, strict=True))


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
                **_build_rubrics(one.rubric_scores),
            }
            for one in result.per_invocation_results
        ],
        **_build_rubrics(result.overall_rubric_scores),
    }


def _name(status: Any) -> str:
    return str(getattr(status, "name", status))


def _build_rubrics(scores: Any) -> Answer:
    if not scores:
        return {}
    told = [
        {"rubric_id": s.rubric_id, "score": convert_number(s.score), "rationale": s.rationale}
        for s in scores
    ]
    return {"rubric_scores": told}


if __name__ == "__main__":
    serve(answer)
