"""Our standard streams, whatever the shell, the locale and the reader have made of them."""

import codecs
import errno
import io
import os
import sys

_FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO}
_IN_ASCII = {
    "✓": "v",
    "✗": "x",
    "≠": "!",
    "–": "-",  # noqa: RUF001 -- an en dash, and that is what is replaced
    "·": "-",
    "…": "~",
    "“": '"',
    "”": '"',
    "│": "|",
    "█": "#",
    "░": ".",
    "≤": "<",
    "≥": ">",
    "×": "x",  # noqa: RUF001 -- the sign for "times"
    "−": "-",  # noqa: RUF001 -- the sign for "minus"
    "→": ">",
}


def prepare() -> None:
    """Every stream there is, and no letter that one of them cannot show is a reason to stop."""
    _open_closed()
    codecs.register_error("agentevals", _replace_signs)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="agentevals")


def _open_closed() -> None:
    """A stream that the shell closed; else the next file that we open would be in its place."""
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        if getattr(sys, name) is None:
            mode = "w" if number else "r"
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: PTH123, SIM115


def _replace_signs(error: UnicodeError) -> tuple[str, int]:
    """Replace signs that a terminal cannot show, each by one that is one column wide."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    letters = error.object[error.start : error.end]
    return "".join(_IN_ASCII.get(letter, "?") for letter in letters), error.end


def describe_refusal(error: BaseException) -> str | None:
    """Why nothing more can be written; empty when the reader has seen enough. Else None."""
    if isinstance(error, BrokenPipeError):
        return ""
    if isinstance(error, OSError) and error.errno in _FULL:
        return f"the output cannot be written: {(error.strerror or '').lower()}"
    return None


def abandon() -> None:
    """Discard what is still to be written: a second try at exit must not complain."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
