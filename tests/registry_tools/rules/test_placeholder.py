"""What a template wrote for somebody else is a warning here, and an error of `complete`."""

import pytest

from agentevals.model.results import Severity
from tests.registry_tools import registries
from tests.support import agentevals

PLACEHOLDERS = {
    "author": ("author: octocat", 'author: ""', (6, 9), "the author is empty"),
    "spaces": ("author: octocat", 'author: " "', (6, 9), "the author is empty"),
    "ghost": ("login: octocat", "login: ghost", (10, 5), "'ghost' (583231) is nobody"),
    "number of ghost": ("id: 583231", "id: 10137", (10, 5), "'octocat' (10137) is nobody"),
    "owner": ("login: octocat", "login: OWNER", (10, 5), "'OWNER' (583231) is nobody"),
    "sentence": (
        "Whether the answer is polite",
        "Every turn has an answer; replace this with what yours judges.",
        (2, 14),
        "the description is that of the template",
    ),
}


def test_a_copy_of_our_registry_is_told_what_writes_its_owner(tmp_path):
    text = registries.changed(
        "login: octocat\n    id: 583231", "login: OWNER\n    id: 999999999999"
    )
    [found] = [o for o in registries.of_manifest(tmp_path, text) if o.rule == "placeholder"]

    assert "run 'make owner OWNER=LOGIN ID=NUMBER'" in found.fix


@pytest.mark.parametrize("case", PLACEHOLDERS)
def test_a_placeholder_has_its_place(tmp_path, case):
    old, new, place, said = PLACEHOLDERS[case]

    found = registries.of_manifest(tmp_path, registries.changed(old, new))

    (one,) = [each for each in found if each.rule == "placeholder"]
    assert (one.line, one.column) == place
    assert one.severity is Severity.WARNING
    assert said in one.message


def test_what_init_writes_is_fine_here_and_is_not_complete(tmp_path):
    assert (
        agentevals("evaluator", "init", "kindness", "-o", "evaluators", cwd=tmp_path).returncode
        == 0
    )

    validate = ("registry", "validate", "--no-smoke")
    here = agentevals(*validate, cwd=tmp_path)
    asked = agentevals(*validate, "--level", "complete", cwd=tmp_path)

    assert here.returncode == 0
    assert here.stdout.count("warning") >= 3
    assert asked.returncode == 1
    assert asked.stdout.count(" error: ") == 4
    for said in ("license", "author is empty", "'ghost' (10137) is nobody", "that of the template"):
        assert said in asked.stdout
