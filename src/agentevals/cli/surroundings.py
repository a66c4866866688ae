"""Look for recordings and eval sets that a first config can start from."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from agentevals.configs import eval_sets
from agentevals.model.errors import AgentEvalsError
from agentevals.traces import loaders, performance
from agentevals.traces import turns as conversations

_FOLDERS = ("traces", "*/traces")
_EVAL_SETS = ("*eval_set*.json*", "*evalset*.json*", "*/*eval_set*.json*", "*/*evalset*.json*")
_IGNORED = {"node_modules", "site-packages", "venv"}
_LOOKED_AT = 50  # files of a kind; a project has few, and somebody waits


@dataclass
class Surroundings:
    """The recordings and eval sets that a config can use."""

    traces: list[Path] = field(default_factory=list)
    eval_set: Path | None = None
    cases: int = 0
    conversations: int = 0
    tools: set[str] = field(default_factory=set)
    models: set[str] = field(default_factory=set)
    most_tokens: int = 0
    most_tool_calls: int = 0


def look(named: Sequence[Path], folder: Path) -> Surroundings:
    """The named traces, or those of the usual folders; and the first eval set that can be read."""
    found = Surroundings()
    for path in named or list(_find_matching(folder, _FOLDERS)):
        _add_traces(path, found)
    for path in _find_matching(folder, _EVAL_SETS):
        if _is_eval_set(path, found):
            break
    return found


def _find_matching(folder: Path, patterns: Sequence[str]) -> Iterator[Path]:
    """Only names that nothing but people choose: no hidden folders, no installed packages."""
    matches = (path for pattern in patterns for path in sorted(folder.glob(pattern)))
    for path in list(matches)[:_LOOKED_AT]:
        parts = path.relative_to(folder).parts
        if not any(part.startswith(".") or part in _IGNORED for part in parts):
            yield path


def _add_traces(path: Path, found: Surroundings) -> None:
    recordings = loaders.load([path])
    useful = False
    for conversation in conversations.converse(recordings.traces, group_by="conversation"):
        if not conversation.turns:
            continue
        useful = True
        measured = performance.measure(conversation.turns)
        found.conversations += 1
        found.tools.update(measured["tool_names"])
        found.models.update(measured["models"])
        found.most_tokens = max(found.most_tokens, measured["tokens"]["total"])
        found.most_tool_calls = max(found.most_tool_calls, measured["counts"]["tool_calls"])
    if useful:
        found.traces.append(path)


def _is_eval_set(path: Path, found: Surroundings) -> bool:
    try:
        expected = eval_sets.load(path)
    except AgentEvalsError:
        return False
    found.eval_set, found.cases = path, len(expected.cases)
    return bool(expected.cases)
