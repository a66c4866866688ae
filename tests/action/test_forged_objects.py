"""A step before has run programs of the pull request, which may write into `.git` as well."""

import zlib

import pytest

from agentevals.action import checkout_commits
from tests.action.job import CITIES, agent, config, git, write

GOOD, WORSE = agent(), agent(failing=["paris"])
TRACE = "traces/paris.json"


@pytest.fixture
def proposed(job):
    """A pull request that breaks a case, whose base passes."""
    return job.pushed(GOOD).proposed(WORSE).given(baseline="merge-base")


def forge(job, name, kind, content):
    """Put other content under the name of an object."""
    folder = job.workspace / ".git/objects" / name[:2]
    folder.mkdir(exist_ok=True)
    (folder / name[2:]).unlink(missing_ok=True)
    (folder / name[2:]).write_bytes(zlib.compress(b"%s %d\0%b" % (kind, len(content), content)))


def store(job, content):
    return git(job.workspace, "hash-object", "-w", "--stdin", given=content.encode())


def tree(job, **blobs):
    """The content of a tree with these files."""
    return b"".join(
        b"100644 %b\0%b" % (f"{name}.json".encode(), bytes.fromhex(blob))
        for name, blob in sorted(blobs.items())
    )


def test_without_a_forgery_the_case_has_got_worse(proposed):
    assert proposed.run().outputs["regressed"] == "1"


def test_a_file_of_the_base_with_other_content(proposed):
    name = git(proposed.workspace, "rev-parse", f"{proposed.base}:{TRACE}")
    forge(proposed, name, b"blob", WORSE[TRACE].encode())

    assert proposed.run().outputs["regressed"] == "1"


def test_a_folder_of_the_base_with_other_files(proposed):
    name = git(proposed.workspace, "rev-parse", f"{proposed.base}:traces")
    blobs = {city: store(proposed, WORSE[TRACE].replace("paris", city)) for city in CITIES}
    forge(proposed, name, b"tree", tree(proposed, **blobs))

    assert proposed.run().outputs["regressed"] == "1"


def test_the_commit_of_the_base_with_another_tree(proposed):
    worse = git(proposed.workspace, "rev-parse", f"{proposed.head}^{{tree}}")
    before = git(proposed.workspace, "cat-file", "commit", proposed.base)
    changed = f"tree {worse}\n{before.partition(chr(10))[2]}\n"
    forge(proposed, proposed.base, b"commit", changed.encode())

    assert proposed.run().outputs["regressed"] == "1"


def history(job):
    """A base branch that went on; all was bad long ago, where the branch did not leave it."""
    job.base = long_ago = job.origin.commit(agent(failing=CITIES))
    left = job.base = job.origin.commit(GOOD, on=long_ago)
    tip = job.origin.commit(GOOD | {"README.md": "It went on."}, on=left)
    job.head = job.origin.commit(WORSE, on=left)
    job.origin.move("main", tip)
    job.base = tip
    job.on("pull_request", job.head, tip).known().checkout(job.head)
    job.place.merge_bases[f"{tip}...{job.head}"] = left
    job.place.tarballs[left] = job.origin.tarball(left)
    return long_ago, left


@pytest.mark.parametrize("how", ["grafts", "commit", "replace"])
def test_another_history(job, how):
    long_ago, left = history(job)
    if how == "grafts":
        write(job.workspace, {".git/info/grafts": f"{job.head} {long_ago}\n"})
    elif how == "commit":
        before = git(job.workspace, "cat-file", "commit", job.head)
        changed = before.replace(f"parent {left}", f"parent {long_ago}") + "\n"
        forge(job, job.head, b"commit", changed.encode())
    else:
        other = git(job.workspace, "commit-tree", f"{job.head}^{{tree}}", "-p", long_ago, "-m", "x")
        git(job.workspace, "update-ref", f"refs/replace/{job.head}", other)
    done = job.given(baseline="merge-base").run()

    assert (done.against["origin"]["commit"], done.outputs["regressed"]) == (left, "1")


def test_a_committed_trace_that_the_tree_of_the_head_does_not_name_any_more(proposed):
    name = git(proposed.workspace, "rev-parse", f"{proposed.head}:traces")
    forge(proposed, name, b"tree", b"")
    done = proposed.run()

    assert "this-run" not in done.report["sections"][0]["arrivals"].values()


def test_a_few_trees_that_stand_for_many_are_not_walked(tmp_path, monkeypatch):
    git(tmp_path, "init", "--quiet")
    blob = git(tmp_path, "hash-object", "-w", "--stdin", given=b"x")
    below = git(tmp_path, "mktree", given=f"100644 blob {blob}\tf\n".encode())
    for _ in range(9):
        lines = "".join(f"040000 tree {below}\t{at}\n" for at in range(10))
        below = git(tmp_path, "mktree", given=lines.encode())
    commit = git(tmp_path, "commit-tree", below, "-m", "A bomb")

    assert checkout_commits.list_contents(tmp_path, commit) is None


def test_what_a_config_of_the_base_holds_is_checked_as_well(job):
    """With its rights, the base judges by what its commit says."""
    job.pull_request(GOOD, WORSE, recorded="issue_comment").checkout(job.base)
    job.environ["GITHUB_SHA"] = job.base
    name = git(job.workspace, "rev-parse", f"{job.base}:eval_config.yaml")
    lenient = config({"name": "tool_trajectory_avg_score", "type": "builtin", "threshold": 0.0})
    forge(job, name, b"blob", lenient.encode())

    assert job.run().code == 1


def test_a_head_without_differences(proposed):
    """The trees of both commits seem the same, so that nothing would have to be evaluated."""
    same = git(proposed.workspace, "cat-file", "tree", f"{proposed.base}:traces", raw=True)
    name = git(proposed.workspace, "rev-parse", f"{proposed.head}:traces")
    forge(proposed, name, b"tree", same)

    assert proposed.run().outputs["failed"] == "1"


def test_a_merge_with_a_base_of_its_own(job):
    """A step has made a commit that merges the head with rules by which everything passes."""
    lenient = config({"name": "tool_trajectory_avg_score", "type": "builtin", "threshold": 0.0})
    job.pushed(GOOD).proposed(WORSE | {"eval_config.yaml": lenient})
    rules = git(job.workspace, "commit-tree", f"{job.head}^{{tree}}", "-m", "Rules")
    both = ("-p", rules, "-p", job.head, "-m", "Merge")
    merge = git(job.workspace, "commit-tree", f"{job.head}^{{tree}}", *both)
    git(job.workspace, "checkout", "--quiet", "--detach", merge)
    done = job.run()

    assert done.code == 1
    assert "Rule change needs approval" in job.comments[0]
