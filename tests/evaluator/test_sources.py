import asyncio

import pytest

from agentevals.errors import InputError, UnavailableError
from agentevals.evaluator.builtins import DESCRIPTIONS
from agentevals.evaluator.sources import (
    BuiltinEvaluatorSource,
    EvaluatorInfo,
    EvaluatorSource,
    FileEvaluatorSource,
    GitHubEvaluatorSource,
    check_ref,
    get_sources,
    register_source,
)
from agentevals.graders import BUILTINS
from agentevals.web import Terms
from tests.servers import reply, serve

INDEX = b"""
generatedAt: 2026-03-26T10:00:00Z
evaluators:
  - name: contains
    description: 'says "yes", or: no'
    language: python
    path: evaluators/contains/contains.py
    tags: [text, 1]
    author: someone
    lastUpdated: 2026-03-26T10:00:00Z
  - {name: 2024, description: null, language: python, path: evaluators/year/year.py}
"""


def registry(files):
    def answer(seen):
        found = files.get(seen.path)
        if isinstance(found, int):
            return reply(found)
        return reply(404) if found is None else reply(200, found)

    return serve(answer)


@pytest.fixture
def at(monkeypatch):
    monkeypatch.delenv("GITHUB_TOKEN", raising=False)

    def point(server, repo="org/repo", branch="main"):
        monkeypatch.setenv("AGENTEVALS_RAW_URL", server.url)
        monkeypatch.setenv("AGENTEVALS_EVALUATOR_REPO", repo)
        monkeypatch.setenv("AGENTEVALS_EVALUATOR_BRANCH", branch)
        return GitHubEvaluatorSource()

    return point


def run(coroutine):
    return asyncio.run(coroutine)


def test_github_lists_what_the_index_of_the_branch_says(at):
    with registry({"/org/repo/v1/index.yaml": INDEX}) as server:
        contains, year = run(at(server, branch="v1").list_evaluators())

    assert contains == EvaluatorInfo(
        name="contains",
        description='says "yes", or: no',
        source="github",
        language="python",
        ref="evaluators/contains/contains.py",
        tags=["text", "1"],
        author="someone",
        last_updated="2026-03-26T10:00:00Z",
    )
    assert year.name == "2024"
    assert year.description == ""


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (b"evaluators: null", "'evaluators' must be a list of entries"),
        (b"evaluators: [contains]", "'evaluators' must be a list of entries"),
        (b"[]", "'evaluators' must be a list of entries"),
        (b"a: [", "it is not YAML"),
        (b"<!DOCTYPE html><p>Sign in", "was answered with a web page"),
        (500, "answered 500"),
        (403, "was refused \\(403\\); check AGENTEVALS_GITHUB_TOKEN"),
        (None, "index.yaml does not exist \\(repository org/repo, branch main\\)"),
    ],
)
def test_github_without_a_usable_index_is_unavailable(at, body, said):
    with registry({"/org/repo/main/index.yaml": body}) as server:
        source = at(server)
        source.terms = Terms(retries=0)
        with pytest.raises(UnavailableError, match=said):
            run(source.list_evaluators())


def test_github_hands_out_a_program_and_its_requirements(at, tmp_path):
    files = {
        "/org/repo/main/evaluators/a/a.py": b"print(1)",
        "/org/repo/main/evaluators/a/requirements.txt": b"six",
    }
    with registry(files) as server:
        path = run(at(server).fetch_evaluator("evaluators/a/a.py", tmp_path / "a.py"))

    assert path.read_bytes() == b"print(1)"
    assert (tmp_path / "requirements.txt").read_bytes() == b"six"


def test_a_program_without_requirements_is_fine(at, tmp_path):
    with registry({"/org/repo/main/a.py": b"print(1)"}) as server:
        run(at(server).fetch_evaluator("a.py", tmp_path / "a.py"))

    assert [path.name for path in tmp_path.iterdir()] == ["a.py"]


def test_requirements_that_cannot_be_fetched_are_not_taken_for_none(at, tmp_path):
    files = {"/org/repo/main/a.py": b"print(1)", "/org/repo/main/requirements.txt": 403}
    with registry(files) as server, pytest.raises(UnavailableError, match=r"requirements\.txt"):
        run(at(server).fetch_evaluator("a.py", tmp_path / "a.py"))

    assert list(tmp_path.iterdir()) == []


def test_a_program_that_is_not_there_is_the_users_mistake(at, tmp_path):
    with registry({}) as server, pytest.raises(InputError, match="set AGENTEVALS_GITHUB_TOKEN"):
        run(at(server).fetch_evaluator("a.py", tmp_path / "a.py"))


