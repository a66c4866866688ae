"""Evaluators of every source that ships, run by a config: by path, by name, by a range."""

import json

import pytest
import yaml

from tests.evaluator.conftest import LATER, Repository, entry, listing
from tests.registry_tools import registries
from tests.servers import reply, serve
from tests.support import EXAMPLES, agentevals

PARIS = str(EXAMPLES / "traces" / "paris.jsonl")
REFS = ["evaluators/politeness/politeness.py", "politeness", "politeness@^1.0", "politeness@1.0.0"]
TOKEN = "s3cr3t-of-one-host"
HELPED = b"""
import json, sys
from helper import SCORE
sys.stdin.read()
print(json.dumps({"score": SCORE}))
"""
FILES = {"a.py": HELPED, "helper.py": b"SCORE = 0.25"}


@pytest.fixture(scope="module")
def registry(tmp_path_factory):
    """A registry with one evaluator and its index."""
    root = tmp_path_factory.mktemp("community")
    registries.write(root)
    registries.repository(root)
    done = agentevals("registry", "index", cwd=root)
    assert done.returncode == 0, done.stderr
    return root


def score(tmp_path, source, ref, **variables):
    entry = {"name": "polite", "type": "remote", "source": source, "ref": ref}
    (tmp_path / "eval_config.yaml").write_text(yaml.safe_dump({"evaluators": [entry]}))
    done = agentevals(
        *("run", PARIS, "-c", "eval_config.yaml", "-o", "json"),
        cwd=tmp_path, HOME=str(tmp_path), **variables,
    )  # fmt: skip
    assert done.stdout, done.stderr
    (trace,) = json.loads(done.stdout)["traces"]
    (metric,) = trace["metrics"]
    assert TOKEN not in done.stdout + done.stderr
    return metric["score"], metric["error"]


@pytest.mark.parametrize("ref", REFS)
def test_a_checkout(registry, tmp_path, ref):
    given = {"AGENTEVALS_EVALUATOR_FOLDER": str(registry)}

    assert score(tmp_path, "file", ref, **given) == (1.0, None)


@pytest.mark.parametrize("ref", REFS)
def test_an_index_at_any_address(registry, tmp_path, ref):
    def answer(request):
        path = registry / request.path.lstrip("/")
        return reply(200, path.read_bytes()) if path.is_file() else reply(404)

    with serve(answer) as server:
        given = {"AGENTEVALS_EVALUATOR_INDEX": f"{server.url}/index.json"}

        assert score(tmp_path, "https", ref, **given) == (1.0, None)


@pytest.mark.parametrize(
    ("ref", "said"),
    [("politness", "did you mean 'politeness'"), ("politeness@^2", "1.0.0")],
)
def test_a_name_or_version_that_is_not_there_is_answered_with_what_is(
    registry, tmp_path, ref, said
):
    given = {"AGENTEVALS_EVALUATOR_FOLDER": str(registry)}
    found, error = score(tmp_path, "file", ref, **given)

    assert found is None
    assert said in error


@pytest.fixture
def github():
    """A GitHub whose one evaluator has a helper beside it."""
    files = {f"evaluators/a/{name}": content for name, content in FILES.items()}
    place = Repository({**files, "index.json": listing(entry(files=FILES))})
    with serve(place) as server:
        place.server = server
        yield place


def on(github, **variables):
    return {
        "AGENTEVALS_API_URL": f"{github.server.url}/api",
        "AGENTEVALS_RAW_URL": f"{github.server.url}/raw",
        "AGENTEVALS_EVALUATOR_REPO": "o/r",
        "AGENTEVALS_GITHUB_TOKEN": TOKEN,
        **variables,
    }


@pytest.mark.parametrize("ref", ["evaluators/a/a.py", "a", "a@^1"])
def test_a_repository_is_fetched_with_all_that_lies_beside_a_program(github, tmp_path, ref):
    assert score(tmp_path, "github", ref, **on(github)) == (0.25, None)


def test_a_branch_of_a_repository(github, tmp_path):
    github.branch = "next"
    given = on(github, AGENTEVALS_EVALUATOR_BRANCH="next")

    assert score(tmp_path, "github", "a", **given) == (0.25, None)


def test_a_helper_that_is_not_what_the_index_says_is_refused(github, tmp_path):
    github.files["evaluators/a/helper.py"] = b"SCORE = 1.0"
    found, error = score(tmp_path, "github", "a", **on(github))

    assert found is None
    assert "helper.py" in error


def test_what_was_fetched_is_used_while_the_repository_is_down(github, tmp_path):
    before = score(tmp_path, "github", "a", **on(github))
    github.commit, github.down = LATER, {"/"}

    assert score(tmp_path, "github", "a", **on(github)) == before


def test_a_token_is_sent_to_its_repository_and_not_to_who_has_the_index(github, tmp_path):
    with serve(lambda _: reply(200, github.files["index.json"])) as pages:
        given = on(github, AGENTEVALS_EVALUATOR_INDEX=f"{pages.url}/index.json")
        found = score(tmp_path, "github", "a", **given)

    assert found == (0.25, None)
    assert {seen.headers.get("authorization") for seen in github.server.seen} == {f"token {TOKEN}"}
    assert [seen for seen in pages.seen if "authorization" in seen.headers] == []
