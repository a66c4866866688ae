"""The folder `.agentv`: `targets.yaml` with language models by name, and own types of evaluators.

Models judge; their keys stay in the environment. The programs in `assertions` are named after
their types.
"""

import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from agentevals.configs.dialects.agentv import eval_file_variables
from agentevals.configs.dialects.agentv.eval_file_keys import Execution, Suite
from agentevals.configs.dialects.agentv.eval_file_omissions import locate
from agentevals.configs.dialects.agentv.eval_file_parts import Sheet, find_upward
from agentevals.configs.plan import Plan
from agentevals.files import documents, named_files
from agentevals.files.document_places import quote
from agentevals.files.documents import Document
from agentevals.files.project_paths import find_project
from agentevals.files.pydantic_mistakes import Where
from agentevals.graders.grader import Grader
from agentevals.judge import JudgeSettings
from agentevals.model.errors import ConfigError
from agentevals.model.plugins import suggestion
from agentevals.model.results import Severity

_FILE = ".agentv/targets.yaml"
_DEFAULT = "default"
_NAMES = ("name", "id")
_LIST, _CONFIG, _KEY = "targets", "config", "api_key"
_VARIABLE = re.compile(
    r"\s*\$\{\{\s*([A-Za-z_]\w*)\s*\}\}\s*|\s*\{\{\s*env\.([A-Za-z_]\w*)\s*\}\}\s*"
)
_ELSEWHERE = ("use_target", "grader_target", "judge_target")
_HOPS = 4
_ADDRESSES = {
    "openai": None,
    "anthropic": None,
    "azure": None,
    "openrouter": "https://openrouter.ai/api/v1",
    "gemini": "https://generativelanguage.googleapis.com/v1beta/openai",
}
_MODELS = ("model", "deployment", "deployment_name")
_PLACES = ("base_url", "endpoint", "resource_name", "resource")
_FILE_NAME = re.compile(r"[\w][\w.-]*", re.ASCII)
_STARTED_BY = {"py": "python3", "ts": "node", "mts": "node", "js": "node", "mjs": "node"}


def find_judge(
    sheet: Sheet, suite: Suite, execution: Execution, plan: Plan
) -> JudgeSettings | None:
    """Return the judge, and the others by name; None if nobody asks, or no target is named."""
    settings, judged = suite.judge, [grader for grader in plan.outer_graders if grader.judged]
    graders = plan.all_graders
    known = settings.targets if settings else {}
    wanted = dict.fromkeys(
        name for one in graders if (name := _get_target(one)) and name not in known
    )
    if not wanted and (settings is not None or not judged):
        return settings
    targets = _Targets(sheet)
    found = {name: made for name in wanted if (made := targets.find(name))}
    for grader in graders:
        name = _get_target(grader)
        if name in wanted and name not in found:
            sheet.refuse(targets.refusal(grader, str(name)), locate(sheet.document, grader.name))
    if settings is None:
        # the target that judges, else that of the agent: it names its judge
        named = (
            (execution.grader_target, ()),
            (execution.judge_target, ()),
            (execution.target, ("execution", "target")),
            (suite.target, ("target",)),
        )
        usual = next((targets.name(one, where) for one, where in named if one), _DEFAULT)
        settings = targets.default(usual, told=any(not _get_target(one) for one in judged))
    if not found:
        return settings
    every = dict(settings.targets) if settings else {}
    base = settings.model_dump(exclude_unset=True) if settings else {}
    return JudgeSettings(**{**base, "targets": every | found})


def _get_target(grader: Grader) -> str | None:
    given = getattr(grader, "target", None)
    return given if isinstance(given, str) and given else None


