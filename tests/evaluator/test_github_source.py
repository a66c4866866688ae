import asyncio
import json

import pytest

from agentevals.evaluator import registry_index
from agentevals.evaluator.github_source import (
    API_URL,
    RAW_URL,
    GitHubEvaluatorSource,
    Hosts,
    read_environment,
)
from agentevals.evaluator.registry_index import Index
from agentevals.model.errors import InputError, UnavailableError
from agentevals.web import Terms
from tests.evaluator import test_published_index as registries
from tests.evaluator.conftest import (
    COMMIT,
    LATER,
    PROGRAM,
    entry,
    fetched,
    head_of,
    listing,
    sha256,
)
from tests.servers import reply, serve

LEGACY = b"""
generatedAt: 2026-03-26T10:00:00Z

evaluators:
  - name: a
    description: 'says "yes", or: no'
    language: python
    path: evaluators/a/a.py
    tags: ["text", "1"]
    author: someone
    lastUpdated: "%Y->-T3de932c"
"""
ONCE = Terms(retries=0)


@pytest.fixture(autouse=True)
def impatient(monkeypatch):
    monkeypatch.setattr(GitHubEvaluatorSource, "terms", ONCE)


def listed():
    return asyncio.run(GitHubEvaluatorSource().list_evaluators())


def paths(github):
    return [seen.path for seen in github.server.seen]


def test_a_branch_becomes_a_commit_and_every_file_is_of_that_commit(github):
    github.files["evaluators/a/words.txt"] = b"yes"
    files = {"a.py": PROGRAM, "words.txt": b"yes"}
    github.files["index.json"] = listing(entry(files=files))

    found = fetched("a")

    assert found.path.read_bytes() == PROGRAM
    assert found.path.with_name("words.txt").read_bytes() == b"yes"
    assert (found.pin.commit, found.pin.version, found.pinned_by) == (COMMIT, "1.0.0", "index")
    assert f"/api/repos/o/r/commits/{github.branch}" in paths(github)
    assert all(f"/raw/o/r/{COMMIT}/" in path for path in paths(github)[1:])


def test_the_second_run_asks_only_whether_the_branch_has_moved(github):
    fetched("a")
    before = len(github.server.seen)
    fetched("a")

    (asked,) = github.server.seen[before:]
    assert asked.path == "/api/repos/o/r/commits/main"
    assert asked.headers["if-none-match"] == f'"{COMMIT}"'


def test_a_branch_that_has_moved_is_followed(github):
    fetched("a")
    github.commit = LATER
    changed = PROGRAM.replace(b"0.75", b"0.5")
    github.files = {
        "evaluators/a/a.py": changed,
        "index.json": listing(entry(files={"a.py": changed}, version="1.1.0")),
    }

    found = fetched("a")

    assert (found.pin.commit, found.pin.version) == (LATER, "1.1.0")
    assert found.path.read_bytes() == changed


def test_files_are_those_of_the_commit_that_the_index_was_made_from(github):
    github.files["index.json"] = listing(entry(), commit=LATER)
    github.commit = COMMIT

    with pytest.raises(UnavailableError, match=r"a\.py is missing"):
        fetched("a")

    assert f"/raw/o/r/{LATER}/evaluators/a/a.py" in paths(github)


def test_a_commit_is_taken_as_it_is_and_asked_for_once(github, monkeypatch):
    monkeypatch.setenv("AGENTEVALS_EVALUATOR_BRANCH", COMMIT)
    fetched("a")
    before = paths(github)
    fetched("a")

    assert paths(github) == before
    assert not any("/commits/" in path for path in before)


def test_a_file_that_is_not_what_the_index_says_is_refused(github):
    github.files["evaluators/a/a.py"] = b"import os"

    with pytest.raises(UnavailableError, match=r"is not what its index says: a\.py has the sha256"):
        fetched("a")


def test_a_file_that_is_missing_is_refused(github):
    files = {"a.py": PROGRAM, "b.py": b"x"}
    github.files["index.json"] = listing(entry(files=files))

    with pytest.raises(UnavailableError, match=r"b\.py is missing"):
        fetched("a")


