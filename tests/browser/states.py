"""`docs/images/states`: the comment in twelve states, light and dark; `make pictures` draws it."""

import json
import re
from hashlib import sha256
from pathlib import Path

from tests.browser import chromium
from tests.browser.html import document
from tests.support import DATA

PICTURES = Path(__file__).parents[2] / "docs" / "images" / "states"
DIGESTS = PICTURES / "digests.json"
WIDTH, MARGIN, HIGHEST = 934, 16, 900
HEIGHT = "document.title = document.querySelector('.framed').offsetHeight;"


def find_states() -> dict[str, str]:
    """The comment of each state, as a test has kept it."""
    return {path.stem: path.read_text() for path in sorted((DATA / "states").glob("*.md"))}


def compute_digests() -> dict[str, str]:
    """What tells whether a picture is of the comment as it is now."""
    return {name: sha256(text.encode()).hexdigest() for name, text in find_states().items()}


def draw(name: str, text: str, theme: str) -> None:
    """The first screen of a comment: what is below it, nobody reads in five seconds."""
    page = document(text, chromium.style(theme), HEIGHT, framed=True, dark=theme == "dark")
    height = re.search(r"<title>(\d+)</title>", chromium.dom(page, width=WIDTH))
    assert height is not None
    high = min(int(height.group(1)) + 2 * MARGIN, HIGHEST)
    chromium.screenshot(page, PICTURES / f"{name}-{theme}.png", width=WIDTH, height=high)


if __name__ == "__main__":
    PICTURES.mkdir(parents=True, exist_ok=True)
    for state, comment in find_states().items():
        for theme in ("light", "dark"):
            draw(state, comment, theme)
    DIGESTS.write_text(json.dumps(compute_digests(), indent=2) + "\n")
