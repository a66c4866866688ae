"""Where an index goes if the branch that is compiled takes none."""

import json

import pytest

from agentevals.evaluator import registry_index
from agentevals.evaluator.ssh_signature import verify
from registry_tools.index.index_signing import KeySigner
from tests.evaluator.test_ssh_signature import make_key
from tests.registry_tools import publishers, registries
from tests.registry_tools.publishers import clone, listed, shared
from tests.registry_tools.registries import git
from tests.stand_in import fixtures
from tests.stand_in.faults import Fault

judge, stand_in = fixtures.judge, fixtures.stand_in

GH006 = """\
error: GH006: Protected branch update failed for refs/heads/main.
error: Changes must be made through a pull request.
"""


@pytest.fixture
def bare(tmp_path):
    """A registry whose branch main is protected, as GitHub protects one."""
    made = shared(tmp_path, "answers", "politeness")
    protect(made)
    return made


def protect(bare):
    said = "\n".join(f"echo '{line}' >&2" for line in GH006.splitlines())
    registries.write_hook(
        bare,
        "pre-receive",
        "while read old new ref; do\n"
        f'  if [ "$ref" = refs/heads/main ]; then\n{said}\nexit 1\nfi\ndone\n',
    )


def merge(bare, root):
    """What is in a clone becomes part of main, as a merged pull request does."""
    registries.commit(root)
    (bare / "hooks/pre-receive").unlink()
    git(root, "push", "--quiet", "origin", "HEAD:main")
    protect(bare)


def publish(root, *words, **environment):
    around = publishers.environment(**environment)
    done = publishers.forked.run("registry_tools", ("publish", *words), cwd=root, env=around)
    assert "Traceback" not in done.stderr
    return done.returncode, done.stdout + done.stderr


def test_the_servers_own_sentence_is_shown_with_what_to_do(bare):
    code, said = publish(clone(bare, "mine"))

    assert code == 3
    assert "GH006: Protected branch update failed for refs/heads/main." in said
    assert "Changes must be made through a pull request." in said
    assert "publish to another place (--to)" in said


@pytest.mark.parametrize("to", ["nowhere", "folder", "release:", "pull-request:x", "branches:x"])
def test_a_place_that_is_none_is_named_with_those_that_are(bare, to):
    code, said = publish(clone(bare, "mine"), "--to", to)

    assert code == 2
    assert "use branch, branch:NAME, folder:PATH, release:TAG or pull-request" in said


class TestIndexBranch:
    def test_it_has_the_index_and_nothing_else(self, bare):
        code, said = publish(clone(bare, "mine"), "--to", "branch:index")

        assert code == 0, said
        names = git(bare, "ls-tree", "-r", "--name-only", "index").split()
        tops = {name.partition("/")[0] for name in names}
        assert tops == {"e", "head.json", "index", "index.json", "index.yaml"}
        assert git(bare, "ls-tree", "--name-only", "main") == "evaluators\n"

    def test_its_entries_name_commits_of_the_branch_that_was_compiled(self, bare):
        publish(clone(bare, "mine"), "--to", "branch:index")
        tip = git(bare, "rev-parse", "main").strip()

        assert {entry.commit for entry in listed(bare, "index").evaluators} == {tip}

    def test_heads_go_on_from_one_index_to_the_next(self, bare):
        mine = clone(bare, "mine")
        publish(mine, "--to", "branch:index")
        registries.write(mine, "brevity")
        merge(bare, mine)
        code, said = publish(mine, "--to", "branch:index")

        assert (code, "no. 2" in said) == (0, True)
        assert "brevity" in [entry.name for entry in listed(bare, "index").evaluators]
        assert "up to date" in publish(mine, "--to", "branch:index")[1]

    def test_heads_go_on_from_those_that_main_had(self, bare):
        (bare / "hooks/pre-receive").unlink()
        mine = clone(bare, "mine")
        publish(mine)
        protect(bare)
        _, said = publish(mine, "--to", "branch:index")

        assert "no. 1" in said
        assert publishers.of_branch(bare, "head.json", "index") == publishers.of_branch(
            bare, "head.json"
        )

    def test_what_vanishes_is_refused_as_on_main(self, bare):
        mine = clone(bare, "mine")
        publish(mine, "--to", "branch:index")
        git(mine, "rm", "-r", "--quiet", "evaluators/answers")
        merge(bare, mine)
        publish(mine, "--to", "branch:index")

        assert "answers" in [entry.name for entry in listed(bare, "index").evaluators]

    def test_publishers_at_the_same_time_end_with_one_index(self, bare):
        words = ("publish", "--to", "branch:index")
        started = [publishers.start(clone(bare, name), *words) for name in "abc"]
        said = [each.communicate()[0] for each in started]

        assert [each.returncode for each in started] == [0, 0, 0], said
        assert json.loads(publishers.of_branch(bare, "head.json", "index"))["sequence"] == 1