class _Targets:
    def __init__(self, sheet: Sheet) -> None:
        self._sheet = sheet
        self._why: dict[str, str] = {}
        self._places: dict[str, tuple[Document, Where]] = {}
        path = find_upward(sheet.folder, _FILE, sheet.shared.root)
        self._document = self._read(path) if path else None
        self._entries = dict(self._list_entries())

    def name(self, target: str | dict[str, Any], where: Where) -> str:
        """Return the name of a target. One that is written out stands on another, or is new."""
        if isinstance(target, str):
            return target
        entry = _read_entry(target)
        name = next((str(entry[key]) for key in _NAMES if entry.get(key)), _DEFAULT)
        other = entry.get("extends")
        self._entries.setdefault(name, {"use_target": other} if other else entry)
        self._places.setdefault(name, (self._sheet.document, where))
        return name

    def find(self, name: str) -> dict[str, Any] | None:
        """Return the settings of a judge; None where it cannot be one: `refusal` says why."""
        entry = self._entries.get(name)
        if entry is None:
            return None
        provider = str(entry.get("provider") or "").lower()
        if provider not in _ADDRESSES:
            self._why[name] = (
                f"the target {quote(name)} is of provider {quote(provider)}, which cannot "
                f"judge here; use one of {', '.join(sorted(_ADDRESSES))}"
            )
            return None
        made = self._settings(name, entry, provider)
        try:
            JudgeSettings(**made)
        except ValidationError as error:
            said = "; ".join(str(e.get("ctx", {}).get("error", e["msg"])) for e in error.errors())
            self._why[name] = f"the target {quote(name)}: {said}"
            return None
        return made

    def refusal(self, grader: Grader, name: str) -> str:
        about = f"evaluator {quote(grader.name)}: "
        if name in self._why:
            return f"{about}{self._why[name]}"
        known = suggestion(name, list(self._entries)) if self._entries else ""
        remedy = f"describe it in {_FILE}, or under 'targets' in 'judge'"
        return f"{about}there is no target {quote(name)}{known}; {remedy}"

    def default(self, name: str, *, told: bool) -> JudgeSettings | None:
        start = name
        for _ in range(_HOPS):
            entry = self._entries.get(name, {})
            other = next((entry[key] for key in _ELSEWHERE if entry.get(key)), None)
            if not isinstance(other, str):
                break
            name = self._fill(other)
        made = self.find(name)
        if made is None and told and name in self._why:
            message = f"{self._why[name]}; name a judge as 'grader_target' of {quote(start)}"
            self._sheet.note("no-judge", message, (), Severity.WARNING)
        return JudgeSettings(**made) if made else None

    def _settings(self, name: str, entry: Mapping[str, Any], provider: str) -> dict[str, Any]:
        model = next((entry[key] for key in _MODELS if entry.get(key)), None)
        made = {
            "provider": "anthropic" if provider == "anthropic" else "openai",
            "model": self._fill(model) if isinstance(model, str) else None,
            "base_url": self._address(entry, provider),
            "api_key_env": self._key(name, entry),
            "temperature": entry.get("temperature"),
        }
        return {key: value for key, value in made.items() if value is not None}

    def _address(self, entry: Mapping[str, Any], provider: str) -> str | None:
        given = next((entry[key] for key in _PLACES if entry.get(key)), None)
        if not isinstance(given, str):
            return _ADDRESSES[provider]
        place = self._fill(given).rstrip("/")
        if provider != "azure":
            return place
        whole = place if "://" in place else f"https://{place}.openai.azure.com"
        return whole if whole.endswith("/openai/v1") else f"{whole}/openai/v1"

    def _key(self, name: str, entry: Mapping[str, Any]) -> str | None:
        """Return the variable that holds the key. A key that is written out is refused."""
        if (given := entry.get(_KEY)) is None:
            return None
        if isinstance(given, str) and (found := _VARIABLE.fullmatch(given)):
            return found[1] or found[2]
        message = (
            f"the target {quote(name)} holds a key; keep it in the environment, and write "
            "'api_key: ${{ NAME_OF_THE_VARIABLE }}'"
        )
        document, where = self._places[name]
        self._sheet.shared.problems.append(document.problem(message, where))
        return None

    def _fill(self, text: str) -> str:
        """Fill in variables of the environment; a text with a missing or secret one is empty."""
        made: str = eval_file_variables.Environment(
            os.environ, _ignore, _ignore, eval_file_variables.Room()
        ).fill(text)
        return "" if eval_file_variables.is_open(made) else made

    def _read(self, path: Path) -> Document | None:
        self._sheet.shared.sources.append(path)
        try:
            document = documents.read(path)
        except ConfigError as error:
            self._sheet.shared.problems += error.problems
            return None
        value = document.value
        if not isinstance(value.get(_LIST) if isinstance(value, dict) else value, list):
            problem = document.problem("'targets' must be a list of targets, each with a 'name'")
            self._sheet.shared.problems.append(problem)
            return None
        return document

    def _list_entries(self) -> Iterator[tuple[str, Mapping[str, Any]]]:
        if self._document is None:
            return
        for where, given in _find_targets(self._document):
            entry = _read_entry(given)
            name = next((entry[key] for key in _NAMES if key in entry), None)
            if isinstance(name, str) and name.isprintable():
                way = (_KEY,) if _KEY in given else (_CONFIG, _KEY)
                self._places[name] = (self._document, (*where, *way))
                yield name, entry


def _find_targets(document: Document) -> Iterator[tuple[Where, dict[str, Any]]]:
    """Yield the targets of a file: it is the list of them, or has it."""
    value: Any = document.value
    where: Where = ()
    if isinstance(value, dict):
        value, where = value.get(_LIST), (_LIST,)
    for at, one in enumerate(value if isinstance(value, list) else ()):
        if isinstance(one, dict):
            yield (*where, at), one


def _read_entry(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return a target with what 5.x has in its `config`."""
    inner = given.get(_CONFIG)
    return {**given, **(inner if isinstance(inner, dict) else {})}


def _ignore(_name: str, _where: object) -> None:
    """Ignore a missing variable: the address or the model is refused later."""


def find_program(sheet: Sheet, given: str, where: Where) -> tuple[str, Path] | None:
    """Return what starts the program of a type, and its file; None if there is none."""
    if not _FILE_NAME.fullmatch(given):
        return None
    for suffix, starter in _STARTED_BY.items():
        name = f".agentv/assertions/{given}.{suffix}"
        if found := find_upward(sheet.folder, name, sheet.shared.root):
            _keep_inside(sheet, given, found.absolute(), where)
            return starter, found
    return None


def _keep_inside(sheet: Sheet, given: str, program: Path, where: Where) -> None:
    """Refuse a program that the sandbox would not let anybody read."""
    project = find_project(sheet.folder)
    if not named_files.contains(project, program):
        message = (
            f"the program of the type {quote(given)}, '{program}', lies outside of the project "
            f"'{project}'; run this in '{program.parents[2]}', or make that a git repository"
        )
        sheet.refuse(message, where)
