"""The other commands, as `test_frozen_runs.py` has `agentevals run`."""

import pytest

from tests.frozen.commands import RUNS


@pytest.mark.parametrize("run", RUNS, ids=lambda run: run.name)
def test_a_command_does_what_it_did(run, play):
    play(run)