@pytest.mark.parametrize(
    ("names", "said"),
    [
        (["../../x.py"], "must be a relative path"),
        (["/etc/x.py"], "must be a relative path"),
        (["b/../../x.py"], "must be a relative path"),
        (["b\\x.py"], "must be a relative path"),
        (["b\nx.py"], "must be a relative path"),
        (["é.py"], "must be a relative path"),
        (["A.py"], "are one file on many machines"),
        (["a.py/b.py"], "both as a file and as a folder"),
        ([f"{n}.py" for n in range(300)], "more than 200 files"),
    ],
)
def test_names_in_an_index_are_not_trusted(github, names, said):
    files = dict.fromkeys(["a.py", *names], PROGRAM)
    github.files["index.json"] = listing(entry(files=files))

    with pytest.raises(InputError, match=said):
        fetched("a")


@pytest.mark.parametrize(
    ("content", "why"),
    [(b"\x7fELF\0", "a binary file"), (b"\xff\xfe", "a binary file"), (b"x" * (1 << 21), "bytes")],
)
def test_a_file_that_nobody_can_review_is_refused_although_an_index_lists_it(github, content, why):
    github.files["evaluators/a/words.bin"] = content
    files = {"a.py": PROGRAM, "words.bin": content}
    github.files["index.json"] = listing(entry(files=files))

    with pytest.raises(InputError, match=rf"words\.bin: .*{why}.*nothing of it is used"):
        fetched("a")


@pytest.mark.parametrize("path", ["../a.py", "/a.py", "evaluators/a/../../a.py"])
def test_paths_in_an_index_are_not_trusted(github, path):
    github.files["index.json"] = listing(entry(path=path))

    with pytest.raises(InputError, match="must be a relative path"):
        fetched("a")


def test_an_entry_must_list_its_own_program(github):
    github.files["index.json"] = listing(entry(files={"b.py": PROGRAM}))

    with pytest.raises(InputError, match="does not list its own program"):
        fetched("a")


COMPILED = ("__pycache__/words.cpython-311.pyc", "words.so", "WORDS.PYC")


def test_compiled_files_that_an_index_lists_are_neither_fetched_nor_run(github, caplog):
    files = {"a.py": PROGRAM, "words.py": b"x = 1", **dict.fromkeys(COMPILED, b"\0")}
    github.files = {f"evaluators/a/{name}": content for name, content in files.items()}
    github.files["index.json"] = listing(entry(files=files))

    found = fetched("a")

    assert {p.name for p in found.path.parent.rglob("*")} == {"a.py", "words.py"}
    assert sorted(found.pin.files) == ["a.py", "words.py"]
    assert found.pin.sha256 == registry_index.digest(found.pin.files)
    assert found.pinned_by == "index"
    assert not [path for path in paths(github) if path.endswith(COMPILED)]
    for name in COMPILED:
        assert name in caplog.text


def test_an_earlier_version_is_fetched_without_its_compiled_files(github, caplog):
    digests = {"a.py": sha256(PROGRAM), "words.so": sha256(b"\0")}
    earlier = {"version": "0.9.0", "sha256": registry_index.digest(digests), "files": digests}
    github.files["index.json"] = listing(entry(earlier=[earlier]))

    assert list(fetched("a@0.9.0").pin.files) == ["a.py"]
    assert "words.so" in caplog.text


@pytest.mark.parametrize("files", [{"a.pyc": b"\0"}, {}])
def test_an_evaluator_whose_program_is_compiled_is_refused(github, files):
    facts = {"path": "evaluators/a/a.pyc", "entrypoint": "a.pyc"}
    github.files["index.json"] = listing(entry(files=files, **facts))
    github.files["evaluators/a/a.pyc"] = b"\0"

    with pytest.raises(
        InputError, match=r"a\.pyc is a compiled file, which is never fetched or run"
    ):
        fetched("a")


@pytest.mark.parametrize("ref", ["a", "evaluators/a/a.py"])
def test_what_an_old_index_lists_is_fetched_whole_and_said_to_be_unpinned(github, ref, caplog):
    github.files = {
        "index.yaml": LEGACY,
        "evaluators/a/a.py": PROGRAM,
        "evaluators/a/words/few.txt": b"yes",
        "evaluators/a/__pycache__/a.pyc": b"\0",
        "evaluators/a/notes é.txt": b"",
        "evaluators/ab/ab.py": PROGRAM,
    }

    found = fetched(ref)

    assert {p.name for p in found.path.parent.rglob("*")} == {"a.py", "words", "few.txt"}
    assert (found.pin.commit, found.pinned_by) == (COMMIT, "")
    assert "is not pinned" in caplog.text
    assert "compiled files, which are never fetched or run: __pycache__/a.pyc" in caplog.text


