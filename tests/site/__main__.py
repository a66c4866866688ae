"""Builds the documentation site into `build/site/html`: `python -m tests.site`.

Beside each page lies its Markdown, and `llms.txt` lists them for programs that read.
"""

import posixpath
import re
import shutil
import subprocess
import sys
from pathlib import Path

import yaml

from agentevals.model import project_links
from tests.site.pages import DOCS, ROOT, Page, list_pages

BUILD = ROOT / "build" / "site"
_OUTSIDE = re.compile(r"\]\((?P<up>(?:\.\./)+)(?P<path>[^)]+)\)")


def build(folder: Path = BUILD) -> Path:
    """The folder with the pages. A warning of the generator is an error."""
    shutil.rmtree(folder, ignore_errors=True)
    _copy_sources(folder / "docs")
    config = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    (folder / "mkdocs.yml").write_text(f"{config}site_dir: html\n", encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "zensical", "build", "--config-file", folder / "mkdocs.yml"],
        capture_output=True,
        encoding="utf-8",
        check=False,
        cwd=folder,
    )
    printed = done.stdout + done.stderr
    if done.returncode or "No issues found" not in printed:
        sys.exit(printed)
    _write_markdown(folder)
    return folder / "html"


def _copy_sources(folder: Path) -> None:
    """The pages, with links to files outside of `docs` as links to the repository."""
    shutil.copytree(DOCS, folder)
    for page in list_pages():
        path = folder / Path(page.name).relative_to("docs")
        path.write_text(_leave_docs(page), encoding="utf-8")


def _leave_docs(page: Page) -> str:
    def replace(found: re.Match[str]) -> str:
        address = posixpath.dirname(page.name)
        place = posixpath.normpath(posixpath.join(address, found["up"], found["path"]))
        if place.startswith("docs/"):
            return found[0]
        return f"]({project_links.REPOSITORY}/blob/main/{place})"

    return _OUTSIDE.sub(replace, page.text)


def _write_markdown(folder: Path) -> None:
    """Each page as Markdown beside it, and the list of them."""
    site = yaml.safe_load((ROOT / "mkdocs.yml").read_text(encoding="utf-8"))
    lines = [f"# {site['site_name']}", "", f"> {site['site_description']}"]
    for name, entry in ((name, entry) for part in site["nav"] for name, entry in part.items()):
        lines += ["", f"## {name}", ""]
        for path in list_entries(entry):
            page = Page(f"docs/{path}")
            target = folder / "html" / path
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(folder / "docs" / path, target)
            lines.append(f"- [{page.title}]({site['site_url']}{path}): {page.first_sentence}")
    (folder / "html" / "llms.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")


def list_entries(entry: object) -> list[str]:
    """The paths below an entry of the navigation."""
    if isinstance(entry, str):
        return [entry]
    inner = entry.values() if isinstance(entry, dict) else entry
    return [path for one in inner for path in list_entries(one)]


if __name__ == "__main__":
    print(build())
