"""git is started in one way: no program of the repository, no network, and a time limit."""

import os
import shutil
import time
from pathlib import Path

import pytest

from agentevals.files.git_process import Git, GitError, complaint, describe_foreign
from tests.registry_tools import registries


@pytest.fixture
def repository(tmp_path):
    root = tmp_path / "repository"
    root.mkdir()
    (root / "a.txt").write_text("one\n")
    (root / "b.txt").write_text("two")
    registries.repository(root)
    return root


@pytest.fixture
def slow(tmp_path, monkeypatch):
    """A git that answers after a minute."""
    program = tmp_path / "bin" / "git"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\nexec sleep 60\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}{os.pathsep}{os.environ['PATH']}")


def test_an_answer_is_what_git_prints(repository):
    assert Git(repository).ask("ls-files", "-z") == b"a.txt\0b.txt\0"


def test_a_refusal_is_an_error_with_the_complaint_of_git(repository):
    with pytest.raises(GitError, match="git rev-parse failed: fatal: Needed a single revision"):
        Git(repository).ask("rev-parse", "--verify", "nowhere")


def test_a_refusal_is_no_answer_where_nobody_needs_the_reason(repository):
    assert Git(repository).answer("rev-parse", "--verify", "nowhere") is None


def test_objects_are_read_in_order_and_may_be_left_half_read(repository):
    names = ["HEAD:a.txt", "HEAD:missing", "HEAD:b.txt", "HEAD:a.txt"]
    objects = Git(repository).objects(names)
    found = [item and (item.kind, item.size, item.read(2)) for item in objects]

    assert found == [("blob", 4, b"on"), None, ("blob", 3, b"tw"), ("blob", 4, b"on")]


def test_one_git_reads_objects_that_are_asked_for_later(repository):
    with Git(repository).open_objects() as read:
        first, again = [[item.read() for item in read(["HEAD:a.txt"])] for _ in range(2)]
        missing = list(read(["HEAD:missing"]))

    assert (first, again, missing) == ([b"one\n"], [b"one\n"], [None])


def test_more_is_asked_for_than_a_pipe_holds(repository):
    (repository / "large").write_bytes(bytes(200_000))
    registries.commit(repository)
    names = ["HEAD:large", "HEAD:a.txt", f"HEAD:{'x' * 60_000}"] * 200

    found = [item and item.size for item in Git(repository, seconds=60).objects(names)]

    assert found == [200_000, 4, None] * 200


def test_a_monitor_that_the_repository_names_is_not_started(repository, tmp_path):
    registries.git(repository, "config", "core.fsmonitor", f"touch {tmp_path / 'started'}")
    Git(repository).ask("ls-files", "--others")

    assert not (tmp_path / "started").exists()


def test_a_hook_of_the_repository_is_not_run(repository, tmp_path):
    hook = repository / ".git/hooks/reference-transaction"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(f"#!/bin/sh\ntouch {tmp_path / 'started'}\n")
    hook.chmod(0o755)
    Git(repository).ask("update-ref", "refs/heads/other", "HEAD")

    assert not (tmp_path / "started").exists()


def test_a_folder_of_a_checkout_that_looks_like_a_repository_is_none(repository):
    bare = repository / "bare"
    shutil.copytree(repository / ".git", bare)

    assert Git(bare).answer("rev-parse", "--is-bare-repository") is None


def test_a_replaced_object_is_read_as_it_was(repository):
    registries.git(repository, "replace", "HEAD:a.txt", "HEAD:b.txt")

    assert Git(repository).ask("cat-file", "blob", "HEAD:a.txt") == b"one\n"


def test_a_graph_of_commits_does_not_stand_for_a_commit_that_is_not_here(repository):
    first = registries.git(repository, "rev-parse", "HEAD").strip()
    (repository / "a.txt").write_text("two\n")
    registries.git(repository, "commit", "--quiet", "--all", "--message", "Change")
    registries.git(repository, "commit-graph", "write", "--reachable")
    assert Git(repository).answer("rev-list", "HEAD")

    (repository / ".git/objects" / first[:2] / first[2:]).unlink()

    assert Git(repository).answer("rev-list", "HEAD") is None


def test_a_list_of_other_parents_is_not_read(repository):
    head = registries.git(repository, "rev-parse", "HEAD").strip()
    other = registries.git(repository, "commit-tree", f"{head}^{{tree}}", "-m", "Other").strip()
    (repository / ".git/info").mkdir(exist_ok=True)
    (repository / ".git/info/grafts").write_text(f"{head} {other}\n")

    assert Git(repository).ask("rev-list", "HEAD").decode().split() == [head]


def test_a_path_is_no_pattern(repository):
    assert Git(repository).ask("ls-files", "--", "*.txt") == b""


@pytest.mark.parametrize(
    ("setting", "value"),
    [("diff.orderFile", "order"), ("diff.relative", "true"), ("log.follow", "true")],
)
def test_a_setting_of_the_repository_does_not_change_what_git_prints(repository, setting, value):
    folder = repository / "folder"
    folder.mkdir()
    (folder / "order").write_text("z*\na*\n")
    (repository / "order").write_text("z*\nb*\na*\n")
    registries.git(repository, "mv", "a.txt", "z.txt")
    registries.commit(repository)
    questions = (("log", "--format=%H", "--", "../z.txt"), ("diff", "--name-only", "HEAD~1"))
    before = [Git(folder).ask(*question) for question in questions]
    registries.git(repository, "config", setting, value)

    assert [Git(folder).ask(*question) for question in questions] == before


def test_a_name_is_printed_with_the_letters_that_it_has(repository):
    (repository / "é.txt").write_text("")

    assert Git(repository).ask("ls-files", "--others") == "é.txt\n".encode()


@pytest.mark.parametrize("online", [False, True])
def test_only_a_call_that_is_online_reaches_another_repository(repository, online):
    registries.git(repository, "config", "protocol.file.allow", "always")
    done = Git(repository).run("ls-remote", repository.as_uri(), "HEAD", online=online)

    assert (done.returncode == 0) is online


def test_a_call_that_stays_here_gets_no_token(repository, monkeypatch):
    monkeypatch.setenv("GITHUB_TOKEN", "ghs_secret")
    registries.git(repository, "config", "alias.environment", "!env")
    shown = Git(repository).ask("environment")

    assert b"ghs_secret" not in shown


def test_a_foreign_checkout_is_read_without_the_settings_of_anybody(repository):
    nested = repository / "nested"
    nested.mkdir()
    git = Git(nested, describe_foreign(nested))

    assert git.answer("rev-parse", "HEAD") is None  # the repository above it does not count
    assert Git(nested).answer("rev-parse", "HEAD")


@pytest.mark.usefixtures("slow")
@pytest.mark.parametrize(
    "ask", [lambda git: git.ask("log"), lambda git: list(git.objects(["HEAD"]))]
)
def test_git_is_ended_at_the_time_limit(ask):
    begin = time.monotonic()
    with pytest.raises(GitError):
        ask(Git(Path.cwd(), seconds=0.2))

    assert time.monotonic() - begin < 20


def test_a_missing_git_is_said(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))

    with pytest.raises(GitError, match="git is not installed"):
        Git(tmp_path).ask("log")


def test_a_complaint_has_no_secret():
    said = complaint(b"warning: x\nfatal: unable to access 'https://me:token@example.com/': no\n")

    assert said == "fatal: unable to access 'https://example.com/': no"
