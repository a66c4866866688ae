"""Config formats. To add one: write a module with what `Dialect` has, then list it here.

A config is recognised by its content. After this nobody knows which format it had.

Files of other systems have no keys for grants. `x-agentevals: {grants: {my_metric: {env: [KEY]}}}`
says for one evaluator what an entry of our own config says beside its other settings.
"""

from collections.abc import Iterator
from dataclasses import replace
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Protocol

from pydantic import ConfigDict

from agentevals.configs import config_agent, config_problems
from agentevals.configs.config_agent import EXTENSION, AgentList
from agentevals.configs.config_graders import Builder
from agentevals.configs.plan import Overrides, Plan
from agentevals.files import documents
from agentevals.files.agent_files import AgentFiles
from agentevals.files.document_places import Key, describe, quote
from agentevals.files.documents import Document, Paths
from agentevals.files.pydantic_mistakes import validate
from agentevals.graders.grader import Grader, Services
from agentevals.graders.programs import ThirdPartyGrader
from agentevals.graders.programs.program_grants import Grants
from agentevals.model.errors import ConfigError, Problem
from agentevals.model.plugins import Table, suggestion
from agentevals.model.results import Finding

_KEY = "grants"


class Dialect(Protocol):
    """A dialect module provides this."""

    KEYS: tuple[str, ...]  # top-level keys that a config of this kind has

    def matches(self, document: Document) -> bool:
        """Return whether this is a config of that kind, right or wrong."""
        ...

    def plan(self, document: Document | None, overrides: Overrides) -> Plan:
        """Compile the config, or raise a ConfigError with everything that is wrong with it."""
        ...

    def locate(self, document: Document, name: str) -> tuple[Key, ...]:
        """Return the path of the evaluator of that name."""
        ...


_OURS = "agentevals"
DIALECTS: Table[Dialect] = Table(
    "config format",
    {
        "agentv": "agentevals.configs.dialects.agentv",
        "agentevals": "agentevals.configs.dialects.agentevals",
        "adk": "agentevals.configs.dialects.adk",
        "uipath": "agentevals.configs.dialects.uipath",
    },
    group="agentevals.dialects",
)


def compile_plan(config: Path | None, overrides: Overrides | None = None) -> Plan:
    """Compile a config, with what the command line changes about it."""
    overrides = overrides or Overrides()
    if config is None:
        return DIALECTS[_OURS].plan(None, overrides)
    document = documents.read(config)
    listed = _find_agent(document, overrides)
    try:
        plan = _choose_dialect(document).plan(document, overrides)
    except ConfigError as error:
        raise _sort([*error.problems, *listed.problems], config) from error
    if listed.problems:
        raise ConfigError(listed.problems)
    if _recognise(document) != _OURS:
        plan = add_grants(plan, _find_holder(document, overrides), overrides)
    return replace(plan, agent=listed.files, findings=(*plan.findings, *listed.findings))


def find_agent(config: Path) -> AgentFiles | None:
    """Return the files of the agent that a config lists. Other mistakes in it do not matter."""
    listed = _find_agent(documents.read(config), Overrides())
    if listed.problems:
        raise ConfigError(listed.problems)
    return listed.files


def _find_agent(document: Document, overrides: Overrides) -> AgentList:
    holder = _find_holder(document, overrides)
    return config_agent.read_list(holder, overrides, ours=_recognise(document) == _OURS)


def _find_holder(document: Document, overrides: Overrides) -> Document:
    """Return the file that has our own settings under `x-agentevals`."""
    find_settings = getattr(_choose_dialect(document), "find_settings", None)
    holder: Document = find_settings(document, overrides.root) if find_settings else document
    return holder


def _sort(problems: list[Problem], config: Path) -> ConfigError:
    """Return all problems: those of the config come first, each file's from top to bottom."""
    own = str(config)
    return ConfigError(
        sorted(problems, key=lambda p: (p.path != own, p.path, p.line or 0, p.column or 0))
    )


def find_problems(config: Path, plan: Plan) -> Iterator[Problem]:
    """Find what keeps the evaluators of a plan from running, at their places in the config.

    A run finds the same, case by case: an evaluator that is wrong costs its own results.
    """
    document = documents.read(config)
    dialect = _choose_dialect(document)
    yield from config_problems.find_problems(plan.outer_graders, document, dialect.locate)
    if not hasattr(dialect, "inspect"):
        services = Services()
        yield from config_problems.inspect(plan.outer_graders, document, dialect.locate, services)