class TestFolder:
    @pytest.fixture
    def site(self, bare, tmp_path):
        """A clone, and the folder that Pages is to serve."""
        return clone(bare, "mine"), tmp_path / "site"

    def test_a_folder_is_written_for_the_step_that_hands_it_on(self, site):
        root, folder = site
        code, said = publish(root, "--to", f"folder:{folder}")

        assert code == 0, said
        assert {path.name for path in folder.iterdir()} == {
            "e", "head.json", "index", "index.json", "index.yaml",
        }  # fmt: skip
        assert (folder / "e/answers.json").is_file()

    def test_an_index_before_that_cannot_be_read_stops_it(self, site):
        root, folder = site
        address = "http://127.0.0.1:1/index.json"
        code, _ = publish(root, "--to", f"folder:{folder}", "--address", address)

        assert code == 3
        assert not folder.exists()

    def test_heads_go_on_from_what_is_served(self, site, tmp_path, served):
        root, folder = site
        address = served(folder)
        publish(root, "--to", f"folder:{folder}", "--address", address)
        registries.write(root, "brevity")
        merge(tmp_path / "shared.git", root)
        fresh = tmp_path / "fresh"
        code, said = publish(root, "--to", f"folder:{fresh}", "--address", address)

        assert (code, "no. 2" in said) == (0, True), said
        before, after = (json.loads((one / "head.json").read_text()) for one in (folder, fresh))
        assert after["sequence"] == before["sequence"] + 1


@pytest.fixture
def served():
    """Serve a folder on loopback, as Pages does."""
    with publishers.serving() as serve:
        yield serve


@pytest.fixture
def github(stand_in):
    stand_in.world.repository("o/r")
    return {**stand_in.environ, "GITHUB_TOKEN": stand_in.token, "GITHUB_REPOSITORY": "o/r"}


