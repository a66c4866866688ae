"""Isolation of programs: what this machine offers, and what each program gets of it."""

import os
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from itertools import product

from agentevals.sandbox.launcher import BEST, LEVELS, ONLY, Order, kernel, seccomp
from agentevals.sandbox.launcher.kernel import PR_SET_NO_NEW_PRIVS, Access, Rule, prctl
from agentevals.sandbox.launcher.preloading import FOR_EVALUATORS
from agentevals.sandbox.launcher.seccomp import Reach

_SYSTEM = (
    *("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/nix/store", "/proc/meminfo"),
    *("/proc/cpuinfo", "/proc/stat", "/proc/version", "/proc/sys/kernel", "/proc/sys/vm"),
    *("/sys/devices/system/cpu", "/sys/kernel/mm/transparent_hugepage"),
)
_SETTINGS = (
    *("alternatives", "ca-certificates", "debian_version", "gai.conf", "group", "host.conf"),
    *("hosts", "ld.so.cache", "ld.so.conf", "ld.so.conf.d", "localtime", "mime.types"),
    *("nsswitch.conf", "os-release", "passwd", "pki", "protocols", "resolv.conf", "services"),
    *("ssl/certs", "ssl/openssl.cnf", "terminfo", "timezone"),
)
# where runtimes other than ours look for the bounds of their stack and memory
_OF_ITSELF = tuple(f"/proc/self/{name}" for name in ("fd", "maps", "stat", "statm", "status"))
_READ_DEVICES = ("/dev/random", "/dev/urandom")
# no /dev/zero: to map it is to have memory that counts for no process
_WRITE_DEVICES = ("/dev/full", "/dev/null")
_NO_HOSTS = "single hosts cannot be opened to it here ({}); `network: true` opens all"


@dataclass(frozen=True, kw_only=True)
class Isolation:
    """The isolation of one program."""

    own_user: bool
    # whether that user may read what is closed to others, as far as Landlock lets it
    search: bool
    landlock: int
    seccomp: bool

    @property
    def level(self) -> str:
        """Strict: it can neither reach files nor processes nor the network."""
        alone = self.own_user or self.landlock >= kernel.KNOWS_SIGNALS
        if self.landlock and self.seccomp and alone:
            return "strict"
        return "partial" if self.own_user or self.landlock or self.seccomp else "basic"

    def __str__(self) -> str:
        has = {
            "own user": self.own_user,
            f"landlock {self.landlock}": bool(self.landlock),
            "seccomp": self.seccomp,
        }
        measures = ", ".join(name for name, there in has.items() if there)
        return f"{self.level} ({measures})" if measures else self.level