def inspect(config: Path | None, plan: Plan, *, isolation: str | None = None) -> Plan:
    """Return the plan with what shows once third-party code is loaded, which the sandbox does.

    Nothing is granted to the code. Raise a ConfigError where code of the user cannot judge.
    """
    if config is None:
        return plan
    document = documents.read(config)
    own = getattr(_choose_dialect(document), "inspect", None)
    if own is None:
        return plan
    try:
        inspected: Plan = own(document, plan, Services(isolation=isolation))
    except ConfigError as error:
        raise _sort(list(error.problems), config) from error
    return inspected


def find_remarks(config: Path) -> Iterator[Finding]:
    """Return what the dialect remarks about a config without mistakes."""
    document = documents.read(config)
    remarks = getattr(_choose_dialect(document), "remarks", None)
    if remarks is not None:
        yield from remarks(document)


def find_line(config: Path, evaluator: str) -> int:
    """Return the line of the config in which an evaluator stands, or 1 where nobody knows."""
    document = documents.read(config)
    return document.place(_choose_dialect(document).locate(document, evaluator))[0]


def recognise(config: Path) -> str:
    """Return the name of the dialect that a config is written in."""
    return _recognise(documents.read(config))


def _choose_dialect(document: Document) -> Dialect:
    return DIALECTS[_recognise(document)]


def _recognise(document: Document) -> str:
    for name in DIALECTS:
        if DIALECTS[name].matches(document):
            return name
    raise ConfigError([_refuse_unknown(document)])


def _refuse_unknown(document: Document) -> Problem:
    value = document.value
    if not isinstance(value, dict):
        what = "nothing" if value is None else describe(value)
        return document.problem(f"a config is a mapping with 'evaluators', not {what}")
    known = [key for name in DIALECTS for key in DIALECTS[name].KEYS]
    for key in value:
        near = get_close_matches(key, known, n=1, cutoff=0.8)
        if near:
            message = f"unknown key {quote(key)} (did you mean {near[0]!r}?)"
            return document.problem(message, (key,), key=True)
    looked_for = " or ".join(quote(DIALECTS[name].KEYS[0]) for name in DIALECTS)
    found = ", ".join(quote(key) for key in list(value)[:5]) or "no key"
    message = f"this is no config: it has {found}, but not {looked_for}"
    return document.problem(message)


class _Entry(Grants):
    """The grants of one evaluator."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)


def add_grants(plan: Plan, document: Document, overrides: Overrides) -> Plan:
    """Return the plan with the grants of its file, or raise a ConfigError."""
    settings = document.value.get(EXTENSION) if isinstance(document.value, dict) else None
    given = settings.get(_KEY) if isinstance(settings, dict) else None
    if not isinstance(given, dict) or not given:
        return plan
    programs = {g.name for g in plan.all_graders if isinstance(g, ThirdPartyGrader)}
    problems = list(_find_strangers(given, programs, document))
    builder = Builder(document, Paths(document, overrides.root), lambda _entry, _where: None)
    granted: dict[str, Grants] = {}
    for name, entry in given.items():
        where = (EXTENSION, _KEY, name)
        if not isinstance(entry, dict):
            message = f"{quote(name)} must be a mapping, not {describe(entry)}"
            problems.append(document.problem(message, where))
            continue
        made, wrong = validate(_Entry, builder.prepare(_Entry, entry, where), document, where)
        problems += wrong
        granted |= {name: made} if made else {}
    if problems or builder.problems:
        raise ConfigError([*problems, *builder.problems])
    return plan.change_graders(lambda grader: _grant(grader, granted))


def _find_strangers(
    given: dict[str, Any], programs: set[str], document: Document
) -> Iterator[Problem]:
    for name in given:
        if name not in programs:
            near = suggestion(name, sorted(programs))
            message = f"no evaluator that is a program is called {quote(name)}{near}"
            yield document.problem(message, (EXTENSION, _KEY, name), key=True)


def _grant(grader: Grader, granted: dict[str, Grants]) -> Grader:
    found = granted.get(grader.name) if isinstance(grader, ThirdPartyGrader) else None
    named = found.model_fields_set if found else ()
    return grader.model_copy(update={key: getattr(found, key) for key in named})
