"""Asks a class that inherits from `uipath.eval.evaluators.BaseEvaluator`."""

import asyncio
from collections.abc import Iterator
from importlib import import_module
from inspect import isawaitable, iscoroutinefunction
from operator import attrgetter
from pathlib import Path
from statistics import mean
from typing import Any

from pydantic import BaseModel, ValidationError

from agentevals_evaluator_sdk import hosts
from agentevals_evaluator_sdk.hosts import (
    Answer,
    RefusalError,
    convert_number,
    describe_error,
    hosted_spans,
    serve,
)
from agentevals_evaluator_sdk.hosts.hosted_evaluators import (
    create,
    find_type,
    list_classes,
    list_unknown_criteria,
    list_unknown_settings,
    load,
    refuse,
)
from agentevals_evaluator_sdk.hosts.hosted_mistakes import explain, tell_mistakes

_KINDS = {0: "boolean", 1: "numeric", 2: "error"}
_OUTPUT_KEYS = {"expectedOutput", "expected_output"}
_OTHER_PREFIX = {"agent": "workload", "workload": "agent"}


def answer(question: Answer) -> Answer:
    """Return the answer of the class: about an execution, all its scores, or itself."""
    hosts.begin(question["roots"])
    path = Path(question["path"])
    if question["task"] == "describe":
        return {"classes": [_describe(found) for found in list_classes(path)]}
    if question["task"] == "inspect":
        return {"problems": list(_inspect(path, question))}
    with hosts.loading():
        found = load(path, question["class"])
        if question["strict"]:
            refuse(list_unknown_settings(found, question))
        evaluator = create(found, question)
    if question["task"] == "reduce":
        return _reduce(evaluator, question["scores"])
    criteria = _add_expected(evaluator, question["criteria"], question["expected_output"])
    with hosts.loading():
        if question["strict"]:
            refuse(list_unknown_criteria(evaluator, criteria))
        _check_criteria(evaluator, criteria)
    return _judge(evaluator, criteria, question["execution"])


def _inspect(path: Path, question: Answer) -> Iterator[Answer]:
    """Yield what keeps the class, its configuration or some criteria from being used."""
    place = "class"
    try:
        with hosts.loading():
            found = load(path, question["class"])
        place = "config"
        yield from (_tell(place, key) for key in list_unknown_settings(found, question))
        with hosts.loading():
            evaluator = create(found, question)
    except RefusalError as refusal:
        yield _tell(place, refusal)
        return
    pairs = zip(question["criteria"], question["expected_outputs"], strict=True)
    for at, (criteria, output) in enumerate(pairs):
        whole = _add_expected(evaluator, criteria, output)
        for key in list_unknown_criteria(evaluator, whole):
            yield {**_tell("criteria", key), "at": at}
        try:
            _check_criteria(evaluator, whole)
        except RefusalError as refusal:
            yield {**_tell("criteria", refusal), "at": at}


def _tell(place: str, refusal: RefusalError) -> Answer:
    return {"place": place, "message": str(refusal), "key": getattr(refusal, "key", "")}


def _check_criteria(evaluator: Any, criteria: Any) -> None:
    given = criteria
    if given is None:
        given = getattr(evaluator.evaluator_config, "default_evaluation_criteria", None)
    if given is None:
        msg = "there are no criteria, and the configuration has no 'defaultEvaluationCriteria'"
        raise RefusalError(msg)
    try:
        evaluator.validate_evaluation_criteria(given)
    except Exception as error:
        raise RefusalError(explain(error, "evaluationCriteria")) from error


def _add_expected(evaluator: Any, criteria: Any, output: Any) -> Any:
    """Give criteria of outputs the item's expected output, if they have none of their own."""
    try:
        kind = import_module("uipath.eval.evaluators.output_evaluator").OutputEvaluationCriteria
    except ImportError:  # a release without it
        return criteria
    own = getattr(evaluator, "evaluation_criteria_type", None)
    takes = output is not None and isinstance(own, type) and issubclass(own, kind)
    if not takes or not isinstance(criteria or {}, dict) or _OUTPUT_KEYS & (criteria or {}).keys():
        return criteria
    return {**(criteria or {}), "expectedOutput": output}


def _judge(evaluator: Any, criteria: Any, execution: Answer) -> Answer:
    try:
        result = asyncio.run(_evaluate(evaluator, criteria, _build_execution(execution)))
    except Exception as error:
        msg = explain(error) if hasattr(error, "error_info") else describe_error(error)
        raise RefusalError(msg) from error
    score_type = getattr(result, "score_type", None)
    if score_type not in _KINDS:
        what = "NumericEvaluationResult, BooleanEvaluationResult or ErrorEvaluationResult"
        msg = f"evaluate returned {type(result).__name__}; return a {what}"
        raise RefusalError(msg)
    return {
        "kind": _KINDS[score_type],
        "score": convert_number(result.score),
        "details": _read_details(result),
        "evaluation_time": convert_number(getattr(result, "evaluation_time", None)),
        "reduces": _has_reduction(type(evaluator)),
    }


