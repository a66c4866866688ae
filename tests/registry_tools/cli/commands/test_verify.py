import json

import pytest

from agentevals.evaluator import registry_index
from tests.registry_tools import registries
from tests.registry_tools.publishers import run


@pytest.fixture
def root(tmp_path):
    for name in ("answers", "politeness"):
        registries.write(tmp_path, name)
    registries.repository(tmp_path)
    assert run(tmp_path, "index").returncode == 0
    return tmp_path


def verify(root, *words):
    done = run(root, "verify", *words)
    return done.returncode, done.stdout


def test_what_was_published_is_what_lies_here(root):
    assert verify(root) == (0, "2 evaluators of 2 as the index says\n")


@pytest.mark.parametrize("name", ["index.yaml", "index.json"])
def test_any_index_can_be_named(root, name):
    (root / "kept").mkdir()
    (root / name).rename(root / "kept" / name)

    assert verify(root, "--index", f"kept/{name}")[0] == 0


def test_a_file_that_changed_is_named_with_both_hashes(root):
    (root / "evaluators/answers/answers.py").write_text("# another\n")
    code, said = verify(root)

    assert code == 1
    assert "answers: answers.py has the sha256 " in said
    assert "1 evaluator of 2 as the index says" in said


def test_files_that_are_too_many_or_missing_are_named(root):
    (root / "evaluators/answers/extra.py").write_text("")
    (root / "evaluators/politeness/politeness.py").unlink()
    code, said = verify(root)

    assert code == 1
    assert "answers: extra.py is too many" in said
    assert "politeness: politeness.py is missing" in said


def test_a_compiled_file_that_lies_here_is_none_of_the_index(root):
    (root / "evaluators/answers/answers.pyc").write_bytes(b"\0")

    assert verify(root) == (0, "2 evaluators of 2 as the index says\n")


def test_an_index_that_lists_a_compiled_file_is_named(root):
    document = json.loads((root / "index.json").read_text())
    entry = document["evaluators"][0]
    entry["files"]["answers.pyc"] = "0" * 64
    entry["sha256"] = registry_index.digest(entry["files"])
    (root / "old.json").write_text(json.dumps(document))
    code, said = verify(root, "--index", "old.json")

    assert code == 1
    assert (
        "answers: the index lists a compiled file, which no client fetches: 'answers.pyc'" in said
    )


def test_a_file_that_became_a_link_is_named(root):
    program = root / "evaluators/answers/answers.py"
    program.rename(root / "elsewhere.py")
    program.symlink_to(root / "elsewhere.py")
    code, said = verify(root)

    assert code == 1
    assert "'answers.py' is a symbolic link" in said


def test_a_folder_that_is_not_here_or_not_listed_is_named(root):
    (root / "evaluators/answers").rename(root / "evaluators/replies")
    code, said = verify(root)

    assert code == 1
    assert "answers: evaluators/answers is not here" in said
    assert "evaluators/replies is not listed; agentevals registry why replies says why" in said


def test_an_index_that_contradicts_itself_is_said_to(root):
    text = (root / "index.json").read_text()
    document = json.loads(text)
    document["evaluators"][0]["sha256"] = "0" * 64
    (root / "index.json").write_text(json.dumps(document))
    code, said = verify(root)

    assert code == 1
    assert "its sha256 is not that of its files" in said
    assert "head.json means another index.json" in said


def test_an_index_that_leads_out_of_the_registry_is_not_followed(root):
    document = json.loads((root / "index.json").read_text())
    document["evaluators"][0]["path"] = "evaluators/../../etc/passwd"
    (root / "index.json").write_text(json.dumps(document))
    code, said = verify(root)

    assert code == 1
    assert "whose name must be a relative path" in said


def test_an_old_index_without_hashes_cannot_be_held_against_anything(root):
    old = "evaluators:\n- {name: answers, path: evaluators/answers/answers.py}\n"
    (root / "old.yaml").write_text(old)
    code, said = verify(root, "--index", "old.yaml")

    assert code == 1
    assert "answers: the index has no hashes of its files" in said


@pytest.mark.parametrize(
    ("content", "code", "said"),
    [
        (None, 2, "there is neither index.json nor index.yaml"),
        ("[]", 3, "not an index of evaluators"),
    ],
)
def test_without_an_index_nothing_can_be_said(tmp_path, content, code, said):
    registries.write(tmp_path)
    if content:
        (tmp_path / "index.json").write_text(content)
    done = run(tmp_path, "verify")

    assert done.returncode == code
    assert said in done.stderr