def test_what_an_old_index_lists_has_no_version(github):
    github.files = {"index.yaml": LEGACY}

    with pytest.raises(InputError, match="no version of 'a' that fits"):
        fetched("a@^1")


def test_without_a_tree_the_program_and_its_requirements_are_fetched(github):
    github.tree = False
    github.files = {"evaluators/a/a.py": PROGRAM, "evaluators/a/requirements.txt": b"six"}

    found = fetched("evaluators/a/a.py")

    assert {p.name for p in found.path.parent.iterdir()} == {"a.py", "requirements.txt"}


def test_a_program_that_no_index_lists_is_found_by_its_path_alone(github):
    github.files["evaluators/b/b.py"] = PROGRAM

    assert fetched("evaluators/b/b.py").pin.commit == COMMIT
    with pytest.raises(InputError, match="o/r has no evaluator 'b'"):
        fetched("b")


def test_where_the_api_does_not_answer_the_index_says_the_commit(github, caplog):
    github.down = {"/api/"}
    github.files["index.json"] = listing(entry(), commit=COMMIT)

    found = fetched("a")

    assert (found.pin.commit, found.pinned_by) == (COMMIT, "index")
    assert "without knowing the commit" in caplog.text


def test_where_raw_files_are_not_served_the_api_hands_them_out(stand_in, monkeypatch):
    place = stand_in.world.repository("o/r")
    place.commits["main"] = COMMIT
    place.files[COMMIT] = {"evaluators/a/a.py": PROGRAM, "index.json": listing(entry())}
    monkeypatch.setenv("GITHUB_API_URL", stand_in.url)
    monkeypatch.setenv("AGENTEVALS_EVALUATOR_REPO", "o/r")
    monkeypatch.setenv("GITHUB_TOKEN", stand_in.token)

    found = fetched("a")

    assert found.pinned_by == "index"
    assert all("authorization" in request.headers for request in stand_in.requests())


def test_an_enterprise_server_has_files_that_no_index_lists(enterprise, monkeypatch):
    place = enterprise.world.repository("o/r")
    place.commits["feature/x"] = COMMIT
    place.files[COMMIT] = {"evaluators/a/a.py": PROGRAM, "evaluators/a/b.py": b""}
    monkeypatch.setenv("AGENTEVALS_API_URL", enterprise.url)
    monkeypatch.setenv("AGENTEVALS_EVALUATOR_REPO", "o/r")
    monkeypatch.setenv("AGENTEVALS_EVALUATOR_BRANCH", "feature/x")

    found = fetched("evaluators/a/a.py")

    assert sorted(found.pin.files) == ["a.py", "b.py"]


def test_a_branch_that_is_not_there_is_the_users_mistake(github, monkeypatch):
    monkeypatch.setenv("AGENTEVALS_EVALUATOR_BRANCH", "mian")

    with pytest.raises(InputError, match=r"o/r has no branch, tag or commit 'mian'"):
        fetched("a")


def test_a_program_that_is_not_there_is_the_users_mistake(github):
    with pytest.raises(InputError, match="set AGENTEVALS_GITHUB_TOKEN"):
        fetched("evaluators/b/b.py")


def test_a_name_that_is_not_there_is_answered_with_the_nearest(github):
    github.files["index.json"] = listing(entry("contains"))

    with pytest.raises(InputError, match=r"has no evaluator 'contians' \(did you mean 'contains'"):
        fetched("contians")


def test_an_api_that_is_none_is_not_believed(github, monkeypatch):
    github.commit = "<p>Sign in"

    with pytest.raises(UnavailableError, match="does not answer like GitHub"):
        fetched("a")


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (b'{"evaluators": null}', "'evaluators' must be a list of entries"),
        (b"evaluators: [contains]", "'evaluators' must be a list of entries"),
        (b"a: [", "it is not YAML"),
        (b"<!DOCTYPE html><p>Sign in", "was answered with a web page"),
        (None, "has no index of evaluators"),
    ],
)
def test_a_repository_without_a_usable_index_is_unavailable(github, body, said):
    github.files = {} if body is None else {"index.json": body}

    with pytest.raises(UnavailableError, match=said):
        listed()


