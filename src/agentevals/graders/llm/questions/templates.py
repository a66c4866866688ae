"""Prompts that users write, with places for what is to be judged: `{{ item.actual_response }}`."""

import re
from collections.abc import Callable, Iterable

from agentevals.model.plugins import suggestion

# what the items of an OpenAI eval are called
ACTUAL, EXPECTED = "item.actual_response", "item.expected_response"

_PLACE = re.compile(r"\{\{\s*(.*?)\s*\}\}", re.DOTALL)


def find_places(template: str) -> list[str]:
    """The names in a template, in order."""
    return _PLACE.findall(template)


def check_places(template: str, known: Iterable[str]) -> str:
    """The template, or a ValueError that names the first place nothing belongs in."""
    names = list(known)
    unknown = next((name for name in find_places(template) if name not in names), None)
    if unknown is not None:
        msg = f"nothing is called '{{{{ {unknown} }}}}' here{suggestion(unknown, names)}"
        raise ValueError(msg)
    return template


def fill(template: str, value: Callable[[str], str]) -> str:
    """The template with every place filled. What is filled in is not read as a template again."""
    return _PLACE.sub(lambda place: value(place[1]), template)
