import pytest

from agentevals.model.errors import InputError
from registry_tools.manifests import changes, registry
from tests.registry_tools import registries
from tests.registry_tools.registries import MANIFEST


@pytest.fixture
def proposal(tmp_path):
    """A registry of three on `main`, and a branch that nothing is changed on yet."""
    for name in ("answers", "budgets", "politeness"):
        registries.write(tmp_path, name)
    registries.repository(tmp_path)
    registries.git(tmp_path, "switch", "--quiet", "--create", "proposal")
    return tmp_path


def checked(root, ref="main"):
    """The names of the entries that a change is about, and that are still there."""
    found = registry.read(root)
    names = changes.find_affected(found, changes.list_changed_paths(root, ref))
    return [entry.name for entry in found.entries if names is None or entry.name in names]


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
