"""Evaluators of every source that ships, run by a config: by path, by name, by a range."""

import json
import sys

import pytest
import yaml

from tests.registry_tools import registries
from tests.servers import reply, serve
from tests.support import EXAMPLES, agentevals

PARIS = str(EXAMPLES / "traces" / "paris.jsonl")
REFS = ["evaluators/politeness/politeness.py", "politeness", "politeness@^1.0", "politeness@1.0.0"]


@pytest.fixture(scope="module")
def registry(tmp_path_factory):
    """A registry with one evaluator and its index."""
    root = tmp_path_factory.mktemp("community")
    registries.write(root)
    registries.repository(root)
    done = agentevals("registry", "index", cwd=root, PYTHONPATH=":".join(sys.path))
    assert done.returncode == 0, done.stderr
    return root


def score(tmp_path, source, ref, **variables):
    entry = {"name": "polite", "type": "remote", "source": source, "ref": ref}
    (tmp_path / "eval_config.yaml").write_text(yaml.safe_dump({"evaluators": [entry]}))
    done = agentevals(
        *("run", PARIS, "-c", "eval_config.yaml", "-o", "json"),
        cwd=tmp_path, HOME=str(tmp_path), PYTHONPATH=":".join(sys.path), **variables,
    )  # fmt: skip
    assert done.stdout, done.stderr
    (trace,) = json.loads(done.stdout)["traces"]
    (metric,) = trace["metrics"]
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
