"""The EVAL files of AgentV and AgentEvals: `tests:` with what is asked, and who judges."""

from collections.abc import Iterator
from typing import Any

from agentevals.configs.dialects.agentevals import top
from agentevals.configs.plan import Overrides, Plan
from agentevals.files.documents import Document
from agentevals.files.places import Key
from agentevals.model.plugins import Table
from agentevals.model.results import Finding

KEYS = ("tests", "cases", "eval_cases", "evalcases", "assertions", "assert")

_OF_TESTS = frozenset(KEYS[:4])
_BESIDE = frozenset({"assertions", "assert", "execution", "dataset", "suite", "workspace"})
_OF_A_LINE = frozenset(
    {*KEYS, "criteria", "expected_outcome", "input", "input_messages", "rubrics"}
)
_OF_ADK = frozenset({"eval_set_id", "evalSetId", "eval_id", "evalId"})

# most runs have another kind of config, and do not wait for what reads this one
_PARTS: Table[Any] = Table(
    "part",
    {
        "places": "agentevals.configs.dialects.agentv.places",
        "reading": "agentevals.configs.dialects.agentv.reading",
        "omissions": "agentevals.configs.dialects.agentv.omissions",
    },
)


def matches(document: Document) -> bool:
    """Whether there are tests, or what only stands beside tests."""
    value = document.value
    if isinstance(value, dict):
        return not value.keys() & _OF_ADK and (
            bool(value.keys() & _OF_TESTS)
            or (bool(value.keys() & _BESIDE) and not value.keys() & set(top.LISTS))
        )
    return document.lines and isinstance(value, list) and any(map(_is_test, value))


def plan(document: Document, overrides: Overrides) -> Plan:
    """What the file and the command line ask for."""
    made: Plan = _PARTS["reading"].plan(document, overrides)
    return made


def locate(document: Document, name: str) -> tuple[Key, ...]:
    """The path of the first evaluator of that name."""
    found: tuple[Key, ...] = _PARTS["places"].locate(document, name)
    return found


def remarks(document: Document) -> Iterator[Finding]:
    """What runs here, though AgentV itself would leave it out without a word."""
    yield from _PARTS["omissions"].of_agentv(document)


def _is_test(record: Any) -> bool:
    return (
        isinstance(record, dict)
        and not record.keys() & _OF_ADK
        and bool(record.keys() & _OF_A_LINE)
    )