async def _evaluate(evaluator: Any, criteria: Any, execution: Any) -> Any:
    """As their runtime asks; a plain `def evaluate` is asked without what expects a coroutine."""
    evaluate = type(evaluator).evaluate
    evaluate = getattr(evaluate, "__wrapped__", evaluate)
    if iscoroutinefunction(evaluate):
        return await evaluator.validate_and_evaluate_criteria(execution, criteria)
    if criteria is None:
        criteria = getattr(evaluator.evaluator_config, "default_evaluation_criteria", None)
    if criteria is None:
        return await evaluator.validate_and_evaluate_criteria(execution, None)
    result = evaluate(evaluator, execution, evaluator.validate_evaluation_criteria(criteria))
    return await result if isawaitable(result) else result


def _build_execution(given: Answer) -> Any:
    """Build an execution that has the older and the newer names, whatever the release."""
    models = import_module("uipath.eval.models")
    kind = getattr(models, "WorkloadExecution", None) or models.AgentExecution
    values = {**given, "agent_trace": hosted_spans.build_spans(given["agent_trace"])}
    fields = {name: values[_name_in(values, name)] for name in kind.model_fields}
    missing = {
        _rename(name): property(attrgetter(name))
        for name in fields
        if _rename(name) not in dir(kind) and _rename(name) != name
    }
    return type(kind.__name__, (kind,), missing)(**fields) if missing else kind(**fields)


def _name_in(values: Answer, name: str) -> str:
    return name if name in values else _rename(name)


def _rename(name: str) -> str:
    prefix, _, rest = name.partition("_")
    return f"{_OTHER_PREFIX[prefix]}_{rest}" if prefix in _OTHER_PREFIX else name


def _read_details(result: Any) -> Any:
    details = result.details
    if details is None:
        details = getattr(result, "error", None)
    return details.model_dump(mode="json") if isinstance(details, BaseModel) else details


def _has_reduction(found: type[Any]) -> bool:
    base = import_module("uipath.eval.evaluators").BaseEvaluator
    usual = getattr(base, "reduce_scores", None)
    return getattr(found, "reduce_scores", None) is not usual


def _reduce(evaluator: Any, scores: list[Answer]) -> Answer:
    dto = getattr(import_module("uipath.eval.models"), "EvaluationResultDto", None)
    if dto is None or not hasattr(evaluator, "reduce_scores"):  # a release that did not ask
        return {"score": mean(score["score"] for score in scores), "reduces": False}
    try:
        reduced = evaluator.reduce_scores([dto(**score) for score in scores])
    except Exception as error:
        msg = f"reduce_scores {describe_error(error)}"
        raise RefusalError(msg) from error
    return {"score": convert_number(reduced), "reduces": _has_reduction(type(evaluator))}


def _describe(found: type[Any]) -> Answer:
    """Describe a class for registration: its id, its types, and its own configuration."""
    try:
        identity = found.get_evaluator_id()
    except Exception as error:
        msg = f"Error getting evaluator ID: {error}"
        raise RefusalError(msg) from error
    if not isinstance(identity, str) or not identity:
        msg = "Error getting evaluator ID: get_evaluator_id has to return a text; implement it"
        raise RefusalError(msg)
    kind = find_type(found, "evaluator_config")
    try:
        config = kind()
    except Exception as error:
        _refuse_types(found, identity)
        msg = f"Error inferring evaluator config: {_explain_config(error, kind)}"
        raise RefusalError(msg) from error
    try:
        found(id=identity, evaluatorConfig=config.model_dump(), config=config.model_dump())
    except Exception as error:
        raise RefusalError(explain(error)) from error
    return {
        "class": found.__name__,
        "id": identity,
        "description": found.__dict__.get("__doc__"),
        "config": config.model_dump(mode="json", by_alias=True),
        "types": found.generate_json_type(),
    }


def _refuse_types(found: type[Any], identity: str) -> None:
    """Types that do not fit are said first: a configuration alone would not mend them."""
    try:
        found(id=identity, evaluatorConfig={"name": identity}, config={"name": identity})
    except Exception as error:
        if "TYPE" in str(getattr(getattr(error, "error_info", None), "code", "")):
            raise RefusalError(explain(error)) from error


def _explain_config(error: Exception, kind: Any) -> str:
    if not isinstance(error, ValidationError):
        return str(error)
    missing = [repr(one["loc"][0]) for one in error.errors() if one["type"] == "missing"]
    if not missing:
        return "; ".join(tell_mistakes(error))
    name = getattr(kind, "__name__", kind)
    return f'{name} has no default for {", ".join(missing)}; give it one, such as name: str = "…"'


if __name__ == "__main__":
    serve(answer)
