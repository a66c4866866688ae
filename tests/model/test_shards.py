from datetime import UTC, datetime

import pytest

from agentevals.compare import comparison
from agentevals.compare.baselines import NoBaseline
from agentevals.configs.dialects import compile_plan
from agentevals.configs.plan import Overrides
from agentevals.model.results import Verdict
from agentevals.model.shards import WHOLE, Shard
from agentevals.run import pipeline
from agentevals.run.pipeline import Settings
from tests.support import EXAMPLES


def judged(shard):
    plan = compile_plan(EXAMPLES / "eval_config.yaml", Overrides(allow_missing=True))
    traces = (str(EXAMPLES / "traces"),)
    return pipeline.run(plan, Settings(traces=traces, shard=shard))


@pytest.mark.parametrize("total", [1, 2, 3, 7])
def test_every_case_falls_to_exactly_one_shard(total):
    shards = [Shard(number, total) for number in range(1, total + 1)]

    held = [sum(shard.holds(f"case {n}") for shard in shards) for n in range(200)]

    assert set(held) == {1}


def test_shards_together_judge_what_one_run_judges():
    whole = [case.case_id for case in judged(WHOLE).cases]
    parts = [case.case_id for n in (1, 2, 3) for case in judged(Shard(n, 3)).cases]

    assert sorted(parts) == sorted(whole)


def test_a_shard_to_which_nothing_falls_passes_and_is_known_to_be_idle():
    reports = [judged(Shard(number, 97)) for number in range(1, 98)]

    idle = [report for report in reports if report.holds_nothing]

    assert len(idle) >= 90
    none, today = NoBaseline(reason=""), datetime.now(UTC).date()
    outcomes = [
        comparison.settle(report, none, config="eval_config.yaml", today=today) for report in idle
    ]
    assert {(one.verdict, one.exit_code) for one in outcomes} == {(Verdict.PASS, 0)}
