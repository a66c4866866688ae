import zlib
from base64 import urlsafe_b64encode

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentevals.model.results import Verdict
from agentevals.model.review import State
from agentevals.report.pages import comment_digest, page_layout
from tests.report.pages.reviews import FAILING, REVIEWS, review, scene, section


@pytest.mark.parametrize("state", REVIEWS)
def test_a_digest_comes_back_as_it_was(state):
    for one in comment_digest.make_all(REVIEWS[state]):
        encoded = page_layout.encode(one)

        assert page_layout.decode(encoded) == one
        assert len(encoded) <= page_layout.LARGEST
        assert "--" not in encoded


@given(st.text(max_size=300), st.text(max_size=300))
def test_it_stays_small_whatever_the_names(config, leg):
    named = msgspec.structs.replace(FAILING, config=config, title=config + leg, leg=leg)
    (one,) = comment_digest.make_all(review(named, scene=scene(base_ref=leg, head_sha=config)))
    encoded = page_layout.encode(one)

    assert len(encoded) <= page_layout.LARGEST
    assert page_layout.facts(page_layout.decode(encoded)) == page_layout.facts(one)


def packed(document):
    return urlsafe_b64encode(zlib.compress(document)).decode()


@pytest.mark.parametrize(
    "encoded",
    [
        "",
        "x",
        "AAAA",
        "é",
        packed(b"{}"),
        packed(b"[]"),
        packed(b'{"writer":"ab","key":"cd","order":[1]}'),
        packed(b'{"writer":"ab","key":"cd","gates":-1}'),
        packed(b'{"writer":"ab","key":"cd","gates":1e300}'),
        packed(b'{"writer":"no hex","key":"cd"}'),
        packed(b'{"writer":"ab","key":"cd","verdict":"great"}'),
        packed(b'{"writer":"ab","key":"cd","surprise":1}'),
        packed(b'{"writer":"ab","key":"cd","config":"' + b"x" * 200 + b'"}'),
        packed(b"[" * 5_000),
        packed(b" " * 10_000_000),
        packed(b'{"writer":"ab","key":"cd"}')[:-4],
    ],
    ids=range(16),
)
def test_what_is_no_digest_is_none(encoded):
    assert page_layout.decode(encoded) is None


@pytest.mark.parametrize(
    ("fields", "broken"),
    [
        ({"state": State.BROKEN}, True),
        ({"verdict": Verdict.ERROR, "exit_code": 3}, True),
        ({"verdict": Verdict.ERROR, "exit_code": 1}, True),
        ({"verdict": Verdict.ERROR, "exit_code": 0}, True),
        ({"verdict": Verdict.FAIL, "exit_code": 1}, False),
        ({"verdict": Verdict.FAIL, "exit_code": 0}, False),
        ({}, False),
    ],
)
def test_a_failure_of_the_agent_is_not_one_of_the_evaluation(fields, broken):
    assert comment_digest.Digest(writer="", key="", **fields).broken is broken


@pytest.mark.parametrize(
    ("paths", "names"),
    [
        (["a/eval.yaml"], ["eval.yaml"]),
        (["a/eval.yaml", "b/eval.yaml"], ["a/eval.yaml", "b/eval.yaml"]),
        (
            ["a/x/eval.yaml", "b/x/eval.yaml", "c.yaml"],
            ["a/x/eval.yaml", "b/x/eval.yaml", "c.yaml"],
        ),
        (["eval.yaml", "a/eval.yaml"], ["eval.yaml", "a/eval.yaml"]),
        (["a/one.yaml", "a/two.yaml"], ["one.yaml", "two.yaml"]),
        (["a/eval.yaml", "a/eval.yaml"], ["eval.yaml", "eval.yaml"]),
    ],
)
def test_a_config_is_named_by_the_shortest_path_that_tells_it_from_the_others(paths, names):
    one = comment_digest.make_digest(review(), FAILING)
    digests = [msgspec.structs.replace(one, config=path) for path in paths]

    assert [one.config for one in comment_digest.shorten_configs(digests)] == names


def test_of_a_long_path_the_end_is_kept():
    path = f"{'deep/' * 60}eval.yaml"

    made = comment_digest.make_digest(review(), section(config=path, title="eval.yaml"))

    assert made.config.endswith("/deep/eval.yaml")
    assert len(made.config) <= 120
