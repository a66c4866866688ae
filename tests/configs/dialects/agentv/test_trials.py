"""`execution.trials`: how many of several recordings of a test must pass."""

import msgspec
import pytest

from agentevals.configs.dialects import compile_plan

EVAL = """
tests: [{id: a, input: hi, assertions: [{type: contains, value: hello}]}]
execution: {trials: %s}
gate: %s
"""


@pytest.mark.parametrize(
    ("trials", "gate", "attempts"),
    [
        ("{count: 3}", "{}", "any"),
        ("{count: 3, strategy: pass_at_k, cost_limit_usd: 2}", "{}", "any"),
        ("{count: 3, strategy: mean}", "{}", msgspec.UNSET),
        ("{count: 3, strategy: confidence_interval}", "{}", msgspec.UNSET),
        ("{count: 1}", "{}", msgspec.UNSET),
        ("3", "{}", msgspec.UNSET),
        ("{count: 3}", "{attempts: most}", msgspec.UNSET),
        ("{count: 3}", "{attempts: all}", "all"),
    ],
)
def test_one_of_them_is_enough_where_agentv_says_so(tmp_path, trials, gate, attempts):
    path = tmp_path / "s.eval.yaml"
    path.write_text(EVAL % (trials, gate))

    assert compile_plan(path).policy.attempts == attempts
