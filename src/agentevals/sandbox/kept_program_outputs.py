"""What programs have printed in earlier runs: kept by everything that they were given.

Nobody can make an entry without the key. What was damaged or forged is not found, and the
program runs again.
"""

import hashlib
import hmac
import logging
import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from pathlib import Path

import msgspec

from agentevals.files import atomic_files
from agentevals.model.noun import Noun

log = logging.getLogger(__name__)

KEY_VARIABLE = "AGENTEVALS_RESULT_CACHE_KEY"
BUDGET = 256 * 2**20  # bytes of all entries; those that were used least recently go first
_KEPT = 0.9  # of the budget, once it was exceeded
_LARGEST = 2**20  # bytes of an entry
_FORMAT = "results-1"
_KEY, _KEY_SIZE = "key", 32
_MAC_SIZE = hashlib.sha256().digest_size


class Answer(Noun, frozen=True, omit_defaults=False):
    """The output of a program that ended well."""

    stdout: bytes
    stderr: str
    isolation: str


class KeptRuns:
    """Answers of programs in a folder that any number of processes share."""

    def __init__(
        self, folder: Path, key: str = "", *, writes: bool = True, budget: int = BUDGET
    ) -> None:
        self.folder = str(folder.absolute())
        self._folder, self._writes, self._budget = folder / _FORMAT, writes, budget
        self._key = _derive_key(key) if key else self._open_key(folder / _KEY)
        self.found = self.missed = 0

    def make_name(self, material: bytes) -> str:
        """Return the name of an entry, which says nothing about what it is made of."""
        return hmac.new(self._key, material, hashlib.sha256).hexdigest()

    def find(self, name: str) -> Answer | None:
        """Return an answer that was kept, unless somebody else has written the entry."""
        path = self._find_path(name)
        answer = self._decode(name, _read(path))
        self.found += answer is not None
        self.missed += answer is None
        if answer and self._writes:
            with suppress(OSError):
                os.utime(path)  # it was used just now
        return answer

    def keep(self, name: str, answer: Answer) -> None:
        """Keep an answer. A folder that cannot be written costs time, and no run."""
        content = msgspec.msgpack.encode(answer)
        if not self._writes or len(content) > _LARGEST:
            return
        path = self._find_path(name)
        try:
            path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            atomic_files.write(path, self._sign(name, content) + content)
        except OSError as error:
            log.warning("%s: results are not kept: %s", self._folder, error.strerror)
            self._writes = False

    def trim(self) -> None:
        """Remove what was used least recently, if there is more than fits."""
        if not self._writes or not self.missed:
            return
        entries = sorted(_list_entries(self._folder))
        size = sum(size for _, size, _ in entries)
        if size <= self._budget:
            return
        for _, length, path in entries:
            with suppress(OSError):
                os.unlink(path)  # noqa: PTH108 -- there may be many
            size -= length
            if size <= self._budget * _KEPT:
                break

    def _sign(self, name: str, content: bytes) -> bytes:
        return hmac.digest(self._key, name.encode() + content, "sha256")

    def _decode(self, name: str, entry: bytes) -> Answer | None:
        mac, content = entry[:_MAC_SIZE], entry[_MAC_SIZE:]
        if not hmac.compare_digest(mac, self._sign(name, content)):
            return None
        try:
            return msgspec.msgpack.decode(content, type=Answer)
        except msgspec.MsgspecError:
            return None

    def _find_path(self, name: str) -> Path:
        return self._folder / name[:2] / name

    def _open_key(self, path: Path) -> bytes:
        """Return the key of the folder, which is made with the first entry."""
        known = _read(path)
        if len(known) == _KEY_SIZE or not self._writes:
            return known or secrets.token_bytes(_KEY_SIZE)
        made = secrets.token_bytes(_KEY_SIZE)
        with suppress(OSError):  # whoever keeps the first answer says it
            path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            atomic_files.write(path, made)
        return _read(path) or made  # another process may have been faster


def _derive_key(text: str) -> bytes:
    return hashlib.sha256(text.encode(errors="surrogateescape")).digest()


class Attempt:
    """The answers of programs about one case, which are kept once they came to a result."""

    def __init__(self, runs: KeptRuns) -> None:
        self.runs = runs
        self._new: dict[str, Answer] = {}

    def find(self, name: str) -> Answer | None:
        return self.runs.find(name)

    def note(self, name: str, answer: Answer) -> None:
        self._new[name] = answer

    def keep(self) -> None:
        for name, answer in self._new.items():
            self.runs.keep(name, answer)


_attempt: ContextVar[Attempt | None] = ContextVar("attempt", default=None)


def get_attempt() -> Attempt | None:
    """Return the attempt that programs are run for here."""
    return _attempt.get()


@contextmanager
def attempt(runs: KeptRuns | None) -> Iterator[None]:
    """Look into kept runs for the programs of this block, and keep theirs if it raises nothing."""
    begun = Attempt(runs) if runs else None
    token = _attempt.set(begun)
    try:
        yield
        if begun:
            begun.keep()
    finally:
        _attempt.reset(token)


def _read(path: Path) -> bytes:
    """Return a small file; nothing if it is a link, a pipe, or too large."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        with os.fdopen(descriptor, "rb") as file:
            is_file = stat.S_ISREG(os.fstat(file.fileno()).st_mode)
            content = file.read(_LARGEST + _MAC_SIZE + 1) if is_file else b""
    except OSError:
        return b""
    return content if len(content) <= _LARGEST + _MAC_SIZE else b""


def _list_entries(folder: Path) -> Iterator[tuple[int, int, str]]:
    """Yield when each entry was used last, its size and its path."""
    for place, _, names in os.walk(folder):
        for name in names:
            path = os.path.join(place, name)  # noqa: PTH118 -- there may be many
            with suppress(OSError):
                found = os.stat(path, follow_symlinks=False)  # noqa: PTH116 -- the same
                yield found.st_mtime_ns, found.st_size, path