def test_what_an_index_says_is_listed(github):
    facts = {"license": "MIT", "deprecated": "old", "capabilities": {"network": ["example.org"]}}
    github.files["index.json"] = listing(entry(**facts))

    (info,) = listed()

    assert (info.name, info.ref, info.version) == ("a", "evaluators/a/a.py", "1.0.0")
    assert (info.license, info.deprecated) == ("MIT", "old")
    assert info.capabilities == {"network": ["example.org"]}


def test_an_older_index_in_yaml_is_not_taken_for_the_newest(github):
    content = listing(entry())
    github.files |= {"index.json": content, "head.json": head_of(content, 2)}
    listed()
    github.commit = LATER
    github.files = {"index.yaml": LEGACY, "head.json": head_of(content, 2)}

    with pytest.raises(UnavailableError, match="may have been put back"):
        listed()


def test_the_predecessors_index_is_listed(github):
    github.files = {"index.yaml": LEGACY}

    (info,) = listed()

    assert (info.name, info.description) == ("a", 'says "yes", or: no')
    assert (info.tags, info.last_updated) == (["text", "1"], None)


class TestNetwork:
    def test_what_was_fetched_before_is_used_while_it_is_down(self, github, caplog):
        before = fetched("a")
        github.down = {"/"}

        assert fetched("a").path == before.path
        assert "the copy of branch main of" in caplog.text

    def test_what_was_never_fetched_is_unavailable(self, github):
        github.down = {"/"}

        with pytest.raises(UnavailableError, match="answered 500"):
            fetched("a")

    def test_offline_nothing_is_asked_for(self, github, monkeypatch):
        before = fetched("a")
        asked = len(github.server.seen)
        monkeypatch.setenv("AGENTEVALS_OFFLINE", "1")

        assert fetched("a").path == before.path
        assert len(github.server.seen) == asked
        with pytest.raises(InputError, match="has no evaluator 'b'"):
            fetched("b")

    def test_offline_what_was_never_fetched_is_unavailable(self, github, monkeypatch):
        monkeypatch.setenv("AGENTEVALS_OFFLINE", "1")

        with pytest.raises(UnavailableError, match="is not in the cache and this run is offline"):
            fetched("a")
        assert github.server.seen == []

    def test_too_many_requests_are_said_to_be_that(self, github, monkeypatch):
        limited = reply(403, b"{}", {"x-ratelimit-remaining": "0"})
        with serve(lambda seen: limited) as server:
            monkeypatch.setenv("AGENTEVALS_API_URL", server.url)
            monkeypatch.setenv("AGENTEVALS_RAW_URL", server.url)
            with pytest.raises(UnavailableError, match="too many requests"):
                fetched("a")


