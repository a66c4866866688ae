"""The other commands, as `test_frozen_runs.py` has `agentevals run`."""

import pytest

from tests.frozen.commands import RUNS
from tests.support import UPDATE


@pytest.mark.parametrize("run", RUNS, ids=lambda run: run.name)
def test_a_command_does_what_it_did(run, play, frozen):
    pieces = play(run)

    assert pieces == frozen(run.name, pieces), UPDATE
