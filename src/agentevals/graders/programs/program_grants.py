"""The rights that a config grants to a program: their keys, and what one run of it gets of them."""

import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from agentevals.graders.grader import Services
from agentevals.model.cases import Grade
from agentevals.model.errors import EvaluatorError, InputError
from agentevals.model.plugins import Lazy
from agentevals.model.results import Finding, Severity
from agentevals.sandbox.program_rights import NOTHING, Rights, is_reserved
from agentevals.text.redaction import SHORTEST, Redactor

if TYPE_CHECKING:
    from agentevals.evaluator.evaluator_manifest import Capabilities
    from agentevals.graders.programs import judge_proxy
    from agentevals.sandbox import allowed_hosts
else:  # most programs need neither an HTTP server nor addresses
    judge_proxy = Lazy("agentevals.graders.programs.judge_proxy")
    allowed_hosts = Lazy("agentevals.sandbox.allowed_hosts")

_USUAL_CALLS = 50
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_RULE = "not-granted"
_ENDLESS = 1 << 30  # questions that a manifest may ask, which the config counts


def _check_variable(name: str) -> str:
    if not _VARIABLE.fullmatch(name):
        msg = f"{name!r} is not the name of a variable; write one such as API_KEY"
        raise ValueError(msg)
    if is_reserved(name):
        msg = f"{name!r} belongs to the machine or to the job; give the value another name"
        raise ValueError(msg)
    return name


def _check_host(text: str) -> str:
    return str(allowed_hosts.Host.parse(text))


class Target(BaseModel):
    """Permission to ask the judge of the run, and how often for one case."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    max_calls: int = Field(default=_USUAL_CALLS, ge=1, description="Questions for one case")


Variable = Annotated[str, AfterValidator(_check_variable)]
HostName = Annotated[str, AfterValidator(_check_host)]


class Grants(BaseModel):
    """The keys by which a config grants rights to one program."""

    env: tuple[Variable, ...] = Field(
        default=(), description="Variables of yours that it is given, by name"
    )
    files: tuple[Path, ...] = Field(
        default=(), description="Files and folders of the project that it may read"
    )
    network: bool | tuple[HostName, ...] = Field(
        default=False, description="Whether it may reach the network; or hosts that it may reach"
    )
    subprocess: bool | None = Field(
        default=None,
        description="Whether it may start other programs; by default not, unless it is a program "
        "of a shell or of another language than Python and JavaScript",
    )
    judge: bool | Target = Field(
        default=False, description="Whether it may ask the judge of the run, over HTTP"
    )

    @property
    def asks_judge(self) -> Target | None:
        """The permission to ask the judge, if there is one."""
        return self.judge if isinstance(self.judge, Target) else Target() if self.judge else None

    @property
    def is_granted(self) -> bool:
        """Return whether anything is granted that a program does not have by itself."""
        return bool(list_surplus(self, Grants()))


Network = bool | tuple[str, ...]


def narrow(given: Grants, by: Grants) -> Grants:
    """Return what both sides grant."""
    target, other = given.asks_judge, by.asks_judge
    both = target and other and Target(max_calls=min(target.max_calls, other.max_calls))
    return Grants.model_construct(
        env=tuple(name for name in given.env if name in by.env),
        files=tuple(path for path in given.files if _lies_below(path, by.files)),
        network=_meet(given.network, by.network),
        subprocess=min(given.subprocess, by.subprocess, key=_rank),
        judge=both or False,
    )


def list_surplus(given: Grants, by: Grants, show: Callable[[Path], str] = str) -> list[str]:
    """Return what one side grants and the other does not, as it is written in a config."""
    lists = {
        "env": [name for name in given.env if name not in by.env],
        "files": [show(path) for path in given.files if not _lies_below(path, by.files)],
        "network": [host for host in _list_hosts(given.network) if not _covers(by.network, host)],
    }
    target, other = given.asks_judge, by.asks_judge
    switches = {
        "network": given.network is True and by.network is not True,
        "subprocess": _rank(given.subprocess) > max(_rank(by.subprocess), _rank(None)),
        "judge": target is not None and (other is None or other.max_calls < target.max_calls),
    }
    found = [f"{key}: [{', '.join(names)}]" for key, names in lists.items() if names]
    return found + [f"{key}: true" for key, wider in switches.items() if wider]


def _rank(switch: bool | None) -> int:
    """Order them by what they allow; the language decides in the middle."""
    return {False: 0, None: 1, True: 2}[switch]


def _lies_below(path: Path, granted: Sequence[Path]) -> bool:
    return any(path.is_relative_to(one) for one in granted)


def _list_hosts(network: Network) -> tuple[str, ...]:
    return network if isinstance(network, tuple) else ()


def _covers(network: Network, host: str) -> bool:
    if isinstance(network, bool):
        return network
    asked = allowed_hosts.Host.parse(host)
    return any(allowed_hosts.Host.parse(one).covers(asked) for one in network)


def _meet(one: Network, other: Network) -> Network:
    if isinstance(one, bool) or isinstance(other, bool):
        return one and other if one is not True else other
    found = [host for host in one if _covers(other, host)]
    return (*found, *(host for host in other if _covers(one, host) and host not in found))


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
        hosts=tuple(map(allowed_hosts.Host.parse, named)) if named else (),
        served=(allowed_hosts.Host("127.0.0.1", access.port),) if access else (),
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
        network=tuple(str(allowed_hosts.Host.parse(host)) for host in asked.network),
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
