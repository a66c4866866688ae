"""Texts as words, in any script: what all word-based metrics compare.

Compatibility forms and upper case are folded, punctuation separates. Scripts that write no
spaces give one word per character (CJK) or per base character with its marks (Thai, Lao,
Khmer, Myanmar).
"""

from functools import lru_cache
from unicodedata import category, normalize

from agentevals.graders.text.metrics.porter import stem

_ONE_BY_ONE = (
    range(0x4E00, 0xA000),  # CJK unified ideographs
    range(0x3040, 0x3100),  # Hiragana, Katakana
    range(0xAC00, 0xD7B0),  # Hangul syllables
)
_CLUSTERED = (
    range(0x0E00, 0x0F00),  # Thai, Lao
    range(0x1000, 0x10A0),  # Myanmar
    range(0x1780, 0x1800),  # Khmer
)
_SHORT = 3  # words up to this length are their own stem


def split_words(text: str) -> list[str]:
    """The words of a text, as they are written."""
    folded = normalize("NFKC", text).lower()
    return folded.translate({ord(char): _add_spaces(char) for char in set(folded)}).split()


def split_stems(text: str) -> list[str]:
    """The words of a text, those in plain letters and digits reduced to their stem."""
    return [
        stem(word) if len(word) > _SHORT and word.isascii() else word for word in split_words(text)
    ]


@lru_cache(maxsize=4096)
def _add_spaces(char: str) -> str:
    """The character with a space on each side where it begins or ends a word."""
    code = ord(char)
    if any(code in script for script in _ONE_BY_ONE):
        return f" {char} "
    is_mark = category(char).startswith("M")
    if any(code in script for script in _CLUSTERED):
        return char if is_mark else f" {char}"
    return char if is_mark or char.isalnum() else " "