class TestRollback:
    def state(self, github, sequence, version, commit):
        index = listing(entry(version=version))
        github.commit = commit
        github.files["index.json"] = index
        github.files["head.json"] = head_of(index, sequence)

    def test_an_index_that_is_put_back_is_not_used(self, github, caplog):
        self.state(github, 2, "1.1.0", COMMIT)
        fetched("a")
        self.state(github, 1, "1.0.0", LATER)

        assert fetched("a").pin.version == "1.1.0"
        assert "index no. 1 stands where no. 2 was seen before" in caplog.text
        with pytest.raises(UnavailableError, match="was put back"):
            listed()

    def test_it_is_where_that_is_allowed(self, github, monkeypatch):
        self.state(github, 2, "1.1.0", COMMIT)
        fetched("a")
        self.state(github, 1, "1.0.0", LATER)
        monkeypatch.setenv("AGENTEVALS_ALLOW_ROLLBACK", "1")

        assert fetched("a").pin.version == "1.0.0"

    def test_two_indexes_with_one_number_are_two_histories(self, github):
        self.state(github, 2, "1.1.0", COMMIT)
        fetched("a")
        self.state(github, 2, "1.0.0", LATER)

        with pytest.raises(UnavailableError, match="was put back"):
            listed()

    def test_somebody_who_asks_for_an_old_commit_means_it(self, github, monkeypatch):
        self.state(github, 2, "1.1.0", COMMIT)
        fetched("a")
        self.state(github, 1, "1.0.0", LATER)
        monkeypatch.setenv("AGENTEVALS_EVALUATOR_BRANCH", LATER)

        assert fetched("a").pin.version == "1.0.0"

    def test_an_index_and_a_head_that_do_not_belong_together_are_not_used(self, github):
        github.files["head.json"] = head_of(b"another index")

        with pytest.raises(UnavailableError, match="is not the one that"):
            fetched("a")

    @pytest.mark.parametrize("gone", [["head.json"], ["index.json"], ["head.json", "index.json"]])
    def test_an_index_that_is_put_back_without_its_head_is_not_used(self, github, caplog, gone):
        self.state(github, 2, "1.1.0", COMMIT)
        fetched("a")
        self.state(github, 1, "1.0.0", LATER)
        github.files["index.yaml"] = LEGACY
        for name in gone:
            del github.files[name]

        assert fetched("a").pin.version == "1.1.0"
        assert "index no. 2 was seen before, and now no head.json names its index" in caplog.text
        assert "which was fetched before, is used" in caplog.text
        with pytest.raises(UnavailableError, match="may have been put back"):
            listed()

    def test_nothing_is_fetched_by_its_path_alone_where_an_index_is_gone(self, github):
        self.state(github, 2, "1.1.0", COMMIT)
        fetched("a")
        github.files = {"evaluators/b/b.py": PROGRAM}
        github.commit = LATER

        with pytest.raises(UnavailableError, match="may have been put back"):
            fetched("evaluators/b/b.py")

    def test_offline_it_is_not_used_either(self, github, monkeypatch):
        self.state(github, 2, "1.1.0", COMMIT)
        fetched("a")
        self.state(github, 1, "1.0.0", LATER)
        del github.files["head.json"]
        fetched("a")
        monkeypatch.setenv("AGENTEVALS_OFFLINE", "1")

        assert fetched("a").pin.version == "1.1.0"

    def test_while_it_is_down_it_is_not_used_either(self, github):
        self.state(github, 2, "1.1.0", COMMIT)
        fetched("a")
        self.state(github, 1, "1.0.0", LATER)
        del github.files["head.json"]
        fetched("a")
        github.down = {"/"}

        assert fetched("a").pin.version == "1.1.0"

    def test_who_never_saw_a_head_needs_none(self, github):
        self.state(github, 1, "1.0.0", COMMIT)
        del github.files["head.json"]

        assert fetched("a").pin.version == "1.0.0"

    def test_an_older_index_that_is_named_is_another_one(self, github):
        self.state(github, 2, "1.1.0", COMMIT)
        fetched("a")
        github.files["index.yaml"] = LEGACY
        source = GitHubEvaluatorSource(index_path="index.yaml")

        assert [info.name for info in asyncio.run(source.list_evaluators())] == ["a"]


class TestToken:
    def test_it_goes_to_the_repository_and_nowhere_else(self, github, monkeypatch):

        monkeypatch.setenv("AGENTEVALS_GITHUB_TOKEN", "s3cr3t")
        index = listing(entry(), commit=COMMIT)
        with serve(lambda seen: reply(200, index)) as pages:
            monkeypatch.setenv("AGENTEVALS_EVALUATOR_INDEX", f"{pages.url}/index.json")
            fetched("a")

        sent = {seen.headers.get("authorization") for seen in github.server.seen}
        assert sent == {"token s3cr3t"}
        assert pages.seen
        assert all("authorization" not in seen.headers for seen in pages.seen)

    def test_that_of_a_workflow_is_only_for_the_github_that_it_runs_on(self, github, monkeypatch):
        monkeypatch.setenv("GITHUB_TOKEN", "s3cr3t")
        monkeypatch.setenv("GITHUB_API_URL", "https://github.example/api/v3")
        fetched("a")

        assert all("authorization" not in seen.headers for seen in github.server.seen)

    def test_a_redirect_to_another_host_is_followed_without_it(self, github, monkeypatch):

        monkeypatch.setenv("AGENTEVALS_GITHUB_TOKEN", "s3cr3t")
        with serve(lambda seen: reply(200, PROGRAM)) as storage:
            place = f"/raw/o/r/{COMMIT}/evaluators/a/a.py"

            def answer(seen):
                if seen.path == place:
                    return reply(302, headers={"location": f"{storage.url}/signed"})
                return github(seen)

            with serve(answer) as server:
                monkeypatch.setenv("AGENTEVALS_API_URL", f"{server.url}/api")
                monkeypatch.setenv("AGENTEVALS_RAW_URL", f"{server.url}/raw")
                assert fetched("a").path.read_bytes() == PROGRAM

        assert "authorization" not in storage.seen[0].headers

    def test_it_is_in_no_representation(self):
        assert "s3cr3t" not in repr(vars(GitHubEvaluatorSource(repo="o/r", token="s3cr3t")))


