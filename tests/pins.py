"""The actions of others that we pin, and what each of them runs on: `python -m tests.pins`.

`tests/pins.json` is the table of them, and the tests read it without a network. The command writes
it anew: it asks each repository with git whether the tag is at the pinned commit, and what the
commit's `action.yml` runs on. A composite action brings others along, which are in its `steps`.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import yaml

ROOT = Path(__file__).parents[1]
TABLE = ROOT / "tests/pins.json"
GITHUB = "https://github.com"
_USES = re.compile(r"""\buses:\s*["']?([\w.-]+/[\w./-]+)@([0-9a-f]{40})["']?(?:\s+#\s*(\S+))?""")
_ONE_FILE = "--filter=blob:none"
_SECONDS = 300


class Pin(NamedTuple):
    """One `uses:` of an action, and the version in the comment behind it."""

    action: str
    commit: str
    version: str

    @property
    def repository(self) -> str:
        """`github/codeql-action/init` lies in `github/codeql-action`."""
        return "/".join(self.action.split("/")[:2])

    @property
    def folder(self) -> str:
        """Where in the repository its action.yml lies."""
        return "".join(f"{part}/" for part in self.action.split("/")[2:])


class UnknownError(Exception):
    """What cannot be found out, in a sentence."""


def pinned(root: Path = ROOT) -> list[Pin]:
    """Return every pin of workflows, pages and what `init` writes, sorted and each once."""
    places = (
        *root.glob(".github/workflows/*.yml"), *root.glob("README.md"), *root.glob("docs/**/*.md"),
        *root.glob("src/**/*.py"),
    )  # fmt: skip
    texts = [path.read_text(encoding="utf-8") for path in places]
    return sorted({Pin(*found) for text in texts for found in _USES.findall(text)})


def table(pins: list[Pin], base: str) -> dict[str, Any]:
    """Ask the repositories below an address what the pins are."""
    with tempfile.TemporaryDirectory() as folder:
        return {pin.action: _row(pin, base, Path(folder)) for pin in pins}


def _row(pin: Pin, base: str, folder: Path) -> dict[str, Any]:
    _check_tag(pin, base, folder)
    using, steps = _runs(pin, base, folder)
    row: dict[str, Any] = {"version": pin.version, "commit": pin.commit, "using": using}
    return row | {"steps": dict(_inside(steps, pin, base, folder))} if using == "composite" else row


def _check_tag(pin: Pin, base: str, folder: Path) -> None:
    """A tag with a message of its own is an object that names the commit: the `^{}` behind it."""
    if not pin.version:
        msg = f"{pin.action}@{pin.commit} has no version; write it behind, such as '# v1.2.3'"
        raise UnknownError(msg)
    tag = f"refs/tags/{pin.version}"
    told = _git(folder, "ls-remote", f"{base}/{pin.repository}", tag, f"{tag}^{{}}")
    commits = [line.split()[0] for line in told.splitlines()]
    if not commits or commits[-1] != pin.commit:
        where = f"at {commits[-1]}" if commits else "not there"
        msg = f"{pin.action} is pinned to {pin.commit} as {pin.version}, and that tag is {where}"
        raise UnknownError(msg)


def _runs(pin: Pin, base: str, folder: Path) -> tuple[str, list[dict[str, Any]]]:
    """What the action runs on, and its steps; of the repository only that one file is fetched."""
    here = folder / pin.repository
    if not here.exists():
        here.mkdir(parents=True)
        _git(here, "init", "--quiet", "--bare")
        _git(here, "remote", "add", "origin", f"{base}/{pin.repository}")
    _git(here, "fetch", "--quiet", "--depth=1", "--no-tags", _ONE_FILE, "origin", pin.commit)
    for name in ("action.yml", "action.yaml"):
        try:
            text = _git(here, "show", f"FETCH_HEAD:{pin.folder}{name}")
        except UnknownError:
            continue
        runs = yaml.safe_load(text)["runs"]
        return runs["using"], runs.get("steps", [])
    msg = f"{pin.action}@{pin.commit} has no action.yml"
    raise UnknownError(msg)


def _inside(
    steps: list[dict[str, Any]], pin: Pin, base: str, folder: Path
) -> Iterator[tuple[str, str]]:
    """What the actions in a composite one run on; those of its own commit begin with `./`."""
    for use in [step["uses"] for step in steps if "uses" in step]:
        if use.startswith("docker://"):
            yield use, "docker"
            continue
        name, _, commit = use.partition("@")
        own = f"{pin.repository}/{name.removeprefix('./')}"
        inner = Pin(own, pin.commit, "") if use.startswith("./") else Pin(name, commit, "")
        using, more = _runs(inner, base, folder)
        yield f"{inner.action}@{inner.commit}", using
        yield from _inside(more, inner, base, folder)


def _git(folder: Path, *words: str) -> str:
    try:
        done = subprocess.run(
            ["git", "-C", str(folder), *words], capture_output=True, encoding="utf-8", check=False,
            timeout=_SECONDS, env={**os.environ, "GIT_TERMINAL_PROMPT": "0"},
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired) as error:
        msg = f"git {words[0]}: {error}"
        raise UnknownError(msg) from error
    if done.returncode:
        said = done.stderr.strip().splitlines() or ["it says nothing"]
        msg = f"git {' '.join(words)}: {said[-1]}"
        raise UnknownError(msg)
    return done.stdout


def main(words: list[str]) -> int:
    """Write the table anew, or say why that cannot be done and leave it as it is."""
    parser = argparse.ArgumentParser(prog="python -m tests.pins", description=__doc__)
    parser.add_argument("--base", default=GITHUB, help="where the repositories are")
    parser.add_argument("--root", default=ROOT, type=Path, help="the checkout that has the pins")
    parser.add_argument("--table", default=TABLE, type=Path, help="the file that is written")
    given = parser.parse_args(words)
    try:
        found = table(pinned(given.root), given.base)
    except UnknownError as error:
        sys.stderr.write(f"{error}\n")
        return 1
    given.table.write_text(json.dumps(found, indent=2) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
