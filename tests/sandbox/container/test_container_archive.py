import tarfile
import tempfile
from pathlib import Path

from agentevals.sandbox.container.container_archive import Archive


def list_names(folder: Path) -> dict[str, tarfile.TarInfo]:
    with tempfile.TemporaryFile() as file:
        archive = Archive(file)
        archive.add_folder(folder, "evaluator")
        with tarfile.open(fileobj=archive.finish()) as tar:
            return {entry.name: entry for entry in tar}


def test_a_folder_is_copied_without_what_stays_closed(tmp_path: Path) -> None:
    for name in ("evaluator.py", "data/words.txt", ".env", "data/.git/config"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("x")
    (tmp_path / "evaluator.py").chmod(0o755)

    copied = list_names(tmp_path)

    assert set(copied) == {
        *("evaluator", "evaluator/evaluator.py", "evaluator/data", "evaluator/data/words.txt"),
    }
    assert {(entry.uid, entry.gid) for entry in copied.values()} == {(0, 0)}
    assert copied["evaluator/evaluator.py"].mode == 0o755
    assert copied["evaluator/data/words.txt"].mode == 0o644


def test_links_are_copied_as_files_only_where_they_stay_in_the_folder(tmp_path: Path) -> None:
    top = tmp_path / "evaluator"
    top.mkdir()
    for name in ("plain", ".env"):
        (top / name).write_text(name)
    (tmp_path / "outside").write_text("secret")
    for link, target in (("in", "plain"), ("out", "../outside"), ("to-env", ".env"), ("x", "gone")):
        (top / link).symlink_to(target)

    copied = list_names(top)

    assert set(copied) == {"evaluator", "evaluator/plain", "evaluator/in"}
    assert copied["evaluator/in"].isreg()
