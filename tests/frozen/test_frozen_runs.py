"""What the product does, byte for byte: nothing that only moves code may change it.

These tests know the product from outside: its commands, and the files and requests that they make.
"""

import pytest

from tests.frozen.runs import RUNS
from tests.support import UPDATE


@pytest.mark.parametrize("run", RUNS, ids=lambda run: run.name)
def test_a_run_says_what_it_said(run, play, frozen):
    pieces = play(run)

    assert pieces == frozen(run.name, pieces), UPDATE
