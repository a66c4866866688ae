import pytest

from agentevals.github import runs
from agentevals.github.refusals import PermissionMissingError

SHA = "b" * 40


def ids(found):
    return [run.id for run in found]


def baselines(api, branch="main"):
    found = runs.list_runs(api, "o/r", "evals.yml", branch=branch)
    return ids(runs.filter_trusted(found, branch))


def test_the_newest_comes_first(api, stand_in):
    made = [stand_in.world.run().id for _ in range(120)]

    assert ids(runs.list_runs(api, "o/r", "evals.yml", branch="main")) == made[::-1]


def test_only_as_many_pages_as_are_looked_at(api, stand_in):
    for _ in range(120):
        stand_in.world.run()
    next(runs.list_runs(api, "o/r", "evals.yml", branch="main"))

    assert len(stand_in.requests()) == 1


def test_runs_of_one_commit(api, stand_in):
    stand_in.world.run(sha="c" * 40)
    wanted = stand_in.world.run(sha=SHA)

    found = runs.list_runs(api, "o/r", "evals.yml", branch="main", sha=SHA)
    assert ids(found) == [wanted.id]


@pytest.mark.parametrize("event", ["push", "schedule", "workflow_dispatch", "merge_group"])
@pytest.mark.parametrize("conclusion", ["success", "failure"])
def test_runs_that_can_be_trusted(api, stand_in, event, conclusion):
    run = stand_in.world.run(event=event, conclusion=conclusion)

    assert baselines(api) == [run.id]


@pytest.mark.parametrize(
    "facts",
    [
        {"event": "pull_request"},
        {"event": "pull_request_target"},
        {"event": "workflow_run"},
        {"event": "push", "head_repository": "mallory/r"},
        {"branch": "topic"},
        {"conclusion": "cancelled"},
        {"conclusion": None, "status": "in_progress"},
        {"workflow": "other.yml"},
    ],
)
def test_runs_that_cannot_be_trusted(api, stand_in, facts):
    stand_in.world.run(**facts)

    assert baselines(api) == []


def test_a_fork_that_is_gone_is_not_trusted():
    run = runs.Run(id=1, event="push", head_branch="main", conclusion="success")

    assert ids(runs.filter_trusted([run], "main")) == []


def test_a_token_that_may_not_read_runs(api, stand_in):
    stand_in.permissions["actions"] = "none"

    with pytest.raises(PermissionMissingError) as caught:
        baselines(api)

    assert caught.value.permission == "actions: read"
