"""The files of the agent, as a config of any dialect lists them.

Our own config has the key `agent`. Files of other systems say it under `x-agentevals`, which those
systems ignore.
"""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from agentevals.configs.plan import Overrides, Texts
from agentevals.files.agent_files import AgentFiles
from agentevals.files.document_places import describe, quote
from agentevals.files.documents import Document
from agentevals.files.named_files import contains
from agentevals.files.pydantic_mistakes import Where, validate
from agentevals.model.errors import Problem
from agentevals.model.results import Finding, Severity

KEY = "agent"
EXTENSION = "x-agentevals"
_RULE = "agent-file-missing"


class _Extension(BaseModel):
    """Our settings in a file of another system."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    agent: Texts = Field(default=[])
    strict: bool = False
    grants: dict[str, Any] = Field(default={}, description="See `configs.dialects`")


@dataclass
class AgentList:
    """The files that a config lists, and what is wrong with the list."""

    files: AgentFiles | None = None
    problems: list[Problem] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)


def read_list(document: Document, overrides: Overrides, *, ours: bool) -> AgentList:
    """Return the list of our own config, whose other settings say what is wrong with its type.

    In a file of another system it is below `x-agentevals`.
    """
    value = document.value if isinstance(document.value, dict) else {}
    if not ours:
        return _read_extension(document, overrides, value.get(EXTENSION))
    given = value.get(KEY)
    texts = [given] if isinstance(given, str) else given
    if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
        return AgentList()
    return _check(document, overrides, texts, (KEY,))


def _read_extension(document: Document, overrides: Overrides, given: object) -> AgentList:
    if given is None:
        return AgentList()
    if not isinstance(given, dict):
        message = f"{EXTENSION!r} must be a mapping, not {describe(given)}"
        return AgentList(problems=[document.problem(message, (EXTENSION,))])
    made, problems = validate(_Extension, given, document, (EXTENSION,))
    if made is None:
        return AgentList(problems=problems)
    return _check(document, overrides, made.agent, (EXTENSION, KEY))


def _check(document: Document, overrides: Overrides, texts: list[str], where: Where) -> AgentList:
    folder = document.path.absolute().parent
    files = AgentFiles(folder, tuple(texts))
    found = AgentList(files if texts else None)
    for at, text in enumerate(texts):
        if not contains(overrides.root, folder / text.removeprefix("!")):
            message = f"{quote(text)} leads out of the workspace; use a file in it"
            found.problems.append(document.problem(message, (*where, at)))
    if not texts or found.problems or not overrides.has_agent:
        return found
    if files.is_empty():
        message = f"{KEY!r} matches no file{_suggest(files, texts, overrides)}"
        found.problems.append(document.problem(message, where))
        return found
    for at, text in enumerate(texts):
        one = files.select(text)
        if not text.startswith("!") and one.is_empty():
            message = f"{quote(text)} in {KEY!r} matches no file, so that no change of it counts"
            message += _suggest(one, [text], overrides)
            placed = document.finding(_RULE, message, (*where, at), Severity.WARNING)
            found.findings.append(placed)
    return found


def _suggest(files: AgentFiles, texts: list[str], overrides: Overrides) -> str:
    """Say what to do about patterns that match nothing: the first one that has a near name."""
    wanted = [text for text in texts if not text.startswith("!")]
    if not wanted:
        return "; '!' only excludes files, so name the files of the agent too"
    if not AgentFiles(files.folder, tuple(wanted)).is_empty():
        return ", because '!' excludes all of them"
    top = overrides.root or Path.cwd()
    near = next(filter(None, (files.find_near(text, top) for text in wanted)), "")
    return f" (did you mean {quote(near)}?)" if near else " (paths are relative to this file)"
