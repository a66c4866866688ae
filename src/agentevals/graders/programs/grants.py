"""The keys by which a config grants rights to a program, and how two sides of them compare."""

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from agentevals.model.plugins import Lazy
from agentevals.sandbox.rights import is_reserved

if TYPE_CHECKING:
    from agentevals.sandbox import hosts
else:  # most programs reach no host
    hosts = Lazy("agentevals.sandbox.hosts")

_USUAL_CALLS = 50
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def _check_variable(name: str) -> str:
    if not _VARIABLE.fullmatch(name):
        msg = f"{name!r} is not the name of a variable; write one such as API_KEY"
        raise ValueError(msg)
    if is_reserved(name):
        msg = f"{name!r} belongs to the machine or to the job; give the value another name"
        raise ValueError(msg)
    return name


def _check_host(text: str) -> str:
    return str(hosts.Host.parse(text))


class Target(BaseModel):
    """Permission to ask the judge of the run, and how often for one case."""

    model_config = ConfigDict(frozen=True, extra="forbid")

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
    asked = hosts.Host.parse(host)
    return any(hosts.Host.parse(one).covers(asked) for one in network)


def _meet(one: Network, other: Network) -> Network:
    if isinstance(one, bool) or isinstance(other, bool):
        return one and other if one is not True else other
    found = [host for host in one if _covers(other, host)]
    return (*found, *(host for host in other if _covers(one, host) and host not in found))
