"""A process that holds no secret and forks one child per third-party program, as ordered.

It is started once, with an environment built from nothing, and is single-threaded. Only the
standard library may be imported here, apart from what it preloads for Python evaluators.
"""

import marshal
import struct
from dataclasses import dataclass, field

from agentevals.model.errors import EvaluatorError

# from the least to the most that keeps a program from everything that is not its business
LEVELS = ("basic", "partial", "strict")
BEST = "best"
# whether sockets lead to our proxy: where the machine can do that, or else not at all
WHERE_POSSIBLE, ONLY = "where possible", "only"

# what our process writes to the control socket to have a program started
WATCHED, UNWATCHED = b"w", b"u"
# and to have it import what programs will, up to a stage
PRELOAD = b"p"
# one of these, the stage, and the MiB of memory and processes of the program with all it starts
MESSAGE = struct.Struct("<cBII")
# what it writes to the channel of a program that it wants to end
TERMINATE = b"T"


@dataclass(frozen=True, kw_only=True)
class Order:
    """One program to run. Only our own process writes what `decode` reads."""

    argv: list[str]
    # a Python script for the launcher's own interpreter, which is not started anew for it
    script: bool
    folder: str
    env: dict[str, str]
    # the folder that it starts in; without one its scratch folder
    works_in: str = ""
    network: bool = False
    # whether its sockets are connected to our proxy, where it has no network: WHERE_POSSIBLE, ONLY
    hosts: str = ""
    # whether it may start other programs, beside its threads
    subprocess: bool = True
    # granted files by their paths in its scratch folder
    links: dict[str, str] = field(default_factory=dict)
    readable: list[str] = field(default_factory=list)
    # what lies below the folders that it reads, and stays closed
    closed: list[str] = field(default_factory=list)
    writable: list[str] = field(default_factory=list)
    level: str = BEST
    cpu_seconds: int = 60
    memory_mb: int = 1024
    # what it may reserve beyond that without using it
    reserve_mb: int = 0
    file_mb: int = 64
    open_files: int = 256
    processes: int = 128
    # how much is imported for it before it is forked off
    preload: int = 0
    # whether what lies in its scratch folder is measured from time to time
    watched: bool = True

    def __post_init__(self) -> None:
        if self.level not in (BEST, *LEVELS):
            msg = f"unknown isolation {self.level!r} (known: {', '.join((BEST, *LEVELS))})"
            raise EvaluatorError(msg)

    def encode(self) -> bytes:
        return marshal.dumps(vars(self))

    @classmethod
    def decode(cls, data: bytes) -> "Order":
        return cls(**marshal.loads(data))  # noqa: S302