@pytest.mark.parametrize("repo", ["evaluators", "a/b/c", "../x", "a/b?c"])
def test_a_repository_has_an_owner_and_a_name(repo, monkeypatch):
    monkeypatch.setenv("AGENTEVALS_EVALUATOR_REPO", repo)

    with pytest.raises(InputError, match="write owner/name"):
        fetched("a")
    with pytest.raises(InputError, match="write owner/name"):
        listed()


def test_repositories_and_branches_have_keys_of_their_own():
    keys = {
        GitHubEvaluatorSource(repo=repo, branch=branch).cache_key
        for repo in ("a/b", "a/c")
        for branch in ("main", "feature/x", "..")
    }

    assert len(keys) == 6


def test_an_evaluator_is_handed_out_as_the_seam_promises(github, tmp_path):
    dest = tmp_path / "new" / "a.py"

    asyncio.run(GitHubEvaluatorSource().fetch_evaluator("evaluators/a/a.py", dest))

    assert dest.read_bytes() == PROGRAM


def test_the_index_of_a_web_page_comes_before_that_of_the_repository(github, monkeypatch):

    newer = listing(entry(version="2.0.0"), commit=COMMIT)
    with serve(lambda seen: reply(200 if "index" in seen.path else 404, newer)) as pages:
        address = f"{pages.url}/registry/index.json"
        monkeypatch.setenv("AGENTEVALS_EVALUATOR_INDEX", address)
        first = fetched("a@2")
    second = fetched("a")

    assert (first.pin.version, first.pin.repository) == ("2.0.0", f"{github.server.host}/o/r")
    assert second.pin.version == "2.0.0"
    assert json.loads(newer)["commit"] == first.pin.commit


def read_hosts(monkeypatch, *, own=True, **variables):
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    return read_environment(own_repository=own)


def test_github_com_is_where_nobody_says_otherwise(monkeypatch):
    found = read_hosts(monkeypatch)

    assert (found.api, found.raw, found.token, found.name) == (API_URL, RAW_URL, "", "github.com")


GHES = "https://github.example/api/v3"


def test_a_repository_of_ones_own_is_on_the_server_that_the_runner_belongs_to(monkeypatch):
    found = read_hosts(monkeypatch, GITHUB_API_URL=GHES, GITHUB_TOKEN="t")

    assert (found.api, found.raw, found.token) == (GHES, "", "t")
    assert found.name == "github.example"


def test_that_of_the_community_is_on_github_com(monkeypatch):
    found = read_hosts(monkeypatch, own=False, GITHUB_API_URL=GHES, GITHUB_TOKEN="t")

    assert (found.api, found.token) == (API_URL, "")


def test_a_mirror_of_files_has_no_api_and_no_token_of_a_workflow(monkeypatch):
    found = read_hosts(monkeypatch, AGENTEVALS_RAW_URL="https://mirror.example/", GITHUB_TOKEN="t")

    assert (found.api, found.raw, found.token) == ("", "https://mirror.example", "")


@pytest.mark.parametrize(
    ("url", "sent"),
    [
        ("https://api.github.com/repos/o/r", True),
        ("https://raw.githubusercontent.com/o/r", True),
        ("https://api.github.com.evil.example/", False),
        ("https://api.github.com:8443/", False),
        ("http://api.github.com/", False),
        ("https://example.org/", False),
    ],
)
def test_the_token_goes_where_it_belongs(url, sent):
    assert Hosts(token="t").headers(url) == ({"authorization": "token t"} if sent else {})


