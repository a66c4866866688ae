"""Data inside of a page: nothing in it can end its element, be a command, or change a direction."""

import json
import re
from typing import Any

from agentevals.text import json_text

_ESCAPED = re.compile(r"[^\x20-\x7e]+|[<>&]|(?<=#)#(?=\[)")


def write(value: object) -> str:
    """Return JSON of printable ASCII characters, without those that HTML knows."""
    return _ESCAPED.sub(_escape, json_text.encode(value).decode())


def embed(kind: str, text: str) -> str:
    """Return an element that holds a text, and that no browser runs."""
    return f'<script type="application/json" class="{kind}">{text}</script>\n'


def cut(text: str, longest: int) -> str:
    """Return at most so many characters."""
    return text if len(text) <= longest else f"{text[: longest - 1]}…"


def round_number(number: float | None) -> float | None:
    """Return a figure with as many digits as a picture of it needs."""
    return None if number is None else float(f"{number:.6g}")


def list_members(value: Any, *names: str) -> dict[str, Any]:
    """Return some members of a noun as they are."""
    return {name: getattr(value, name) for name in names}


def _escape(match: re.Match[str]) -> str:
    text = match.group()
    return f"\\u{ord(text):04x}" if text in "<>&#" else json.dumps(text)[1:-1]
