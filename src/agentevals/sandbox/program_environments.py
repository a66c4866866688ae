"""An environment of its own for an evaluator with a `requirements.txt`, built once per content.

It is built where it stays, because scripts in an environment carry absolute paths; a marker,
written last, says that it is whole. Room for later: hashes required of every package.
"""

import hashlib
import json
import logging
import shutil
import sys
import sysconfig
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

from agentevals.files.atomic_files import find_user_cache
from agentevals.model.errors import EvaluatorError
from agentevals.model.plugins import Lazy
from agentevals.sandbox import isolation
from agentevals.sandbox.launcher.preloading import FOR_EVALUATORS
from agentevals.sandbox.package_installers import (
    Installer,
    drop_own_indexes,
    hash_content,
    is_local,
    list_readable,
    read_lines,
)
from agentevals.sandbox.program_rights import NOTHING, Rights

if TYPE_CHECKING:
    from agentevals.sandbox import index_relay
    from agentevals.sandbox.index_relay import Relay
else:
    index_relay = Lazy("agentevals.sandbox.index_relay")

with suppress(ImportError):  # Windows has none, and no program runs there
    import fcntl

log = logging.getLogger(__name__)

_LINES_SHOWN = 8
_MARKER = "complete"


@dataclass(frozen=True)
class Environment:
    """The environment of one evaluator: its packages, and the interpreter that sees them."""

    folder: Path

    @property
    def space(self) -> Path:
        """The folder that the installer and the packages may write to; our code never does."""
        return self.folder / "space"

    @property
    def lent(self) -> Path:
        return self.folder / "lent"

    @property
    def requirements(self) -> Path:
        """The requirements for the installer, where they differ from the evaluator's."""
        return self.folder / "requirements.txt"

    @property
    def base(self) -> Path:
        return self.space / "venv"

    @property
    def python(self) -> Path:
        scripts = sysconfig.get_path("scripts", scheme="venv", vars={"base": str(self.base)})
        return Path(scripts) / Path(sys.executable).name

    @property
    def packages(self) -> Path:
        where = {"base": str(self.base), "platbase": str(self.base)}
        return Path(sysconfig.get_path("purelib", scheme="venv", vars=where))


_LAYOUT = 3  # of the folder of an environment; another number has all of them built anew

_failures: dict[str, str] = {}  # only for this run: the network may be back in the next
_locks: dict[str, Lock] = {}


def prepare(
    requirements: Path, installer: Installer | None = None, rights: Rights = NOTHING
) -> Environment:
    """The environment for these requirements, built now unless it was before.

    A build reaches the package indexes of this machine through us, and of the rights of the
    evaluator the network or the hosts.
    """
    key = _compute_key(requirements, rights)
    environment = Environment(find_user_cache() / "environments" / key)
    with _locks.setdefault(key, Lock()):
        if _is_whole(environment):
            return environment
        if key in _failures:
            raise EvaluatorError(_failures[key])
        try:
            _build(environment, requirements, installer or Installer(), rights)
        except EvaluatorError as error:
            _failures[key] = str(error)
            raise
    return environment


def _build(
    environment: Environment, requirements: Path, installer: Installer, rights: Rights
) -> None:
    deadline = time.monotonic() + installer.timeout
    folder = environment.folder
    folder.parent.mkdir(parents=True, exist_ok=True)
    with _lock(folder.with_suffix(".lock"), deadline):
        if _is_whole(environment):  # another process was faster
            return
        shutil.rmtree(folder, ignore_errors=True)
        environment.space.mkdir(parents=True)
        environment.lent.mkdir()
        log.info("installing the packages of %s", requirements)
        builder = _Builder(
            environment, requirements, installer, deadline, index_relay.Relay([]), rights
        )
        builder.run(installer.create(environment.base))
        with index_relay.serve(installer.list_places(environment.python)) as relay:
            builder = replace(builder, relay=relay)
            # from the first package on, what we wrote to could be a link to anywhere
            _lend(environment)
            builder.install()
            builder.make_sdk_work()
        (folder / _MARKER).touch()
        log.info("installed the packages of %s in %s", requirements, folder)


