"""What git calls a file, found out without starting anything that a checkout names."""

import pytest

from agentevals.action import checkout_commits
from tests.action.job import git as run


@pytest.mark.parametrize("kind", ["sha1", "sha256"])
def test_a_file_has_the_id_that_git_gives_it(tmp_path, kind):
    run(tmp_path, "init", "--quiet", f"--object-format={kind}")
    files = {"empty": b"", "text\n.txt": b"one\r\ntwo", "large": b"\0" * 2_500_000}
    for name, content in files.items():
        (tmp_path / name).write_bytes(content)
    run(tmp_path, "add", "--all")
    run(tmp_path, "commit", "--quiet", "--message", "Add")

    known = checkout_commits.list_contents(tmp_path, checkout_commits.find_head(tmp_path))

    assert known.keys() == files.keys()
    assert {
        name: checkout_commits.compute_file_id(tmp_path / name, known[name]) for name in known
    } == known
    assert checkout_commits.list_contents(tmp_path, "0" * 40) is None


@pytest.fixture
def repository(tmp_path):
    folder = tmp_path / "repository"
    folder.mkdir()
    run(folder, "init", "--quiet")
    return folder


def commit(folder):
    run(folder, "add", "--all")
    run(folder, "commit", "--quiet", "--message", "Change")
    return checkout_commits.find_head(folder)


def store(folder, kind, content):
    """Store an object as it is: git checks nothing of it."""
    return run(folder, "hash-object", "-t", kind, "-w", "--literally", "--stdin", given=content)


def commit_tree(folder, *entries):
    """Commit one folder of these entries, each with its mode, its name and the id of its object."""
    tree = b"".join(
        f"{mode} ".encode() + name + b"\0" + bytes.fromhex(object_id)
        for mode, name, object_id in entries
    )
    return run(folder, "commit-tree", store(folder, "tree", tree), "-m", "Change")


def unpack(folder, made, into):
    into.mkdir()
    unpacked = checkout_commits.unpack(folder, made, into)
    checkout_commits.add_links(folder, made, into)
    return unpacked


def list_names(folder):
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*"))


def test_links_and_other_repositories_have_no_content(repository):
    (repository / "file").write_text("x")
    (repository / "link").symlink_to("file")
    inner = commit(repository)
    run(repository, "update-index", "--add", "--cacheinfo", f"160000,{inner},inner")
    run(repository, "commit", "--quiet", "--message", "Add a module")

    head = checkout_commits.find_head(repository)

    assert [*checkout_commits.list_contents(repository, head)] == ["file"]
    assert "inner" in checkout_commits.list_changed(repository, inner, head)


def test_a_merge_has_the_parents_that_it_names_in_their_order(repository):
    (repository / "file").write_text("1")
    first = commit(repository)
    (repository / "file").write_text("2")
    second = commit(repository)
    parents = ("-p", second, "-p", first)
    merge = run(repository, "commit-tree", f"{second}^{{tree}}", *parents, "-m", "Merge")

    assert checkout_commits.list_parents(repository, merge) == [second, first]
    assert checkout_commits.list_parents(repository, first) == []
    assert checkout_commits.list_parents(repository, "0" * 40) == []


def test_files_are_unpacked_as_they_are_and_those_that_run_still_run(repository, tmp_path):
    (repository / "folder").mkdir()
    (repository / "folder" / "text").write_text("a\r\n")
    (repository / "runs").write_text("#!/bin/sh\n")
    (repository / "runs").chmod(0o755)
    made = commit(repository)

    unpack(repository, made, tmp_path / "into")

    assert (tmp_path / "into/folder/text").read_bytes() == b"a\r\n"
    assert (tmp_path / "into/runs").stat().st_mode & 0o100
    assert not (tmp_path / "into/folder/text").stat().st_mode & 0o100


def test_a_name_that_is_a_path_on_another_system_is_left_out(repository, tmp_path):
    blob = store(repository, "blob", b"x")
    made = commit_tree(repository, ("100644", rb"..\up", blob), ("100644", b"file", blob))

    unpack(repository, made, tmp_path / "into")

    assert list_names(tmp_path / "into") == ["file"]


def test_a_folder_that_is_said_to_be_a_file_leaves_nothing(repository, tmp_path):
    tree = store(repository, "tree", b"")
    made = commit_tree(repository, ("100644", b"file", tree))

    assert unpack(repository, made, tmp_path / "into") is None
    assert not (tmp_path / "into").exists()


def test_a_link_stays_if_it_ends_among_the_files(repository, tmp_path):
    (repository / "folder").mkdir()
    (repository / "folder" / "file").write_text("x")
    (repository / "link").symlink_to("folder/file")
    (repository / "away").symlink_to("../secret")
    (repository / "chain").symlink_to("away")
    made = commit(repository)
    (tmp_path / "secret").write_text("y")

    unpack(repository, made, tmp_path / "into")

    assert list_names(tmp_path / "into") == ["folder", "folder/file", "link"]
    assert (tmp_path / "into/link").read_text() == "x"


def test_a_link_replaces_no_file_and_leads_to_nothing_that_has_no_name(repository, tmp_path):
    blob, target = store(repository, "blob", b"x"), store(repository, "blob", b"file")
    made = commit_tree(
        repository,
        ("100644", b"file", blob),
        ("120000", b"file", target),
        ("120000", b"link", store(repository, "blob", b"file\0")),
    )

    unpack(repository, made, tmp_path / "into")

    assert list_names(tmp_path / "into") == ["file"]
    assert (tmp_path / "into/file").read_text() == "x"
