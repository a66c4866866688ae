"""All configs of a step share the 5 % of `fail-on: regressed`, and a new one takes no part."""

import pytest

from tests.action.job import CITIES, agent, config

TWO_FELL = agent(failing=CITIES[:2])  # p = 0.04: of two that were recorded anew, both
OTHER = {"other/eval_config.yaml": config(eval_set="../eval_set.json")}
BOTH = "eval_config.yaml\nother/eval_config.yaml"


def decide(job, base, head, configs="eval_config.yaml"):
    job.pull_request(base, head).given(fail_on="regressed", config=configs)
    done = job.run()
    found = {one["config"]: one["decline"] for one in done.report["sections"] if "decline" in one}
    return done.code, found["eval_config.yaml"]["alpha"]


def test_one_config_has_all_of_it(job):
    assert decide(job, agent(), TWO_FELL) == (1, 0.05)


def test_two_configs_share_it(job):
    assert decide(job, agent() | OTHER, TWO_FELL | OTHER, BOTH) == (0, 0.025)


def test_a_config_that_the_base_lacks_makes_the_others_no_less_strict(job):
    code, alpha = decide(job, agent(), TWO_FELL | OTHER, BOTH)

    assert (code, alpha) == (1, 0.05)


@pytest.mark.recorded
@pytest.mark.parametrize(("fail_on", "code"), [("regressed", 0), ("any-flip", 1)])
def test_one_case_that_fell_may_be_chance(job, fail_on, code):
    done = job.pull_request(agent(), agent(failing=["paris"])).given(fail_on=fail_on).run()

    assert done.code == code
    assert done.outputs["regressed"] == "1"
    if not code:
        assert "1 case regressed: chance may explain it (p = 0.20)" in job.comments[0]
