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
