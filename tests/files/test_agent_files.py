import shutil

import pytest

from agentevals.files.agent_files import AgentFiles
from tests.action.job import git

FILES = {
    "agent.py": b"x = 1\n",
    "prompts/system.md": b"Be kind.\n",
    "prompts/de/system.md": b"Sei nett.\n",
}
LISTED = ("agent.py", "prompts")


@pytest.fixture
def folder(tmp_path):
    return write(tmp_path / "agent", FILES)


def write(folder, files):
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    return folder


def digest(folder, *patterns):
    return AgentFiles(folder, patterns or LISTED).compute_digest()


def test_the_same_files_have_the_same_digest_wherever_they_lie(folder, tmp_path):
    assert digest(folder) == digest(write(tmp_path / "elsewhere", FILES))


@pytest.mark.parametrize(
    "change",
    [
        {"agent.py": b"x = 2\n"},
        {"prompts/system.md": b"Be kind. \n"},
        {"prompts/new.md": b""},
        {"prompts/de/deep/er/new.txt": b"x"},
    ],
)
def test_each_change_of_a_listed_file_changes_it(folder, change):
    before = digest(folder)

    assert digest(write(folder, change)) != before


def test_a_file_that_goes_or_is_renamed_changes_it(folder):
    before = digest(folder)
    (folder / "prompts/system.md").rename(folder / "prompts/other.md")

    assert digest(folder) != before


@pytest.mark.parametrize(
    "beside",
    [
        {"README.md": b"x"},
        {"prompts/__pycache__/a.pyc": b"x"},
        {"prompts/node_modules/a.js": b"x"},
        {"prompts/agent.egg-info/PKG-INFO": b"x"},
        {"prompts/.mypy_cache/x.json": b"x"},
        {"agent.py": b"x = 1\r\n"},
    ],
)
def test_what_is_not_listed_and_line_ends_change_nothing(folder, beside):
    before = digest(folder)

    assert digest(write(folder, beside)) == before


WRITTEN = (
    "prompts/venv/system.md",
    "prompts/node_modules/p.md",
    "prompts/x.pyc",
    "prompts/my.egg-info/p.md",
    "prompts/__pycache__/deep/p.md",
)


@pytest.mark.parametrize("name", WRITTEN)
@pytest.mark.parametrize("patterns", [LISTED, ("**/*",), ("prompts/**",)])
def test_what_git_tracks_counts_wherever_it_lies_and_nothing_beside_it(folder, name, patterns):
    git(folder, "init", "--quiet")
    before = digest(folder, *patterns)
    write(folder, {name: b"kind"})
    assert digest(folder, *patterns) == before

    git(folder, "add", "--force", name)
    tracked = digest(folder, *patterns)
    assert tracked != before
    write(folder, {f"{name}.pyc": b"x", "prompts/venv/lib/a.py": b"x"})
    assert digest(folder, *patterns) == tracked
    assert digest(write(folder, {name: b"rude"}), *patterns) != tracked


@pytest.mark.parametrize("patterns", [LISTED, ("**/*",), (".",)])
def test_the_tree_of_a_commit_has_the_digest_of_its_checkout(folder, tmp_path, patterns):
    git(folder, "init", "--quiet")
    write(folder, dict.fromkeys(WRITTEN, b"kind"))
    git(folder, "add", "--force", ".")
    git(folder, "checkout-index", "--all", f"--prefix={tmp_path / 'tree'}/")
    write(folder, {"prompts/__pycache__/untracked.pyc": b"x"})

    there = AgentFiles(folder, patterns).move(folder, tmp_path / "tree", unpacked=True)

    assert there.compute_digest() == digest(folder, *patterns)


@pytest.mark.parametrize("name", WRITTEN)
def test_what_is_listed_by_name_counts_without_git_as_well(folder, name):
    write(folder, {name: b"kind"})
    around = name.rpartition("/")[0] if name.count("/") > 1 else name
    before = [digest(folder, name), digest(folder, around)]
    write(folder, {name: b"rude"})

    assert "" not in before
    assert not {digest(folder, name), digest(folder, around)} & {*before}


def test_caches_below_a_folder_that_is_listed_by_name_do_not(folder):
    before = digest(write(folder, {"venv/system.md": b"kind"}), "venv")

    assert digest(write(folder, {"venv/__pycache__/a.pyc": b"x"}), "venv") == before


