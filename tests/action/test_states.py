"""Twelve ends of a pull request, as their comments are: drawn in the docs by `make pictures`."""

import json
import re
import tempfile
from pathlib import Path

import pytest

from tests.action.job import FORK, TRAJECTORY, Job, agent, config
from tests.action.rules.test_softening import BASE, MINE, soft
from tests.action.test_errors import crashing
from tests.action.test_interrupted import in_flight, in_part, outcome
from tests.action.test_publish import READ_ONLY, handed_over
from tests.browser.states import DIGESTS, PICTURES, compute_digests, find_states
from tests.processes import cancel
from tests.stand_in.world import Run

CASES = [f"order-{number}" for number in range(1, 41)]
FEW = CASES[:5]
DOCS = Path(__file__).parents[2] / "docs"


def below(folder, files):
    return {f"{folder}/{name}": text for name, text in files.items()}


def settle(job, base, head):
    job.pull_request(base, head).given(fail_on="failed").run()
    return job.comments[0]


def all_pass(job):
    return settle(job, agent(cases=CASES, failing=["order-7"]), agent(cases=CASES))


def one_regression(job):
    return settle(job, agent(cases=CASES), agent(cases=CASES, failing=["order-7"]))


def forty_failures(job):
    return settle(job, agent(cases=CASES), agent(cases=CASES, failing=CASES))


def crash(job):
    return settle(job, crashing(), crashing())


def no_baseline(job):
    job.pull_request(agent(cases=CASES), agent(cases=CASES)).given(baseline="none").run()
    return job.comments[0]


def few_cases(job):
    limits = {"gate": {"pass_rate": {"at_least": 0.6, "max_drop": 0.05}}}
    rules = {"eval_config.yaml": config(**limits)}
    return settle(job, agent(cases=FEW) | rules, agent(cases=FEW, failing=FEW[:1]) | rules)


def new_cases(job):
    return settle(job, agent(cases=FEW), agent(cases=CASES[:8], failing=CASES[6:7]))


def removed_failing_case(job):
    job.place.roles["maria"] = "write"
    return settle(job, agent(cases=CASES, failing=["order-7"]), agent(cases=CASES[7:]))


def monorepo(job):
    shops = below("billing", agent(cases=FEW)), below("search", agent(cases=FEW))
    worse = below("search", agent(cases=FEW, failing=FEW[:2]))
    job.pull_request(shops[0] | shops[1], shops[0] | worse).given(config="*/eval_config.yaml").run()
    return job.comments[0]


def fork(job):
    """Its own run may only read; the workflow that follows it publishes what it has reported."""
    run_id = int(job.environ["GITHUB_RUN_ID"])
    job.pull_request(agent(), agent(failing=["paris"]), recorded="pull_request_fork")
    job.github.permissions |= READ_ONLY
    job.keeping_artifacts().run()
    second = Job(job.folder.parent / "second", job.github).given(command="publish")
    second.head, second.base, second.pull = job.head, job.base, job.pull
    second.on("workflow_run_fork", second.head)
    second.environ |= {"GITHUB_SHA": second.base, "GITHUB_RUN_ID": "30433999"}
    made = Run(run_id, event="pull_request", branch="units", sha=job.head, head_repository=FORK)
    second.place.runs[run_id], second.run_of_fork = made, made
    handed_over(second).run()
    return second.comments[0]


def cancelled(job):
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        with in_flight(in_part(job, Path(folder), 2), programs=2) as (process,):
            assert cancel(process) == 130
            outcome(job, process)
    return job.comments[0]


def rule_change(job):
    softer = [evaluator | {"threshold": 0.0} for evaluator in (TRAJECTORY, MINE)]
    return settle(job, BASE, soft(*softer))


# what the first line of each has to say
STATES = {
    all_pass: "**Ready to merge: ",
    one_regression: "**Not ready to merge: 1 of 40 cases failed.**",
    forty_failures: "**Not ready to merge: all 40 cases failed.**",
    crash: "**Cannot tell whether to merge: evaluator 'mine' crashed in all 4 cases",
    no_baseline: "**Ready to merge: ",
    few_cases: "**Can be merged, with care: ",
    new_cases: "**Not ready to merge: 1 of 8 cases failed.**",
    removed_failing_case: "**Rule change needs approval: ",
    monorepo: "**Not ready to merge: 1 of 2 configs fails (search/eval_config.yaml).**",
    fork: "**Not ready to merge: 1 of 4 cases failed.**",
    cancelled: "**Cannot tell whether to merge: the evaluation was cancelled after 2 of 4 cases",
    rule_change: "**Rule change needs approval: ",
}


@pytest.mark.recorded
@pytest.mark.parametrize(("state", "first"), STATES.items(), ids=[one.__name__ for one in STATES])
def test_the_comment_of_each_state_is_that_of_the_docs(job, golden, state, first):
    body = mask(state(job))

    assert first in body
    golden(f"states/{state.__name__}.md", body)


def mask(body):
    """Without what is another in each run, and without what only programs read."""
    body = re.sub(r"http://127\.0\.0\.1:\d+", "https://github.example", body)
    body = re.sub(r"isolation[^·\n]*·", "", body)
    return re.sub(r"<!-- agentevals.*? -->\n?", "", body)


def test_each_state_is_shown_and_its_picture_is_of_this_comment():
    page = (DOCS / "comment.md").read_text()

    assert find_states().keys() == {state.__name__ for state in STATES}
    assert json.loads(DIGESTS.read_text()) == compute_digests(), "run `make pictures`"
    for state in STATES:
        for theme in ("light", "dark"):
            assert f"images/states/{state.__name__}-{theme}.png" in page
            assert (PICTURES / f"{state.__name__}-{theme}.png").is_file()
