import pytest
from packaging.licenses import _spdx

from agentevals.evaluator.manifest_schema import EXCEPTIONS, LICENSES, OUTDATED
from registry_tools.rules.license import check_license


def test_the_licences_are_those_of_a_list_that_somebody_keeps():
    live = {one["id"] for one in _spdx.LICENSES.values() if not one["deprecated"]}
    old = {one["id"] for one in _spdx.LICENSES.values() if one["deprecated"]}

    assert (live, old) == (LICENSES, OUTDATED)
    assert {one["id"] for one in _spdx.EXCEPTIONS.values()} >= EXCEPTIONS


@pytest.mark.parametrize(
    "text",
    [
        "Apache-2.0",
        "MIT OR Apache-2.0",
        "(MIT OR Apache-2.0) AND BSD-3-Clause",
        "GPL-3.0-or-later WITH GCC-exception-3.1",
        "MPL-2.0+",
    ],
)
def test_what_spdx_knows_is_a_licence(text):
    assert check_license(text) == ("", "")


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("apache-2.0", "Apache-2.0"),
        ("Apache 2.0", "Apache-2.0"),
        ("mit", "MIT"),
        ("BSD", "BSD-3-Clause"),
        ("MIT or Apache-2.0", "MIT OR Apache-2.0"),
        ("GPL-3.0", ""),
        ("Proprietary", ""),
        ("MIT OR", ""),
        ("MIT Apache-2.0", ""),
        ("(MIT", "MIT"),
        ("OR MIT", ""),
        ("MIT WITH Apache-2.0", ""),
        ("GCC-exception-3.1", ""),
    ],
)
def test_what_it_does_not_know_is_refused_with_what_was_meant(text, meant):
    message, instead = check_license(text)

    assert message
    assert instead == meant


@pytest.mark.parametrize("text", ["GPLv3", "GPL v3", "GNU GPL 3", "gplv3 license"])
def test_a_version_is_found_however_it_is_written(text):
    message, _ = check_license(text)

    assert "did you mean 'GPL-3.0-only' or 'GPL-3.0-or-later'?" in message
