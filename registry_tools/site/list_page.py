"""The list of all evaluators, and one for each tag."""

import re
from collections.abc import Iterable, Mapping
from urllib.parse import quote

from agentevals.text.wording import plural
from registry_tools.site.markup import Site, link, page, text
from registry_tools.site.subject import Subject


def name_tag(tag: str) -> str:
    """Return the path of a tag's page."""
    return f"tags/{re.sub('[^a-z0-9+._-]', '_', tag.lower())}.html"


def write(site: Site, subjects: list[Subject], tagged: Mapping[str, list[Subject]]) -> str:
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
