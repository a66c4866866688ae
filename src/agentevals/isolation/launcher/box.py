"""How far a program is shut in: what this machine offers, and what one program gets of it."""

import os
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from agentevals.isolation.launcher import landlock, seccomp, users
from agentevals.isolation.launcher.kernel import PR_SET_NO_NEW_PRIVS, prctl
from agentevals.isolation.order import BEST, LEVELS, Order

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
_READ_DEVICES, _WRITE_DEVICES = (
    ("/dev/random", "/dev/urandom"),
    ("/dev/full", "/dev/null", "/dev/zero"),
)


@dataclass(frozen=True, kw_only=True)
class Box:
    """The walls around one program."""

    user: int | None
    search: bool
    landlock: int
    seccomp: bool

    @property
    def level(self) -> str:
        """Strict: it can neither reach files nor processes nor the network."""
        alone = self.user is not None or self.landlock >= landlock.KNOWS_SIGNALS
        if self.landlock and self.seccomp and alone:
            return "strict"
        return "partial" if self.user is not None or self.landlock or self.seccomp else "basic"

    def __str__(self) -> str:
        has = {
            "own user": self.user is not None,
            f"landlock {self.landlock}": bool(self.landlock),
            "seccomp": self.seccomp,
        }
        walls = ", ".join(name for name, there in has.items() if there)
        return f"{self.level} ({walls})" if walls else self.level


class Machine:
    """What this machine offers, tried out and prepared once: each program then costs little."""

    def __init__(self, scratch: str) -> None:
        self.landlock = landlock.abi() if _holds(_try_landlock) else 0
        self.seccomp = seccomp.supported() and _holds(_try_seccomp)
        self.can_switch = sys.platform == "linux" and users.can_switch() and _holds(_try_user)
        self.can_search = users.can_search()
        self.others_can_start = all(users.open_to_others(p) for p in (*_ours(), scratch))
        self.places = tuple(_places()) if self.landlock else ()
        self.filters = {
            (network, same_user): seccomp.Filter(network=network, same_user=same_user)
            for network in (False, True)
            for same_user in (False, True)
            if self.seccomp
        }

    def box(self, order: Order, user: int) -> Box:
        """The walls for one program, or PermissionError when the order asks for higher ones."""
        paths = (*order.argv[: 2 if order.script else 1], order.folder, *order.readable)
        closed = not (self.others_can_start and all(map(users.open_to_others, paths)))
        search = closed and self.can_search and bool(self.landlock)
        switch = self.can_switch and (search or not closed)
        box = Box(
            user=user if switch else None,
            search=switch and search,
            landlock=self.landlock,
            seccomp=self.seccomp,
        )
        if order.level != BEST and LEVELS.index(box.level) < LEVELS.index(order.level):
            msg = f"the isolation level {order.level!r} is not available here, only {box}"
            raise PermissionError(msg)
        return box

    def best(self) -> Box:
        """The walls that a program gets which lies where other users can read it."""
        switch = self.can_switch and (self.others_can_start or self.can_search)
        return Box(
            user=users.FIRST_USER if switch else None,
            search=False,
            landlock=self.landlock,
            seccomp=self.seccomp,
        )

    def shut_in(self, order: Order, box: Box, scratch: str) -> None:
        """Put up the walls around this process. There is no way back."""
        rules = self._rules(order, scratch) if box.landlock else None
        if box.user is not None:
            users.become(box.user, search=box.search)
        elif sys.platform == "linux":
            users.give_up_capabilities()
        if sys.platform == "linux":
            prctl(PR_SET_NO_NEW_PRIVS, 1)
        if rules is not None:
            landlock.enforce(rules)
        if box.seccomp:
            self.filters[order.network, box.user is None].enforce()

    def _rules(self, order: Order, scratch: str) -> int:
        """Paths are opened before the rights to do so are gone."""
        executable = order.argv[:1] if not order.script else []
        reads = [order.folder, "/proc/self", *executable, *order.readable]
        wanted = [(path, False) for path in reads]
        wanted += [(path, True) for path in (scratch, *order.writable)]
        opened = (landlock.place(path, write=write) for path, write in wanted)
        places = (*self.places, *(place for place in opened if place))
        return landlock.ruleset(self.landlock, places, network=order.network)


def _places() -> Iterator[tuple[int, bool]]:
    reads = (*_SYSTEM, *(f"/etc/{name}" for name in _SETTINGS), *_READ_DEVICES, *_ours())
    wanted = [*((path, False) for path in reads), *((path, True) for path in _WRITE_DEVICES)]
    yield from filter(None, (landlock.place(path, write=write) for path, write in wanted))


def _ours() -> set[str]:
    """Where the interpreter and everything it imports lie."""
    prefixes = {sys.prefix, sys.base_prefix, sys.exec_prefix, sys.base_exec_prefix}
    return {path for path in (*prefixes, *sys.path) if os.path.isabs(path) and os.path.exists(path)}


def _holds(attempt: Callable[[], None]) -> bool:
    """Whether something that cannot be undone works, found out by a process of its own."""
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
    landlock.enforce(landlock.ruleset(landlock.abi(), (), network=False))


def _try_seccomp() -> None:
    prctl(PR_SET_NO_NEW_PRIVS, 1)
    seccomp.Filter(network=False, same_user=True).enforce()


def _try_user() -> None:
    users.become(users.FIRST_USER, search=False)
