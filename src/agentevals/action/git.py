"""The few questions that git answers about the checkout. It is asked without running anything.

The checkout belongs to somebody else than us, so git has to be told that it may be read; that is
said to our own calls alone, never in a configuration that others would inherit.
"""

import os
import subprocess
from pathlib import Path

_SECONDS = 120.0
_SETTINGS = (
    ("safe.directory", "*"),
    ("core.hooksPath", os.devnull),
    ("core.fsmonitor", "false"),
    ("protocol.allow", "never"),
    ("core.quotePath", "false"),
)


def head(folder: Path) -> str:
    """The commit that is checked out; empty where nobody knows."""
    return (_asked(folder, "rev-parse", "--verify", "HEAD") or "").strip()


def merge_base(folder: Path, one: str, other: str) -> str:
    """Where two commits part; empty where the history here does not tell."""
    return (_asked(folder, "merge-base", one, other) or "").strip()


def changed(folder: Path, base: str, head: str) -> list[str] | None:
    """The files that differ between two commits; None where one of them is not here."""
    said = _asked(folder, "diff", "--name-only", "--no-renames", "-z", base, head, "--")
    return None if said is None else [name for name in said.split("\0") if name]


def archive(folder: Path, commit: str) -> bytes | None:
    """All files of a commit as a compressed tarball; None where they are not here."""
    return _answered(folder, "archive", "--format=tar.gz", "-1", "--prefix=tree/", commit)


def _asked(folder: Path, *words: str) -> str | None:
    answer = _answered(folder, *words)
    return None if answer is None else answer.decode(errors="surrogateescape")


def _answered(folder: Path, *words: str) -> bytes | None:
    """What git says, or None: that it is missing and that it does not know is the same to us."""
    try:
        done = subprocess.run(  # noqa: S603 -- git alone, with words of ours and hashes
            ["git", "--no-pager", "-C", str(folder), *words],  # noqa: S607 -- wherever it is
            capture_output=True,
            timeout=_SECONDS,
            check=True,
            env=_environment(),
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout


def _environment() -> dict[str, str]:
    """Built, not inherited: no token, and nobody's own settings."""
    settings = {"GIT_CONFIG_COUNT": str(len(_SETTINGS))}
    for at, (key, value) in enumerate(_SETTINGS):
        settings |= {f"GIT_CONFIG_KEY_{at}": key, f"GIT_CONFIG_VALUE_{at}": value}
    return {
        "PATH": os.environ.get("PATH", os.defpath),
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_ATTR_NOSYSTEM": "1",
        "LC_ALL": "C",
        **settings,
    }
