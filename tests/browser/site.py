"""`docs/images/site*.png`: the first page of the documentation site; `make pictures` draws it."""

from pathlib import Path

from tests.browser.devtools import start
from tests.site.__main__ import build
from tests.support import DOCS

WIDTH, HEIGHT = 1_280, 860  # wide enough for the list of pages


def draw(folder: Path) -> None:
    """The page light and dark, as the reader's machine asks for."""
    page = build() / "index.html"
    with start() as tab:
        for theme in ("light", "dark"):
            tab.emulate(theme=theme)
            tab.resize(WIDTH, HEIGHT)
            tab.call("Page.navigate", url=page.as_uri())
            tab.wait("document.readyState === 'complete' && document.querySelector('h1')")
            tab.evaluate("new Promise(go => requestAnimationFrame(() => setTimeout(go, 300)))")
            tab.screenshot(folder / f"site-{theme}.png")


if __name__ == "__main__":
    draw(DOCS / "images")
