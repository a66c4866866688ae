import hashlib
import json
import threading

import pytest

from agentevals.evaluator import registry_index, ssh_signature
from agentevals.evaluator.registry_head import Memory
from tests.evaluator.test_ssh_signature import make_key
from tests.registry_tools import publishers, registries
from tests.registry_tools.publishers import clone, listed, names, of_branch, run, sequence, shared
from tests.registry_tools.registries import MANIFEST, changed, git

NEW = ["brevity", "citations", "kindness"]


@pytest.fixture
def bare(tmp_path):
    return shared(tmp_path, "answers", "politeness")


def publish(root, *words):
    done = run(root, "publish", *words)
    return done.returncode, done.stdout


def test_an_index_is_compiled_and_pushed_to_the_branch(bare):
    code, said = publish(clone(bare, "mine"))

    assert code == 0
    assert "published: 2 evaluators, no. 1" in said
    assert names(bare) == ["answers", "politeness"]
    assert git(bare, "ls-tree", "--name-only", "-r", "main", "e/") == (
        "e/answers.json\ne/politeness.json\n"
    )


def test_publishing_twice_changes_nothing(bare):
    mine = clone(bare, "mine")
    publish(mine)
    tip = git(bare, "rev-parse", "main")
    code, said = publish(mine)

    assert (code, "up to date: 2 evaluators, no. 1" in said) == (0, True)
    assert git(bare, "rev-parse", "main") == tip


def test_it_is_built_from_the_tip_and_not_from_the_clone(bare):
    mine, theirs = clone(bare, "mine"), clone(bare, "theirs")
    registries.write(theirs, "brevity")
    publishers.pushed(theirs)
    publish(mine)

    assert names(bare) == ["answers", "brevity", "politeness"]


def test_neither_the_working_tree_nor_the_branch_of_the_clone_is_touched(bare):
    mine = clone(bare, "mine")
    registries.write(mine, "unfinished")
    before = git(mine, "rev-parse", "HEAD"), git(mine, "status", "--porcelain")
    publish(mine)

    assert (git(mine, "rev-parse", "HEAD"), git(mine, "status", "--porcelain")) == before
    assert git(mine, "for-each-ref", "refs/agentevals") == ""


def test_three_publishers_at_once_end_with_the_complete_index(bare, tmp_path):
    clones = [clone(bare, name) for name in NEW]
    for root, name in zip(clones, NEW, strict=True):
        registries.write(root, name)
        registries.commit(root)

    def work(root):
        publishers.pushed(root)
        outcomes.append(publish(root))

    outcomes = []
    workers = [threading.Thread(target=work, args=(root,)) for root in clones]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()

    assert [code for code, _ in outcomes] == [0, 0, 0], outcomes
    assert names(bare) == ["answers", "brevity", "citations", "kindness", "politeness"]
    assert run(clone(bare, "last"), "index", "--check").returncode == 0


def test_three_publishers_of_the_same_tip_publish_it_once(bare):
    started = [publishers.start(clone(bare, name), "publish") for name in NEW]
    said = [each.communicate()[0] for each in started]

    assert [each.returncode for each in started] == [0, 0, 0], said
    assert sequence(bare) == 1


def test_a_commit_that_lands_while_it_is_built_loses_nobody(bare, tmp_path):
    """The hook of the remote lets another commit in between the fetch and the push."""
    other = clone(bare, "other")
    registries.write(other, "brevity")
    registries.commit(other)
    push = f"git -C {other} push --quiet {bare} HEAD:main"
    registries.write_hook(
        bare,
        "pre-receive",
        f"test -e {tmp_path}/once && exit 0\n"
        f"touch {tmp_path}/once\n"
        "unset GIT_DIR GIT_QUARANTINE_PATH GIT_OBJECT_DIRECTORY"
        " GIT_ALTERNATE_OBJECT_DIRECTORIES\n"
        f"{push}\n",
    )
    code, said = publish(clone(bare, "mine"))

    assert code == 0, said
    assert names(bare) == ["answers", "brevity", "politeness"]


def test_heads_form_a_chain(bare):
    mine = clone(bare, "mine")
    publish(mine)
    first = of_branch(bare, "head.json")
    git(mine, "pull", "--quiet")
    registries.write(mine, "brevity")
    publishers.pushed(mine)
    publish(mine)
    second = json.loads(of_branch(bare, "head.json"))

    assert second["sequence"] == 2
    assert second["previous"] == hashlib.sha256(first).hexdigest()
    assert second["index"] == hashlib.sha256(of_branch(bare, "index.json")).hexdigest()
    assert second["commit"] == listed(bare).commit