def test_what_a_link_leads_to_is_tracked_where_it_lies(linked):
    shutil.rmtree(linked / ".git")
    git(linked, "init", "--quiet")
    before = digest(write(linked, {"library/venv/p.md": b"kind"}))
    git(linked, "add", "--force", "library/venv/p.md")

    assert digest(linked) != before


def test_a_pattern_may_leave_files_out(folder):
    before = digest(folder, "prompts/**", "!prompts/de")

    assert (
        digest(write(folder, {"prompts/de/more.md": b"x"}), "prompts/**", "!prompts/de") == before
    )
    assert digest(write(folder, {"prompts/more.md": b"x"}), "prompts/**", "!prompts/de") != before


def test_a_link_counts_by_where_it_leads(folder, tmp_path):
    (folder / "prompts/link").symlink_to("system.md")
    before = digest(folder)
    (folder / "prompts/link").unlink()
    (folder / "prompts/link").symlink_to("de/system.md")

    assert digest(folder) != before


@pytest.fixture
def linked(folder):
    """An agent with a link to a file, one to a folder and one that goes round."""
    (folder / ".git").mkdir()
    write(folder, {"shared/tone.md": b"Kind.\n", "library/a/deep.py": b"1\n"})
    (folder / "prompts/tone.md").symlink_to("../shared/tone.md")
    (folder / "prompts/library").symlink_to("../library")
    (folder / "prompts/round").symlink_to("..")
    return folder


@pytest.mark.parametrize("name", ["shared/tone.md", "library/a/deep.py", "library/new.py"])
def test_what_a_link_leads_to_is_the_agent_as_well(linked, name):
    (linked / "prompts/round").unlink()
    before = digest(linked)

    assert digest(write(linked, {name: b"other\n"})) != before
    assert AgentFiles(linked, LISTED).matches(linked / name)
    assert AgentFiles(linked, LISTED).matches(linked / "library/gone.py")
    assert not AgentFiles(linked, LISTED).matches(linked / "shared/else.md")


def test_a_folder_that_is_a_link_itself_is_the_one_it_leads_to(linked):
    (linked / "tools").symlink_to("library")
    before = digest(linked, "tools/")

    assert AgentFiles(linked, ("tools/",)).matches(linked / "library/a/deep.py")
    assert digest(write(linked, {"library/a/deep.py": b"2\n"}), "tools/") != before


def test_links_that_go_round_end(linked):
    assert digest(linked)
    assert AgentFiles(linked, LISTED).matches(linked / "anything.md")


def test_nothing_outside_of_the_repository_is_read(linked, tmp_path):
    write(tmp_path, {"secret.txt": b"1"})
    (linked / "prompts/out.md").symlink_to(tmp_path / "secret.txt")
    (linked / "prompts/all").symlink_to(tmp_path)
    before = digest(linked)

    assert digest(linked) == before
    write(tmp_path, {"secret.txt": b"2"})
    assert digest(linked) == before


def test_without_a_file_there_is_none(folder):
    assert digest(folder, "nothing/**", "none.py") == ""


@pytest.mark.parametrize(
    ("name", "belongs"),
    [
        ("agent.py", True),
        ("prompts/de/system.md", True),
        ("prompts/gone.md", True),
        ("README.md", False),
        ("prompts/__pycache__/x.pyc", True),
        ("agent.pyi", False),
        ("other/agent.py", False),
    ],
)
def test_a_name_belongs_to_the_agent_whether_the_file_exists_or_not(folder, name, belongs):
    assert AgentFiles(folder, LISTED).matches(folder / name) is belongs


@pytest.mark.parametrize("pattern", ["prompts/*", "prompts/system.m?"])
def test_a_file_that_is_called_like_a_wildcard_hides_no_other(folder, pattern):
    before = digest(write(folder, {pattern: b"x"}), pattern)

    assert AgentFiles(folder, (pattern,)).matches(folder / "prompts/system.md")
    assert digest(write(folder, {"prompts/system.md": b"rude"}), pattern) != before


@pytest.mark.parametrize(
    ("pattern", "name", "belongs"),
    [
        ("*.py", "agent.py", True),
        ("*.py", "tools/find.py", False),
        ("**/*.py", "tools/deep/find.py", True),
        ("tools/**", "tools/deep/find.py", True),
        ("t*/find.py", "tools/find.py", True),
        (".", "tools/find.py", True),
        ("../shared", "../shared/a.py", True),
    ],
)
def test_a_star_ends_at_a_folder(folder, pattern, name, belongs):
    assert AgentFiles(folder, (pattern,)).matches(folder / name) is belongs
