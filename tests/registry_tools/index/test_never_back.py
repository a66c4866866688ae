"""A client of the real command line, and a registry that is put back, at each place of an index.

The repository is a real one, and a server on loopback hands it out as GitHub does.
"""

import json
import os
import random
import shutil
from itertools import combinations

import pytest

from agentevals.evaluator import sigstore_bundle
from agentevals.evaluator.published_index import POINTER, flatten
from agentevals.evaluator.registry_head import HEAD, parse_head
from agentevals.github.api import Api
from agentevals.github.api_retries import RetryPolicy
from registry_tools.index import index_repository
from registry_tools.index.github_index_places import PULL_BRANCH, PullRequestPlace, ReleasePlace
from registry_tools.index.index_branch import Branch
from registry_tools.index.index_places import BranchPlace, FolderPlace, Guard, publish
from registry_tools.index.index_signing import KeySigner
from tests import forked
from tests.evaluator.sigstore_authority import Authority
from tests.evaluator.test_sigstore_bundle import Workflow
from tests.evaluator.test_ssh_signature import make_key
from tests.registry_tools import publishers, registries
from tests.registry_tools.registries import git
from tests.servers import reply, serve
from tests.stand_in import fixtures
from tests.stand_in.world import ReleaseAsset

judge, stand_in = fixtures.judge, fixtures.stand_in
CONFIG = "evaluators:\n- {name: polite, type: remote, ref: politeness, threshold: 1}\n"
_NOTICED = ("put back", "is not the one", "does not exist", "is not valid", "nobody signs it now")
NEWEST = {"answers", "brevity", "politeness"}


class Place:
    """A place of an index. Its `files` are read and written behind the publisher's back."""

    name = "main"

    def __init__(self, home):
        self.home = home

    def build(self, source):
        return BranchPlace(source, Branch(source.found, "origin", self.name))

    def settle(self):
        """What happens after a publication, before clients see it."""

    @property
    def files(self):
        names = git(self.home.bare, "ls-tree", "-r", "--name-only", self.name).split()
        kept = [name for name in names if not name.startswith("evaluators/") and name != POINTER]
        return {name: publishers.of_branch(self.home.bare, name, self.name) for name in kept}

    @files.setter
    def files(self, wanted):
        branch = Branch(index_repository.find(self.home.root), "origin", self.name)
        changes = dict.fromkeys(self.files, None) | wanted
        assert not branch.push(branch.commit(branch.fetch(), "restore", changes))


class IndexBranch(Place):
    name = "index"

    def settle(self):
        self.home.point("branch:index")


class PullRequest(Place):
    def build(self, source):
        return PullRequestPlace(source, connect(self.home.stand_in), "o/r")

    def settle(self):
        git(self.home.bare, "update-ref", "refs/heads/main", f"refs/heads/{PULL_BRANCH}")


class Pages(Place):
    """What is served is the artifact of the last deployment."""

    def build(self, source):
        fresh = self.home.site.with_name("artifact")
        shutil.rmtree(fresh, ignore_errors=True)
        return FolderPlace(source, fresh, f"{self.home.url}/pages/index.json")

    def settle(self):
        self.home.site = self.home.site.with_name("artifact").rename(
            self.home.site.with_name(f"site-{len(list(self.home.site.parent.iterdir()))}")
        )
        self.home.point(f"{self.home.url}/pages/index.json")

    @property
    def files(self):
        found = (path for path in self.home.site.rglob("*") if path.is_file())
        return {path.relative_to(self.home.site).as_posix(): path.read_bytes() for path in found}

    @files.setter
    def files(self, wanted):
        shutil.rmtree(self.home.site, ignore_errors=True)
        for name, content in wanted.items():
            path = self.home.site / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)


class Release(Place):
    def build(self, source):
        return ReleasePlace(source, connect(self.home.stand_in), "o/r", "index")

    def settle(self):
        self.home.point(f"{self.home.url}/release/index.json")

    @property
    def files(self):
        return {asset.name: asset.content for asset in self.assets.values()}

    @files.setter
    def files(self, wanted):
        self.assets.clear()
        for number, (name, content) in enumerate(wanted.items(), 9000):
            self.assets[number] = ReleaseAsset(number, name, content)

    @property
    def assets(self):
        [release] = self.home.stand_in.world.repository("o/r").releases.values()
        return release.assets