def test_a_remote_that_refuses_is_unavailable(bare):
    registries.write_hook(bare, "pre-receive", "echo protected >&2\nexit 1\n")
    done = run(clone(bare, "mine"), "publish")

    assert done.returncode == 3
    assert "origin/main: it cannot be published: " in done.stderr


def test_a_remote_that_is_not_there_is_unavailable(bare):
    mine = clone(bare, "mine")
    git(mine, "remote", "set-url", "origin", "https://me:s3cr3t@127.0.0.1:1/x.git")
    done = run(mine, "publish")

    assert done.returncode == 3
    assert "s3cr3t" not in done.stderr + done.stdout


def test_a_dry_run_says_what_it_would_do(bare):
    code, said = publish(clone(bare, "mine"), "--dry-run")

    assert code == 0
    assert "not in it yet: answers, politeness" in said
    assert "would be published: 2 evaluators, no. 1" in said
    assert git(bare, "ls-tree", "--name-only", "main") == "evaluators\n"


class TestGuards:
    @pytest.fixture
    def mine(self, tmp_path):
        bare = shared(tmp_path, *(f"checks_{letter}" for letter in "abcdefgh"))
        root = clone(bare, "mine")
        assert publish(root)[0] == 0
        git(root, "pull", "--quiet")
        return root

    def bury(self, root, *names):
        lines = "".join(f"  {name}: {{reason: it was wrong}}\n" for name in names)
        (root / "evaluators/.tombstones.yaml").write_text(f"removed:\n{lines}")
        for name in names:
            git(root, "rm", "-r", "--quiet", f"evaluators/{name}")
        publishers.pushed(root)

    def test_a_folder_that_is_gone_stays_listed_until_it_is_buried(self, mine):
        git(mine, "rm", "-r", "--quiet", "evaluators/checks_c")
        publishers.pushed(mine)
        code, said = publish(mine)

        assert code == 0
        assert "its folder is gone, and there is no record; run agentevals registry remove" in said
        assert "checks_c" in names(mine.parent / "shared.git")

    def test_one_that_is_buried_is_removed_and_its_tombstone_is_listed(self, mine):
        self.bury(mine, "checks_c")
        code, _ = publish(mine)
        found = listed(mine.parent / "shared.git")

        assert code == 0
        assert len(found.evaluators) == 7
        assert found.removed["checks_c"].reason == "it was wrong"

    def test_an_index_that_loses_much_is_not_published(self, mine):
        tip = git(mine, "rev-parse", "HEAD")
        self.bury(mine, "checks_c", "checks_d")
        code, said = publish(mine)

        assert code == 1
        assert "6 evaluators would be listed, 8 are; at least 95% must stay" in said
        assert git(mine, "rev-parse", "HEAD") != tip
        assert len(names(mine.parent / "shared.git")) == 8

    def test_somebody_can_say_that_it_is_meant(self, mine):
        self.bury(mine, "checks_c", "checks_d")
        code, _ = publish(mine, "--allow-shrink")

        assert code == 0
        assert len(names(mine.parent / "shared.git")) == 6

    def test_below_the_floor_nothing_is_published(self, mine):
        registries.write(mine, "another")
        publishers.pushed(mine)
        code, said = publish(mine, "--floor", "10")

        assert code == 1
        assert "9 evaluators would be listed, at least 10 must be" in said

    def test_who_maintains_it_changes_only_with_a_record(self, mine):
        text = changed("583231", "666", changed("octocat", "mallory", MANIFEST))
        text = changed("- login: octocat", "- login: mallory", text)
        text = changed("1.0.0", "1.0.1", text).replace("politeness", "checks_c")
        (mine / "evaluators/checks_c/evaluator.yaml").write_text(text)
        publishers.pushed(mine)
        _, said = publish(mine)
        entry = next(
            e for e in listed(mine.parent / "shared.git").evaluators if e.name == "checks_c"
        )

        assert "octocat (583231) would no longer maintain it, and there is no record" in said
        assert (entry.version, entry.maintainers[0].id) == ("1.0.0", 583231)

        git(mine, "pull", "--quiet")
        (mine / "evaluators/.tombstones.yaml").write_text(
            "transferred:\n  checks_c: {to: [666], reason: agreed in issue 5}\n"
        )
        publishers.pushed(mine)
        publish(mine)
        entry = next(
            e for e in listed(mine.parent / "shared.git").evaluators if e.name == "checks_c"
        )

        assert (entry.version, entry.maintainers[0].id) == ("1.0.1", 666)


