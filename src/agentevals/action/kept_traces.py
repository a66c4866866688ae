"""Traces that no commit has: kept with the report, so that its result can be repeated elsewhere.

They hold conversations, so those of a public repository are kept only where its workflow says so.
"""

import gzip
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from agentevals.action import config_scoring, job_configs
from agentevals.action.checkouts import Checkouts
from agentevals.action.job import Job
from agentevals.text.wording import plural
from agentevals.traces.reading import MalformedError
from agentevals.traces.reading.trace_files_opened import UNREADABLE, open_trace
from agentevals.traces.recorder.recording_redaction import redact_recording

FOLDER = "traces"  # in the report folder

_MOST_FILES = 1_000
_MOST_BYTES = 32 * 2**20  # of all files, unpacked
_LONGEST_NAME = 100  # characters
_NAMED = 5  # files in a sentence
_ODD = re.compile(r"[^\w.-]")  # what a name in an artifact may not have, and more
_GZIP = b"\x1f\x8b"


class Kept(NamedTuple):
    """The folder of the traces of a section, in the report folder, and what is missing there.

    A run names the `whole` folder, or else each file in it.
    """

    folder: str
    whole: bool
    missing: str


@dataclass
class KeptTraces:
    """The traces that one run keeps. They wait in the scratch folder until a report is written."""

    job: Job
    checkouts: Checkouts
    several: bool  # configs, which may read different traces
    _known: dict[tuple[Path, ...], Kept] = field(default_factory=dict)
    _bytes: int = 0

    def keep(self, config: Path) -> Kept | None:
        """Keep all traces of a config, unless the commit has them or nobody wants that."""
        files, whole = self._list_files(config)
        if all(map(self.checkouts.is_at_head, files)):
            return None
        if reason := self.job.explain_unkept():
            self.job.log.log(f"recorded traces are not kept: {reason}")
            return None
        if files not in self._known:
            folder = f"{FOLDER}/{len(self._known) + 1}" if self.several else FOLDER
            self._known[files] = Kept(folder, whole, self._keep_files(files, folder))
        return self._known[files]

    def _list_files(self, config: Path) -> tuple[tuple[Path, ...], bool]:
        """Return the files that a run reads, and whether only their folders are named."""
        job, there = self.job, self.checkouts
        plan = job_configs.compile_once(job, there, there.config_root, config)
        patterns = config_scoring.find_traces(job, plan, there.config_root, there.trace_root)
        return config_scoring.list_files(patterns, there.trace_root)

    def _keep_files(self, files: tuple[Path, ...], folder: str) -> str:
        """Keep the files, and return which of them are not kept, and why."""
        lost: dict[str, str] = {}
        before = self._bytes
        for file in files:
            name = self._choose_name(file, folder)
            try:
                self._keep_file(file, name)
            except _UnkeptError as error:
                lost[self.checkouts.trees.rename(file.name)] = str(error)
        kept = f"{plural(len(files) - len(lost), 'trace file')} ({self._bytes - before:,} bytes)"
        self.job.log.log(
            f"{kept} kept in {self.job.inputs.report_dir}/{folder}: what was said in them, without "
            "secrets; 'keep-traces: off' keeps none"
        )
        if not lost:
            return ""
        shown = "; ".join(f"{name} {why}" for name, why in list(lost.items())[:_NAMED])
        missing = f"{len(lost)} of {plural(len(files), 'trace file')} not kept: {shown}"
        self.job.log.log(missing)
        return missing

    def _choose_name(self, file: Path, folder: str) -> str:
        """Return a name that every system can unpack and no other file has."""
        hidden = self.checkouts.trees.rename(file.name)
        whole = hidden if hidden == file.name else f"{hidden}.jsonl"  # a secret may hold the ending
        name = _ODD.sub("_", whole).lstrip(".")[-_LONGEST_NAME:]
        taken = f"{folder}/{name}" in self.job.kept
        return f"{folder}/{len(self.job.kept)}-{name}" if taken else f"{folder}/{name}"

    def _keep_file(self, file: Path, name: str) -> None:
        if len(self.job.kept) >= _MOST_FILES:
            msg = f"is beyond the limit of {_MOST_FILES:,} files"
            raise _UnkeptError(msg)
        content = _read(file, _MOST_BYTES - self._bytes)
        try:
            shown = redact_recording(content, self.job.log.redact)
        except ValueError:
            msg = "cannot be read as JSON, so secrets cannot be hidden in it"
            raise _UnkeptError(msg) from None
        place = self.job.scratch / "kept" / str(len(self.job.kept))
        try:
            place.parent.mkdir(exist_ok=True)
            place.write_bytes(gzip.compress(shown, mtime=0) if _is_packed(file) else shown)
        except OSError as error:
            msg = f"cannot be copied: {error.strerror}"
            raise _UnkeptError(msg) from None
        self._bytes += len(content)
        self.job.kept[name] = place


class _UnkeptError(Exception):
    """A file that is not kept, and why."""


def _read(file: Path, most: int) -> bytes:
    try:
        with open_trace(file) as stream:
            content = stream.read(most + 1)
    except (*UNREADABLE, MalformedError):
        msg = "cannot be read"
        raise _UnkeptError(msg) from None
    if len(content) > most:
        msg = f"is beyond the limit of {_MOST_BYTES:,} bytes in all"
        raise _UnkeptError(msg)
    return content


def _is_packed(file: Path) -> bool:
    with file.open("rb") as opened:
        return opened.read(len(_GZIP)) == _GZIP
