"""A GitHub and a web server on loopback, and a cache that nobody else has."""

import hashlib
import json

import pytest

from agentevals.evaluator import registry_index
from agentevals.evaluator.evaluator_lock import RemoteEvaluatorDef
from agentevals.evaluator.resolver import EvaluatorResolver
from tests.servers import reply, serve
from tests.stand_in import fixtures

VARIABLES = (
    "AGENTEVALS_API_URL",
    "AGENTEVALS_CACHE",
    "AGENTEVALS_EVALUATOR_BRANCH",
    "AGENTEVALS_EVALUATOR_FOLDER",
    "AGENTEVALS_EVALUATOR_INDEX",
    "AGENTEVALS_EVALUATOR_REPO",
    "AGENTEVALS_ALLOW_ROLLBACK",
    "AGENTEVALS_GITHUB_TOKEN",
    "AGENTEVALS_OFFLINE",
    "AGENTEVALS_RAW_URL",
    "GITHUB_API_URL",
    "GITHUB_TOKEN",
)
COMMIT, LATER = "c" * 40, "d" * 40
PROGRAM = b"print('{\"score\": 0.75}')"


@pytest.fixture(autouse=True)
def surroundings(tmp_path, monkeypatch):
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AGENTEVALS_CACHE", str(tmp_path / "cache"))


def sha256(content):
    return hashlib.sha256(content).hexdigest()


def entry(name="a", files=None, **facts):
    """An entry of an index, with the digests of its files."""
    files = {f"{name}.py": PROGRAM} if files is None else files
    digests = {name: sha256(content) for name, content in files.items()}
    return {
        "name": name,
        "description": f"What {name} says",
        "language": "python",
        "path": f"evaluators/{name}/{name}.py",
        "entrypoint": f"{name}.py",
        "version": "1.0.0",
        "files": digests,
        "sha256": registry_index.digest(digests),
        **facts,
    }


def listing(*entries, **facts):
    """An index.json."""
    return json.dumps({"schema": 1, "evaluators": entries, **facts}).encode()


def head_of(content, sequence=1):
    """The head.json of an index.json."""
    return json.dumps({"sequence": sequence, "index": sha256(content)}).encode()


class Repository:
    """The raw files and the API of one repository, `o/r`; everything is at one commit."""

    def __init__(self, files=None, *, commit=COMMIT, branch="main"):
        self.files = files or {}
        self.commit, self.branch = commit, branch
        self.older = []  # commits that have the same files
        self.down = set()  # what begins like this is answered with 500
        self.tree = True
        self.elsewhere = {}  # files of other commits, by their whole paths

    def __call__(self, seen):
        path = seen.path
        if any(path.startswith(prefix) for prefix in self.down):
            return reply(500)
        if path in self.elsewhere:
            return reply(200, self.elsewhere[path])
        if path.startswith("/api/"):
            return self._api(path.removeprefix("/api/repos/o/r/"), seen)
        for at in (*self.older, self.commit, self.branch):
            if path.startswith(f"/raw/o/r/{at}/"):
                return self._content(path.removeprefix(f"/raw/o/r/{at}/"))
        return reply(404)

    def _api(self, path, seen):
        if path == f"commits/{self.branch}":
            etag = f'"{self.commit}"'
            if seen.headers.get("if-none-match") == etag:
                return reply(304)
            return reply(200, self.commit.encode(), {"etag": etag})
        if path == f"git/trees/{self.commit}?recursive=1" and self.tree:
            leaves = [{"path": name, "mode": "100644", "type": "blob"} for name in self.files]
            return reply(200, json.dumps({"sha": "0", "tree": leaves}).encode())
        if path.startswith("contents/") and path.endswith(f"?ref={self.commit}"):
            return self._content(path.removeprefix("contents/").partition("?")[0])
        return reply(404)

    def _content(self, path):
        found = self.files.get(path)
        return reply(404) if found is None else reply(200, found)


@pytest.fixture
def github(monkeypatch):
    """A GitHub with one repository that has one evaluator, listed by an index with digests."""
    place = Repository({"evaluators/a/a.py": PROGRAM, "index.json": listing(entry())})
    with serve(place) as server:
        place.server = server
        monkeypatch.setenv("AGENTEVALS_API_URL", f"{server.url}/api")
        monkeypatch.setenv("AGENTEVALS_RAW_URL", f"{server.url}/raw")
        monkeypatch.setenv("AGENTEVALS_EVALUATOR_REPO", "o/r")
        yield place


def fetched(ref="a", source="github", *, lock=None):
    """As a run that begins now fetches it."""
    definition = RemoteEvaluatorDef(name="ev", ref=ref, source=source, lock=lock)
    return EvaluatorResolver().obtain(definition)


judge, stand_in, enterprise = fixtures.judge, fixtures.stand_in, fixtures.enterprise
