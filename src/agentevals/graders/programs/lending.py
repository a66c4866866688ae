"""The rights of a program for one run of it: those that are granted, and what is said of others."""

import os
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path, PurePath
from typing import TYPE_CHECKING

from agentevals.graders.grader import Services
from agentevals.graders.programs.grants import Grants, Target, list_surplus, narrow
from agentevals.model.cases import Grade
from agentevals.model.errors import EvaluatorError, InputError
from agentevals.model.plugins import Lazy
from agentevals.model.results import Finding, Severity
from agentevals.sandbox.rights import NOTHING, Rights
from agentevals.text.redaction import SHORTEST, Redactor

if TYPE_CHECKING:
    from agentevals.evaluator.manifest import Capabilities
    from agentevals.graders.programs import judge_proxy
    from agentevals.sandbox import hosts
else:  # most programs need neither an HTTP server nor addresses
    judge_proxy = Lazy("agentevals.graders.programs.judge_proxy")
    hosts = Lazy("agentevals.sandbox.hosts")

_RULE = "not-granted"
_ENDLESS = 1 << 30  # questions that a manifest may ask, which the config counts


@dataclass(frozen=True)
class Loan:
    """The rights of one run, the variables of ours that belong to them, and its judge."""

    rights: Rights
    env: dict[str, str]
    access: "judge_proxy.JudgeAccess | None" = None

    def check(self, name: str) -> None:
        """Raise why the judge did not answer, if it did not."""
        if self.access:
            self.access.check(name)

    def settle(self, grade: Grade, name: str) -> Grade:
        """Return the grade with what it has used."""
        self.check(name)
        return self.access.add_usage(grade) if self.access else grade


NO_LOAN = Loan(NOTHING, {})


@contextmanager
def lend(
    grants: Grants, services: Services, *, name: str, asked: "Capabilities | None" = None
) -> Iterator[Loan]:
    """Open what a program is granted, as far as its manifest asks for it."""
    if asked is not None:
        wanted = _convert(asked, grants)
        _note_difference(grants, wanted, services, name)
        grants = narrow(grants, wanted)
    with ExitStack() as opened:
        target = grants.asks_judge
        access = (
            opened.enter_context(judge_proxy.serve(services.judge, target.max_calls))
            if target
            else None
        )
        env = {n: v for n, v in access.env.items() if n not in grants.env} if access else {}
        rights = replace(_build_rights(grants, access, name), tree=services.tree)
        loan = Loan(rights, env, access)
        try:
            yield loan
        except EvaluatorError as error:
            hide_in_error(grants, error)
            raise
        finally:
            for host, why in loan.rights.refused.items():
                note(services, name, f"asked for {host}: {why}")


def hide_values(grants: Grants, text: str) -> str:
    """Return a text without the values of the variables that are granted."""
    values = list_values(grants.env)
    return Redactor(values)(text) if values else text


def hide_in_error(grants: Grants, error: EvaluatorError) -> None:
    """Take the values of the variables that are granted out of the text of an error."""
    error.args = (hide_values(grants, str(error)),)


def list_values(variables: Iterable[str]) -> list[str]:
    """Return the values of variables, as far as they can be told from other words."""
    values = (os.environ.get(name, "") for name in variables)
    return [value for value in values if len(value.strip()) >= SHORTEST]


def _build_rights(grants: Grants, access: "judge_proxy.JudgeAccess | None", name: str) -> Rights:
    missing = [variable for variable in grants.env if variable not in os.environ]
    if missing:
        msg = (
            f"evaluator {name!r}: 'env' grants {', '.join(missing)}, which is not set here; set "
            "it, or remove it from 'env'"
        )
        raise InputError(msg)
    named = grants.network if isinstance(grants.network, tuple) else ()
    return Rights(
        network=grants.network is True,
        hosts=tuple(map(hosts.Host.parse, named)) if named else (),
        served=(hosts.Host("127.0.0.1", access.port),) if access else (),
        env={variable: os.environ[variable] for variable in grants.env},
        files=grants.files,
        subprocess=grants.subprocess,
    )


def _convert(asked: "Capabilities", grants: Grants) -> Grants:
    """Return the request of a manifest as grants; its paths mean granted ones of the same end."""
    return Grants.model_construct(
        env=asked.environment,
        files=tuple(
            next((path for path in grants.files if _names(text, path)), Path(text))
            for text in asked.files
        ),
        network=tuple(str(hosts.Host.parse(host)) for host in asked.network),
        subprocess=asked.subprocess or None,
        judge=Target(max_calls=_ENDLESS) if asked.judge else False,
    )


def _names(text: str, path: Path) -> bool:
    parts = PurePath(text).parts
    return path.parts[-len(parts) :] == parts


def _note_difference(grants: Grants, wanted: Grants, services: Services, name: str) -> None:
    """Say what is asked for in vain, and what is granted in vain."""
    given = grants
    if grants.judge:  # how often is not for the manifest to say
        given = grants.model_copy(update={"judge": wanted.judge or grants.judge})
    for key in list_surplus(wanted, given):
        note(services, name, f"its manifest asks for `{key}`; add it to the evaluator to grant it")
    for key in list_surplus(given, wanted, lambda path: path.name):
        note(services, name, f"`{key}` has no effect: its manifest does not ask for it")


def note(services: Services, name: str, message: str) -> None:
    """Tell once for all cases what a config and a manifest do not agree on."""
    said = f"evaluator {name!r}: {message}"
    services.findings[said] = Finding(severity=Severity.WARNING, rule=_RULE, message=said)
