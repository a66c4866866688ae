"""Whether a page is only what we made of it: judged by a real parser of GitHub's Markdown."""

import re
from collections.abc import Iterator
from html.parser import HTMLParser

import cmarkgfm
from cmarkgfm.cmark import Options

from agentevals.model import project_links

HOME = "https://github.example/shop/support-agent"
_LINK = re.compile(
    re.escape(HOME)
    + r"/(blob/[0-9a-f]{40}/[A-Za-z0-9._~%/-]+(#L[1-9]\d*)?|actions/runs/\d+)|"
    + re.escape(project_links.REPOSITORY)
    + r"/blob/main/docs/[a-z-]+\.md(#[a-z-]+)?"
)
_TAGS = {
    *("p", "a", "strong", "em", "code", "pre", "sub", "span", "br"),
    *("details", "summary", "h3", "h4", "table", "thead", "tbody", "tr", "th", "td"),
    *("ul", "li", "blockquote"),
}
_ATTRIBUTES = {"href", "align", "lang"}
# what GitHub makes a link, a picture or a message of, outside of code and links
MEANING = re.compile(
    r"@[A-Za-z0-9]|#[0-9]|\bGH-[0-9]|://|\bwww\.|:(?![0-9]+:)[\w+-]{1,60}:"
    r"|(?<![0-9A-Za-z])[0-9a-f]{7,40}(?![0-9A-Za-z])|\$(?=\S)[^$\n]*(?<=\S)\$",
    re.IGNORECASE,
)
OBEYED = re.compile(
    "[\x00-\x09\x0b-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u180e\u200e\u200f\u2028-\u202e"
    "\u2060-\u206f\u2800\u3164\ufeff\uffa0\ufff9-\ufffb\ud800-\udfff\U000e0000-\U000e01ef]"
)
COMMAND = re.compile(r"^\s*::|##\[", re.MULTILINE)
_ESCAPED = re.compile(r"\\[!-/:-@\[-`{-~]")
_FENCED = re.compile(r"^(`{3,})[a-z]*\n.*?^\1$", re.MULTILINE | re.DOTALL)


def complaints(page: str) -> list[str]:
    """Everything in a page that means something and is not ours; and what is not closed."""
    reader = _Reader()
    reader.feed(cmarkgfm.github_flavored_markdown_to_html(page, Options.CMARK_OPT_UNSAFE))
    reader.close()
    found = reader.found + [f"not closed: {tag}" for tag in reader.open]
    found += [f"obeyed: {match.group()!a}" for match in OBEYED.finditer(page)]
    found += [f"command: {match.group()!r}" for match in COMMAND.finditer(page)]
    return found + list(_torn(page))


def _torn(page: str) -> Iterator[str]:
    """Rows of one table that do not have as many borders as its head."""
    borders = 0
    for line in _FENCED.sub("", page).split("\n"):
        if not line.startswith("|"):
            borders = 0
        elif borders and count_borders(line) != borders:
            yield f"torn row: {line[:200]}"
        else:
            borders = count_borders(line)


def count_borders(row: str) -> int:
    """How many borders the cells of a row have."""
    return _ESCAPED.sub("", row).count("|")


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in _TAGS or not {name for name, _ in attrs} <= _ATTRIBUTES:
            self.found.append(f"tag: {self.get_starttag_text()}")
        if tag == "a" and not _LINK.fullmatch(dict(attrs).get("href") or ""):
            self.found.append(f"link: {attrs}")
        if tag != "br":
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if not self.open or self.open.pop() != tag:
            self.found.append(f"closed but not open: {tag}")

    def handle_data(self, data: str) -> None:
        if {"code", "pre", "a"} & set(self.open):
            return
        self.found += [f"meaning: {m.group()!r} in {data[:200]!r}" for m in MEANING.finditer(data)]

    def handle_decl(self, decl: str) -> None:
        self.found.append(f"declaration: {decl}")

    def handle_pi(self, data: str) -> None:
        self.found.append(f"instruction: {data}")

    def handle_comment(self, data: str) -> None:
        if not re.fullmatch(
            r" agentevals:(v1 key=\S*|section \S+|rules( [0-9a-f]{40})+|end) ", data
        ):
            self.found.append(f"comment: {data}")
