"""The EVAL files of AgentV and AgentEvals: `tests:` with what is asked, and who judges."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from agentevals.configs.plan import Overrides, Plan
from agentevals.files import documents
from agentevals.files.document_places import Key
from agentevals.files.documents import Document
from agentevals.files.named_files import contains, exists
from agentevals.model.errors import ConfigError
from agentevals.model.plugins import Lazy
from agentevals.model.results import Finding

# most runs have another kind of config, and do not wait for the import of these
if TYPE_CHECKING:
    from agentevals.configs.dialects.agentv import eval_file_omissions, eval_file_plan
else:
    eval_file_omissions = Lazy("agentevals.configs.dialects.agentv.eval_file_omissions")
    eval_file_plan = Lazy("agentevals.configs.dialects.agentv.eval_file_plan")

KEYS = ("tests", "cases", "eval_cases", "evalcases", "assertions", "assert")

_OF_TESTS = frozenset(KEYS[:4])
_BESIDE = frozenset({"assertions", "assert", "execution", "dataset", "suite", "workspace"})
_OF_A_LINE = frozenset(
    {*KEYS, "criteria", "expected_outcome", "input", "input_messages", "rubrics"}
)
_SIDECARS = (".yaml", ".yml")
_OF_OTHERS = frozenset({"evaluators", "metrics"})
_OF_ADK = frozenset({"eval_set_id", "evalSetId", "eval_id", "evalId"})


def matches(document: Document) -> bool:
    """Return whether there are tests, or keys that only stand beside tests."""
    value = document.value
    if isinstance(value, dict):
        return not value.keys() & _OF_ADK and (
            bool(value.keys() & _OF_TESTS)
            or (bool(value.keys() & _BESIDE) and not value.keys() & _OF_OTHERS)
        )
    return document.lines and isinstance(value, list) and any(map(_is_test, value))


def find_sidecar(document: Document, root: Path | None) -> Path | None:
    """Return the file of the same name that holds for all lines of a JSONL file."""
    paths = map(document.path.with_suffix, _SIDECARS if document.lines else ())
    return next((path for path in paths if exists(path) and contains(root, path)), None)


def find_settings(document: Document, root: Path | None) -> Document:
    """Return the document that holds for all tests."""
    path = find_sidecar(document, root)
    try:
        return documents.read(path) if path else document
    except ConfigError:  # which the plan collects, with all others
        return document


def plan(document: Document, overrides: Overrides) -> Plan:
    """Compile the file; the command line wins."""
    return eval_file_plan.plan(document, overrides)


def locate(document: Document, name: str) -> tuple[Key, ...]:
    """Return the path of the first evaluator of that name."""
    return eval_file_omissions.locate(document, name)


def remarks(document: Document) -> Iterator[Finding]:
    """Note what runs here, although AgentV itself skips it without a message."""
    yield from eval_file_omissions.find_omissions(document)


def _is_test(record: Any) -> bool:
    return (
        isinstance(record, dict)
        and not record.keys() & _OF_ADK
        and bool(record.keys() & _OF_A_LINE)
    )
