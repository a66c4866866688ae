"""The files that the registry's pages show are what the tools read."""

import re

import pytest

from agentevals.evaluator.evaluator_manifest import Manifest
from registry_tools.evidence import labelled_examples
from registry_tools.manifests import manifest_fixtures, registry_tombstones
from registry_tools.manifests import registry_entry as entries
from tests.registry_tools import registries
from tests.support import DOCS

CONTRIBUTORS = (DOCS / "registry.md").read_text(encoding="utf-8")
MAINTAINERS = (DOCS / "registry-maintainers.md").read_text(encoding="utf-8")


def shown(page, file):
    [text] = re.findall(
        rf"^```text\n(# {re.escape(file)}\n.*?)^```", page, re.DOTALL | re.MULTILINE
    )
    return text


def test_the_fixtures_that_are_shown_are_read():
    read = manifest_fixtures.read(
        shown(CONTRIBUTORS, manifest_fixtures.FILE).encode(), "fixtures.yaml"
    )

    assert [fixture.name for fixture in read.fixtures] == ["all_were_called"]
    assert not read.problems


def test_the_examples_that_are_shown_are_read(tmp_path):
    registries.write(
        tmp_path,
        files={
            labelled_examples.FILE: shown(
                CONTRIBUTORS, f"evaluators/politeness/{labelled_examples.FILE}"
            )
        },
    )
    entry = entries.read(tmp_path, "evaluators/politeness")

    labels = [each.label for each in labelled_examples.read(entry, labelled_examples.FILE)]

    assert labels == ["fail", "fail", "pass", "pass", "not_evaluated"]


def test_the_tombstones_that_are_shown_are_read():
    text = shown(MAINTAINERS, registry_tombstones.FILE)

    assert set(registry_tombstones.read(text.encode()).decisions.removed) == {"old_name"}


@pytest.mark.parametrize("key", Manifest.__struct_fields__)
def test_every_key_of_a_manifest_is_described(key):
    assert f"`{key}`" in CONTRIBUTORS
