"""The two forms of ADK's metric functions, and which one a function has."""

import inspect
import re
from collections.abc import Callable
from typing import Any

from agentevals_evaluator_sdk.hosts.channel import RefusalError

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
        signature = _signature(function)
    except (TypeError, ValueError):
        return NEW
    parameters = _positional(signature, len(NEW))
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


def _signature(function: Callable[..., Any]) -> inspect.Signature:
    """Return a function's own signature, unless its decorator changes it."""
    outer = inspect.signature(function, follow_wrapped=False)
    inner = inspect.signature(function)
    kinds = {p.kind for p in outer.parameters.values()}
    same = len(_positional(outer, 0)) == len(_positional(inner, 0))
    return inner if same or inspect.Parameter.VAR_POSITIONAL in kinds else outer


def _positional(signature: inspect.Signature, most: int) -> list[inspect.Parameter]:
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
    return all(name in _meanings(parameter, short=short) for parameter, name in pairs)


def _is_told(parameters: list[inspect.Parameter]) -> bool:
    return any(_meanings(parameter, short=True) < set(NEW) for parameter in parameters)


def _meanings(parameter: inspect.Parameter, *, short: bool) -> set[str]:
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
