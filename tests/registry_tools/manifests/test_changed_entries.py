import os

import pytest

from agentevals.model.errors import InputError
from registry_tools.manifests import changed_entries, registry_folder
from registry_tools.manifests.owner_agreement import Agreement
from registry_tools.review import reviewed_changes as review
from tests.registry_tools import registries
from tests.registry_tools.registries import MANIFEST


@pytest.fixture
def proposal(tmp_path):
    """A registry of three on `main`, and a branch that nothing is changed on yet."""
    (tmp_path / "index.yaml").write_text("evaluators: []\n")
    for name in ("answers", "budgets", "politeness"):
        registries.write(tmp_path, name)
    registries.repository(tmp_path)
    registries.git(tmp_path, "switch", "--quiet", "--create", "proposal")
    return tmp_path


def checked(root, ref="main"):
    """The names of the entries that a change is about, and that are still there."""
    return [entry.name for entry in changed_entries.narrow(registry_folder.read(root), ref).chosen]


def test_without_a_change_nothing_is_checked(proposal):
    assert checked(proposal) == []


def test_what_changed_since_the_branches_parted_is_checked(proposal):
    folder = proposal / "evaluators"
    (folder / "answers" / "answers.py").write_text(registries.PROGRAM + "# more\n")
    registries.commit(proposal)
    (folder / "budgets" / "README.md").write_text("# not committed\n")
    registries.git(proposal, "switch", "--quiet", "main")
    (folder / "politeness" / "README.md").write_text("# on main\n")
    registries.git(proposal, "add", "evaluators/politeness")
    registries.git(proposal, "commit", "--quiet", "-m", "meanwhile")
    registries.git(proposal, "switch", "--quiet", "proposal")

    assert checked(proposal) == ["answers", "budgets"]


def test_a_touched_file_with_the_same_content_is_no_change(proposal):
    program = proposal / "evaluators" / "answers" / "answers.py"
    program.write_bytes(program.read_bytes())

    assert checked(proposal) == []


def test_who_speaks_of_a_name_that_is_gone_is_checked_as_well(proposal):
    text = MANIFEST.replace("politeness", "answers") + "deprecated: old\nreplaced_by: budgets\n"
    (proposal / "evaluators" / "answers" / "evaluator.yaml").write_text(text)
    registries.commit(proposal)
    registries.git(proposal, "branch", "--force", "main")
    registries.git(proposal, "mv", "evaluators/budgets", "evaluators/spending")
    registries.commit(proposal)

    assert checked(proposal) == ["answers", "spending"]


def test_a_folder_that_is_gone_is_no_reason_to_fail(proposal):
    registries.git(proposal, "rm", "--quiet", "-r", "evaluators/budgets")
    registries.commit(proposal)

    assert checked(proposal) == []


@pytest.mark.parametrize("path", [".github/workflows/validate.yml", "registry_tools/x.py"])
def test_a_change_of_the_tools_is_a_change_of_everything(proposal, path):
    (proposal / path).parent.mkdir(parents=True)
    (proposal / path).write_text("on: push\n")

    assert checked(proposal) == ["answers", "budgets", "politeness"]


def test_a_registry_may_be_a_folder_of_the_repository(tmp_path):
    inner = tmp_path / "community"
    for name in ("answers", "budgets"):
        registries.write(inner, name)
    registries.repository(tmp_path)
    (inner / "evaluators" / "answers" / "notes.md").write_text("#\n")
    registries.git(tmp_path, "add", "--all")
    (tmp_path / "README.md").write_text("#\n")

    assert checked(inner) == ["answers"]


@pytest.mark.parametrize(
    ("ref", "said"),
    [("nowhere", "git knows no 'nowhere' here"), ("--output=x", "git knows no '--output=x' here")],
)
def test_a_branch_that_git_does_not_know_is_said(proposal, ref, said):
    with pytest.raises(InputError, match=said):
        checked(proposal, ref)


def test_a_history_that_is_cut_off_is_said(proposal, tmp_path_factory):
    (proposal / "README.md").write_text("#\n")
    registries.commit(proposal)
    copy = tmp_path_factory.mktemp("copy")
    registries.git(copy, "clone", "--quiet", "--depth=1", f"file://{proposal}", "c")
    registries.git(copy / "c", "fetch", "--quiet", "--depth=1", "origin", "main")

    with pytest.raises(InputError, match="fetch-depth: 0"):
        checked(copy / "c", "FETCH_HEAD")


@pytest.fixture
def filtered(proposal, tmp_path_factory):
    """A branch whose config names a filter for every file, and the trace that it would leave.

    The time of a file is unknown to git, which has to look into it.
    """
    trace = tmp_path_factory.mktemp("trace") / "started"
    registries.git(proposal, "config", "filter.evil.clean", f"touch {trace}; cat")
    (proposal / ".gitattributes").write_text("* filter=evil\n")
    for path in ("index.yaml", "evaluators/answers/answers.py"):
        os.utime(proposal / path, (1, 1))
    return proposal, trace


def test_a_filter_that_the_checkout_names_is_never_started(filtered):
    root, trace = filtered
    git_sees = registries.git(root, "hash-object", "evaluators/answers/answers.py")
    assert trace.exists(), f"the filter does not work: {git_sees}"
    trace.unlink()

    (root / "index.yaml").write_text("evaluators: [1]\n")
    (root / "evaluators" / "answers" / "notes.md").write_text("#\n")

    assert checked(root) == ["answers"]
    assert review.read(root, "main", Agreement).list_generated() == ["index.yaml"]
    assert not trace.exists()


def test_files_differ_by_content_mode_and_kind(proposal):
    folder = proposal / "evaluators"
    registries.git(proposal, "update-index", "--chmod=+x", "evaluators/answers/answers.py")
    (folder / "budgets" / "budgets.py").unlink()
    program = folder / "politeness" / "politeness.py"
    program.rename(program.with_name("real.py"))
    program.symlink_to("real.py")
    registries.git(proposal, "rm", "--quiet", "--cached", "evaluators/answers/fixtures.yaml")

    assert changed_entries.list_differing(proposal, "main") == [
        "evaluators/answers/answers.py",
        "evaluators/answers/fixtures.yaml",
        "evaluators/budgets/budgets.py",
        "evaluators/politeness/politeness.py",
    ]


def test_links_and_files_that_a_sparse_checkout_skips_are_unchanged(proposal):
    folder = proposal / "evaluators"
    (folder / "answers" / "link").symlink_to("answers.py")
    registries.commit(proposal)
    registries.git(proposal, "sparse-checkout", "set", "evaluators/answers")

    assert not (folder / "budgets").exists()
    assert changed_entries.list_differing(proposal, "HEAD") == []


def test_a_link_that_leads_elsewhere_now_has_changed(proposal):
    link = proposal / "evaluators" / "answers" / "link"
    link.symlink_to("answers.py")
    registries.commit(proposal)
    link.unlink()
    link.symlink_to("fixtures.yaml")

    assert changed_entries.list_differing(proposal, "HEAD") == ["evaluators/answers/link"]
