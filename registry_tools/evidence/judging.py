"""The judge that an evaluator of a registry may ask while it is measured."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

from agentevals.graders.programs import judge_proxy
from agentevals.judge import Judge
from registry_tools.manifests.entry import Entry
from registry_tools.smoke.program import Grants

_MOST = 1_000_000  # questions; a budget of the judge may allow less


def asks_judge(entry: Entry) -> bool:
    """Return whether its manifest asks for the judge."""
    return entry.manifest is not None and entry.manifest.capabilities.judge


@contextmanager
def lend(entry: Entry, judge: Judge | None, given: Grants) -> Iterator[Grants]:
    """Grant the judge to an evaluator that asks for it, beside what it is given anyway.

    The first failure of the judge is raised in the end: what was counted is then of no use.
    """
    if judge is None or not asks_judge(entry):
        yield given
        return
    with judge_proxy.serve(judge, _MOST) as access:
        environment = (*given.environment, *access.env.items())
        yield replace(given, environment=environment, judge_port=access.port)
        access.check(entry.name)
