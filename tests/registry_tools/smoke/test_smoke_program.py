import hashlib
import py_compile
import sys
from importlib.util import cache_from_source
from pathlib import Path

import pytest

from agentevals.sandbox import program_environments
from registry_tools.manifests import registry_folder
from tests.registry_tools.smoke.builders import CALM, ONE, found, judge
from tests.sandbox.test_program_environments import wheel

AGENTEVALS = Path(sys.executable).with_name("agentevals")
READS = """
import json, pathlib
from words import WORDS
here = pathlib.Path(__file__).parent
print(json.dumps({"score": 0.5 if (here / "data" / "more.txt").exists() and WORDS else 0}))
"""


def test_what_lies_beside_a_program_is_there(tmp_path):
    home = tmp_path / "evaluators" / "judge"
    (home / "data").mkdir(parents=True)
    (home / "data" / "more.txt").write_text("more")
    (home / "words.py").write_text("WORDS = ['a']")

    assert found(judge(tmp_path, READS)) == {}


def test_a_program_is_run_without_what_is_compiled(tmp_path):
    home = tmp_path / "evaluators" / "judge"
    home.mkdir(parents=True)
    source = home / "words.py"
    source.write_text("SCORE = 1")
    unchecked = py_compile.PycInvalidationMode.UNCHECKED_HASH
    py_compile.compile(str(source), invalidation_mode=unchecked, doraise=True)
    source.write_text("SCORE = 0.5")
    (home / "others.pyc").write_bytes((home / cache_from_source("words.py")).read_bytes())
    program = """
    import json, sys
    from importlib.util import find_spec
    from words import SCORE
    sys.stdin.read()
    print(json.dumps({"score": 0 if find_spec("others") else SCORE}))
    """

    assert found(judge(tmp_path, program)) == {}


def test_a_program_may_lie_in_a_folder(tmp_path):
    (tmp_path / "evaluators" / "judge" / "lib").mkdir(parents=True)

    assert found(judge(tmp_path, CALM, file="lib/judge.py")) == {}


def test_nothing_is_run_where_a_link_leads_elsewhere(tmp_path):
    judge(tmp_path, "1 / 0")
    (tmp_path / "evaluators" / "judge" / "data").symlink_to("/etc")

    assert found(registry_folder.read(tmp_path)) == {}


@pytest.mark.parametrize("manifest", [{"entrypoint": "../x.py"}, {"version": 1}, {"name": None}])
def test_nothing_is_run_of_a_manifest_that_is_wrong(tmp_path, manifest):
    assert found(judge(tmp_path, "1 / 0", **manifest)) == {}


@pytest.mark.parametrize("attempt", ["evaluator.yaml", "fixtures.yaml", "judge.py"])
def test_a_program_cannot_change_what_it_is_made_of(tmp_path, attempt):
    writes = f"""
    import json, pathlib
    try:
        (pathlib.Path(__file__).parent / "{attempt}").write_text("changed")
        score = 1
    except OSError:
        score = 0.5
    print(json.dumps({{"score": score}}))
    """
    before = judge(tmp_path, writes)
    text = (tmp_path / "evaluators" / "judge" / attempt).read_text()

    assert found(before) == {}
    assert (tmp_path / "evaluators" / "judge" / attempt).read_text() == text


@pytest.fixture
def packages(tmp_path, monkeypatch):
    """A folder of packages, which is all that an installer finds; the hash of the one in it."""
    folder = tmp_path / "packages"
    wheel(folder)
    monkeypatch.setenv("UV_FIND_LINKS", str(folder))
    monkeypatch.setenv("UV_DEFAULT_INDEX", "http://127.0.0.1:9/simple")  # nobody is there
    monkeypatch.setenv("AGENTEVALS_OFFLINE", "1")
    program_environments._failures.clear()
    (file,) = folder.iterdir()
    return hashlib.sha256(file.read_bytes()).hexdigest()


NEEDS = "import json, tiny\nprint(json.dumps({'score': tiny.SCORE - 0.25}))"


def locked(root, text, program=NEEDS):
    home = root / "evaluators" / "judge"
    home.mkdir(parents=True)
    (home / "requirements.txt").write_text(text)
    return judge(root, program, ONE, requirements="requirements.txt")


def test_locked_packages_are_installed(tmp_path, packages):
    lock = f"tiny==1.0 \\\n    --hash=sha256:{packages}\n"

    assert found(locked(tmp_path / "registry", lock)) == {}


def test_a_package_that_is_not_the_locked_one_is_refused(tmp_path, packages):
    lock = f"tiny==1.0 --hash=sha256:{'0' * 64}\n"

    finding = found(locked(tmp_path / "registry", lock))["smoke-program"]

    assert "it cannot be run: " in finding.message
    assert "its packages could not be installed" in finding.message


@pytest.mark.parametrize(
    ("lock", "why"),
    [
        ("tiny==1.0\n", "'tiny==1.0' has no hash of sha256 or better"),
        ("tiny\n", "'tiny' is not pinned to one version"),
        ("--find-links /tmp\n", "'--find-links' says where packages come from"),
    ],
)
def test_packages_that_are_not_locked_are_not_installed(tmp_path, packages, lock, why):
    finding = found(locked(tmp_path / "registry", lock, "1 / 0"))["smoke-unproven"]

    assert finding.message == f"not run: requirements.txt is no lock: {why}"
