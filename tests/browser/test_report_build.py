"""The page of a report is built from its sources, and these are typed and tested."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from agentevals.sandbox.program_runtimes import find_node
from tests import npm

HTML = Path(__file__).parents[2] / "src/agentevals/report/outputs/html"
SOURCES = ("src", "test", "build.mjs", "package.json", "package-lock.json", "tsconfig.json")


@pytest.fixture(scope="module")
def sources(tmp_path_factory):
    """The sources with exactly the packages of the lock, whose scripts are not run."""
    folder = tmp_path_factory.mktemp("html") / "web"
    folder.mkdir()
    for name in SOURCES:
        found = HTML / "web" / name
        (shutil.copytree if found.is_dir() else shutil.copy)(found, folder / name)
    words = [*npm.command(), "ci", "--ignore-scripts", "--no-audit", "--no-fund"]
    subprocess.run(words, cwd=folder, check=True, timeout=300, capture_output=True)
    return folder


def node(folder, *words):
    return subprocess.run(
        [str(find_node()), *words],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


def test_the_page_is_what_its_sources_make(sources):
    done = node(sources, "build.mjs")

    assert done.returncode == 0, done.stdout + done.stderr
    built = (sources.parent / "page.html").read_bytes()
    assert built == (HTML / "page.html").read_bytes(), "run `make page`, and commit page.html"


def test_the_sources_have_no_type_errors(sources):
    done = node(sources, "node_modules/typescript/bin/tsc", "--noEmit")

    assert (done.returncode, done.stdout) == (0, ""), done.stderr


def test_what_the_page_computes_is_right(sources):
    files = sorted((sources / "test").glob("*.test.ts"))
    done = node(sources, "--test", "--test-reporter=tap", *map(str, files))

    assert done.returncode == 0, done.stdout + done.stderr
    assert re.search(r"^# pass [1-9]", done.stdout, re.MULTILINE)


def test_the_lock_pins_contents_and_names_no_index():
    lock = (HTML / "web/package-lock.json").read_text()

    assert not re.search(r"https?://", re.sub(r'"url": "[^"]*"', "", lock))
    assert lock.count('"integrity"') == lock.count('"version"')