class TestPullRequest:
    def propose(self, root, github):
        return publish(root, "--to", "pull-request", **github)

    def test_it_is_opened_and_merges_itself(self, bare, stand_in, github):
        code, said = self.propose(clone(bare, "mine"), github)
        [pull] = stand_in.world.repository("o/r").pulls.values()

        assert code == 0, said
        assert (pull.head_ref, pull.base_ref, pull.merges_itself) == (
            "agentevals/index", "main", True,
        )  # fmt: skip
        assert pull.title == "Publish the index: 2 evaluators"
        assert "merges itself once its checks pass" in said
        assert len(listed(bare, "agentevals/index").evaluators) == 2

    def test_the_same_one_is_used_until_it_is_merged(self, bare, stand_in, github):
        root = clone(bare, "mine")
        self.propose(root, github)
        registries.write(root, "brevity")
        merge(bare, root)
        code, said = self.propose(root, github)

        assert code == 0, said
        assert len(stand_in.world.repository("o/r").pulls) == 1
        assert len(listed(bare, "agentevals/index").evaluators) == 3

    def test_the_gate_takes_what_the_job_has_written(self, bare, github):
        root = clone(bare, "mine")
        self.propose(root, github)
        git(root, "fetch", "--quiet", "origin", "agentevals/index")
        git(root, "checkout", "--quiet", "FETCH_HEAD")
        words = ("validate", "--no-smoke", "--changed-since", "origin/main")
        assert publishers.run(root, *words).returncode == 0

        path = root / "index.json"
        path.write_text(path.read_text().replace("octocat", "mallory"))
        assert "update-generated" in publishers.run(root, *words).stdout

    def review_signed(self, bare, root, github, key):
        """The gate of a pull request that this key has signed."""
        code, said = publish(root, "--to", "pull-request", "--sign-key", str(key), **github)
        assert code == 0, said
        git(root, "fetch", "--quiet", "origin", "agentevals/index", "main")
        git(root, "checkout", "--quiet", "origin/agentevals/index")
        done = publishers.run(root, "validate", "--no-smoke", "--changed-since", "origin/main")
        git(bare, "update-ref", "refs/heads/main", "refs/heads/agentevals/index")
        git(root, "checkout", "--quiet", "main")
        git(root, "pull", "--quiet", "origin", "main")
        registries.write(root, f"brevity-{len(list((root / 'evaluators').iterdir()))}")
        merge(bare, root)
        return done.returncode, done.stdout

    def test_the_gate_takes_the_signer_that_the_branch_has(self, bare, github, tmp_path):
        root, (ours, theirs) = clone(bare, "mine"), self.make_keys(tmp_path)
        code, said = self.review_signed(bare, root, github, ours)
        assert (code, "signed for the first time, by ssh-ed25519 SHA256:" in said) == (0, True)

        code, said = self.review_signed(bare, root, github, ours)
        assert (code, "signed" in said) == (0, False)

        code, said = self.review_signed(bare, root, github, theirs)
        assert (code, "no client would take it" in said) == (1, True)

    @pytest.mark.parametrize("change", ["missing", "of another head", "of another form"])
    def test_the_gate_takes_no_signature_that_proves_nothing(self, bare, github, tmp_path, change):
        root, (key, _) = clone(bare, "mine"), self.make_keys(tmp_path)
        publish(root, "--to", "pull-request", "--sign-key", str(key), **github)
        git(root, "fetch", "--quiet", "origin", "agentevals/index")
        git(root, "checkout", "--quiet", "FETCH_HEAD")
        signature = root / "head.json.sig"
        if change == "of another head":
            signature.write_bytes(KeySigner(key).sign(b"another"))
        else:
            signature.unlink()
        if change == "of another form":
            (root / "head.json.sigstore.json").write_text("{}")
        done = publishers.run(root, "validate", "--no-smoke", "--changed-since", "origin/main")

        assert done.returncode == 1
        assert "update-generated" in done.stdout

    def make_keys(self, tmp_path):
        folders = (tmp_path / name for name in ("ours", "theirs"))
        return [make_key(folder) for folder in folders if not folder.mkdir()]

    @pytest.mark.parametrize(
        ("why", "said"),
        [
            ("Auto merge is not allowed for this repository", "somebody has to merge it"),
            ("Pull request is in clean status", "nothing is required for a merge, so merge it"),
        ],
    )
    def test_it_is_said_if_it_does_not_merge_itself(self, bare, stand_in, github, why, said):
        stand_in.world.repository("o/r").auto_merge = why
        code, told = self.propose(clone(bare, "mine"), github)

        assert code == 0
        assert said in told

    def test_without_a_token_nothing_is_pushed(self, bare):
        code, said = self.propose(clone(bare, "mine"), {})

        assert (code, "GITHUB_TOKEN" in said) == (2, True)

    def test_a_token_that_may_not_is_told_what_it_needs(self, bare, stand_in, github):
        stand_in.permissions |= {"pull-requests": "read"}
        code, said = self.propose(clone(bare, "mine"), github)

        assert code == 3
        assert "pull-requests: write" in said


