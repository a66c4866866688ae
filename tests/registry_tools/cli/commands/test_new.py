import pytest

from tests.support import agentevals


@pytest.fixture
def registry(tmp_path):
    (tmp_path / "evaluators").mkdir()
    return tmp_path


def run(registry, *words):
    return agentevals("registry", *words, cwd=registry, XDG_CACHE_HOME="/nowhere")


@pytest.mark.parametrize(
    ("words", "program"),
    [
        (["politeness"], "politeness.py"),
        (["politeness.ts"], "politeness.ts"),
        (["politeness", "--runtime", "js"], "politeness.js"),
    ],
)
def test_an_evaluator_is_written_where_the_others_are(registry, words, program):
    done = run(registry, "new", *words)

    home = registry / "evaluators" / "politeness"
    assert done.returncode == 0
    assert {path.name for path in home.iterdir()} == {
        *("evaluator.yaml", "fixtures.yaml", "README.md"),
        program,
    }
    assert f"check it:  agentevals registry validate {home}" in done.stdout
    said = run(registry, "validate", "--no-smoke").stdout
    assert said.endswith("1 evaluator checked: 3 warnings, 1 note\n")
    assert said.count("[placeholder]") == 3


def test_a_registry_may_be_elsewhere(registry, tmp_path_factory):
    here = tmp_path_factory.mktemp("elsewhere")

    assert run(here, "new", "politeness", "--root", str(registry)).returncode == 0
    assert (registry / "evaluators" / "politeness").is_dir()


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("Politeness", "'name' must be lower-case letters"),
        ("class", "the name 'class' is reserved"),
        ("po-liteness", "is taken"),
        ("politeness", "exists already"),
        ("politeness.rb", "unknown runtime 'rb'"),
    ],
)
def test_a_name_that_the_registry_would_refuse_leaves_nothing_behind(registry, name, why):
    run(registry, "new", "politeness")
    before = sorted(registry.rglob("*"))

    done = run(registry, "new", name)

    assert done.returncode == 2
    assert why in done.stderr
    assert sorted(registry.rglob("*")) == before


def test_files_that_were_there_before_stay(registry):
    words = registry / "evaluators" / "class" / "words.txt"
    words.parent.mkdir()
    words.write_text("precious")

    assert run(registry, "new", "class").returncode == 2
    assert list(words.parent.iterdir()) == [words]


def test_a_name_like_another_is_said(registry):
    run(registry, "new", "politeness")

    done = run(registry, "new", "politenes")

    assert done.returncode == 0
    assert "warning: " in done.stderr
    assert "politeness" in done.stderr


def test_outside_of_a_registry_nothing_is_written(tmp_path):
    done = run(tmp_path, "new", "politeness")

    assert done.returncode == 2
    assert "which has evaluators/ in it" in done.stderr
    assert list(tmp_path.iterdir()) == []
