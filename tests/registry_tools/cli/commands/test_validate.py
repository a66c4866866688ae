import json
import subprocess
import sys

import jsonschema
import pytest

from tests.registry_tools import publishers, registries
from tests.registry_tools.registries import LEGACY, changed
from tests.report.outputs import official


def run(root, *words):
    """The command as people start it; what running an evaluator shows is specified elsewhere."""
    words = ("validate", "--no-smoke", *words)
    done = publishers.run(root, *words)
    return done.returncode, done.stdout, done.stderr


PATH = "evaluators/politeness/evaluator.yaml"
BROKEN = changed("description:", "descripton:", changed("Apache-2.0", "Apache 2.0"))


def test_a_registry_that_is_right_is_said_to_be(tmp_path):
    registries.write(tmp_path)

    assert run(tmp_path) == (0, "1 evaluator checked: nothing to say\n", "")


def test_every_finding_is_a_line_with_its_place_its_fix_and_its_rule(tmp_path):
    registries.write(tmp_path, files={"evaluator.yaml": BROKEN})
    code, said, _ = run(tmp_path)
    written = "write Apache-2.0"

    assert code == 1
    assert said.splitlines() == [
        f"{PATH}:2:1: error: unknown key 'descripton'; did you mean 'description'? [schema]",
        f"{PATH}:8:10: error: SPDX writes 'Apache-2.0', not 'Apache 2.0'; {written} [license]",
        "1 evaluator checked: 2 errors; --fix puts 2 right",
    ]


def test_agentevals_has_the_command_too(tmp_path):
    registries.write(tmp_path)
    words = [sys.executable, "-m", "agentevals", "registry", "validate", "--no-smoke", tmp_path]
    done = subprocess.run(words, capture_output=True, text=True, check=False)

    assert (done.returncode, done.stdout) == (0, "1 evaluator checked: nothing to say\n")


def test_six_keys_are_enough_unless_more_is_asked_for(tmp_path):
    text = LEGACY.format(name="politeness", description="Whether it is polite", tags="text")
    registries.write(tmp_path, files={"evaluator.yaml": text})

    code, said, _ = run(tmp_path)

    assert code == 0
    assert said.startswith(f"{PATH}:1:1: note: legacy: the manifest says nothing about version,")
    assert run(tmp_path, "--level", "complete")[0] == 1


@pytest.mark.parametrize(
    "words",
    [
        ["evaluators/politeness"],
        ["evaluators/politeness/evaluator.yaml"],
        ["evaluators/politeness/politeness.py", "evaluators/politeness/fixtures.yaml"],
    ],
)
def test_only_the_entries_that_are_named_are_checked(tmp_path, words):
    registries.write(tmp_path)
    registries.write(tmp_path, "answers", {"evaluator.yaml": None})

    assert run(tmp_path, *words)[:2] == (0, "1 evaluator checked: nothing to say\n")
    assert run(tmp_path, "evaluators")[0] == 1


def test_an_evaluator_that_is_in_no_registry_is_checked_alone(tmp_path):
    registries.write(tmp_path).rename(tmp_path / "politeness")
    (tmp_path / "evaluators").rmdir()

    assert run(tmp_path, "politeness")[:2] == (0, "1 evaluator checked: nothing to say\n")


def test_somebody_who_stands_beside_an_evaluator_is_told_how_to_name_it(tmp_path):
    registries.write(tmp_path).rename(tmp_path / "politeness")
    (tmp_path / "evaluators").rmdir()
    code, _, complaint = run(tmp_path)

    assert code == 2
    assert complaint.endswith("nor an evaluator; name one of those in it, such as 'politeness'\n")
    assert run(tmp_path, "politeness")[0] == 0


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["nowhere"], "there is no such file or folder"),
        (["evaluatrs"], "did you mean 'evaluators'?"),
        (["."], "is neither a registry"),
        (["--format", "sarf", "evaluators"], "did you mean 'sarif'?"),
        (["--changed-since", "main", "evaluators"], "needs a git repository"),
    ],
)
def test_what_cannot_be_checked_is_said_with_another_code(tmp_path, words, said):
    home = tmp_path if words == ["."] else registries.write(tmp_path).parent.parent
    code, _, complaint = run(home, *words)

    assert code == 2
    assert said in complaint