class Home:
    """A registry, published to one place, and clients of it."""

    def __init__(self, folder, stand_in, kind):
        self.folder, self.stand_in, self.url = folder, stand_in, ""
        self.bare = publishers.shared(folder, "answers", "politeness")
        self.root = publishers.clone(self.bare, "mine")
        self.site = folder / "sites/first"
        self.site.mkdir(parents=True)
        stand_in.world.repository("o/r")
        self.place = kind(self)

    def answer(self, seen):
        kind, _, rest = seen.path.partition("?")[0][1:].partition("/")
        return {"api": self.name_commit, "raw": self.show, "pages": self.hand_out}.get(
            kind, self.download
        )(rest)

    def name_commit(self, path):
        return reply(200, git(self.bare, "rev-parse", path.rpartition("/")[2]).strip().encode())

    def show(self, path):
        _, _, ref, name = path.split("/", 3)
        if not git(self.bare, "ls-tree", ref, name):
            return reply(404)
        return reply(200, publishers.of_branch(self.bare, name, ref))

    def hand_out(self, name):
        path = self.site / name
        return reply(200, path.read_bytes()) if path.is_file() else reply(404)

    def download(self, name):
        content = self.place.files.get(name)
        return reply(404) if content is None else reply(200, content)

    def point(self, index):
        content = json.dumps({"index": index}).encode()
        branch = Branch(index_repository.find(self.root))
        branch.push(branch.commit(branch.fetch(), "point", {POINTER: content}))

    def publish(self, *names, signer=None):
        """Merge evaluators, and publish as the workflow does."""
        git(self.root, "pull", "--quiet", "--rebase", "origin", "main")
        for name in names:
            registries.write(self.root, name)
        publishers.pushed(self.root)
        source = Branch(index_repository.find(self.root))
        done = publish(source, self.place.build(source), Guard(), signer=signer)
        assert not done.refused, done.refused
        self.place.settle()

    def ask(self, *words):
        """The command line of somebody who keeps a cache."""
        project = self.folder / "project"
        if not project.exists():
            project.mkdir()
            (project / "eval_config.yaml").write_text(CONFIG)
            turns = [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello"}]
            (project / "t.json").write_text(json.dumps({"messages": turns}))
        around = publishers.environment(
            AGENTEVALS_API_URL=f"{self.url}/api", AGENTEVALS_RAW_URL=f"{self.url}/raw",
            AGENTEVALS_EVALUATOR_REPO="o/r", AGENTEVALS_CACHE=str(self.folder / "cache"),
            AGENTEVALS_SIGSTORE_ROOT=str(self.folder / "root.json"),
        )  # fmt: skip
        done = forked.run("agentevals", words, cwd=project, env=around)
        assert "Traceback" not in done.stderr
        return done

    def client(self, *words):
        """The same of a command that succeeds; what it says."""
        done = self.ask(*words)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout + done.stderr

    def list_names(self):
        """The names that a client is shown, and what it is told."""
        done = self.ask("evaluator", "list", "--source", "github", "--json")
        assert done.returncode == (0 if done.stdout else 3), done.stderr
        return {found["name"] for found in json.loads(done.stdout or "[]")}, done.stderr

    def is_noticed(self, said):
        """Whether a refusal says what is wrong with the registry."""
        return any(words in said for words in _NOTICED)


def connect(stand_in):
    return Api(
        url=stand_in.url,
        graphql_url=stand_in.url + "/graphql",
        token=stand_in.token,
        retry_policy=RetryPolicy(between_writes=0),
    )


PLACES = [Place, IndexBranch, PullRequest, Pages, Release]


@pytest.fixture(params=PLACES, ids=lambda kind: kind.__name__)
def home(request, tmp_path, stand_in):
    made = Home(tmp_path, stand_in, request.param)
    with serve(made.answer) as server:
        made.url = server.url
        yield made


def test_a_client_that_sees_it_first_locks_and_runs_it_and_follows_what_comes(home):
    home.publish()
    assert "politeness: 1.0.0" in home.client("lock")
    assert "PASS" in home.client("run", "t.json", "--config", "eval_config.yaml")
    assert "answers" in home.client("evaluator", "show", "answers", "--source", "github")
    home.publish("brevity")

    names, said = home.list_names()
    assert (names, said) == (NEWEST, "")
    assert "0 changed" in home.client("lock", "--update")


def group(files):
    """The parts of an index that somebody may put back, or delete, each by itself."""
    parts = {"index.json": [], "index.yaml": [], HEAD: [], "heads": [], "rest": []}
    for name in files:
        is_page = name.startswith(("index/heads/", flatten("index/heads/")))
        parts[name if name in parts else "heads" if is_page else "rest"].append(name)
    return [names for names in parts.values() if names]


def list_attacks(older, newer):
    """The older files, without any of their parts; then newer ones among them."""
    parts = group(older)
    for count in range(len(parts) + 1):
        for gone in combinations(parts, count):
            dropped = {name for names in gone for name in names}
            yield {name: older[name] for name in older if name not in dropped}
    for names in group(newer):
        yield older | {name: newer[name] for name in names if name != "index.json"}


def test_no_combination_of_older_and_deleted_files_goes_unnoticed(home):
    home.publish()
    older = home.place.files
    home.publish("brevity")
    home.client("lock")
    newer = home.place.files
    for files in list_attacks(older, newer):
        home.place.files = files
        names, said = home.list_names()

        assert (not names and home.is_noticed(said)) or names == NEWEST, said
    assert "was fetched before, is used" in home.client("lock", "--update")
    assert "PASS" in home.client("run", "t.json", "--config", "eval_config.yaml")
    home.place.files = newer
    assert home.list_names()[0] == NEWEST


def test_an_older_index_that_goes_on_by_itself_is_refused(home):
    """The numbers go on from the older state, so that only the chain tells."""
    home.publish()
    older = home.place.files
    home.publish("brevity")
    home.publish("kindness")
    home.list_names()
    home.place.files = older
    for name in ("calm", "warmth", "wit", "zeal"):
        home.publish(name)
    names, said = home.list_names()

    assert (names, "put back" in said) == (set(), True), said
    home.client("evaluator", "trust")
    assert "zeal" in home.list_names()[0]


def forge(rng, states):
    """The files of an attacker: of each part an earlier state, the newest one, or nothing."""
    newest = states[-1]
    parts = group({name: b"" for state in states for name in state})
    forged = {}
    for names in [*parts, *([name] for name in rng.sample(sorted(newest), 2))]:
        state = rng.choice([*states, {}])
        for name in names:
            forged.pop(name, None)
            if name in state:
                forged[name] = state[name]
    if rng.random() < 0.3:
        pages = [name for name in forged if "heads" in name]
        forged |= {name: forged[name][: rng.randrange(200)] for name in pages}  # a cut chain
    return forged


@pytest.mark.parametrize("seed", range(int(os.environ.get("ATTACKS", "1"))))
@pytest.mark.parametrize("is_signed", [False, True], ids=["unsigned", "signed"])
def test_no_random_mix_of_states_and_of_a_fork_goes_unnoticed(home, tmp_path, seed, is_signed):
    """Mixed at random: heads, pages, lists, entries and signatures, and another history."""
    rng = random.Random(f"{seed} {home.place.__class__.__name__} {is_signed}")
    signer = KeySigner(make_key(tmp_path)) if is_signed else None
    home.publish(signer=signer)
    states = [home.place.files]
    for name in ("wit", "zeal", "calm", "warmth", "joy")[: 1 + rng.randrange(3)]:
        home.publish(name, signer=signer)
        states.append(home.place.files)
    home.place.files = states[0]
    for name in ("fork", "spoon", "knife", "plate", "cup")[: 1 + rng.randrange(4)]:
        home.publish(name, signer=signer)  # what a copy of the first state becomes
    states.insert(0, home.place.files)
    home.place.files = states[-1]
    home.client("lock")
    known, _ = home.list_names()
    for _ in range(8):
        home.place.files = forge(rng, states)
        names, said = home.list_names()

        assert (not names and home.is_noticed(said)) or names == known, (names, said)
    assert home.ask("lock", "--update").returncode in {0, 3}
    assert "PASS" in home.client("run", "t.json", "--config", "eval_config.yaml")
    home.place.files = states[-1]
    assert home.list_names()[0] == known


class TestSigned:
    """Who has seen a signer takes nothing that another one, or nobody, has signed."""

    @pytest.fixture(params=["ssh", "sigstore"])
    def signer(self, request, tmp_path, monkeypatch):
        if request.param == "ssh":
            return KeySigner(make_key(tmp_path))
        authority = Authority()
        root = tmp_path / "root.json"
        root.write_text(json.dumps(authority.describe_root()))
        monkeypatch.setenv(sigstore_bundle.VARIABLE, str(root))
        return Workflow(authority, "o/r")

    def test_an_unsigned_index_is_refused_afterwards(self, home, signer):
        home.publish(signer=signer)
        assert signer.form in home.place.files
        assert home.list_names()[0] == {"answers", "politeness"}
        home.publish("brevity", signer=signer)
        assert home.list_names()[0] == NEWEST
        before, content = home.place.files, home.place.files["index.json"]

        for form in ("", signer.form):
            unsigned = json.loads(before[HEAD]) | {"signature": form, "commit": "d" * 40}
            content = json.dumps(unsigned).encode()
            follows = json.loads(before[HEAD])["sequence"] + 1
            assert parse_head(content).sequence + 1 == follows
            for gone in (set(), {signer.form}):
                home.place.files = {n: c for n, c in before.items() if n not in gone} | {
                    HEAD: content
                }
                names, said = home.list_names()
                assert not names
                assert "nobody signs it now" in said or "signature is not valid" in said, said
