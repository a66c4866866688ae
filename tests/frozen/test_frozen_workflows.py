"""The action, as `test_frozen_runs.py` has the command line; and that nothing else is frozen."""

import pytest

from tests.frozen import commands, runs, steps
from tests.frozen.conftest import FROZEN
from tests.frozen.place import place
from tests.frozen.workflows import WORKFLOWS
from tests.support import UPDATE


@pytest.mark.parametrize("workflow", WORKFLOWS, ids=lambda workflow: workflow.name)
def test_the_action_does_what_it_did(workflow, frozen):
    with place() as here:
        steps.play(workflow, here)

        assert here.pieces == frozen(workflow.name, here.pieces), UPDATE


def test_nothing_is_frozen_that_no_run_makes():
    names = [run.name for run in (*runs.RUNS, *commands.RUNS, *WORKFLOWS)]

    assert len(names) == len(set(names))
    assert sorted(path.name for path in FROZEN.iterdir()) == sorted(names)