def test_the_schema_is_printed_for_editors(tmp_path):
    code, said, _ = run(tmp_path, "--schema")

    assert code == 0
    assert json.loads(said)["$id"].endswith("/main/docs/schemas/evaluator-1.3.json")


MECHANICAL = """\
name: politeness
descripton: Whether the answer is polite
langauge: Python
entrypoint: politeness.py
tags: [text, answer]
author: no
version: 1.0
license: apache-2.0
maintainers:
  - login: octocat
    id: 583231
config_schema: {type: object}
fixtures: fixtures.yaml
""".replace("\n", "\r\n")
MENDED = """\
name: politeness
description: Whether the answer is polite
language: python
entrypoint: politeness.py
tags: [answer, text]
author: "no"
version: 1.0.0
license: Apache-2.0
maintainers:
  - login: octocat
    id: 583231
config_schema: {type: object}
fixtures: fixtures.yaml
"""


def test_what_nobody_has_to_think_about_is_put_right(tmp_path):
    files = {"evaluator.yaml": b"\xef\xbb\xbf" + MECHANICAL.encode()}
    manifest = registries.write(tmp_path, files=files) / "evaluator.yaml"
    manifest.chmod(0o640)
    code, said, _ = run(tmp_path, "--fix")

    assert manifest.read_bytes().decode() == MENDED
    assert (code, said) == (0, "1 evaluator checked: nothing to say; 8 edits made\n")
    assert manifest.stat().st_mode & 0o777 == 0o640
    assert sorted(path.name for path in manifest.parent.iterdir()) == [
        "evaluator.yaml", "fixtures.yaml", "politeness.py",
    ]  # fmt: skip


def test_what_has_to_be_thought_about_is_left_alone(tmp_path):
    text = changed("Whether the answer is polite", "TODO", changed("politeness.py", "x.py"))
    manifest = registries.write(tmp_path, files={"evaluator.yaml": text}) / "evaluator.yaml"
    code, _, _ = run(tmp_path, "--fix")

    assert code == 1
    assert manifest.read_text() == text


@pytest.mark.parametrize("end", ["...\n", "tags: [\n"])
def test_nothing_is_added_behind_the_end_of_a_manifest(tmp_path, end):
    text = registries.MANIFEST + end
    files = {"evaluator.yaml": text, "requirements.txt": "numpy\n"}
    manifest = registries.write(tmp_path, files=files) / "evaluator.yaml"
    code, _, _ = run(tmp_path, "--fix")

    assert (code, manifest.read_text()) == (1, text)


def test_json_is_for_programs(tmp_path):
    registries.write(tmp_path, files={"evaluator.yaml": BROKEN})
    code, said, _ = run(tmp_path, "--format", "json")
    document = json.loads(said)

    assert code == 1
    assert document["counts"] == {"error": 2, "warning": 0, "note": 0}
    assert document["checked"] == ["politeness"]
    assert document["findings"][0] == {
        "rule": "schema",
        "severity": "error",
        "message": "unknown key 'descripton'",
        "path": "evaluators/politeness/evaluator.yaml",
        "line": 2,
        "column": 1,
        "end_line": 2,
        "end_column": 11,
        "fix": "did you mean 'description'?",
        "entry": "politeness",
        "edit": {"start": 17, "end": 27, "text": "description"},
    }