class Machine:
    """The isolation that this machine offers, tried out and prepared once for all programs.

    The launcher is bound to what holds for every program.
    """

    def __init__(self, base: str) -> None:
        version = kernel.find_landlock_version() if _works(_try_landlock) else 0
        self._landlock, self._version = kernel.Landlock(version), version
        self._rules = self._build_common_rules() if version else []
        self._ruleset = -1
        self._seccomp = seccomp.is_supported() and _works(_try_seccomp)
        self._filters = dict(self._bind_and_prepare()) if self._seccomp else {}
        self._alone = seccomp.build_filter_alone() if self._seccomp else None
        can_switch = sys.platform == "linux" and kernel.can_switch_user() and _works(_try_user)
        can_start = kernel.is_open_to_others((*_list_prefixes(), *sys.path, base))
        can_search = kernel.can_search() and version > 0
        # for a program that others may read, and for one that they may not
        self._open = self._combine(
            switch=can_switch and (can_start or can_search), search=not can_start
        )
        self._closed = self._combine(switch=can_switch and can_search, search=True)

    @property
    def keeps_groups(self) -> bool:
        """True if no process can leave the group of the program that started it."""
        return self._seccomp

    def select(self, order: Order) -> Isolation:
        """Return the isolation of a program; PermissionError if the order asks for more."""
        works_in = (order.works_in,) if order.works_in else ()
        started = order.argv[: 2 if order.script else 1]
        paths = (*started, order.folder, *works_in, *order.readable)
        isolation = self._open if kernel.is_open_to_others(paths) else self._closed
        if order.level != BEST and LEVELS.index(isolation.level) < LEVELS.index(order.level):
            msg = f"the isolation {order.level!r} is not available here, only {isolation}"
            raise PermissionError(msg)
        if order.hosts == ONLY and not isolation.seccomp:
            raise PermissionError(_NO_HOSTS.format(isolation))
        return isolation

    def __str__(self) -> str:
        return str(self._open)

    def prepare(self) -> list[int]:
        """Make what every program has, in a process that becomes one. Return the files of it."""
        if not self._version:
            return []
        self._ruleset = self._landlock.make_ruleset()
        kernel.add_rules(self._ruleset, self._rules)
        return [self._ruleset]

    def isolate(self, order: Order, isolation: Isolation, user: int, scratch: str) -> list[int]:
        """Isolate this process for good. Return the file that asks for its sockets, if any."""
        if isolation.landlock:  # while this process may still open the paths
            kernel.add_rules(self._ruleset, self._make_rules(order, scratch))
        if isolation.own_user:
            kernel.become_user(user, search=isolation.search)
        elif sys.platform == "linux":
            kernel.give_up_capabilities()
        if sys.platform == "linux":
            prctl(PR_SET_NO_NEW_PRIVS, 1)
        if isolation.landlock:
            kernel.enforce_rules(self._ruleset)
            if not order.network:
                self._landlock.enforce_offline()
        return list(self._enforce_filters(order, isolation)) if isolation.seccomp else []

    def _enforce_filters(self, order: Order, isolation: Isolation) -> Iterator[int]:
        if self._alone and not order.subprocess:
            self._alone.enforce()
        reach = _choose_reach(order)
        chosen = self._filters[reach, not isolation.own_user]
        if reach is not Reach.HOSTS:
            chosen.enforce()
            return
        try:
            yield chosen.enforce_with_listener()
        except OSError as error:  # an old kernel, or one whose container asks already
            raise PermissionError(_NO_HOSTS.format(error.strerror)) from error

    def _combine(self, *, switch: bool, search: bool) -> Isolation:
        return Isolation(
            own_user=switch, search=switch and search, landlock=self._version, seccomp=self._seccomp
        )

    def _bind_and_prepare(self) -> Iterator[tuple[tuple[Reach, bool], seccomp.Filter]]:
        prctl(PR_SET_NO_NEW_PRIVS, 1)
        seccomp.build_common_filter().enforce()
        for reach, same_user in product(Reach, (False, True)):
            yield (reach, same_user), seccomp.build_filter(reach=reach, same_user=same_user)

    def _build_common_rules(self) -> list[Rule]:
        settings = (f"/etc/{name}" for name in _SETTINGS)
        reads = (*_SYSTEM, *settings, *_READ_DEVICES, *_list_prefixes(), *_find_packages())
        return [
            *self._landlock.make_rules(reads, Access.READ),
            *self._landlock.make_rules(_WRITE_DEVICES, Access.WRITE),
            *self._landlock.make_rules(set(sys.path), Access.LIST),
        ]

    def _make_rules(self, order: Order, scratch: str) -> Iterator[Rule]:
        started = () if order.script else (order.argv[0], *_OF_ITSELF)
        works_in = (order.works_in,) if order.works_in else ()
        reads = (order.folder, *works_in, *started, *order.readable)
        closed = set(order.closed)
        around = {folder for path in closed for folder in kernel.list_parents(path)}
        for path in reads:
            yield from self._allow_reading(path, closed, around)
        yield from self._landlock.make_rules((scratch, *order.writable), Access.WRITE)

    def _allow_reading(self, path: str, closed: set[str], around: set[str]) -> Iterator[Rule]:
        """Allow a folder, except what is closed below it: then what lies beside that, one by one.

        `around` has every folder that something closed lies in.
        """
        if path not in around:
            yield from self._landlock.make_rules((path,), Access.READ)
            return
        yield from self._landlock.make_rules((path,), Access.LIST)
        with os.scandir(path) as entries:
            # what a link leads to is granted as what it is, or not at all
            kept = [e.path for e in entries if e.path not in closed and not e.is_symlink()]
        for each in kept:
            yield from self._allow_reading(each, closed, around)


def _choose_reach(order: Order) -> Reach:
    if order.network:
        return Reach.ANYWHERE
    return Reach.HOSTS if order.hosts else Reach.NOWHERE


def _list_prefixes() -> set[str]:
    return {sys.prefix, sys.base_prefix, sys.exec_prefix, sys.base_exec_prefix}


def _find_packages() -> set[str]:
    """Return the folders of packages for evaluators; they may lie elsewhere."""
    found = (find_spec(name) for name in FOR_EVALUATORS)
    files = (spec.origin for spec in found if spec)
    # one that is a single file lies in a folder of other packages, which the prefixes cover
    return {file.removesuffix("/__init__.py") for file in files if file}


def _works(attempt: Callable[[], None]) -> bool:
    """Return whether an attempt works; it cannot be undone, so a process of its own makes it."""
    child = os.fork()
    if child == 0:
        try:
            attempt()
        except OSError:
            os._exit(1)
        os._exit(0)
    return os.waitpid(child, 0)[1] == 0


def _try_landlock() -> None:
    prctl(PR_SET_NO_NEW_PRIVS, 1)
    kernel.enforce_rules(kernel.Landlock(kernel.find_landlock_version()).make_ruleset())
    _require_refusal(lambda: os.scandir("/").close())


def _try_seccomp() -> None:
    prctl(PR_SET_NO_NEW_PRIVS, 1)
    seccomp.build_common_filter().enforce()
    seccomp.build_filter(reach=Reach.NOWHERE, same_user=True).enforce()
    _require_refusal(lambda: os.close(os.memfd_create("agentevals")))


def _try_user() -> None:
    kernel.become_user(kernel.find_first_user(), search=False)
    _require_refusal(lambda: os.setuid(0))


def _require_refusal(attempt: Callable[[], object]) -> None:
    """Raise OSError if the attempt succeeds: a kernel may accept a limit and not keep it."""
    try:
        attempt()
    except OSError:
        return
    msg = "the limit was accepted and is not kept"
    raise OSError(msg)
