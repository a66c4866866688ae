"""The rights of one program beyond reading its own folder: nothing, unless it is named."""

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from agentevals.sandbox.allowed_hosts import Host

CERTIFICATES = (
    *("SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "PIP_CERT"),
    "NODE_EXTRA_CA_CERTS",
)
# what belongs to the machine, the job or the interpreter, and what we set ourselves
_RESERVED = re.compile(
    r"(GITHUB|GH|ACTIONS|RUNNER|INPUT|AGENTEVALS|AGENTV|LD|DYLD|NODE|NPM|GIT|SSH|LC)_.*|PYTHON.*"
    r"|PATH|HOME|TMPDIR|IFS|ENV|BASH_ENV|SHELL|LANG|TZ|(HTTPS?|ALL|NO|FTP)_PROXY",
    re.IGNORECASE,
)
_PROXIES = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY")
# whatever a client connects to is our proxy; it only has to speak to it as to one
_ADDRESS, _PORT = "127.0.0.1", 3128
_OURS = dict.fromkeys(("HTTP_PROXY", "HTTPS_PROXY"), f"http://{_ADDRESS}:{_PORT}")


def is_reserved(variable: str) -> bool:
    """Return whether a variable is one that no program may be granted."""
    return bool(_RESERVED.fullmatch(variable))


@dataclass(frozen=True, kw_only=True)
class Rights:
    """The rights of one run.

    Without the `network` as a whole it reaches the `hosts` through our proxy, and of this machine
    the `served` ones, which are our own. `subprocess` is None where its language decides.
    """

    network: bool = False
    hosts: "tuple[Host, ...]" = ()
    served: "tuple[Host, ...]" = ()
    env: Mapping[str, str] = field(default_factory=dict)
    files: tuple[Path, ...] = ()
    # what their paths are relative to for the program, besides our working directory
    tree: Path | None = None
    subprocess: bool | None = None
    # what it asked for in vain, and why; known once it has run
    refused: dict[str, str] = field(default_factory=dict, compare=False)

    @property
    def links(self) -> dict[str, str]:
        """The granted files by their paths from the working directory, for its scratch folder."""
        tops = [top for top in (self.tree, Path.cwd()) if top]
        return {
            str(path.relative_to(top)): str(path)
            for top in tops
            for path in self.files
            if path.is_relative_to(top) and path != top
        }

    @property
    def reachable(self) -> "tuple[Host, ...]":
        """The hosts for the proxy; none where nothing is kept from it, or everything."""
        return () if self.network else (*self.hosts, *self.served)

    @property
    def ports(self) -> tuple[int, ...]:
        """The ports of this machine that it connects to, where only these lead to our proxy."""
        own = (host.port for host in self.reachable if host.name == _ADDRESS)
        return tuple(dict.fromkeys((_PORT, *own)))

    def build_variables(self) -> dict[str, str]:
        """Return the variables that come with the network, and the granted ones."""
        given: dict[str, str] = {}
        if self.network:
            given = _pass_on(*CERTIFICATES, *_PROXIES, *map(str.lower, _PROXIES))
        elif self.hosts:
            lower = {name.lower(): address for name, address in _OURS.items()}
            given = {**_pass_on(*CERTIFICATES), **_OURS, **lower, "NODE_USE_ENV_PROXY": "1"}
        return given | dict(self.env)

    def find_certificates(self) -> list[str]:
        """Return the files and folders that the variables of certificates name."""
        if not (self.network or self.hosts):
            return []
        named = (os.environ.get(name, "") for name in CERTIFICATES)
        paths = (path for text in named for path in text.split(os.pathsep))
        return [path for path in paths if path and Path(path).exists()]


NOTHING = Rights()


def _pass_on(*names: str) -> dict[str, str]:
    return {name: os.environ[name] for name in names if name in os.environ}
