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


# numbers and addresses alike
_libc.syscall.argtypes = (ctypes.c_long, *(ctypes.c_void_p,) * 4)
_libc.syscall.restype = ctypes.c_long
_VERSION_AND_SELF = (ctypes.c_uint32 * 2)(0x20080522, 0)
# effective, permitted and inheritable, of the first 32 capabilities and of the rest
_capabilities = (ctypes.c_uint32 * 6)()


def prctl(option: int, *arguments: int) -> None:
    """Change a property of this process, or raise OSError."""
    padded = (*arguments, 0, 0, 0, 0)[:4]
    check(_libc.prctl(option, *(ctypes.c_ulong(value) for value in padded)))


def syscall(number: int, *arguments: int | bytes) -> int:
    """Make a system call by its number, or raise OSError."""
    padded = (*arguments, 0, 0, 0, 0)[:4]
    return check(_libc.syscall(number, *padded))


def set_capabilities(kept: int) -> None:
    """Give up every capability that is not in the mask `kept` (of the first 32)."""
    _capabilities[0:3] = [kept, kept, kept]
    check(_libc.capset(_VERSION_AND_SELF, _capabilities))


def check(result: int) -> int:
    """Return the result of a call, or raise the kernel's error as OSError."""
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
    return result
