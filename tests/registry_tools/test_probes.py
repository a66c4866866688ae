"""What the predecessor's validator let pass, and what broke its index: each with its finding."""

import json
from io import BytesIO

import pytest
import yaml
from hypothesis import example, given, settings
from hypothesis import strategies as st

from agentevals.model.results import Severity
from registry_tools import rules
from registry_tools.manifests import registry_entry as entries
from registry_tools.manifests import registry_folder
from tests.registry_tools import registries
from tests.registry_tools.registries import LEGACY, PROGRAM

NAMES = (
    "bertscore", "contains", "equals", "is_json", "levenshtein_ratio", "random_evaluator",
    "regex_match", "response_quality", "tool_coverage", "tool_sequence_match",
)  # fmt: skip


def legacy(**other):
    return LEGACY.format(
        **{"name": "politeness", "description": "Whether it is polite", "tags": "text"} | other
    )


PASSED_UNSEEN = {
    "misspelt key": (legacy().replace("author", "auhtor"), {}, "schema"),
    "null description": (legacy(description="null"), {}, "schema"),
    "tags as text": (legacy().replace("[text]", "text"), {}, "schema"),
    "author as number": (legacy().replace("agentevals-dev", "7"), {}, "schema"),
    "duplicate key": (legacy() + "author: mallory\n", {}, "duplicate-key"),
    "cobol": (legacy().replace("language: python", "language: cobol"), {}, "schema"),
    "Python": (legacy().replace("language: python", "language: Python"), {}, "schema"),
    "entrypoint upwards": (
        legacy().replace("politeness.py", "../../scripts/validate.py"), {}, "entrypoint",
    ),
    "absolute entrypoint": (legacy().replace("politeness.py", "/etc/passwd"), {}, "entrypoint"),
    "entrypoint of a folder": (legacy().replace("politeness.py", "."), {}, "entrypoint"),
    "decorator in a comment": (
        legacy(), {"politeness.py": "# @evaluator\nprint('hello')\n"}, "syntax",
    ),
    "evil index": (
        legacy().replace("name", "version: 1.0.0\nname", 1),
        {"requirements.txt": "--extra-index-url https://evil.example\ntorch\n"}, "requirements",
    ),
    "folder without manifest": (None, {}, "manifest"),
    "integer entrypoint": (legacy().replace("politeness.py", "7"), {}, "schema"),
    "compiled program": (
        legacy().replace("name", "version: 1.0.0\nname", 1), {"__pycache__/p.pyc": b"\0"}, "files",
    ),
}  # fmt: skip

BROKE_THE_INDEX = {
    "escape in quotes": (legacy(description='"a \\d b"'), "yaml"),
    "at sign": (legacy().replace("agentevals-dev", "@octocat"), "yaml"),
    "colon": (legacy().replace("agentevals-dev", "a: b"), "yaml"),
    "second document": (legacy() + "---\nname: contains\n", "yaml"),
    "injected entry": (
        legacy().replace("agentevals-dev", '"x\\n  - name: contains\\n    path: evil.py"'),
        "schema",
    ),
    "name is true": (legacy().replace("name: politeness", "name: yes"), "ambiguous-scalar"),
    "null tags": (legacy().replace("[text]", ""), "schema"),
    "cut author": (legacy().replace("agentevals-dev", "team #1"), "comment-in-text"),
    "another's program": (
        legacy().replace("politeness.py", "../contains/contains.py"), "entrypoint",
    ),
    "another's name": (legacy().replace("name: politeness", "name: contains"), "name"),
    "billion laughs": (
        legacy() + "x-a: &a [1, 2]\nx-b: &b [*a, *a]\nx-c: [*b, *b]\n", "yaml-references",
    ),
    "deep nesting": (legacy() + "x-a: " + "[" * 60_000, "yaml"),
}  # fmt: skip


@pytest.mark.parametrize("case", PASSED_UNSEEN)
def test_what_once_passed_unseen_has_its_finding(tmp_path, case):
    manifest, files, rule = PASSED_UNSEEN[case]
    registries.write(tmp_path, files={"evaluator.yaml": manifest, **files})
    found = registries.findings(tmp_path)

    assert rule in {one.rule for one in found if one.severity is Severity.ERROR}


