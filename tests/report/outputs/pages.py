"""A page read back: its elements, and the data in it."""

import base64
import json
import re
import zlib
from html.parser import HTMLParser
from typing import Any

from agentevals.model.review import Review
from agentevals.report.outputs import OUTPUTS


def render(review: Review) -> str:
    return "".join(OUTPUTS["html"].render(review))


class Elements(HTMLParser):
    """The start tags of a page, and what its data elements hold."""

    def __init__(self, page: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.data: dict[str, list[str]] = {"top": [], "lines": [], "details": []}
        self._kind = ""
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        self._kind = (dict(attrs).get("class") or "") if tag == "script" else ""

    def handle_endtag(self, tag: str) -> None:
        self._kind = ""

    def handle_data(self, data: str) -> None:
        if self._kind:
            self.data[self._kind].append(data)


def read_top(page: str) -> dict[str, Any]:
    return json.loads(Elements(page).data["top"][0])


def read_lines(page: str) -> list[list[Any]]:
    return [line for text in Elements(page).data["lines"] for line in json.loads(text)]


def read_details(page: str) -> list[Any]:
    """The details of all cases, in the order of their lines."""
    blocks = (base64.b64decode(text) for text in Elements(page).data["details"])
    return [one for block in blocks for one in json.loads(zlib.decompress(block, wbits=-15))]


def read_data(page: str) -> str:
    """All data of a page, without the page."""
    found = {"top": read_top(page), "lines": read_lines(page), "details": read_details(page)}
    return json.dumps(found, indent=1, ensure_ascii=False) + "\n"


def find_script(page: str, element: str) -> str:
    """The script or the style that the page runs."""
    found = re.search(rf"<{element}>(.*?)</{element}>", page, re.DOTALL)
    assert found
    return found.group(1)
