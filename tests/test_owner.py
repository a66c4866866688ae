"""One setting says who owns this copy, and every address agrees with it."""

import shutil
import subprocess

from agentevals.model import project_links
from tests import owner
from tests.owner import ROOT

NEW = f"not-{owner.read_owner()}"


def find_owners(root):
    """Who is named where, tests aside: there are repositories of anybody in them."""
    return {
        f"{path.relative_to(root)}: {found}"
        for path in owner.list_files(root)
        if not path.is_relative_to(root / "tests")
        for pattern in (owner.ADDRESS, owner.PAGES)
        for found in pattern.findall(path.read_text(encoding="utf-8", errors="replace"))
    }


def test_no_address_disagrees_with_the_setting():
    wrong = [one for one in find_owners(ROOT) if not one.endswith(f": {owner.read_owner()}")]

    assert wrong == [], "run 'make owner OWNER=name'"


def test_the_code_knows_the_address_of_the_setting():
    assert f"https://github.com/{owner.read_owner()}/{owner.REPOSITORY}" == project_links.REPOSITORY
    assert project_links.PLACEHOLDER == owner.PLACEHOLDER


def test_another_owner_is_written_everywhere(tmp_path):
    copy = tmp_path / "copy"
    for path in owner.list_files(ROOT):
        there = copy / path.relative_to(ROOT)
        there.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, there)
    before = owner.read_owner(ROOT)
    subprocess.run(["git", "init", "-q", copy], check=True)
    changed = owner.write_owner(NEW, copy, 583231)

    assert owner.read_owner(copy) == NEW
    assert {one.rpartition(": ")[2] for one in find_owners(copy)} == {NEW}
    assert f"@{before}" not in (copy / ".github/CODEOWNERS").read_text()
    pages = [path for path in changed if path.suffix == ".md"]
    assert [p for p in pages if f"`{owner.PLACEHOLDER}`" in p.read_text(encoding="utf-8")] == []
    assert "ten commands.\n\n1." in (copy / "docs/ci.md").read_text()
    manifests = [path.read_text() for path in (copy / "evaluators").glob("*/evaluator.yaml")]
    assert all(f"maintainers: [{{login: {NEW}, id: 583231}}]\n" in text for text in manifests)
    assert f"git+https://github.com/{NEW}/{owner.REPOSITORY}" in (copy / "README.md").read_text()
