"""ADK calls a metric by position; names and annotations show who means something else."""

import functools
import typing

import pytest

from agentevals_evaluator_sdk.hosts import RefusalError
from agentevals_evaluator_sdk.hosts.adk_metric import NEW, OLD, find_form


class EvalMetric: ...


class Invocation: ...


class ConversationScenario: ...


def function(signature):
    """A function with this signature."""
    scope = {**vars(typing), **globals()}
    exec(f"def f({signature}): ...", scope)
    return scope["f"]


def told(signature):
    return find_form("own.f", function(signature))


def decorated(inner, signature="*args, **kwargs"):
    """A decorator's function that takes `signature` and says that it wraps `inner`."""
    scope = {"functools": functools, "inner": inner}
    exec(f"@functools.wraps(inner)\ndef outer({signature}): ...", scope)
    return scope["outer"]


new, old = function(", ".join(NEW)), function(", ".join(OLD))


@pytest.mark.parametrize(
    "signature",
    [
        "eval_metric, actual_invocations, expected_invocations, conversation_scenario",
        "evalMetric, actualInvocations, expectedInvocations, conversationScenario",
        "m, a, e, s",
        "one, two, three, four",
        "e, s, a, m",
        "metric, turns, golden, _",
        "m: EvalMetric, a: list[Invocation], e: Optional[list[Invocation]], s: Any",
        "m: 'EvalMetric', a: 'list[Invocation]', e: 'list[Invocation] | None', s: 'Any'",
        "m: Any, a: list, e: object, s: dict[str, Any]",
        "m, a, e=None, s=None",
        "m, a, e, s, more=1, *, even_more=2, **rest",
        "m, a, /, e, s",
        "*given",
        "metric, *given",
        "*given, **named",
    ],
)
def test_four_are_called_by_position(signature):
    assert told(signature) == NEW


@pytest.mark.parametrize(
    "signature",
    [
        "actual_invocations, expected_invocations, conversation_scenario",
        "actualInvocations, expectedInvocations, conversationScenario",
        "actual, expected, scenario",
        "a, e, s",
        "turns, expected, plan",
        "actual, expected=None, scenario=None",
        "actual, expected, scenario=None, more=1",
        "actual, expected, scenario, eval_metric=None",
        "x: list[Invocation], y: Optional[list[Invocation]], z: Optional[ConversationScenario]",
        "x: 'list[Invocation]', y: 'list[Invocation]', z",
        "metric: list[Invocation], y: list[Invocation], z: ConversationScenario",
        "actual, *rest",
    ],
)
def test_three_are_the_old_form_if_they_say_so(signature):
    assert told(signature) == OLD


@pytest.mark.parametrize(
    "signature",
    [
        "eval_metric, actual_invocations, expected_invocations",
        "eval_metric, actual_invocations, expected_invocations=None",
        "metric, x, y",
        "m, a, e",
        "one, two, three",
        "x: EvalMetric, y: list[Invocation], z: list[Invocation]",
        "x: 'EvalMetric', y: 'list[Invocation]', z: 'Optional[list[Invocation]]'",
        "actual: EvalMetric, y, z",
        "x: Any, y: Any, z: Any",
        "expected, actual, scenario",
        "eval_metric, expected_invocations, actual_invocations, conversation_scenario",
        "m: EvalMetric, expected: list[Invocation], actual: list[Invocation], s",
        "actual, expected, scenario, metric",
        "x: list[Invocation], y: list[Invocation], z: ConversationScenario, m: EvalMetric",
        "one, two, three, eval_metric=None",
        "",
        "metric",
        "metric, actual",
        "a, b, c, d, e",
        "*, eval_metric, actual_invocations, expected_invocations, conversation_scenario",
        "m, a, e, s, *, more",
        "**named",
    ],
)
def test_any_other_is_refused_with_both_forms(signature):
    with pytest.raises(RefusalError) as error:
        told(signature)

    assert "own.f takes (" in str(error.value)
    assert f"write ({', '.join(NEW)}), or as in the first release ({', '.join(OLD)})" in str(
        error.value
    )


class Judge:
    def judge(self, metric, actual, expected, scenario): ...

    async def __call__(self, actual, expected, scenario): ...


@pytest.mark.parametrize(
    ("metric", "expected"),
    [
        (Judge().judge, NEW),
        (Judge(), OLD),
        (functools.partial(new), NEW),
        (functools.partial(lambda settings, m, a, e, s: ..., {}), NEW),
        (functools.partial(lambda actual, expected, scenario, k: ..., k=1), OLD),
        (decorated(new), NEW),
        (decorated(old), OLD),
        (decorated(old, "x, y, z"), OLD),
        (decorated(old, "m, a, e, s"), NEW),
        (decorated(new, "actual, expected, scenario"), OLD),
        (decorated(decorated(old)), OLD),
        (max, NEW),
    ],
)
def test_whatever_can_be_called_has_a_form(metric, expected):
    assert find_form("own.f", metric) == expected


@pytest.mark.parametrize(
    "metric",
    [
        functools.partial(new, conversation_scenario=None),
        functools.partial(new, "metric of mine", []),
        decorated(new, "metric, actual, expected"),
    ],
)
def test_what_cannot_be_called_in_either_form_is_refused(metric):
    with pytest.raises(RefusalError, match="not what a metric is called with"):
        find_form("own.f", metric)
