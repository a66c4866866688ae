"""The progress of a run counts conversations, of which one may be several traces."""

from agentevals.configs.dialects import compile_plan
from agentevals.configs.plan import Overrides
from agentevals.run import pipeline
from tests.support import EXAMPLES


def test_a_conversation_of_two_traces_is_one_step():
    seen = []
    metrics, expected = ("tool_trajectory_avg_score",), EXAMPLES / "eval_set.json"
    overrides = Overrides(metrics=metrics, eval_set=expected)
    traces = (str(EXAMPLES / "traces"),)
    settings = pipeline.Settings(traces=traces, progress=lambda *step: seen.append(step))

    pipeline.run(compile_plan(None, overrides), settings)

    assert seen == [(1, 4), (2, 4), (3, 4), (4, 4)]
