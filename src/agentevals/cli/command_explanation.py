"""The explanation of one case, for each command that shows one."""

from pathlib import Path

from agentevals.cli import command_reports
from agentevals.graders import GRADERS
from agentevals.model.completeness import Fact
from agentevals.model.errors import InputError
from agentevals.report import explanation
from agentevals.text.terminal import plain


def explain(path: Path, case: str, config: str = "") -> list[explanation.Explained]:
    """Explain a case of a report. Every complaint begins with the file."""
    found = command_reports.read_run(path)
    try:
        return explanation.explain(found, case, config=config, judges_by=_list_facts)
    except InputError as error:
        msg = f"{plain(str(path))}: {error}"
        raise InputError(msg) from None


def _list_facts(name: str) -> tuple[Fact, ...]:
    """Return the facts that a type of ours judges by, where its settings do not decide that."""
    facts = GRADERS[name].judges_by if name in GRADERS.ours else frozenset()
    return tuple(fact for fact in Fact if fact in facts)
