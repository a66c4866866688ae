"""Paths that stay closed below a folder that a program may read: histories, keys, credentials.

An actions/checkout keeps the token of its job in `.git/config`, also in a nested checkout.
"""

import os
import re
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fnmatch import translate
from pathlib import Path, PurePath

# histories, whose settings hold tokens; credentials of tools, and folders that hold such
_NAMES = (
    *(".git", ".hg", ".svn", ".bzr", "_darcs", ".jj"),
    *(".netrc", "_netrc", ".git-credentials", ".npmrc", ".yarnrc.yml", ".pypirc", ".pgpass"),
    *(".my.cnf", ".mylogin.cnf", ".boto", ".s3cfg", ".htpasswd", ".dockercfg", ".vault-token"),
    *(".terraformrc", ".secrets", ".env", ".env.*", "*.env", ".envrc", "kubeconfig"),
    *("credentials", "credentials.json", "credentials.toml", "secrets.json", "secrets.toml"),
    *("secrets.yaml", "secrets.yml", "application_default_credentials.json", "gha-creds-*.json"),
    *("service-account*.json", "service_account*.json", "client_secret*.json"),
    *("id_rsa", "id_dsa", "id_ecdsa*", "id_ed25519*", "*.key", "*.ppk", "*.p12", "*.pfx", "*.pem"),
    *("*.jks", "*.keystore", "*.kdbx", "*.tfstate", "*.tfstate.backup"),
    *(".ssh", ".aws", ".azure", ".gnupg", ".kube", ".docker", ".gcloud", ".password-store"),
    *(".terraform.d", ".m2", ".gem"),
)
# what is committed to be copied, and public halves of keys
_HARMLESS = ("*.example", "*.sample", "*.template", "*.dist", "*.pub")
_SETTINGS, _OF_TOOLS = ".config", frozenset({"gcloud", "gh", "hub", "op", "doctl"})
_CERTIFICATES = ".pem"
_PRIVATE, _PUBLIC = b"PRIVATE KEY", b"CERTIFICATE"
_MOST = 1 << 20  # bytes of a file of certificates
# a change within the same tick of the clock leaves the time of a folder as it was
_TICK = 0.1


def _compile(patterns: Iterable[str]) -> "re.Pattern[str]":
    return re.compile("|".join(map(translate, patterns)), re.IGNORECASE)


_secret, _harmless = _compile(_NAMES), _compile(_HARMLESS)


def is_closed(path: PurePath) -> bool:
    """Return whether a path is, or lies in, what no program may read."""
    parts = path.parts
    return any(_is_named(parent, name) for parent, name in zip(("", *parts), parts, strict=False))


def find_closed(folder: Path) -> tuple[str, ...]:
    """Return every path below a folder that stays closed. What did not change is not read again."""
    top = str(folder)
    known = _scans.get(top)
    if known is None or not known.is_current():
        known = _scans[top] = _look_through(top)
    return known.closed


@dataclass(frozen=True)
class _Scan:
    """Keep the paths that were found, and the times of the folders that they were found in."""

    closed: tuple[str, ...]
    changed: dict[str, int]
    began: float

    def is_current(self) -> bool:
        newest = max(self.changed.values(), default=0) / 1e9
        return newest < self.began - _TICK and all(
            _read_change(folder) == changed for folder, changed in self.changed.items()
        )


_scans: dict[str, _Scan] = {}


def _look_through(top: str) -> _Scan:
    began = time.time()
    changed: dict[str, int] = {}
    found = list(_walk(top, changed))
    return _Scan(tuple(sorted({*found, *_follow(found, top)})), changed, began)


def _walk(top: str, changed: dict[str, int]) -> Iterator[str]:
    folders = [top]
    while folders:
        folder = folders.pop()
        changed[folder] = _read_change(folder)
        parent = folder.rpartition(os.sep)[2]
        for entry in _list_entries(folder):
            if _is_secret(parent, entry):
                yield entry.path
            elif entry.is_dir(follow_symlinks=False):
                folders.append(entry.path)


def _follow(found: Iterable[str], top: str) -> Iterator[str]:
    """A closed name may be a link to a file of another name in the same folder."""
    real = os.path.realpath(top)
    for path in found:
        if Path(path).is_symlink():
            target = os.path.realpath(path)
            if target.startswith(f"{real}/"):
                yield f"{top}{target.removeprefix(real)}"


def _is_secret(parent: str, entry: "os.DirEntry[str]") -> bool:
    if not _is_named(parent, entry.name):
        return False
    if entry.name.lower().endswith(_CERTIFICATES) and entry.is_file():
        return _holds_private_key(entry.path)
    return True


def _is_named(parent: str, name: str) -> bool:
    if parent == _SETTINGS and name in _OF_TOOLS:
        return True
    return bool(_secret.match(name)) and not _harmless.match(name)


def _holds_private_key(path: str) -> bool:
    """Unlike a key, certificates are for everybody; packages bring files of them."""
    try:
        with open(path, "rb") as file:  # noqa: PTH123 -- thousands of files
            content = file.read(_MOST + 1)
    except OSError:
        return True
    return len(content) > _MOST or _PRIVATE in content or _PUBLIC not in content


def _list_entries(folder: str) -> "list[os.DirEntry[str]]":
    try:
        with os.scandir(folder) as entries:
            return list(entries)
    except OSError:
        return []


def _read_change(folder: str) -> int:
    try:
        return os.stat(folder).st_mtime_ns  # noqa: PTH116 -- thousands of folders
    except OSError:
        return 0
