"""Texts as words, in any script, and the stems of English words: what all word metrics compare.

Compatibility forms and upper case are folded, punctuation separates. Scripts that write no
spaces give one word per character (CJK) or per base character with its marks (Thai, Lao,
Khmer, Myanmar).

Stems are those of M. F. Porter, "An algorithm for suffix stripping", 1980, with the extensions that
NLTK made customary, which ROUGE relies on: a list of irregular words, words of up to two letters
stay, `-ies` and `-ied` keep the `e` of four-letter words, `-y` becomes `-i` only after a consonant,
and the later suffixes `-bli`, `-logi`, `-fulli`.
"""

from collections.abc import Iterable
from functools import cache, lru_cache
from unicodedata import category, normalize

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

_IRREGULAR = {
    "sky": "sky", "skies": "sky", "dying": "die", "lying": "lie", "tying": "tie", "news": "news",
    "inning": "inning", "innings": "inning", "outing": "outing", "outings": "outing",
    "canning": "canning", "cannings": "canning", "howe": "howe", "proceed": "proceed",
    "exceed": "exceed", "succeed": "succeed",
}  # fmt: skip
_KEPT = 2  # words up to this length have no suffix
_FOUR = 4  # dies, tied: here the e belongs to the stem

_STEP_2 = (
    ("ational", "ate"), ("tional", "tion"), ("enci", "ence"), ("anci", "ance"), ("izer", "ize"),
    ("bli", "ble"), ("entli", "ent"), ("eli", "e"), ("ousli", "ous"), ("ization", "ize"),
    ("ation", "ate"), ("ator", "ate"), ("alism", "al"), ("iveness", "ive"), ("fulness", "ful"),
    ("ousness", "ous"), ("aliti", "al"), ("iviti", "ive"), ("biliti", "ble"), ("fulli", "ful"),
)  # fmt: skip
_STEP_3 = (
    ("icate", "ic"), ("ative", ""), ("alize", "al"), ("iciti", "ic"), ("ical", "ic"), ("ful", ""),
    ("ness", ""),
)  # fmt: skip
_STEP_4 = (
    "al", "ance", "ence", "er", "ic", "able", "ible", "ant", "ement", "ment", "ent", "ion", "ou",
    "ism", "ate", "iti", "ous", "ive", "ize",
)  # fmt: skip


def split_words(text: str) -> list[str]:
    """The words of a text, as they are written."""
    folded = (text if text.isascii() else normalize("NFKC", text)).lower()
    if folded.isascii():
        return folded.translate(_list_ascii()).split()
    return folded.translate({ord(char): _add_spaces(char) for char in set(folded)}).split()


def split_stems(text: str) -> list[str]:
    """The words of a text, those in plain letters and digits reduced to their stem."""
    return [
        stem(word) if len(word) > _SHORT and word.isascii() else word for word in split_words(text)
    ]


@cache
def _list_ascii() -> dict[int, str]:
    return {code: _add_spaces(chr(code)) for code in range(128)}


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


@lru_cache(maxsize=1 << 15)
def stem(word: str) -> str:
    """The stem of a word in lower case."""
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    if len(word) <= _KEPT or not word[-1].isalpha():
        return word  # a number, or what ends like one, has no suffix
    return _strip_mute(
        _strip_last(_strip_adjective(_strip_noun(_replace_y(_strip_tense(_strip_plural(word))))))
    )


def _strip_plural(word: str) -> str:
    if word.endswith("ies"):
        return word[:-1] if len(word) == _FOUR else word[:-2]
    if word.endswith("sses"):
        return word[:-2]
    return word[:-1] if word.endswith("s") and not word.endswith("ss") else word


def _strip_tense(word: str) -> str:
    if word.endswith("ied"):
        return word[:-1] if len(word) == _FOUR else word[:-2]
    if word.endswith("eed"):
        return word[:-1] if _measure(word[:-3]) else word
    for suffix in ("ed", "ing"):
        if word.endswith(suffix) and "v" in _find_shape(word.removesuffix(suffix)):
            return _restore_ending(word.removesuffix(suffix))
    return word


def _restore_ending(word: str) -> str:
    """Give back what a verb lost to its ending: hop(p)ing, fil(e)ing, conflat(e)ed."""
    if word.endswith(("at", "bl", "iz")):
        return word + "e"
    if word[-1:] == word[-2:-1] and _find_shape(word)[-1] == "c":
        return word if word[-1] in "lsz" else word[:-1]
    return word + "e" if _measure(word) == 1 and _ends_short(word) else word


def _replace_y(word: str) -> str:
    if word.endswith("y") and len(word) > _KEPT and _find_shape(word[:-1])[-1] == "c":
        return word[:-1] + "i"
    return word


def _strip_noun(word: str) -> str:
    if word.endswith("alli") and _measure(word[:-4]):
        return _strip_noun(word[:-2])
    if word.endswith("logi"):
        return word[:-1] if _measure(word[:-3]) else word
    return _replace_suffix(word, _STEP_2)


def _strip_adjective(word: str) -> str:
    return _replace_suffix(word, _STEP_3)


def _replace_suffix(word: str, rules: Iterable[tuple[str, str]]) -> str:
    """The first rule whose suffix fits decides, even when the rest is too short for it."""
    for suffix, instead in rules:
        if word.endswith(suffix):
            rest = word.removesuffix(suffix)
            return rest + instead if _measure(rest) else word
    return word


def _strip_last(word: str) -> str:
    for suffix in _STEP_4:
        if word.endswith(suffix) and (suffix != "ion" or word[-4:-3] in ("s", "t")):
            rest = word.removesuffix(suffix)
            return rest if _measure(rest) > 1 else word
    return word


def _strip_mute(word: str) -> str:
    """Drop a mute e, then one of two l."""
    if word.endswith("e"):
        syllables = _measure(word[:-1])
        if syllables > 1 or (syllables == 1 and not _ends_short(word[:-1])):
            word = word[:-1]
    return word[:-1] if word.endswith("ll") and _measure(word[:-1]) > 1 else word


def _ends_short(word: str) -> bool:
    """Return whether the end is consonant, vowel, consonant: English doubles it or adds an e."""
    shape = _find_shape(word)
    return (shape.endswith("cvc") and word[-1] not in "wxy") or shape == "vc"


def _measure(word: str) -> int:
    """Count the vowels followed by a consonant: roughly, the syllables."""
    return _find_shape(word).count("vc")


def _find_shape(word: str) -> str:
    """The word as `c` and `v`; a y after a consonant is a vowel."""
    shape = ""
    for letter in word:
        vowel = letter in "aeiou" or (letter == "y" and shape.endswith("c"))
        shape += "v" if vowel else "c"
    return shape
