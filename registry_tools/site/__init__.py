"""The site of a registry: static pages of its index, for people who look for an evaluator.

The list has all evaluators; each tag has a list, and each evaluator a page.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import quote

import yaml

from agentevals.evaluator.evaluator_settings import list_alternatives, list_settings, write_starter
from agentevals.evaluator.registry_index import Index, IndexEntry
from agentevals.text.wording import join_names, plural
from registry_tools.evidence.evidence_page import explain, write_share
from registry_tools.manifests import registry_entry as entries
from registry_tools.manifests.manifest_fixtures import Fixture
from registry_tools.manifests.registry_entry import Ignored
from registry_tools.manifests.registry_folder import FOLDER
from registry_tools.site.site_markup import Site, link, page, section, table, text, words
from registry_tools.site.site_subject import Subject, read_subject

ASSETS = ("site.css", "site.js")
_MOST_FIXTURES = 20
_LONGEST = 2_000  # characters of a fixture
_UNLESS_MEASURED = "This version was not measured on labelled examples."


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
        yield f"pages/{one.entry.name}.html", write_entry(site, one).encode()
    yield "index.html", write_list(site, subjects, tagged).encode()
    for tag, listed in tagged.items():
        yield name_tag(tag), write_tag(site, tag, listed).encode()


def write_entry(site: Site, one: Subject) -> str:
    """Write the page."""
    entry = one.entry
    tags = "".join(
        f'<a class="tag" href="../{quote(name_tag(tag))}">{text(tag)}</a>' for tag in entry.tags
    )
    about = "".join(f"<p>{words(part)}</p>" for part in one.about.split("\n\n") if part)
    body = (
        f'<h1>{text(entry.name)}</h1><p class="lead">{text(entry.description)}</p><p>{tags}</p>'
        f"{_write_notices(entry)}{about}"
        + section("Use it", _write_use(site, one))
        + section("Settings", _write_settings(entry))
        + section("How well it judges", _write_evidence(one))
        + section("Examples", *map(_write_fixture, one.fixtures[:_MOST_FIXTURES]))
        + section("Versions", _write_versions(entry))
        + section("Facts", _write_facts(site, entry))
    )
    return page(site, entry.name, body, up="../")


def _write_notices(entry: IndexEntry) -> str:
    notices = [("Withdrawn", entry.yanked), ("Deprecated", entry.deprecated)]
    instead = (
        f" Use {link(f'{entry.replaced_by}.html', entry.replaced_by)}." if entry.replaced_by else ""
    )
    return "".join(
        f'<p class="notice"><b>{word}:</b> {text(why)}.{instead}</p>'
        for word, why in notices
        if why
    )


def _write_use(site: Site, one: Subject) -> str:
    entry = one.entry
    config = one.example.config if one.example else write_starter(entry.config_schema)
    lines: dict[str, Any] = {"name": entry.name, "type": "remote", "ref": entry.name}
    written = {"threshold": one.example.threshold if one.example else 0.5}
    lines |= one.usage or written | ({"config": config} if config else {})
    shown = yaml.safe_dump({"evaluators": [lines]}, sort_keys=False, allow_unicode=True)
    named = f"export AGENTEVALS_EVALUATOR_REPO={site.repository}"
    first = f"<pre><code>{text(named)}</code></pre>" if site.repository else ""
    return f"{first}<pre><code># eval_config.yaml\n{text(shown)}</code></pre>"


def _write_settings(entry: IndexEntry) -> str:
    found = list_settings(entry.config_schema)
    if not found:
        return f"<p>{text(_explain_no_settings(entry))}</p>"
    rows = [
        (
            f"<code>{text(one.name)}</code>",
            text(one.kind),
            "<b>required</b>"
            if one.required
            else f"<code>{text(one.default)}</code>"
            if one.default
            else "none",
            words(one.description),
        )
        for one in found
    ]
    choice = list_alternatives(entry.config_schema)
    needs = f"<p>It needs {text(join_names(choice))}: at least one of them.</p>" if choice else ""
    return table(("Setting", "Type", "Default", "Meaning"), rows) + needs


def _explain_no_settings(entry: IndexEntry) -> str:
    if isinstance(entry.config_schema, str) and entry.config_schema:
        return f"The file {entry.config_schema} describes them."
    return "It has none." if entry.config_schema else "The manifest says nothing about them."


def _write_evidence(one: Subject) -> str:
    if one.evidence is None or not one.evidence.sets:
        return f"<p>{_UNLESS_MEASURED}</p>"
    rows = [
        (
            f"{count.examples} in <code>{text(count.file)}</code>",
            text(write_share(count.found, count.failures)),
            text(write_share(count.found, count.found + count.false_alarms)),
            f"{count.right} of {count.examples}",
        )
        for count in one.evidence.sets
    ]
    head = ("Examples", "Failures found (recall)", "Right reports (precision)", "Right outcomes")
    explained = "".join(f"<p>{words(said)}</p>" for said in explain(one.evidence))
    return table(head, rows) + explained


def _write_fixture(fixture: Fixture) -> str:
    given: dict[str, Any] = fixture.input.model_dump(exclude_defaults=True, mode="json")
    expected = fixture.expect
    outcome = expected.status or f"score {expected.score:g}"
    whole = {"config": fixture.config} if fixture.config else {}
    shown = yaml.safe_dump({**whole, **given}, sort_keys=False, allow_unicode=True, width=100)
    cut = shown if len(shown) <= _LONGEST else f"{shown[:_LONGEST]}\n…"
    name = fixture.name.replace("_", " ")
    return (
        f"<details><summary>{text(name)} <span>{text(outcome)}</span></summary>"
        f"<pre><code>{text(cut)}</code></pre></details>"
    )


def _write_versions(entry: IndexEntry) -> str:
    if not entry.version:
        return ""
    when = f", of {entry.updated[:10]}" if entry.updated else ""
    rows = [(f"<b>{text(entry.version)}</b>", text(entry.yanked or f"the newest{when}"))]
    rows += [
        (text(old.version), text(f"withdrawn: {old.yanked}" if old.yanked else "can be used"))
        for old in entry.earlier
    ]
    return table(("Version", "State"), rows)


def _write_facts(site: Site, entry: IndexEntry) -> str:
    rows = [(name, value) for name, value in _list_facts(site, entry) if value]
    listed = "".join(f"<dt>{name}</dt><dd>{value}</dd>" for name, value in rows)
    return f"<dl>{listed}</dl>"


def _list_facts(site: Site, entry: IndexEntry) -> Iterator[tuple[str, str]]:
    yield (
        "Owners",
        ", ".join(link(f"https://github.com/{one.login}", one.login) for one in entry.maintainers),
    )
    yield "Author", text(entry.author)
    yield "Licence", text(entry.license)
    yield "Language", text(entry.language)
    runtimes = (("Python", entry.runtime.python), ("Node", entry.runtime.node))
    yield "Runtime", text(", ".join(f"{name} {wanted}" for name, wanted in runtimes if wanted))
    yield "Packages", text(entry.requirements)
    yield "Rights", text(_describe_rights(entry))
    yield "Needs recorded", text(join_names(entry.needs))
    yield "Repeatable", "yes" if entry.deterministic else "no: two runs may differ"
    yield "Also called", text(", ".join(entry.aliases))
    if site.repository and entry.commit:
        path = f"{site.repository}/tree/{entry.commit}/evaluators/{entry.name}"
        yield "Source", link(f"https://github.com/{path}", plural(len(entry.files), "file"))
    yield "SHA-256", f"<code>{text(entry.sha256 or '')}</code>" if entry.sha256 else ""


def _describe_rights(entry: IndexEntry) -> str:
    asked = entry.capabilities
    parts = [
        f"network: {', '.join(asked.network)}" if asked.network else "",
        f"variables: {', '.join(asked.environment)}" if asked.environment else "",
        f"files: {', '.join(asked.files)}" if asked.files else "",
        "starts programs" if asked.subprocess else "",
        "asks a judge" if asked.judge else "",
    ]
    return "; ".join(filter(None, parts)) or "none: no network, no variables, no files"


def name_tag(tag: str) -> str:
    """Return the path of a tag's page."""
    return f"tags/{re.sub('[^a-z0-9+._-]', '_', tag.lower())}.html"


