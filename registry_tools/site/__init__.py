"""The site of a registry: static pages of its index, for people who look for an evaluator."""

from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from agentevals.evaluator.index import Index, IndexEntry
from registry_tools.manifests import entry as entries
from registry_tools.manifests.entry import Ignored
from registry_tools.manifests.registry import FOLDER
from registry_tools.site import entry_page, list_page
from registry_tools.site.markup import Site
from registry_tools.site.subject import Subject, read_subject

ASSETS = ("site.css", "site.js")


def build_site(index: Index, root: Path, title: str, repository: str) -> dict[str, bytes]:
    """Return every page and asset by its path; the same commit gives the same bytes."""
    site = Site(title, repository, index.commit)
    ignored = Ignored(root)
    subjects = [_read(root, one, ignored) for one in index.evaluators]
    pages = dict(_write_pages(site, subjects))
    here = Path(__file__).parent
    return pages | {name: (here / name).read_bytes() for name in ASSETS}


def _read(root: Path, one: IndexEntry, ignored: Ignored) -> Subject:
    return read_subject(one, entries.read(root, f"{FOLDER}/{one.name}", ignored))


def _write_pages(site: Site, subjects: list[Subject]) -> Iterator[tuple[str, bytes]]:
    tagged: dict[str, list[Subject]] = defaultdict(list)
    for one in subjects:
        for tag in dict.fromkeys(one.entry.tags):
            tagged[tag].append(one)
        yield f"pages/{one.entry.name}.html", entry_page.write(site, one).encode()
    yield "index.html", list_page.write(site, subjects, tagged).encode()
    for tag, listed in tagged.items():
        yield list_page.name_tag(tag), list_page.write_tag(site, tag, listed).encode()