@dataclass(frozen=True)
class _Builder:
    """Runs the steps of one installation, all within one time limit."""

    environment: Environment
    requirements: Path
    installer: Installer
    deadline: float
    relay: "Relay"
    granted: Rights

    def install(self, *more: str) -> None:
        own = drop_own_indexes(self.requirements, self.relay.places)
        if own:
            self.environment.requirements.write_text(own, encoding="utf-8")
        named = self.environment.requirements if own else self.requirements
        command = self.installer.install(self.environment.python, "-r", str(named), *more)
        network, hosts = self.granted.network, self.granted.hosts
        self.run(command, Rights(network=network, hosts=hosts, served=self.relay.hosts))

    def make_sdk_work(self) -> None:
        """The packages may have brought half of what the SDK needs; then the rest must fit it."""
        check = [str(self.environment.python), "-c", "import agentevals_evaluator_sdk"]
        if self._run_sandboxed(check).exit_code != 0:
            self.install("pydantic>=2.9")
            self.run(check)

    def run(self, command: Sequence[str], rights: Rights = NOTHING) -> None:
        finished = self._run_sandboxed(command, rights)
        if finished.exit_code != 0:
            said = f"{finished.stdout.decode(errors='replace')}\n{finished.stderr}"
            last = [line.rstrip() for line in said.splitlines() if line.strip()][-_LINES_SHOWN:]
            refused = dict.fromkeys((*self.relay.failures, *rights.refused.values()))
            raise EvaluatorError(self._explain_failure("\n".join([*refused, *last])))

    def _run_sandboxed(
        self, command: Sequence[str], rights: Rights = NOTHING
    ) -> isolation.Finished:
        try:
            return isolation.run_installer(
                command,
                timeout=max(0.1, self.deadline - time.monotonic()),
                folder=self.environment.space,
                rights=rights,
                env=self.installer.build_variables(self.relay),
                readable=[
                    *list_readable(self.requirements, self.relay.places),
                    *(self.environment.lent, self.environment.requirements),
                ],
                on_line=log.info,
            )
        except EvaluatorError as error:
            raise EvaluatorError(self._explain_failure(str(error))) from error

    def _explain_failure(self, why: str) -> str:
        offline = "; this run is offline" if self.installer.offline else ""
        return f"{self.requirements}: its packages could not be installed{offline}: {why}"


def _lend(environment: Environment) -> None:
    """Put our SDK, and what it stands on, behind everything that was installed."""
    lent = environment.lent
    for name in FOR_EVALUATORS:  # what the SDK needs
        spec = find_spec(name)
        if spec is None or spec.origin is None:
            continue
        if spec.submodule_search_locations:
            shutil.copytree(Path(spec.origin).parent, lent / name)
        else:
            shutil.copy2(spec.origin, lent)
    (environment.packages / "agentevals.pth").write_text(f"{lent}\n", encoding="utf-8")


def _compute_key(requirements: Path, rights: Rights = NOTHING) -> str:
    lines = list(read_lines(requirements))
    folder = requirements.parent.resolve()
    parts = (
        _LAYOUT,
        lines,
        # a path in a requirement means something else in every folder, and at every time
        (str(folder), hash_content(folder)) if any(map(is_local, lines)) else "",
        sys.version,
        sys.base_prefix,
        sysconfig.get_platform(),
        _hash_package("agentevals_evaluator_sdk"),
        (rights.network, *map(str, rights.hosts)),
    )
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:32]


def _hash_package(package: str) -> str:
    spec = find_spec(package)
    folder = Path(spec.origin).parent if spec and spec.origin else Path()
    digest = hashlib.sha256()
    for path in sorted(folder.rglob("*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()


def _is_whole(environment: Environment) -> bool:
    return (environment.folder / _MARKER).is_file()


@contextmanager
def _lock(path: Path, deadline: float) -> Iterator[None]:
    """One builder at a time, also between processes; a dead process holds no lock."""
    with path.open("w") as file:
        while True:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except OSError:
                if time.monotonic() > deadline:
                    msg = f"another process has been installing into {path.with_suffix('')} "
                    raise EvaluatorError(msg + "for too long; end it, then run again") from None
                time.sleep(0.1)
        yield
