"""Text for a terminal: nothing in it that a terminal or a CI runner obeys, measured in columns."""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

WIDTH = 100  # columns where nobody says how many there are
READ = 4_000  # characters looked at of any text; nobody reads more of it in a terminal
_MARKS = 8  # combining marks kept on one letter
_ZWJ, _EMOJI_STYLE = "\u200d", "\ufe0f"
_SKIN_TONES = range(0x1F3FB, 0x1F400)
_JAMO = range(0x1160, 0x1200)  # vowels and tails that join the syllable before them
_PICTURES = 0x2400  # where Unicode draws the control characters
# controls, invisible and direction-changing characters, halves of surrogate pairs
_OBEYED = re.compile(
    "[\x00-\x1f\x7f-\x9f\xad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff"
    "\ufff9-\ufffb\ud800-\udfff\U000e0000-\U000e007f]"
)
_STYLED_START = re.compile(r"^((?:\s|\x1b\[[0-9;]*m)*)::")


class Ink(StrEnum):
    """The meaning of a colour, as the terminal's own number for it."""

    GOOD = "32"
    BAD = "31"
    WARN = "33"
    QUIET = "2"
    STRONG = "1"
    BADGE = "7"


@dataclass(frozen=True)
class Pen:
    """Writes in colour, or without any."""

    colour: bool = False

    def __call__(self, text: str, *inks: Ink) -> str:
        if not self.colour or not inks or not text:
            return text
        return f"\x1b[{';'.join(inks)}m{text}\x1b[0m"


def plain(text: str, limit: int = READ) -> str:
    """Return foreign text as one harmless line: what a terminal would obey becomes visible."""
    return _OBEYED.sub(_show, " ".join(text[:limit].split())) + ("…" if len(text) > limit else "")


def _show(match: re.Match[str]) -> str:
    char = match.group()
    return chr(_PICTURES + ord(char)) if char < " " else f"\\u{{{ord(char):x}}}"


def line(text: str) -> str:
    """Return a line with its end. GitHub's runner obeys `::` at its begin and any `##[`."""
    text = text.rstrip()
    if "::" in text:
        text = _STYLED_START.sub("\\1\u2236:", text)
    return text.replace("##[", "##(") + "\n"


def width(text: str) -> int:
    """Return how many columns a terminal needs for a text."""
    return len(text) if text.isascii() else sum(cells for _, cells in _split_clusters(text))


def clip(text: str, columns: int) -> str:
    """Return as much of a text as fits, with a sign that something was cut."""
    return text if width(text) <= columns else _cut(text, columns - 1).rstrip() + "…"


def _cut(text: str, columns: int) -> str:
    kept, used = [], 0
    for cluster, cells in _split_clusters(text):
        used += cells
        if used > columns:
            break
        kept.append(cluster)
    return "".join(kept)


def pad(text: str, columns: int) -> str:
    """Return a text exactly that wide: clipped, or filled up with spaces."""
    text = clip(text, columns)
    return text + " " * (columns - width(text))


def wrap(text: str, columns: int, lines: int) -> list[str]:
    """Wrap a text into at most that many lines; the last one is clipped."""
    wrapped: list[str] = []
    rest = text
    while width(rest) > columns and len(wrapped) < lines - 1:
        head = _cut(rest, columns)
        space = f"{head}{rest[len(head)]}".rfind(" ")
        at = space if space > columns // 3 else len(head)
        wrapped.append(rest[:at].rstrip())
        rest = rest[at:].lstrip()
    return [*wrapped, clip(rest, columns)]


def block(text: str, columns: int, lines: int) -> list[str]:
    """Wrap foreign text of several lines, such as a traceback, line by line."""
    wrapped: list[str] = []
    for part in text[:READ].splitlines():
        if part.strip() and len(wrapped) < lines:
            wrapped += wrap(plain(part), columns, lines - len(wrapped))
    return wrapped


def _split_clusters(text: str) -> Iterator[tuple[str, int]]:
    """Yield what is drawn as one: a letter with its marks, an emoji with those joined to it."""
    cluster, cells = "", 0
    for char in text:
        joined = cluster.endswith(_ZWJ)
        if cluster and (joined or _is_joined(char)):
            cells = 2 if char == _EMOJI_STYLE else cells
            cluster += char if joined or len(cluster) <= _MARKS else ""
            continue
        if cluster:
            yield cluster, cells
        cluster, cells = char, 2 if unicodedata.east_asian_width(char) in "WF" else 1
    if cluster:
        yield cluster, cells


def _is_joined(char: str) -> bool:
    if char.isascii():
        return False
    code = ord(char)
    return (
        char == _ZWJ
        or code in _SKIN_TONES
        or code in _JAMO
        or unicodedata.category(char) in ("Mn", "Me", "Mc")
    )
