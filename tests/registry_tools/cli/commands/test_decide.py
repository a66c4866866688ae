import pytest

from registry_tools.manifests import registry_tombstones
from tests.registry_tools import publishers, registries
from tests.registry_tools.registries import MANIFEST, changed, git

FILE = "evaluators/.tombstones.yaml"


@pytest.fixture
def root(tmp_path):
    """A registry of two; one of them has an earlier version."""
    registries.write(tmp_path, "answers")
    registries.write(tmp_path)
    registries.repository(tmp_path)
    registries.write(tmp_path, files={"evaluator.yaml": changed("1.0.0", "1.1.0")})
    registries.commit(tmp_path)
    return tmp_path


def run(root, *words):
    done = publishers.run(root, *words)
    assert "Traceback" not in done.stderr
    return done.returncode, done.stdout + done.stderr


def read(root):
    found, problems = registry_tombstones.read((root / FILE).read_bytes())
    assert problems == ()
    return found


@pytest.mark.parametrize("version", ["1.0.0", "1.1.0"])
def test_a_version_is_withdrawn(root, version):
    code, said = run(root, "yank", "politeness", version, "--reason", "it crashed")

    assert code == 0, said
    assert read(root).yanked == {"politeness": {version: "it crashed"}}
    assert run(root, "validate", "--no-smoke")[0] == 0


def test_what_is_withdrawn_is_so_in_the_next_index(root):
    run(root, "yank", "politeness", "1.0.0", "--reason", "it crashed")
    registries.commit(root)
    run(root, "index")

    assert '"yanked":"it crashed"' in (root / "index.json").read_text()


NONSENSE = [
    (["yank", "politeness", "1.2.0", "--reason", "x"], "never had a version '1.2.0'"),
    (["yank", "politness", "1.0.0", "--reason", "x"], "did you mean 'politeness'?"),
    (["yank", "politeness", "1.0.0", "--reason", ""], "must not be empty"),
    (["yank", "politeness", "1.0.0", "--reason", "a\nb"], "one line"),
    (["yank", "politeness", "1.0.0"], "--reason"),
    (["remove", "rude", "--reason", "x"], "there is no evaluator 'rude'"),
    (["remove", "politeness", "--reason", "x", "--replaced-by", "kind"], "no evaluator 'kind'"),
    (["remove", "politeness", "--reason", "x", "--replaced-by", "politeness"], "replace itself"),
    (["remove", "../politeness", "--reason", "x"], "there is no evaluator"),
    (["restore", "politeness"], "says nothing of 'politeness'"),
    (["restore", "politeness", "1.0.0"], "says nothing of 'politeness 1.0.0'"),
    (["transfer", "politeness", "--to", "583231", "--reason", "x"], "maintained by them already"),
    (["transfer", "politeness", "--to", "0", "--reason", "x"], "must be 1 or more"),
    (["transfer", "rude", "--to", "7", "--reason", "x"], "there is no evaluator 'rude'"),
    (["rename", "politeness", "answers"], "'answers' is taken"),
    (["rename", "politeness", "politeness"], "is taken"),
    (["rename", "politeness", "Kind"], "lower-case letters"),
    (["rename", "politeness", "../kind"], "lower-case letters"),
    (["rename", "rude", "kind"], "there is no evaluator 'rude'"),
]


@pytest.mark.parametrize(("words", "said"), NONSENSE, ids=lambda one: " ".join(one)[:40])
def test_nonsense_is_refused_and_nothing_is_written(root, words, said):
    code, told = run(root, *words)

    assert code == 2
    assert said in told
    assert git(root, "status", "--porcelain") == ""


def test_twice_is_refused_with_the_first_reason(root):
    run(root, "yank", "politeness", "1.0.0", "--reason", "it crashed")
    code, said = run(root, "yank", "politeness", "1.0.0", "--reason", "again")

    assert (code, "is withdrawn already: it crashed" in said) == (2, True)


def test_a_removed_one_is_gone_with_its_folder(root):
    code, said = run(root, "remove", "answers", "--reason", "old", "--replaced-by", "politeness")

    assert code == 0, said
    assert not (root / "evaluators/answers").exists()
    assert read(root).removed["answers"].replaced_by == "politeness"
    assert run(root, "validate", "--no-smoke", "--agreed", "--changed-since", "HEAD")[0] == 0
    assert "was removed already: old" in run(root, "remove", "answers", "--reason", "x")[1]


def test_what_git_does_not_have_is_not_deleted(root):
    (root / "evaluators/answers/notes.md").write_text("mine\n")
    code, said = run(root, "remove", "answers", "--reason", "old")

    assert code == 0
    assert "delete evaluators/answers yourself" in said
    assert (root / "evaluators/answers/notes.md").exists()


@pytest.mark.parametrize(
    ("done", "undone"),
    [
        (["yank", "politeness", "1.0.0", "--reason", "x"], ["restore", "politeness", "1.0.0"]),
        (["remove", "answers", "--reason", "x"], ["restore", "answers"]),
    ],
)
def test_a_decision_is_taken_back(root, done, undone):
    run(root, *done)
    code, said = run(root, *undone)

    assert code == 0, said
    assert read(root) == registry_tombstones.Tombstones()


def test_the_new_maintainers_are_allowed_from_then_on(root):
    run(root, "transfer", "politeness", "--to", "7", "--to", "8", "--reason", "agreed")
    code, _ = run(root, "transfer", "politeness", "--to", "9", "--reason", "agreed again")

    assert code == 0
    assert read(root).transferred["politeness"].to == (9,)


def test_a_renamed_one_leads_from_the_old_name_to_the_new(root):
    code, said = run(root, "rename", "answers", "replies")

    assert code == 0, said
    assert read(root).removed["answers"].replaced_by == "replies"
    text = (root / "evaluators/replies/evaluator.yaml").read_text()
    assert text == MANIFEST.replace("politeness", "answers").replace(
        "name: answers", "name: replies"
    )
    registries.commit(root)
    assert run(root, "validate", "--no-smoke", "--agreed", "--changed-since", "HEAD~1")[0] == 0


def test_a_folder_that_was_moved_already_is_only_recorded(root):
    git(root, "mv", "evaluators/answers", "evaluators/replies")
    code, said = run(root, "rename", "answers", "replies")

    assert code == 0, said
    assert read(root).removed["answers"].replaced_by == "replies"


@pytest.mark.parametrize("name", ["lost", "Polite-Answers", "größe", "2024", "no"])
@pytest.mark.parametrize(
    "words", [["remove", "NAME", "--reason", "gone"], ["rename", "NAME", "politeness"]]
)
def test_a_name_that_only_the_published_index_has_is_decided_about(root, name, words):
    (root / "index.yaml").write_text(
        f"evaluators:\n  - {{name: '{name}', description: d, language: python, path: a/a.py}}\n"
    )
    registries.commit(root)
    code, said = run(root, *(name if word == "NAME" else word for word in words))

    assert code == 0, said
    assert list(read(root).removed) == [name]
    registries.commit(root)
    dry = run(root, "publish", "--dry-run", "--remote", ".", "--branch", "main")
    assert (dry[0], "would be published" in dry[1]) == (0, True), dry[1]


@pytest.mark.parametrize("content", ["removed: [", "link"])
def test_a_file_that_is_broken_is_corrected_first(root, content):
    path = root / FILE
    path.symlink_to("/etc/passwd") if content == "link" else path.write_text(content)
    code, said = run(root, "yank", "politeness", "1.0.0", "--reason", "x")

    assert code == 2
    assert ".tombstones.yaml:1:" in said