class TestRelease:
    def names(self, stand_in):
        [release] = stand_in.world.repository("o/r").releases.values()
        return release, {asset.name: asset.content for asset in release.assets.values()}

    def test_its_files_are_the_index(self, bare, stand_in, github):
        code, said = publish(clone(bare, "mine"), "--to", "release:index", **github)
        release, files = self.names(stand_in)

        assert code == 0, said
        assert (release.tag, sorted(files)) == (
            "index", ["head.json", "index.json", "index.yaml"],
        )  # fmt: skip
        assert len(registry_index.parse(files["index.json"], where="x").evaluators) == 2

    def test_they_are_replaced_and_heads_go_on(self, bare, stand_in, github):
        root = clone(bare, "mine")
        publish(root, "--to", "release:index", **github)
        registries.write(root, "brevity")
        merge(bare, root)
        code, said = publish(root, "--to", "release:index", **github)
        _, files = self.names(stand_in)

        assert code == 0, said
        assert json.loads(files["head.json"])["sequence"] == 2
        assert sorted(files) == ["head.json", "index.heads.0.json", "index.json", "index.yaml"]
        assert "up to date" in publish(root, "--to", "release:index", **github)[1]

    def test_what_a_cancelled_job_left_is_replaced(self, bare, stand_in, github):
        root = clone(bare, "mine")
        publish(root, "--to", "release:index", **github)
        release, _ = self.names(stand_in)
        next(a for a in release.assets.values() if a.name == "index.json").name = "index.json.new"
        code, said = publish(root, "--to", "release:index", **github)

        assert code == 0, said
        assert sorted(self.names(stand_in)[1]) == ["head.json", "index.json", "index.yaml"]

    @pytest.mark.parametrize("swapped", range(5))
    def test_a_job_that_was_cancelled_while_it_replaced_files_costs_no_head(
        self, bare, stand_in, github, swapped
    ):
        root = clone(bare, "mine")
        publish(root, "--to", "release:index", **github)
        registries.write(root, "brevity")
        merge(bare, root)
        stand_in.faults.append(Fault("PATCH", "assets", 403, skip=swapped, times=99))
        publish(root, "--to", "release:index", **github)
        stand_in.faults.clear()
        code, said = publish(root, "--to", "release:index", **github)
        _, files = self.names(stand_in)

        assert code == 0, said
        assert json.loads(files["head.json"])["sequence"] == 2
        assert sorted(files) == ["head.json", "index.heads.0.json", "index.json", "index.yaml"]

    def test_a_release_without_its_head_begins_no_second_chain(self, bare, stand_in, github):
        root = clone(bare, "mine")
        publish(root, "--to", "release:index", **github)
        release, _ = self.names(stand_in)
        [head] = [number for number, a in release.assets.items() if a.name == "head.json"]
        del release.assets[head]
        code, said = publish(root, "--to", "release:index", **github)

        assert code == 3
        assert "put back the head.json that it had" in said

    def test_its_head_is_signed_as_elsewhere(self, bare, stand_in, github, tmp_path):
        root, key = clone(bare, "mine"), make_key(tmp_path)
        words = ("--to", "release:index", "--sign-key", str(key))
        assert publish(root, *words, **github)[0] == 0
        _, files = self.names(stand_in)
        assert verify(files["head.json"], files["head.json.sig"])

        registries.write(root, "brevity")
        merge(bare, root)
        code, said = publish(root, "--to", "release:index", **github)
        assert (code, "say who signs it" in said) == (1, True)

    def test_the_storage_is_given_no_token(self, bare, stand_in, github):
        root = clone(bare, "mine")
        publish(root, "--to", "release:index", **github)
        publish(root, "--to", "release:index", **github)

        assert stand_in.stored
        assert all("authorization" not in each.request.headers for each in stand_in.stored)
