"""The text of attack programs: what stands around an attempt, and the attempt itself."""

import re
from collections.abc import Container, Mapping

from tests.attacks import table

REACHED = "REACHED"
# each of these ends who makes it, finds what attempts before it have opened, may end the installer
# around it, which is in the same sandbox, or leaves a process whose output is waited for
_ALONE_ONLY = {
    *("get x32 calls", "find an inherited file", "reach end of the launcher"),
    *("reach the end of everything", "reach orphans of its own", "reach a sibling"),
}
_WORD = re.compile(r"\{(\w+)\}")
_AROUND = """
import ctypes, errno, fcntl, json, mmap, os, resource, shutil, signal, socket, sys, tempfile, time
libc = ctypes.CDLL(None, use_errno=True)
home, me = os.path.expanduser("~"), os.getuid()
class Over(Exception): pass
REFUSED = {errno.EPERM, errno.EACCES, errno.ENOSYS, errno.EOPNOTSUPP}

def call(number, *arguments):
    # an answer that tells of arguments was given by the call itself
    ctypes.set_errno(0)
    if libc.syscall(number, *arguments) < 0 and ctypes.get_errno() in REFUSED:
        raise OSError(ctypes.get_errno(), "refused")

def is_open(file):
    try:
        return bool(os.fstat(file))
    except OSError:
        return False

def attempt(text):
    try:
        exec(text, {**globals()})
    except BaseException as error:
        return None
    return True
"""
_ALONE = """
if attempt(TEXT):
    print("REACHED")
open(home + "/left", "w").close()
"""
_TOGETHER = """
def try_all():
    return [name for name, text in ATTEMPTS.items() if attempt(text)]
"""


def fill(text: str, scene: Mapping[str, object]) -> str:
    """Put the things of a scene into a text; braces around other words stay."""
    return _WORD.sub(lambda found: str(scene.get(found[1], found[0])), text)


def write_alone(text: str, scene: Mapping[str, object]) -> str:
    """Return a program in Python that makes one attempt."""
    return f"{_AROUND}\nTEXT = {fill(text, scene)!r}\n{_ALONE}"


def write_together(scene: Mapping[str, object], granted: Container[str] = ()) -> str:
    """Return a module in Python whose `try_all` makes the attempts at what was not granted."""
    every = table.list_attempts().items()
    attempts = {
        name: fill(text, scene)
        for name, text in every
        if name not in _ALONE_ONLY and name not in granted
    }
    return f"{_AROUND}\nATTEMPTS = {attempts!r}\n{_TOGETHER}"


def write_script(language: str, text: str, scene: Mapping[str, object]) -> str:
    """Return a program in another language that makes one attempt."""
    if language == "node":
        tried = f"try {{ {fill(text, scene)}; setTimeout(() => console.log('{REACHED}'), 50) }}"
        return f"{tried} catch {{}}\n"
    return f"{fill(text, scene)} && echo {REACHED}\n"