def test_sarif_is_as_the_standard_wants_it(tmp_path):
    registries.write(tmp_path, files={"evaluator.yaml": BROKEN, "x.so": b"\0"})
    document = json.loads(run(tmp_path, "--format", "sarif")[1])
    jsonschema.Draft4Validator(official.schema("sarif")).validate(document)
    results = document["runs"][0]["results"]

    assert [result["ruleId"] for result in results] == ["schema", "license", "files"]
    assert results[0]["locations"][0]["physicalLocation"]["region"] == {
        "startLine": 2, "startColumn": 1, "endLine": 2, "endColumn": 11,
    }  # fmt: skip


def test_github_gets_annotations(tmp_path):
    registries.write(tmp_path, files={"evaluator.yaml": BROKEN})
    first, *_, last = run(tmp_path, "--format", "github")[1].splitlines()

    assert first == (
        "::error file=evaluators/politeness/evaluator.yaml,line=2,endLine=2,col=1,title=schema::"
        "unknown key 'descripton'; did you mean 'description'?"
    )
    assert last == "1 evaluator checked: 2 errors; --fix puts 2 right"


def test_markdown_begins_with_what_matters(tmp_path):
    registries.write(tmp_path, files={"evaluator.yaml": BROKEN})
    lines = run(tmp_path, "--format", "markdown")[1].splitlines()

    assert lines[0] == "### ❌ Registry: has to be changed"
    assert "#### politeness" in lines


def test_only_what_changed_is_checked(tmp_path):
    registries.write(tmp_path, "answers", {"evaluator.yaml": None})
    registries.repository(tmp_path)
    registries.write(tmp_path, "budgets")

    code, said, _ = run(tmp_path, "--changed-since", "main")

    assert (code, said.splitlines()[-1]) == (0, "1 evaluator checked: 1 warning")
    assert said.startswith("evaluators/answers/evaluator.yaml: warning: ")  # it fails nobody else


STRAY = "__pycache__/politeness.cpython-311.pyc"


@pytest.fixture
def compiled(tmp_path):
    """A registry whose main branch has a compiled file, and a branch that changes the entry."""
    registries.write(tmp_path, files={STRAY: b"\0"})
    registries.repository(tmp_path)
    registries.git(tmp_path, "switch", "--quiet", "--create", "proposal")
    registries.write(tmp_path, files={"evaluator.yaml": changed("1.0.0", "1.0.1"), STRAY: None})
    (tmp_path / "evaluators/politeness/README.md").write_text("# Polite\n")
    registries.commit(tmp_path)
    return tmp_path


def severities(root, *words):
    code, said, _ = run(root, "--format", "json", *words)
    return code, [(one["severity"], one["path"]) for one in json.loads(said)["findings"]]


def test_a_compiled_file_that_the_other_branch_has_is_only_a_warning(compiled):
    path = f"evaluators/politeness/{STRAY}"

    assert severities(compiled, "--changed-since", "main") == (0, [("warning", path)])
    assert severities(compiled) == (1, [("error", path)])


def test_so_it_is_where_everything_is_checked(compiled):
    (compiled / ".github").mkdir()
    (compiled / ".github/x.yml").write_text("{}\n")

    code, found = severities(compiled, "--changed-since", "main")

    assert (code, [severity for severity, _ in found]) == (0, ["warning"])


@pytest.mark.parametrize("content", [b"\1", None])
def test_a_compiled_file_that_a_branch_brings_or_changes_is_an_error(compiled, content):
    folder = compiled / "evaluators/politeness"
    (folder / STRAY).write_bytes(content or b"\0")
    (folder / "helper.pyc").write_bytes(b"\0") if content is None else None
    new = "helper.pyc" if content is None else STRAY
    code, found = severities(compiled, "--changed-since", "main")

    assert code == 1
    assert ("error", f"evaluators/politeness/{new}") in found


