"""HTML of the pages: everything that somebody wrote becomes text, wherever it stands."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from html import escape

# invisible letters, and those that turn the direction of what follows
_HIDDEN = re.compile(
    "[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff]"
)
_EMPHASIS = re.compile(r"(?<![\w*])\*(\w[^*]{0,80})\*(?![\w*])")
_POLICY = (
    "default-src 'none'; style-src 'self'; script-src 'self'; base-uri 'none'; form-action 'none'"
)
GENERATOR = "agentevals registry site"


@dataclass(frozen=True)
class Site:
    """The site that a page belongs to."""

    title: str
    repository: str = ""
    commit: str = ""


def text(value: object) -> str:
    """Return a text that means nothing to a browser."""
    return escape(_HIDDEN.sub("\ufffd", str(value)))


def words(value: str) -> str:
    """Return a paragraph, in which `code` and *emphasis* are shown as such."""
    parts = text(value).split("`")
    if len(parts) % 2 == 0:
        return text(value)
    return "".join(
        f"<code>{part}</code>" if at % 2 else _EMPHASIS.sub(r"<em>\1</em>", part)
        for at, part in enumerate(parts)
    )


def link(target: str, label: object) -> str:
    """Return a link within the site, or to GitHub."""
    return f'<a href="{escape(target)}">{text(label)}</a>'


def table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """Return a table of cells that are HTML already."""
    top = "".join(f'<th scope="col">{one}</th>' for one in head)
    body = "".join(f"<tr>{''.join(f'<td>{cell}</td>' for cell in row)}</tr>" for row in rows)
    return (
        f'<div class="wide"><table><thead><tr>{top}</tr></thead><tbody>{body}</tbody></table></div>'
    )


def section(title: str, *body: str) -> str:
    """Return a section with a heading; nothing for no content."""
    content = "".join(body)
    return f"<section><h2>{text(title)}</h2>{content}</section>" if content else ""


def page(site: Site, title: str, body: str, *, up: str = "") -> str:
    """Return a whole page; `up` leads from it to the folder of the site."""
    name = text(title if title == site.title else f"{title} · {site.title}")
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        '<meta name="color-scheme" content="light dark">'
        '<meta name="referrer" content="no-referrer">'
        f'<meta name="generator" content="{GENERATOR}"><title>{name}</title>'
        f'<link rel="stylesheet" href="{up}site.css">'
        f'<script src="{up}site.js" defer></script></head>'
        f'<body><header class="top"><a class="home" href="{up}index.html">{text(site.title)}</a>'
        f"{_link_repository(site)}</header><main>{body}</main>"
        f"<footer>{_describe_state(site)}</footer></body></html>\n"
    )


def _link_repository(site: Site) -> str:
    return link(f"https://github.com/{site.repository}", "repository") if site.repository else ""


def _describe_state(site: Site) -> str:
    state = f" of commit <code>{text(site.commit[:12])}</code>" if site.commit else ""
    return f"Written by <code>agentevals registry site</code> from the index{state}."
