"""Grants in files of other systems, which have no keys for them: under `x-agentevals`, by name.

`x-agentevals: {grants: {my_metric: {env: [API_KEY]}}}` says for one evaluator what an entry of our
own config says beside its other settings.
"""

from collections.abc import Iterator
from typing import Any

from pydantic import ConfigDict

from agentevals.configs.agents import EXTENSION
from agentevals.configs.building import Builder
from agentevals.configs.plan import Overrides, Plan
from agentevals.files.documents import Document, Paths
from agentevals.files.places import describe, quote
from agentevals.files.validation import validate
from agentevals.graders.grader import Grader
from agentevals.graders.programs import ThirdPartyGrader
from agentevals.graders.programs.grants import Grants
from agentevals.model.errors import ConfigError, Problem
from agentevals.model.plugins import suggestion

_KEY = "grants"


class _Entry(Grants):
    """The grants of one evaluator."""

    model_config = ConfigDict(frozen=True, extra="forbid")


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
