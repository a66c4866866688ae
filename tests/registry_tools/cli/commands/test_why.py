import pytest

from tests.registry_tools import registries
from tests.registry_tools.publishers import run
from tests.registry_tools.registries import MANIFEST, changed, git


@pytest.fixture
def root(tmp_path):
    for name in ("answers", "politeness"):
        registries.write(tmp_path, name)
    registries.repository(tmp_path)
    assert run(tmp_path, "index").returncode == 0
    registries.commit(tmp_path)
    return tmp_path


def why(root, name, *words):
    done = run(root, "why", name, *words)
    assert done.stderr == ""
    return done.returncode, done.stdout


def write(root, name, more):
    registries.write(root, name, {"evaluator.yaml": MANIFEST.replace("politeness", name) + more})
    registries.commit(root)


@pytest.mark.parametrize("name", ["politeness", "politeness@^1", "evaluators/politeness/"])
def test_one_that_is_listed_is_said_to_be(root, name):
    code, said = why(root, name)

    assert code == 0
    assert "politeness is listed: evaluators/politeness/politeness.py\nversion 1.0.0, of" in said


def test_one_that_nobody_knows_has_a_neighbour(root):
    assert why(root, "politenes") == (
        1,
        "nobody here knows 'politenes'; did you mean 'politeness'?\n",
    )


@pytest.mark.parametrize("name", ["../../etc", "a\nb", "", "--help-me", "x" * 5_000, "ünï"])
def test_a_name_may_be_anything(root, name):
    done = run(root, "why", "--", name)

    assert done.returncode == 1
    assert "nobody here knows" in done.stdout


def test_a_broken_manifest_is_told_with_everything_that_is_wrong(root):
    registries.write(root, "broken", {"evaluator.yaml": changed("python", "cobol", MANIFEST)})
    registries.commit(root)
    code, said = why(root, "broken")

    assert code == 1
    assert "evaluators/broken/evaluator.yaml:3:11: " in said
    assert "'politeness.py' does not exist; name one of broken.py" in said


def test_one_that_is_not_committed_is_said_to_be_here(root):
    registries.write(root, "later")
    code, said = why(root, "later")

    assert code == 1
    assert "evaluators/later is here, but not committed; git add and commit it" in said


def test_one_that_was_committed_after_the_index_waits_for_it(root):
    registries.write(root, "later")
    registries.commit(root)
    code, said = why(root, "later")

    assert code == 1
    assert "later is compiled, but the index here does not list it: it is stale" in said


def test_one_that_is_on_the_main_branch_only(root):
    git(root, "switch", "--quiet", "--create", "side")
    git(root, "switch", "--quiet", "main")
    write(root, "later", "")
    git(root, "switch", "--quiet", "side")

    assert why(root, "later", "--base", "main") == (
        1,
        "evaluators/later is on main, but not in what is checked out; pull it\n",
    )


def test_one_that_has_another_name_now(root):
    write(root, "kindness", "aliases: [niceness]\n")

    assert why(root, "niceness") == (1, "niceness is another name of kindness, which is listed\n")


@pytest.mark.parametrize("name", ["polite-ness", "POLITENESS"])
def test_one_that_is_spelt_otherwise(root, name):
    code, said = why(root, name)

    assert code == 1
    assert "politeness" in said


def test_one_that_was_removed(root):
    (root / "evaluators/.tombstones.yaml").write_text(
        "removed:\n  answers: {reason: it never worked, replaced_by: politeness}\n"
    )
    git(root, "rm", "-r", "--quiet", "evaluators/answers")
    registries.commit(root)
    code, said = why(root, "answers")

    assert code == 1
    assert "answers was removed: it never worked; use politeness instead" in said
    assert "was there until commit" in said


def test_one_that_was_withdrawn_is_listed_and_says_so(root):
    (root / "evaluators/.tombstones.yaml").write_text(
        'yanked:\n  politeness: {"1.0.0": it crashed}\n'
    )
    registries.commit(root)
    code, said = why(root, "politeness")

    assert code == 0
    assert "it was withdrawn: it crashed" in said


def test_one_that_was_changed_without_a_version_stays_as_it_was(root):
    (root / "evaluators/politeness/politeness.py").write_text("# another\n")
    registries.commit(root)
    code, said = why(root, "politeness")

    assert code == 0
    assert "stays listed as of " in said