class TestSlips:
    """A slip on main costs only itself, and is named until somebody corrects it."""

    FILE = "evaluators/.tombstones.yaml"
    DECISIONS = """\
removed:
  gone_one: {reason: it lied}
yanked:
  politeness: {"1.0.0": it crashed}
"""

    @pytest.fixture
    def mine(self, bare):
        """A registry that has published the withdrawal of a version, and the end of an entry."""
        root = clone(bare, "mine")
        registries.write(root, "gone_one")
        publishers.pushed(root)
        assert publish(root)[0] == 0
        git(root, "pull", "--quiet")
        git(root, "rm", "-r", "--quiet", "evaluators/gone_one")
        (root / self.FILE).write_text(self.DECISIONS)
        registries.write(root, files={"evaluator.yaml": changed("1.0.0", "1.0.1")})
        publishers.pushed(root)
        assert publish(root, "--allow-shrink")[0] == 0
        git(root, "pull", "--quiet")
        return root

    def withdrawn(self, bare):
        [entry] = [entry for entry in listed(bare).evaluators if entry.name == "politeness"]
        return {one.version: one.yanked for one in entry.earlier}, list(listed(bare).removed)

    @pytest.mark.parametrize(
        "content",
        [
            "yanked: [", '{"1.1.0": n}\n', "removd: {}\n", "yanked:\n  politeness: {'1.0.0': n}\n",
            "\0", "- a\n", None, "link",
        ],
    )  # fmt: skip
    def test_a_broken_file_of_decisions_brings_nothing_back(self, mine, bare, content):
        path = mine / self.FILE
        path.unlink()
        if content == "link":
            path.symlink_to("/etc/passwd")
        elif content is not None:
            path.write_text(content)
        registries.write(mine, "brevity")
        publishers.pushed(mine)
        code, said = publish(mine)

        assert code == 0, said
        assert "brevity" in names(bare)
        assert "evaluators/.tombstones.yaml" in said
        assert "stays in force until that is corrected" in said
        versions, removed = self.withdrawn(bare)
        assert versions["1.0.0"]
        assert removed == ["gone_one"]
        assert "stays in force" in publish(mine)[1]  # until it is corrected

    def test_a_file_that_is_emptied_takes_its_decisions_back(self, mine, bare):
        (mine / self.FILE).write_text("# nothing any more\n")
        publishers.pushed(mine)

        assert publish(mine)[0] == 0
        assert self.withdrawn(bare) == ({"1.0.0": ""}, [])

    @pytest.mark.parametrize("slip", ["manifest", "link", "entry link"])
    def test_a_broken_entry_costs_only_itself(self, mine, bare, slip):
        if slip == "manifest":
            (mine / "evaluators/answers/evaluator.yaml").write_text("name: [\n")
        else:
            place = "evaluators/other" if slip == "link" else "evaluators/answers/link"
            (mine / place).symlink_to("politeness")
        registries.write(mine, "brevity")
        publishers.pushed(mine)
        for _ in range(2):
            code, said = publish(mine)

            assert code == 0, said
            assert names(bare) == ["answers", "brevity", "politeness"]
            assert ("not listed: " if slip == "link" else "stays listed as of ") in said


@pytest.fixture
def compiled(bare):
    """A registry whose index lists a compiled file, as an older release wrote it."""
    mine = clone(bare, "mine")
    program = mine / "evaluators/politeness/politeness.pyc"
    program.write_bytes(b"\0")
    publishers.pushed(mine)
    publish(mine)
    git(mine, "pull", "--quiet")
    document = json.loads((mine / "index.json").read_text())
    entry = document["evaluators"][1]
    entry["files"][program.name] = hashlib.sha256(b"\0").hexdigest()
    entry["sha256"] = registry_index.digest(entry["files"])
    (mine / "index.json").write_text(json.dumps(document))
    publishers.pushed(mine)
    return mine


def test_an_index_with_compiled_files_is_published_without_them_under_the_same_version(
    compiled, bare
):
    code, said = publish(compiled)

    assert code == 0, said
    assert "what is published does not change" not in said
    assert "politeness.pyc" not in listed(bare).evaluators[1].files


def test_an_entry_that_was_listed_with_compiled_files_stays_listed(compiled, bare):
    (compiled / "evaluators/politeness/evaluator.yaml").write_text("name: [\n")
    publishers.pushed(compiled)
    code, said = publish(compiled)

    assert code == 0, said
    assert "stays listed as of" in said
    assert "politeness.pyc" not in listed(bare).evaluators[1].files


def test_the_predecessors_list_is_kept_or_answered_for(bare):
    mine = clone(bare, "mine")
    lines = [
        f"- {{name: {name}, path: evaluators/{name}/x.py}}" for name in ("answers", "gone_one")
    ]
    (mine / "index.yaml").write_text("evaluators:\n" + "\n".join(lines) + "\n")
    publishers.pushed(mine)
    code, said = publish(mine)

    assert code == 1
    assert "gone_one would vanish without a tombstone: its folder is gone" in said

    git(mine, "pull", "--quiet")
    (mine / "evaluators/.tombstones.yaml").write_text("removed:\n  gone_one: {reason: old}\n")
    publishers.pushed(mine)

    assert publish(mine)[0] == 0
    assert names(bare) == ["answers", "politeness"]