def test_it_is_not_sent_where_others_can_read_it():
    plain = Hosts(api="http://github.example/api/v3", raw="", token="t")

    assert plain.headers("http://github.example/api/v3/x") == {}
    assert "'t'" not in repr(plain)


class TestTokens:
    """A token that is wrong is named, with the variable that it came from."""

    @pytest.fixture
    def refusing(self, github, monkeypatch):
        """A GitHub that hides the repository from whoever has no good token."""
        monkeypatch.setenv("AGENTEVALS_GITHUB_TOKEN", "old")
        with serve(lambda _: reply(401)) as server:
            monkeypatch.setenv("AGENTEVALS_API_URL", f"{server.url}/api")
            monkeypatch.delenv("AGENTEVALS_RAW_URL")
            yield

    @pytest.mark.usefixtures("refusing")
    def test_one_that_github_does_not_know(self):
        said = r"the token in AGENTEVALS_GITHUB_TOKEN was refused \(401\): it is wrong"

        with pytest.raises(UnavailableError, match=said):
            fetched("a")

    def test_one_that_may_not_read_the_repository(self, github, monkeypatch):
        monkeypatch.setenv("AGENTEVALS_GITHUB_TOKEN", "foreign")
        monkeypatch.setenv("AGENTEVALS_EVALUATOR_BRANCH", "other")
        said = "no branch, tag or commit 'other', or the token in AGENTEVALS_GITHUB_TOKEN may not"

        with pytest.raises(InputError, match=said):
            fetched("a")


def hand_out(files):
    """A web server with these files."""
    return lambda seen: reply(200 if seen.path in files else 404, files.get(seen.path, b""))


class TestPointers:
    """A registry whose branch is protected has its index elsewhere, and says where."""

    def point(self, github, index):
        del github.files["index.json"]
        github.files["registry.json"] = json.dumps({"index": index, "more": 1}).encode()
        # of the predecessor, and old
        github.files["index.yaml"] = LEGACY

    @pytest.mark.parametrize("head", [False, True])
    def test_an_index_at_an_address(self, github, monkeypatch, head):
        monkeypatch.setenv("AGENTEVALS_GITHUB_TOKEN", "s3cr3t")
        content = listing(entry(), commit=COMMIT)
        beside = {"/d/index.json": content, **({"/d/head.json": head_of(content)} if head else {})}
        with serve(hand_out(beside)) as there:
            self.point(github, f"{there.url}/d/index.json")
            found = fetched("a")

        assert (found.pinned_by, found.pin.commit) == ("index", COMMIT)
        assert all("authorization" not in seen.headers for seen in there.seen)

    def test_the_assets_of_a_release_lie_in_no_folders(self, github):
        files = registries.publish(Index(evaluators=tuple(map(registries.listed, "ab"))))
        files = registries.publish(Index(evaluators=(registries.listed("a"),)), files)
        assets = {f"/d/{name.replace('/', '.')}": files[name] for name in files if "e/" not in name}
        with serve(hand_out(assets)) as there:
            self.point(github, f"{there.url}/d/index.json")
            github.files["evaluators/a/evaluator.yaml"] = b""

            assert fetched("a").pinned_by == "index"

    def test_an_index_on_a_branch_of_its_own(self, github):
        self.point(github, f"branch:{LATER}")
        other = {f"/raw/o/r/{LATER}/index.json": listing(entry(version="2.0.0"), commit=COMMIT)}
        github.elsewhere = other

        assert fetched("a").pin.version == "2.0.0"

    def test_an_index_on_the_branch_itself_wins(self, github):
        github.files["registry.json"] = b'{"index": "https://example.com/index.json"}'

        assert fetched("a").pinned_by == "index"

    @pytest.mark.parametrize(
        ("content", "said"),
        [
            (b"[]", "does not say where the index is"),
            (b"{}", "does not say where the index is"),
            (b'{"index": "http://example.com/index.json"}', "it must be an https address"),
            (b'{"index": "branches:x"}', "it must be an https address"),
        ],
    )
    def test_one_that_leads_nowhere(self, github, content, said):
        self.point(github, "")
        github.files["registry.json"] = content

        with pytest.raises(UnavailableError, match=said):
            fetched("a")
