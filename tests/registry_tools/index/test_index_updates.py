from random import Random

import pytest

from registry_tools.index.index_updates import Step, measure_step, parse_version, raise_version

IN_ORDER = [
    "0.0.1", "0.1.0", "0.10.0", "1.0.0-alpha", "1.0.0-alpha.1", "1.0.0-alpha.beta", "1.0.0-beta.2",
    "1.0.0-beta.11", "1.0.0-rc.1", "1.0.0", "1.0.1", "1.2.0", "1.10.0", "2.0.0",
]  # fmt: skip


def test_versions_are_in_the_order_of_semver():
    shuffled = Random(0).sample(IN_ORDER, len(IN_ORDER))

    assert sorted(shuffled, key=parse_version) == IN_ORDER


@pytest.mark.parametrize(
    ("old", "new", "size"),
    [
        ("1.0.0", "1.0.0", Step.NONE),
        ("1.0.1", "1.0.0", Step.NONE),
        ("1.0.0", "1.0.1", Step.PATCH),
        ("1.0.0", "1.1.0", Step.MINOR),
        ("1.9.9", "2.0.0", Step.MAJOR),
        ("0.1.0", "0.1.1", Step.MINOR),
        ("0.1.0", "0.2.0", Step.MAJOR),
        ("0.9.0", "1.0.0", Step.MAJOR),
        ("1.0.0-rc.1", "1.0.0", Step.PATCH),
    ],
)
def test_which_number_rises(old, new, size):
    assert measure_step(old, new) is size


@pytest.mark.parametrize("old", ["1.2.3", "0.2.3", "0.0.0", "1.0.0-rc.1"])
@pytest.mark.parametrize("size", [Step.PATCH, Step.MINOR, Step.MAJOR])
def test_the_least_version_is_enough(old, size):
    least = raise_version(old, size)

    assert measure_step(old, least) >= size
    assert parse_version(least) > parse_version(old)


@pytest.mark.parametrize(
    ("old", "size", "least"),
    [
        ("1.2.3", Step.PATCH, "1.2.4"),
        ("1.2.3", Step.MINOR, "1.3.0"),
        ("0.2.3", Step.MINOR, "0.2.4"),
        ("0.2.3", Step.MAJOR, "0.3.0"),
        ("1.0.0-rc.1", Step.PATCH, "1.0.0"),
        ("1.0.0-rc.1", Step.MINOR, "1.1.0"),
    ],
)
def test_the_least_version_is_the_next(old, size, least):
    assert raise_version(old, size) == least
