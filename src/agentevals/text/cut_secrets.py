"""Secrets in texts that were cut before anybody hid them: the end or the beginning is missing."""

import re
from collections.abc import Iterable, Iterator
from functools import cache
from itertools import chain

from agentevals.text.token_shapes import SHAPES

CUT = "…"
_LEAST = 6  # characters of a part that tell more than they would by chance
_ENOUGH = 16  # characters of a part that are hidden, however long the secret is
_NEAR = 5  # characters between a part and the mark of a cut, such as a line break
_QUOTES = ("'", '"', "`", "\\")  # end a text that was cut without a mark

_RUN = re.compile(r"(?<![\w+/=.-])[\w+/=.-]{16,}+(?=…)", re.ASCII)
# what the missing end of a token may have been
_ENDS = ("a1B2c3D4" * 12, "0123456789abcdef" * 6, "A1B2C3D4" * 12, "a1B2c3D4." * 12)
_DIGIT = re.compile(r"[0-9]")

Span = tuple[int, int]


class CutSecrets:
    """Finds parts of known secrets, and of tokens, beside the place where a text was cut."""

    def __init__(self, secrets: Iterable[str]) -> None:
        known = [secret for secret in secrets if len(secret) > _LEAST]
        self._begins = _index_parts(known)
        self._ends = _index_parts(secret[::-1] for secret in known)

    def hide(self, text: str, hidden: str) -> str:
        """Return the text with `hidden` in place of each part."""
        spans = list(_find_parts(text, *self._begins))
        size = len(text)
        spans += [(size - end, size - begin) for begin, end in _find_parts(text[::-1], *self._ends)]
        if CUT in text:
            spans += _find_tokens(text)
        return _replace(text, sorted(spans), hidden) if spans else text


def _replace(text: str, spans: Iterable[Span], hidden: str) -> str:
    """Replace the spans, which may overlap."""
    pieces, done = [], 0
    for begin, end in spans:
        if begin >= done:
            pieces += [text[done:begin], hidden]
        done = max(done, end)
    return "".join([*pieces, text[done:]])


def _index_parts(secrets: Iterable[str]) -> tuple[re.Pattern[str], dict[str, list[str]]]:
    """Return a pattern for the first characters of all secrets, and the secrets by them."""
    known: dict[str, list[str]] = {}
    for secret in secrets:
        known.setdefault(secret[:_LEAST], []).append(secret)
    return re.compile("|".join(map(re.escape, known)) or r"(?!)"), known


def _find_parts(text: str, begin: re.Pattern[str], known: dict[str, list[str]]) -> Iterator[Span]:
    for match in begin.finditer(text):
        start = match.start()
        for secret in known[match[0]]:
            length = _count_alike(secret, text[start : start + len(secret)])
            behind = text[start + length : start + length + _NEAR]
            if length >= _count_least(secret, behind):
                yield start, start + length
                break


def _count_alike(one: str, other: str) -> int:
    """Return how many characters two texts have in common at their beginning."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((at for at, (a, b) in pairs if a != b), min(len(one), len(other)))


def _count_least(secret: str, behind: str) -> int:
    """Return how many characters of a secret are too many to show before this text."""
    if CUT in behind:
        return max(_LEAST, min(_ENOUGH, len(secret) // 2))
    if not behind or behind.startswith(_QUOTES):
        return max(_LEAST, min(_ENOUGH, len(secret) * 3 // 4))
    return len(secret) + 1


def _find_tokens(text: str) -> Iterator[Span]:
    """Yield the beginnings of tokens of vendors, as far as more would make them one."""
    for run in _RUN.finditer(text):
        starts = [start for end in _ENDS for start in _complete(run[0], end)]
        if starts:
            yield run.start() + min(starts), run.end()


def _complete(run: str, end: str) -> Iterator[int]:
    """Yield where a token begins that ends in what is added."""
    for match in _any_token().finditer(run + end):
        begin, last = match.span(match.lastindex or 0)
        shown = run[begin:]
        if last > len(run) and len(shown) >= _ENOUGH and _DIGIT.search(shown):
            yield begin


@cache
def _any_token() -> re.Pattern[str]:
    return re.compile("|".join(chain(*SHAPES.values())), re.ASCII)
