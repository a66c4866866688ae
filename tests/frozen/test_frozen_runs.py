"""What the product does, byte for byte: nothing that only moves code may change it.

These tests know the product from outside: its commands, and the files and requests that they make.
"""

from contextlib import ExitStack

import pytest

from tests.frozen import configs, model, steps
from tests.frozen.conftest import FROZEN
from tests.frozen.place import place, write
from tests.frozen.requests import shown
from tests.frozen.runs import RUNS
from tests.frozen.workflows import WORKFLOWS
from tests.servers import serve


@pytest.mark.parametrize("run", RUNS, ids=lambda run: run.name)
def test_a_command_does_what_it_did(run, frozen):
    with place() as here, ExitStack() as stack:
        here.environ |= run.environ
        write(here.project, run.files)
        stand_in = stack.enter_context(steps.github(here)) if run.github else None
        if stand_in:
            registries(here, stand_in)
        server = stack.enter_context(serve(model.answer)) if run.model else None
        if server:
            model.reached(here, server)
        here.type(*run.commands)
        if server:
            here.keep("requests.json", shown(server.seen))
        if stand_in:
            here.keep("requests.json", shown(each.request for each in stand_in.exchanges))

        frozen(run.name, here.pieces)


def registries(here, stand_in):
    """The two that a run with default settings looks for."""
    for name in ("agentevals-dev/evaluators", "OWNER/agentevals-action"):
        steps.offer(here, stand_in, name, configs.REGISTRY)
    here.environ["AGENTEVALS_API_URL"] = stand_in.url


@pytest.mark.parametrize("workflow", WORKFLOWS, ids=lambda workflow: workflow.name)
def test_the_action_does_what_it_did(workflow, frozen):
    with place() as here:
        steps.play(workflow, here)

        frozen(workflow.name, here.pieces)


def test_nothing_is_frozen_that_no_run_makes():
    names = [run.name for run in (*RUNS, *WORKFLOWS)]

    assert len(names) == len(set(names))
    assert sorted(path.name for path in FROZEN.iterdir()) == sorted(names)