def test_a_rename_and_a_removal_are_changes(tmp_path):
    for name in ("answers", "budgets", "politeness"):
        registries.write(tmp_path, name)
    heir = changed("name: politeness", "name: answers") + "deprecated: old\nreplaced_by: budgets\n"
    heir = heir.replace("politeness.py", "answers.py")
    registries.write(tmp_path, "answers", {"evaluator.yaml": heir})
    registries.repository(tmp_path)
    registries.git(tmp_path, "switch", "--quiet", "--create", "proposal")
    registries.git(tmp_path, "mv", "evaluators/budgets", "evaluators/spending")
    registries.git(tmp_path, "rm", "--quiet", "-r", "evaluators/politeness")
    registries.commit(tmp_path)
    code, said, _ = run(tmp_path, "--changed-since", "main")
    places = [line.partition(": ")[0] for line in said.splitlines()]

    assert code == 1
    assert "evaluators/answers/evaluator.yaml:19:14" in places  # it says a name that is gone
    assert "evaluators/spending/evaluator.yaml:1:7" in places  # it says its old name
    assert said.splitlines()[-1].startswith("4 evaluators checked: ")  # two of them are gone


@pytest.mark.parametrize("path", ["registry_tools/schema.json", ".github/workflows/check.yml"])
def test_a_change_of_what_checks_is_a_change_of_everything(tmp_path, path):
    registries.write(tmp_path, "answers")
    registries.write(tmp_path, "politeness")
    registries.repository(tmp_path)
    (tmp_path / path).parent.mkdir(parents=True)
    (tmp_path / path).write_text("{}\n")

    assert run(tmp_path, "--changed-since", "main")[1] == "2 evaluators checked: nothing to say\n"


class TestSlips:
    """What is broken on main: an error of main, and no error of a change that leaves it alone."""

    @pytest.fixture
    def root(self, tmp_path):
        registries.write(tmp_path)
        registries.write(tmp_path, "answers")
        return tmp_path

    def slip(self, root, kind):
        folder = root / "evaluators"
        match kind:
            case "tombstones":
                (folder / ".tombstones.yaml").write_text('yanked:\n  answers: {"1.1.0": n}\n')
            case "link":
                (folder / "other").symlink_to("answers")
            case "manifest":
                (folder / "answers/evaluator.yaml").write_text("name: [\n")

    @pytest.fixture(params=["tombstones", "link", "manifest"])
    def broken(self, root, request):
        self.slip(root, request.param)
        registries.repository(root)
        registries.git(root, "switch", "--quiet", "--create", "proposal")
        registries.write(root, "kindness", {"evaluator.yaml": MINE})
        registries.commit(root)
        return root

    def test_it_is_an_error_of_main(self, broken):
        assert run(broken)[0] == 1

    def test_it_is_a_warning_of_a_change_that_leaves_it_as_it_is(self, broken):
        code, said, _ = run(broken, "--changed-since", "main")

        assert code == 0, said
        assert said.count(": warning: ") == 1
        assert "the other branch has it as it is here" in said

    def test_so_it_is_where_a_workflow_changes(self, broken):
        (broken / ".github").mkdir()
        (broken / ".github/x.yml").write_text("{}\n")
        code, said, _ = run(broken, "--changed-since", "main")

        assert code == 0, said

    def test_whoever_names_another_entry_hears_nothing_of_it(self, broken):
        assert run(broken, "evaluators/kindness")[:2] == (
            0, "1 evaluator checked: nothing to say\n",
        )  # fmt: skip

    @pytest.mark.parametrize("kind", ["tombstones", "link", "manifest"])
    def test_it_is_an_error_of_the_change_that_brings_it(self, root, kind):
        registries.repository(root)
        registries.git(root, "switch", "--quiet", "--create", "proposal")
        self.slip(root, kind)
        registries.commit(root)
        code, said, _ = run(root, "--changed-since", "main")

        assert code == 1
        assert ": error: " in said

    def test_a_file_of_decisions_that_is_gone_is_an_error(self, root):
        (root / "evaluators/.tombstones.yaml").write_text("removed:\n  old: {reason: wrong}\n")
        registries.repository(root)
        registries.git(root, "switch", "--quiet", "--create", "proposal")
        registries.git(root, "rm", "--quiet", "evaluators/.tombstones.yaml")
        code, said, _ = run(root, "--changed-since", "main")

        assert code == 1
        assert "the file is gone, and with it 1 decision; run git checkout" in said

    def test_a_decision_about_a_folder_that_is_there_is_named_at_its_line(self, root):
        registries.repository(root)
        registries.git(root, "switch", "--quiet", "--create", "proposal")
        text = "removed:\n  answers: {reason: wrong}\n"
        (root / "evaluators/.tombstones.yaml").write_text(text)
        code, said, _ = run(root, "--changed-since", "main")

        assert code == 1
        assert "evaluators/.tombstones.yaml:2:3: error: 'answers' was removed" in said


