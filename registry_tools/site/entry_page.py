"""The page of one evaluator."""

from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

import yaml

from agentevals.evaluator.index import IndexEntry
from agentevals.evaluator.settings import list_alternatives, list_settings, write_starter
from agentevals.text.wording import join_names, plural
from registry_tools.evidence.page import explain, write_share
from registry_tools.manifests.fixtures import Fixture
from registry_tools.site.list_page import name_tag
from registry_tools.site.markup import Site, link, page, section, table, text, words
from registry_tools.site.subject import Subject

_MOST_FIXTURES = 20
_LONGEST = 2_000  # characters of a fixture
_UNLESS_MEASURED = "This version was not measured on labelled examples."


def write(site: Site, one: Subject) -> str:
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
