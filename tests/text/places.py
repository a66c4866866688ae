"""One text in every place where a page has foreign text, read by a parser of GitHub's Markdown."""

from html.parser import HTMLParser

import cmarkgfm
from cmarkgfm.cmark import Options

from agentevals.text import markdown

ELEMENTS = [
    *("p", "p", "strong", "p", "ul", "li"),
    *("table", "thead", "tr", "th", "th", "tbody", "tr", "td", "td", "strong", "br"),
    *("details", "summary", "code", "p"),
]


def compose(foreign: str) -> str:
    """A page: a text begins a line, stands within one, bold, in a list, in a table, in HTML."""
    text, html = markdown.text(foreign), markdown.html_text(foreign)
    return (
        f"{text} A\n\nB {text} **{text}** C {text}\n\nD\n{text}\n\n- {text}\n\n"
        f"| E | F |\n|--|--|\n| {text} | **{text}**: {text}<br>{text} |\n\n"
        f"<details><summary>{html} {markdown.html_code(foreign)}</summary>\n\nG\n\n</details>\n"
    )


def expect(foreign: str) -> str:
    """What people read on that page, without its spaces."""
    x = markdown.visible(foreign)
    return without_breaks(f"{x}AB{x}{x}C{x}D{x}{x}EF{x}{x}:{x}{x}{x}{x}G")


def without_breaks(words: str) -> str:
    """Without spaces, and without the signs that nobody sees, which take references apart."""
    return "".join(words.replace("\u200b", "").split())


def render(page: str) -> str:
    """The HTML that GitHub makes of a page, before its style."""
    return cmarkgfm.github_flavored_markdown_to_html(page, Options.CMARK_OPT_UNSAFE)


def read(page: str) -> tuple[list[str], list[str]]:
    """The elements of a page, each with its attributes, and the words between them."""
    reader = _Reader()
    reader.feed(render(page))
    reader.close()
    return reader.elements, reader.words


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[str] = []
        self.words: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        shown = " ".join([tag, *(f"{name}={value}" for name, value in attrs)])
        self.elements += [] if shown == "span" else [shown]

    def handle_data(self, data: str) -> None:
        self.words.append(data)

    def handle_comment(self, data: str) -> None:
        self.elements.append(f"comment {data}")

    def handle_decl(self, decl: str) -> None:
        self.elements.append(f"declaration {decl}")

    def handle_pi(self, data: str) -> None:
        self.elements.append(f"instruction {data}")
