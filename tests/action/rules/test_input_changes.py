"""Inputs of the workflow, wherever it takes them from: none can be changed quietly."""

import pytest

from tests.action.rules.test_softening import BASE, BROKEN, WORKFLOW

HERE = ".github/workflows/agentevals.yml"
EXPRESSED = "env: {LIMIT: failed}\n" + WORKFLOW.replace("failed", "'${{ env.LIMIT }}'")
LEGS = WORKFLOW.replace("eval_config.yaml", "'${{ matrix.config }}'").replace(
    "    steps:", "    strategy: {matrix: {config: [soft.yaml, eval_config.yaml]}}\n    steps:"
)
USING = "on: pull_request\njobs:\n  evals:\n    steps:\n      - uses: ./.github/actions/evals\n"
COMPOSITE = """runs:
  using: composite
  steps:
    - uses: somebody/agentevals-action@v1
      with: {fail-on: failed}
"""
CALLING = "on: pull_request\njobs:\n  evals:\n    uses: ./.github/workflows/inner.yml\n"
ACTION, INNER = ".github/actions/evals/action.yml", ".github/workflows/inner.yml"

WORKFLOWS = {
    "another spelling": ({HERE: WORKFLOW}, {HERE: WORKFLOW.replace("fail-on: fai", "Fail_On: fai")
                                            .replace("failed", "error")}),
    "a variable": ({HERE: WORKFLOW}, {HERE: "env: {INPUT_FAIL_ON: error}\n" + WORKFLOW}),
    "what an expression means": (
        {HERE: EXPRESSED}, {HERE: EXPRESSED.replace("LIMIT: failed", "LIMIT: error")},
    ),
    "an action of the repository": (
        {HERE: USING, ACTION: COMPOSITE},
        {HERE: USING, ACTION: COMPOSITE.replace("failed", "error")},
    ),
    "a workflow that is called": (
        {HERE: CALLING, INNER: WORKFLOW},
        {HERE: CALLING, INNER: WORKFLOW.replace("failed", "error")},
    ),
    "a leg that went": ({HERE: LEGS}, {HERE: LEGS.replace(", eval_config.yaml", "")}),
}  # fmt: skip


@pytest.mark.parametrize(("base", "head"), WORKFLOWS.values(), ids=WORKFLOWS)
def test_inputs_cannot_be_changed_quietly(job, base, head):
    job.given(fail_on="error").pull_request(BASE | base, BROKEN | head)

    done = job.run()

    assert done.code == 1, done.log
    assert "Rules changed: workflow" in job.comments[0]


@pytest.mark.parametrize(("base", "head"), WORKFLOWS.values(), ids=WORKFLOWS)
def test_a_workflow_may_change_beside_them(job, base, head):
    other = {HERE: base[HERE] + "  lint:\n    env: {LEVEL: high}\n    steps: [{run: make}]\n"}

    done = job.pull_request(BASE | base, BASE | base | other).run()

    assert (done.code, "rules" in done.report) == (0, False), done.log


def test_workflows_that_call_each_other_come_to_an_end(job):
    round_ = CALLING.replace("inner.yml", "agentevals.yml")
    job.pull_request(BASE | {HERE: round_}, BASE | {HERE: round_ + "# again\n"})

    assert job.run().code == 0
