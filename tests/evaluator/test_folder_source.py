import asyncio

import pytest

from agentevals.evaluator.folder_source import FileEvaluatorSource
from agentevals.model.errors import InputError
from tests.evaluator.conftest import fetched

MANIFEST = "name: shout\ndescription: loud\nlanguage: python\nentrypoint: shout.py\n"
REF = "evaluators/shout/shout.py"


@pytest.fixture
def checkout(tmp_path, monkeypatch):
    root = tmp_path / "checkout"
    folder = root / "evaluators" / "shout"
    (folder / "words").mkdir(parents=True)
    (folder / "shout.py").write_text("print(1)")
    (folder / "words" / "loud.txt").write_text("HEY")
    (folder / "evaluator.yaml").write_text(MANIFEST)
    monkeypatch.setenv("AGENTEVALS_EVALUATOR_FOLDER", str(root))
    return root


def run(coroutine):
    return asyncio.run(coroutine)


def test_a_checkout_is_a_source(checkout, tmp_path):
    source = FileEvaluatorSource(checkout)

    (info,) = run(source.list_evaluators())
    run(source.fetch_evaluator(info.ref, tmp_path / "copy" / "shout.py"))

    assert (info.name, info.ref) == ("shout", REF)
    assert (tmp_path / "copy" / "words" / "loud.txt").read_text() == "HEY"


@pytest.mark.parametrize("ref", ["shout", REF])
def test_it_is_used_as_it_is_now(checkout, ref):
    before = fetched(ref, "file")
    (checkout / REF).write_text("print(2)")

    assert fetched(ref, "file").path.read_text() == "print(2)"
    assert before.path.read_text() == "print(1)"
    assert before.pinned_by == "folder"


def test_a_version_of_its_manifest_counts(checkout):
    manifest = checkout / "evaluators" / "shout" / "evaluator.yaml"
    manifest.write_text(MANIFEST + "version: 1.2.0\n")

    assert fetched("shout@^1.1", "file").pin.version == "1.2.0"


def test_links_and_what_tools_left_behind_stay_there(checkout):
    folder = checkout / "evaluators" / "shout"
    (folder / "secret").symlink_to("/etc/passwd")
    (folder / "etc").symlink_to("/etc")
    (folder / "__pycache__").mkdir()
    (folder / "__pycache__" / "x.pyc").touch()
    (folder / ".env").touch()

    assert sorted(fetched("shout", "file").pin.files) == [
        "evaluator.yaml",
        "shout.py",
        "words/loud.txt",
    ]


def test_what_is_compiled_stays_there(checkout, caplog):
    (checkout / "evaluators" / "shout" / "shout.so").write_bytes(b"\0")

    assert "shout.so" not in fetched("shout", "file").pin.files
    assert "compiled files, which are never fetched or run: shout.so" in caplog.text


def test_a_program_that_is_a_link_is_not_there(checkout):
    program = checkout / REF
    program.unlink()
    program.symlink_to("/etc/passwd")

    with pytest.raises(InputError, match="does not exist in"):
        fetched(REF, "file")


@pytest.mark.parametrize("text", ["a: [", "- a", "\xff"])
def test_a_manifest_that_is_none_is_named(checkout, text):
    manifest = checkout / "evaluators" / "shout" / "evaluator.yaml"
    manifest.write_bytes(text.encode("latin-1"))

    with pytest.raises(InputError, match=r"evaluator\.yaml: not a manifest"):
        run(FileEvaluatorSource(checkout).list_evaluators())


def test_what_it_does_not_have_it_does_not_hand_out(checkout):
    with pytest.raises(InputError, match="does not exist"):
        fetched("evaluators/b/b.py", "file")
    with pytest.raises(InputError, match="did you mean 'shout'"):
        fetched("shuot", "file")


def test_a_folder_that_is_none_is_said(monkeypatch, tmp_path):
    monkeypatch.setenv("AGENTEVALS_EVALUATOR_FOLDER", str(tmp_path / "no"))

    with pytest.raises(InputError, match="is not a folder"):
        fetched("a", "file")