def test_nothing_of_a_repository_is_run(bare, tmp_path):
    mine = clone(bare, "mine")
    registries.write_hook(mine / ".git", "pre-push", f"touch {tmp_path}/trapped\n")
    git(mine, "config", "core.fsmonitor", f"touch {tmp_path}/trapped")
    publish(mine)

    assert not (tmp_path / "trapped").exists()


class TestSigning:
    """A key of SSH signs the head, and whoever publishes later must sign too."""

    @pytest.fixture
    def key(self, tmp_path):
        return str(make_key(tmp_path))

    def test_the_signature_lies_beside_the_head_and_holds(self, bare, key):
        publish(clone(bare, "mine"), "--sign-key", key)
        signer = ssh_signature.verify(
            of_branch(bare, "head.json"), of_branch(bare, "head.json.sig")
        )
        code, said = run_verify(clone(bare, "theirs"), "--signer", signer)

        assert (code, f"signed by {signer}" in said) == (0, True)
        assert json.loads(of_branch(bare, "head.json"))["signature"] == "head.json.sig"

    def test_publishing_twice_signs_once(self, bare, key):
        mine = clone(bare, "mine")
        publish(mine, "--sign-key", key)
        tip = git(bare, "rev-parse", "main")

        assert publish(mine, "--sign-key", key)[0] == 0
        assert git(bare, "rev-parse", "main") == tip

    def test_what_is_signed_is_not_replaced_by_something_unsigned(self, bare, key):
        mine = clone(bare, "mine")
        publish(mine, "--sign-key", key)
        assert publish(mine)[0] == 0
        registries.write(mine, "brevity")
        git(mine, "pull", "--quiet", "--rebase", "origin", "main")
        publishers.pushed(mine)
        code, said = publish(mine)

        assert (code, names(bare)) == (1, ["answers", "politeness"])
        assert "the index before is signed, and this one would not be" in said
        assert publish(mine, "--sign-key", key)[0] == 0
        assert (names(bare), sequence(bare)) == (["answers", "brevity", "politeness"], 2)

    def test_a_signature_that_somebody_broke_is_made_again(self, bare, key):
        mine = clone(bare, "mine")
        publish(mine, "--sign-key", key)
        git(mine, "pull", "--quiet", "origin", "main")
        (mine / "head.json.sig").write_text("nonsense\n")
        publishers.pushed(mine)
        assert run_verify(mine)[0] == 1
        publish(mine, "--sign-key", key)

        assert ssh_signature.verify(
            of_branch(bare, "head.json"), of_branch(bare, "head.json.sig")
        ).startswith("ssh-ed25519 SHA256:")

    def test_another_signer_than_the_expected_one_is_named(self, bare, key):
        publish(clone(bare, "mine"), "--sign-key", key)
        code, said = run_verify(clone(bare, "theirs"), "--signer", "ssh-ed25519 SHA256:other")

        assert (code, "ssh-ed25519 SHA256:other must sign it, and it is" in said) == (1, True)

    def test_a_key_that_is_none_is_an_error_with_the_words_of_ssh(self, bare, tmp_path):
        done = run(clone(bare, "mine"), "publish", "--sign-key", str(tmp_path / "none"))

        assert done.returncode == 2
        assert "none: ssh-keygen cannot sign with it: " in done.stderr


def run_verify(root, *words):
    done = run(root, "verify", *words)
    return done.returncode, done.stdout


def test_each_head_follows_those_before_it(bare, tmp_path):
    mine, memory = clone(bare, "mine"), Memory.open(tmp_path, "r", where="r")
    for name in ("one", "two", "three", "four"):
        registries.write(mine, f"evaluator_{name}")
        publishers.pushed(mine)
        publish(mine)
        git(mine, "pull", "--quiet", "--rebase", "origin", "main")
        if name != "two":
            memory.accept(of_branch(bare, "head.json"), lambda n, _="": of_branch(bare, n), "")

    assert memory.recall().sequence == 4


def test_pages_that_a_pull_request_has_broken_are_published_as_they_were(bare):
    mine = clone(bare, "mine")
    for name in ("one", "two", "three"):
        registries.write(mine, f"evaluator_{name}")
        publishers.pushed(mine)
        publish(mine)
        git(mine, "pull", "--quiet", "--rebase", "origin", "main")
    right = of_branch(bare, "index/heads/0.json")
    (mine / "index/heads/0.json").write_text('{"first":1,"heads":[]}\n')
    publishers.pushed(mine)
    publish(mine)

    assert of_branch(bare, "index/heads/0.json") == right
