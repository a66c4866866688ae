"""Writing all files of a review into a folder that somebody else may have prepared."""

import json
import os

import pytest

from agentevals.report.outputs import FILES
from agentevals.report.report_folder import open_folder, write
from agentevals.report.untrusted_report import Limits
from tests.report.outputs.samples import REVIEWS
from tests.support import DOCS

NAMES = [
    "report.json",
    "junit.xml",
    "report.sarif",
    "ctrf.json",
    "badge.json",
    "comment.md",
    "failures.md",
    "report.html",
]
FAILED = REVIEWS["failed"]


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def test_every_file_is_there_with_what_it_renders(tmp_path):
    written = write(tmp_path / "reports", FAILED)

    assert [path.name for path in written.paths] == NAMES
    assert names(tmp_path / "reports") == sorted(NAMES)
    assert written.problems == []
    for name in FILES:
        text = (tmp_path / "reports" / FILES[name].FILE).read_text()
        assert text == "".join(FILES[name].render(FAILED))


def test_an_older_file_is_replaced(tmp_path):
    write(tmp_path, FAILED)
    write(tmp_path, REVIEWS["passed"])

    assert json.loads((tmp_path / "report.json").read_text())["verdict"] == "pass"


def test_missing_folders_are_made_within_the_workspace(tmp_path):
    written = write(tmp_path / "a" / "b", FAILED, within=tmp_path)

    assert len(written.paths) == len(NAMES)
    assert (tmp_path / "a" / "b" / "junit.xml").is_file()


def link(path, target):
    target.write_text("kept")
    path.symlink_to(target)


@pytest.mark.parametrize(
    "make",
    [link, lambda path, target: path.mkdir(), lambda path, target: os.mkfifo(path)],
    ids=["link", "folder", "pipe"],
)
def test_what_stands_in_the_way_of_a_file_costs_only_that_file(tmp_path, make):
    folder, target = tmp_path / "reports", tmp_path / "target"
    folder.mkdir()
    make(folder / "junit.xml", target)
    written = write(folder, FAILED)

    assert [path.name for path in written.paths] == [n for n in NAMES if n != "junit.xml"]
    (problem,) = written.problems
    assert "junit.xml: cannot be written: there is a link" in str(problem)
    assert not target.exists() or target.read_text() == "kept"


def test_a_folder_that_is_a_link_is_not_followed(tmp_path):
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "reports").symlink_to("elsewhere")
    written = write(tmp_path / "reports", FAILED)

    assert (written.paths, len(written.problems)) == ([], 1)
    assert names(tmp_path / "elsewhere") == []


def test_neither_is_a_link_on_the_way_to_it(tmp_path):
    (tmp_path / "workspace").mkdir()
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "workspace" / "a").symlink_to("../elsewhere")
    written = write(tmp_path / "workspace" / "a" / "b", FAILED, within=tmp_path / "workspace")

    assert (written.paths, len(written.problems)) == ([], 1)
    assert names(tmp_path / "elsewhere") == []


@pytest.mark.parametrize("folder", ["..", "../reports", "a/../../reports", "/reports-of-nobody"])
def test_the_workspace_is_not_left(tmp_path, folder):
    (tmp_path / "workspace").mkdir()
    written = write(tmp_path / "workspace" / folder, FAILED, within=tmp_path / "workspace")

    assert written.paths == []
    assert "it is outside of" in str(written.problems[0])
    assert names(tmp_path) == ["workspace"]


def test_a_folder_that_is_a_file_is_one_problem(tmp_path):
    (tmp_path / "reports").write_text("")
    written = write(tmp_path / "reports", FAILED)

    assert (written.paths, len(written.problems)) == ([], 1)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files away")
def test_what_root_writes_belongs_to_whom_the_workspace_belongs(tmp_path):
    workspace = tmp_path / "workspace"
    workspace.mkdir()
    os.chown(workspace, 1001, 1002)
    write(workspace / "a" / "b", FAILED, within=workspace)

    made = [workspace / "a", workspace / "a" / "b", *(workspace / "a" / "b").iterdir()]
    assert {(path.stat().st_uid, path.stat().st_gid) for path in made} == {(1001, 1002)}


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_without_permission_is_one_problem(tmp_path):
    tmp_path.chmod(0o500)
    written = write(tmp_path / "reports", FAILED)
    tmp_path.chmod(0o700)

    assert (written.paths, len(written.problems)) == ([], 1)


@pytest.mark.parametrize("name", FILES.ours)
def test_every_file_is_described(name):
    page = (DOCS / "report-files.md").read_text()

    assert f"\n| `{FILES[name].FILE}` |" in page
    assert f"\n## {FILES[name].FILE}\n" in page


def test_the_limits_of_what_is_read_are_those_of_the_page():
    page = (DOCS / "report-files.md").read_text()
    limits = Limits()

    assert f"{limits.size // 2**20} MiB" in page
    for number in (limits.values, limits.text, limits.items):
        assert f"{number:,}" in page


def broken():
    yield "half"
    raise OSError(28, "No space left on device")


def test_a_file_that_could_not_be_finished_is_as_it_was_before(tmp_path):
    (tmp_path / "a.json").write_text("old")
    with open_folder(tmp_path) as folder, pytest.raises(OSError, match="No space"):
        folder.write("a.json", broken())

    assert [path.name for path in tmp_path.iterdir()] == ["a.json"]
    assert (tmp_path / "a.json").read_text() == "old"


def test_a_file_that_somebody_keeps_open_is_not_changed(tmp_path):
    (tmp_path / "a.json").write_text("old")
    with (tmp_path / "a.json").open() as before, open_folder(tmp_path) as folder:
        folder.write("a.json", ["ne", "w"])

        assert before.read() == "old"
    assert (tmp_path / "a.json").read_text() == "new"


def test_a_folder_that_is_replaced_by_a_link_meanwhile_is_still_the_same(tmp_path):
    (tmp_path / "reports").mkdir()
    (tmp_path / "elsewhere").mkdir()
    with open_folder(tmp_path / "reports") as folder:
        (tmp_path / "reports").rename(tmp_path / "moved")
        (tmp_path / "reports").symlink_to("elsewhere")
        folder.write("a.json", ["new"])

    assert (tmp_path / "moved" / "a.json").read_text() == "new"
    assert list((tmp_path / "elsewhere").iterdir()) == []