@pytest.mark.parametrize("variable", ["AGENTEVALS_GITHUB_TOKEN", "GITHUB_TOKEN"])
def test_the_token_is_sent_to_the_registry(at, monkeypatch, variable):
    monkeypatch.setenv(variable, "s3cr3t")
    with registry({"/org/repo/main/index.yaml": INDEX}) as server:
        run(at(server).list_evaluators())

    assert server.seen[0].headers["authorization"] == "token s3cr3t"


def test_without_a_token_none_is_sent(at):
    with registry({"/org/repo/main/index.yaml": INDEX}) as server:
        run(at(server).list_evaluators())

    assert "authorization" not in server.seen[0].headers


def test_offline_github_says_so(at, monkeypatch):
    with registry({}) as server:
        source = at(server)
        monkeypatch.setenv("AGENTEVALS_OFFLINE", "1")
        with pytest.raises(UnavailableError, match="this run is offline"):
            run(source.list_evaluators())

    assert server.seen == []


@pytest.mark.parametrize("repo", ["evaluators", "a/b/c", "../x", "a/b?c", ""])
def test_a_repository_has_an_owner_and_a_name(repo):
    source = GitHubEvaluatorSource(repo=repo or "-")

    with pytest.raises(InputError, match="write owner/name"):
        run(source.list_evaluators())


def test_repositories_and_branches_have_caches_of_their_own():
    keys = {
        GitHubEvaluatorSource(repo=repo, branch=branch).cache_key
        for repo in ("a/b", "a/c")
        for branch in ("main", "feature/x", "..")
    }

    assert len(keys) == 6
    assert all(key.count("/") == 2 for key in keys)


def test_builtins_are_all_listed_with_a_sentence():
    listed = run(BuiltinEvaluatorSource().list_evaluators())

    assert {info.name for info in listed} == set(BUILTINS)
    assert all(DESCRIPTIONS[info.name] == info.description != "" for info in listed)


def test_a_folder_of_evaluators_is_a_source(tmp_path):
    folder = tmp_path / "evaluators" / "shout"
    folder.mkdir(parents=True)
    (folder / "shout.py").write_text("print(1)")
    (folder / "requirements.txt").write_text("six")
    (folder / "evaluator.yaml").write_text(
        "name: shout\ndescription: loud\nlanguage: python\nentrypoint: shout.py\n"
    )
    source = FileEvaluatorSource(tmp_path)

    (info,) = run(source.list_evaluators())
    run(source.fetch_evaluator(info.ref, tmp_path / "copy" / "shout.py"))

    assert (info.name, info.ref) == ("shout", "evaluators/shout/shout.py")
    assert (tmp_path / "copy" / "requirements.txt").read_text() == "six"


@pytest.mark.parametrize("text", ["a: [", "- a", "\xff"])
def test_a_manifest_that_is_none_is_named(tmp_path, text):
    (tmp_path / "evaluator.yaml").write_bytes(text.encode("latin-1"))

    with pytest.raises(InputError, match=r"evaluator\.yaml: not a manifest"):
        run(FileEvaluatorSource(tmp_path).list_evaluators())


def test_a_folder_does_not_hand_out_what_it_does_not_have(tmp_path):
    with pytest.raises(InputError, match="does not exist"):
        run(FileEvaluatorSource(tmp_path).fetch_evaluator("a.py", tmp_path / "b.py"))


def test_a_builtin_is_not_fetched(tmp_path):
    with pytest.raises(InputError, match="use its name with type: builtin"):
        run(BuiltinEvaluatorSource().fetch_evaluator("safety_v1", tmp_path / "b.py"))


class Mine(EvaluatorSource):
    @property
    def source_name(self):
        return "mine"

    async def list_evaluators(self):
        return []

    async def fetch_evaluator(self, ref, dest):
        return dest


def test_a_registered_source_is_seen_at_once():
    before = [source.source_name for source in get_sources()]
    register_source(Mine())

    assert before[:2] == ["builtin", "github"]
    assert [source.source_name for source in get_sources()] == [*before, "mine"]


@pytest.mark.parametrize("ref", ["a.py", "evaluators/a-b/a_b.py", "x/y.z/_t.ts", "a.b.js"])
def test_references(ref):
    assert check_ref(ref) == ref


@pytest.mark.parametrize(
    "ref",
    [
        "",
        "/a.py",
        "../a.py",
        "a/../b.py",
        "a//b.py",
        ".hidden/a.py",
        "a\\b.py",
        "a%2e.py",
        "a.sh",
        "a/b",
        "-a/b.py",
        "é.py",
        "a/" * 16 + "b.py",
        "a" * 510 + ".py",
        "a.py\n",
    ],
)
def test_references_that_could_lead_elsewhere_are_refused(ref):
    with pytest.raises(ValueError, match=r"must (be|have|end)"):
        check_ref(ref)
