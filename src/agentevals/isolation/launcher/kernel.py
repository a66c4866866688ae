"""The calls to the Linux kernel that Python has no function for."""

import ctypes
import os

_libc = ctypes.CDLL(None, use_errno=True)

PR_SET_PDEATHSIG = 1
PR_SET_DUMPABLE = 4
PR_SET_KEEPCAPS = 8
PR_SET_SECCOMP = 22
PR_SET_CHILD_SUBREAPER = 36
PR_SET_NO_NEW_PRIVS = 38
PR_CAP_AMBIENT = 47


def prctl(option: int, *arguments: int) -> None:
    """Change a property of this process, or raise OSError."""
    padded = (*arguments, 0, 0, 0, 0)[:4]
    checked(_libc.prctl(option, *(ctypes.c_ulong(value) for value in padded)))


def syscall(number: int, *arguments: int | bytes | None) -> int:
    """Make a system call by its number, or raise OSError. Addresses are given as integers."""
    wide = (ctypes.c_long(a) if isinstance(a, int) else a for a in arguments)
    return checked(_libc.syscall(ctypes.c_long(number), *wide))


def set_capabilities(kept: int) -> None:
    """Give up every capability that is not in the mask `kept` (of the first 32)."""
    header = (ctypes.c_uint32 * 2)(0x20080522, 0)
    data = (ctypes.c_uint32 * 6)(kept, kept, kept, 0, 0, 0)
    checked(_libc.capset(header, data))


def checked(result: int) -> int:
    """What a call returned, or OSError for what the kernel said against it."""
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
    return result