@pytest.mark.parametrize("case", BROKE_THE_INDEX)
def test_what_once_broke_the_index_has_its_finding_and_is_no_manifest(tmp_path, case):
    manifest, rule = BROKE_THE_INDEX[case]
    registries.write(tmp_path, "contains")
    registries.write(tmp_path, files={"evaluator.yaml": manifest})
    found = registries.findings(tmp_path)

    assert rule in {one.rule for one in found if one.entry == "politeness"}
    assert [one for one in found if one.entry == "contains"] == []


@pytest.mark.parametrize(
    "description",
    ["'say \"it\" again'", "'matches \\d or so'", "'$(id) `id` $X'", '"so: it is # 1"'],
)
def test_what_is_only_odd_is_no_reason_to_complain(tmp_path, description):
    found = registries.of_manifest(tmp_path, legacy(description=description))

    assert [one.rule for one in found] == ["complete"]


def test_the_community_of_the_predecessor_is_valid_but_for_a_compiled_file(tmp_path):
    for name in NAMES:
        text = LEGACY.format(name=name, description="Scores it (F1) — fairly", tags="text, nlp")
        files = {"evaluator.yaml": text, "fixtures.yaml": None, f"{name}.py": PROGRAM}
        registries.write(tmp_path, name, files)
    compiled = "bertscore/__pycache__/bertscore.cpython-314.pyc"
    (tmp_path / "evaluators" / compiled).parent.mkdir()
    (tmp_path / "evaluators" / compiled).write_bytes(b"\0")
    loose = "--extra-index-url https://packages.example.com\ntorch\n"
    (tmp_path / "evaluators/bertscore/requirements.txt").write_text(loose)
    found = registries.findings(tmp_path)

    errors = [one for one in found if one.severity is Severity.ERROR]
    assert [one.path for one in errors] == [f"evaluators/{compiled}"]
    assert [one.entry for one in found if one.rule == "complete"] == list(NAMES)
    assert {one.entry for one in found if one.rule != "complete"} == {"bertscore"}


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
    | st.sampled_from(["", "..", "/", "a/../b", "x.json", "1.0", "MIT\n", "fixtures.yaml", "é"])
    | st.text(max_size=6),
    lambda inner: st.lists(inner, max_size=3)
    | st.dictionaries(st.sampled_from(["login", "id", "network", "type"]), inner, max_size=3),
    max_leaves=6,
)  # fmt: skip
KEYS = (
    "name", "description", "language", "entrypoint", "tags", "author", "version", "license",
    "maintainers", "runtime", "requirements", "config_schema", "capabilities", "fixtures",
    "deterministic", "deprecated", "yanked", "replaced_by", "aliases", "needs", "other",
)  # fmt: skip


@settings(deadline=None, max_examples=150)
@given(st.dictionaries(st.sampled_from(KEYS), VALUES, max_size=3))
@example({"license": ""})
@example({"entrypoint": ""})
@example({"requirements": ""})
@example({"fixtures": ""})
@example({"name": ""})
@example({"version": ""})
@example({"replaced_by": ""})
def test_whatever_is_no_manifest_has_an_error_that_says_why(tmp_path_factory, changes):
    root = tmp_path_factory.mktemp("registry")
    right = yaml.safe_load(BytesIO(registries.MANIFEST.encode()))
    found = registries.of_manifest(root, json.dumps(right | changes))
    entry = entries.read(root, "evaluators/politeness")

    assert entry.manifest or any(one.severity is Severity.ERROR for one in found)


@settings(deadline=None, max_examples=100)
@given(st.binary(max_size=100), st.integers(0, len(registries.MANIFEST)))
def test_no_manifest_is_a_reason_to_fail(tmp_path_factory, noise, at):
    root = tmp_path_factory.mktemp("registry")
    text = registries.MANIFEST.encode()
    registries.write(root, files={"evaluator.yaml": text[:at] + noise + text[at:]})
    found = rules.check_registry(registry_folder.read(root))

    assert all(one.path.startswith("evaluators/politeness") for one in found)
