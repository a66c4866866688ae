"""`syntax`: programs can be read by their interpreter, and read what they are to judge."""

from collections.abc import Iterator

from agentevals.model.results import Severity
from registry_tools.manifests.entry import Entry
from registry_tools.manifests.finding import Finding, Rule, as_note
from registry_tools.manifests.registry import Registry
from registry_tools.manifests.validators import scripts, snakes

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
            yield from _python(entry, file)
        elif file.endswith(scripts.ENDINGS):
            yield from _script(entry, registry, file)


def _python(entry: Entry, file: str) -> Iterator[Finding]:
    try:
        content = entry.bytes_of(file, _LARGEST)
    except OSError:
        return  # what cannot be read is what the rule `files` is about
    message, at = snakes.mistake(content, is_main=file == entry.text("entrypoint"))
    if message:
        yield entry.finding_in(file, RULE, message, at)


def _script(entry: Entry, registry: Registry, file: str) -> Iterator[Finding]:
    mistakes = scripts.mistakes(registry)
    if mistakes is None:
        message = "the syntax was not checked, because there is no Node here that can"
        yield as_note(entry.finding_in(file, RULE, message))
        return
    found = mistakes.get(f"{entry.folder}/{file}")
    if found:
        yield entry.finding_in(file, RULE, *found)