MINE = changed("politeness.py", "kindness.py", changed("politeness", "kindness"))


@pytest.fixture
def gate(tmp_path):
    """A registry of two on main, and a branch on which nothing is changed yet."""
    for name in ("answers", "politeness"):
        registries.write(tmp_path, name)
    registries.repository(tmp_path)
    registries.git(tmp_path, "switch", "--quiet", "--create", "proposal")
    return tmp_path


def test_one_exit_code_says_what_a_change_does_to_users(gate):
    registries.write(gate, files={"politeness.py": registries.PROGRAM + "# more\n"})
    code, said, _ = run(gate, "--changed-since", "main")

    assert code == 1
    assert f"{PATH}:7:10: error: files changed, and 1.0.0 is published" in said
    assert "[update-version]" in said


def test_a_change_that_a_user_sees_is_in_the_json(gate):
    registries.write(gate, files={"evaluator.yaml": changed("1.0.0", "1.1.0")})
    registries.git(gate, "rm", "-r", "--quiet", "evaluators/answers")
    registries.write(gate, "kindness", {"evaluator.yaml": MINE})
    _, said, _ = run(gate, "--changed-since", "main", "--format", "json")

    assert json.loads(said)["updates"] == [
        {"name": "answers", "before": "1.0.0", "after": None},
        {"name": "kindness", "before": None, "after": "1.0.0"},
        {"name": "politeness", "before": "1.0.0", "after": "1.1.0"},
    ]


def test_a_name_that_is_asked_for_is_compared_alone(gate):
    registries.write(gate, files={"politeness.py": registries.PROGRAM + "# more\n"})
    registries.write(gate, "answers", {"answers.py": registries.PROGRAM + "# more\n"})
    (gate / "index.json").write_text("{}\n")
    _, said, _ = run(gate, "evaluators/answers", "--changed-since", "main")

    assert said.splitlines()[-1] == "1 evaluator checked: 1 error"


def test_a_folder_that_git_finds_under_another_name_was_renamed(gate):
    registries.git(gate, "mv", "evaluators/answers", "evaluators/replies")
    registries.git(gate, "mv", "evaluators/replies/answers.py", "evaluators/replies/replies.py")
    text = changed("politeness", "replies").replace("politeness.py", "replies.py")
    (gate / "evaluators/replies/evaluator.yaml").write_text(text)
    registries.commit(gate)
    code, said, _ = run(gate, "--changed-since", "main")

    assert code == 1
    assert "git finds its files in evaluators/replies, and no tombstone says so" in said
    assert "agentevals registry rename answers replies" in said


def test_what_cannot_be_listed_is_told_once_and_at_its_place(gate):
    registries.write(gate, files={"evaluator.yaml": changed("description:", "descripton:")})
    _, said, _ = run(gate, "--changed-since", "main")

    assert said.splitlines()[:-1] == [
        f"{PATH}:2:1: error: unknown key 'descripton'; did you mean 'description'? [schema]",
    ]