def write_list(site: Site, subjects: list[Subject], tagged: Mapping[str, list[Subject]]) -> str:
    """Write the first page: search, tags, and every evaluator."""
    tags = "".join(
        f'<a class="tag" href="{quote(name_tag(tag))}">{text(tag)} <b>{len(listed)}</b></a>'
        for tag, listed in sorted(tagged.items())
    )
    body = (
        f"<h1>{text(site.title)}</h1><p>{plural(len(subjects), 'evaluator')} of AI agents. "
        "Each one is a small program that gives a conversation a score from 0 to 1.</p>"
        '<p class="search" hidden><label for="q">Search</label>'
        '<input id="q" type="search" autocomplete="off" placeholder="json, refusal, budget …">'
        f'<output id="found" aria-live="polite"></output></p><nav aria-label="Tags">{tags}</nav>'
        f"{_write_cards(subjects)}"
    )
    return page(site, site.title, body)


def write_tag(site: Site, tag: str, subjects: list[Subject]) -> str:
    """Write the page of a tag."""
    body = (
        f'<h1><span class="tag">{text(tag)}</span></h1>'
        f"<p>{plural(len(subjects), 'evaluator')}. {link('../index.html', 'All evaluators')}</p>"
        f"{_write_cards(subjects, up='../')}"
    )
    return page(site, tag, body, up="../")


def _write_cards(subjects: Iterable[Subject], up: str = "") -> str:
    return f'<ul class="cards">{"".join(_write_card(one, up) for one in subjects)}</ul>'


def _write_card(one: Subject, up: str) -> str:
    entry = one.entry
    said = " ".join((entry.name, entry.description, entry.language, *entry.tags, *entry.aliases))
    state = "withdrawn" if entry.yanked else "deprecated" if entry.deprecated else ""
    marks = [f'<span class="state">{state}</span>'] if state else []
    marks += [f"<span>{text(part)}</span>" for part in (entry.version, entry.language) if part]
    if one.evidence and one.evidence.sets:
        count = one.evidence.sets[-1]
        marks.append(f"<span>recall {_write_share(count.recall)}</span>")
        marks.append(f"<span>precision {_write_share(count.precision)}</span>")
    else:
        marks.append("<span>not measured</span>")
    tags = "".join(
        f'<a class="tag" href="{up}{quote(name_tag(tag))}">{text(tag)}</a>' for tag in entry.tags
    )
    return (
        f'<li class="card" data-words="{text(said.casefold())}">'
        f"<h2>{link(f'{up}pages/{entry.name}.html', entry.name)}</h2>"
        f'<p>{text(entry.description)}</p><p class="marks">{"".join(marks)}</p><p>{tags}</p></li>'
    )


def _write_share(share: float | None) -> str:
    return "–" if share is None else f"{share:.2f}"  # noqa: RUF001 -- typography
