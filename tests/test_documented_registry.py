"""The files that the registry's pages show are what the tools read."""

import re

import pytest

from agentevals.evaluator.manifest import Manifest
from registry_tools.manifests import fixtures, tombstones
from tests.support import DOCS

CONTRIBUTORS = (DOCS / "registry.md").read_text(encoding="utf-8")
MAINTAINERS = (DOCS / "registry-maintainers.md").read_text(encoding="utf-8")


def shown(page):
    [text] = re.findall(r"^```text\n(.*?)^```", page, re.DOTALL | re.MULTILINE)
    return text


def test_the_fixtures_that_are_shown_are_read():
    read = fixtures.read(shown(CONTRIBUTORS).encode(), "fixtures.yaml")

    assert [fixture.name for fixture in read.fixtures] == ["all_were_called"]
    assert not read.problems


def test_the_tombstones_that_are_shown_are_read():
    text = shown(MAINTAINERS)

    assert text.startswith(f"# {tombstones.FILE}\n")
    assert set(tombstones.read(text.encode()).decisions.removed) == {"old_name"}


@pytest.mark.parametrize("key", Manifest.__struct_fields__)
def test_every_key_of_a_manifest_is_described(key):
    assert f"`{key}`" in CONTRIBUTORS
