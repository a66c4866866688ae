from datetime import UTC, datetime, timedelta

import pytest

from agentevals.evaluator.evaluator_lock import RemoteEvaluatorDef
from agentevals.evaluator.publication_age import Age
from agentevals.evaluator.resolver import EvaluatorResolver
from agentevals.model.errors import InputError
from tests.evaluator.conftest import PROGRAM, entry, listing, sha256


def ago(**span):
    return f"{datetime.now(UTC) - timedelta(**span):%Y-%m-%dT%H:%M:%SZ}"


@pytest.mark.parametrize(("text", "hours"), [("12h", 12), ("7d", 168), ("2w", 336)])
def test_it_is_reached_after_so_many_hours(text, hours):
    age = Age.parse(text)

    assert age.holds(ago(hours=hours + 1))
    assert not age.holds(ago(hours=hours - 1))


@pytest.mark.parametrize("text", ["", "7", "7 d", "0d", "-1d", "7m", "99999d", "d", "seven"])
def test_what_is_none(text):
    with pytest.raises(ValueError, match="such as 12h, 7d or 2w"):
        Age.parse(text)


@pytest.mark.parametrize("published", ["", "yesterday", "%Y->-T3de932c", "9999-01-01T00:00:00Z"])
def test_a_time_that_nobody_knows_or_that_is_to_come_is_too_young(published):
    assert not Age("1h").holds(published)


@pytest.fixture
def registry(github):
    """An evaluator of today, with a version of a month ago and one of nobody knows when."""
    digests = {"a.py": sha256(PROGRAM)}
    before = {"sha256": entry()["sha256"], "files": digests, "path": "evaluators/a/a.py"}
    earlier = [
        {**before, "version": "1.2.0", "lastUpdated": ago(days=2)},
        {**before, "version": "1.1.0", "lastUpdated": ago(days=30)},
        {**before, "version": "1.0.0"},
    ]
    newest = entry(version="1.3.0", lastUpdated=ago(hours=1), earlier=earlier)
    github.files["index.json"] = listing(newest)


def fetch(ref, age):
    return EvaluatorResolver().obtain(RemoteEvaluatorDef(name="ev", ref=ref, age=Age.parse(age)))


@pytest.mark.usefixtures("registry")
@pytest.mark.parametrize(("age", "version"), [("24h", "1.2.0"), ("7d", "1.1.0")])
def test_the_newest_version_that_is_old_enough_is_taken(age, version):
    assert fetch("a@^1.0", age).pin.version == version


@pytest.mark.usefixtures("registry")
@pytest.mark.parametrize("ref", ["a@1.3.0", "a@1.0.0", "evaluators/a/a.py"])
def test_a_version_that_is_too_young_or_of_an_unknown_time_is_refused(ref):
    with pytest.raises(InputError, match=r"that is 7d old .*; wait, or lower 'min_age'"):
        fetch(ref, "7d")


@pytest.mark.usefixtures("registry")
def test_a_path_that_no_index_lists_has_no_age():
    with pytest.raises(InputError, match=r"no index says when 'evaluators/b/b\.py' was"):
        fetch("evaluators/b/b.py", "7d")
