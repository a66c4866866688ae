"""`syntax`: programs can be read by their interpreter, and read what they are to judge."""

from collections.abc import Iterator
from functools import lru_cache

from agentevals.model.errors import Problem
from agentevals.model.results import Severity
from registry_tools.manifests.entry import Entry
from registry_tools.manifests.finding import Finding, Rule, make_note
from registry_tools.manifests.registry import Registry
from registry_tools.manifests.validators.programs import SCRIPTS, check_python, check_scripts

RULE = Rule(
    id="syntax",
    severity=Severity.ERROR,
    title="Programs can be read, and read what they are to judge",
    why="A program with a mistake in its syntax fails for everybody, and one that never reads its "
    "input judges nothing. It is only parsed for this, and never run.",
    bad="def politeness(input):\n    return EvalResult(score=1.0\n",
    good="@evaluator\ndef politeness(input: EvalInput) -> EvalResult:\n"
    "    return EvalResult(score=1.0)\n",
)
_LARGEST = 1 << 20


def check(entry: Entry, registry: Registry) -> Iterator[Finding]:
    for file in entry.files:
        if file.endswith(".py"):
            yield from _check_python(entry, file)
        elif file.endswith(SCRIPTS):
            yield from _check_script(entry, registry, file)


def _check_python(entry: Entry, file: str) -> Iterator[Finding]:
    try:
        content = entry.read_bytes(file, _LARGEST)
    except OSError:
        return  # what cannot be read is what the rule `files` is about
    problem = check_python(content, is_main=file == entry.get_text("entrypoint"))
    if problem:
        yield entry.report_in(file, RULE, problem.message, problem.at)


def _check_script(entry: Entry, registry: Registry, file: str) -> Iterator[Finding]:
    problems = _check_all_scripts(registry)
    if problems is None:
        message = "the syntax was not checked, because there is no Node here that can"
        yield make_note(entry.report_in(file, RULE, message))
        return
    problem = problems.get(f"{entry.folder}/{file}")
    if problem:
        yield entry.report_in(file, RULE, problem.message, problem.at)


@lru_cache(maxsize=1)
def _check_all_scripts(registry: Registry) -> dict[str, Problem] | None:
    """Starting Node takes longer than parsing, so it gets all programs at once."""
    return check_scripts(
        {
            f"{entry.folder}/{file}": entry.read_bytes(file, _LARGEST).decode(errors="replace")
            for entry in registry.chosen
            for file in entry.files
            if file.endswith(SCRIPTS)
        }
    )
