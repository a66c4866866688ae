import asyncio
import subprocess
import sys

import pytest

from agentevals.evaluator.sources import (
    SOURCES,
    BuiltinEvaluatorSource,
    EvaluatorSource,
    get_sources,
    register_source,
)
from agentevals.graders import BUILTINS
from agentevals.model.builtins import EVALUATORS
from agentevals.model.errors import InputError
from tests.support import EXAMPLES


def run(coroutine):
    return asyncio.run(coroutine)


def test_builtins_are_all_listed_with_a_sentence():
    listed = run(BuiltinEvaluatorSource().list_evaluators())

    assert {info.name for info in listed} == set(BUILTINS)
    assert all(EVALUATORS[info.name].description == info.description != "" for info in listed)


def test_a_builtin_is_not_fetched(tmp_path):
    with pytest.raises(InputError, match="use its name with type: builtin"):
        run(BuiltinEvaluatorSource().fetch_evaluator("safety_v1", tmp_path / "b.py"))


class Mine(EvaluatorSource):
    @property
    def source_name(self):
        return "mine"

    async def list_evaluators(self):
        return []

    async def fetch_evaluator(self, ref, dest):
        return dest


def test_a_registered_source_is_seen_at_once():
    before = [source.source_name for source in get_sources()]
    register_source(Mine())

    assert before[:4] == ["builtin", "github", "https", "file"]
    assert [source.source_name for source in get_sources()] == [*before, "mine"]


@pytest.mark.parametrize("name", SOURCES.ours)
def test_a_source_has_the_name_under_which_it_is_listed(name):
    assert SOURCES[name]().source_name == name


@pytest.mark.parametrize("name", ["https", "file"])
def test_a_source_that_nobody_has_set_up_says_what_it_needs(name):
    assert f"source '{name}' needs" in SOURCES[name]().problem


LOADED = """
import sys
from agentevals.cli import main
try:
    main()
finally:
    print([name for name in sys.modules if name.startswith("agentevals.evaluator.")
           or name in ("agentevals.web", "requests", "asyncio")], file=sys.stderr)
"""


def test_a_run_without_remote_evaluators_loads_nothing_of_this():
    words = ["run", str(EXAMPLES / "traces" / "paris.jsonl"), "-m", "tool_call_count_v1"]
    done = subprocess.run(
        [sys.executable, "-c", LOADED, *words], capture_output=True, text=True, check=False
    )

    assert done.stderr.splitlines()[-1] == "[]"
