"""Which language a text is in: by its script, and by its letter groups where several share one.

`samples.json` holds a few sentences of ours in each of those. A text is in the language whose
sample makes its groups of three letters, and its words, most likely.
"""

import json
import re
from collections import Counter
from functools import cache
from math import log
from pathlib import Path
from unicodedata import name as name_of

SAMPLES = Path(__file__).with_name("samples.json")
MOST_LETTERS = 5000  # more of them do not change the answer
LEAST_LETTERS = 12
LEAST_LETTERS_OF_A_SCRIPT = 4  # where nothing else is written in it
NOT_PROSE = re.compile(
    r"```.*?(?:```|\Z)|`[^`\n]*`|https?://\S+|(?<![\w.+-])[\w.+-]+@\S+", re.DOTALL
)
WORD = re.compile(r"[^\W\d_]+")
CERTAIN = 3.0  # as a logarithm: twenty times more likely than the next
GROUPS = (1, 2, 3)
OWN = 0.8  # the rest is common to all languages: what is in no sample is not impossible

# the first word of a letter's name in Unicode: the languages that are written in that script
SCRIPTS = {
    "LATIN": [
        *("cs", "da", "de", "en", "es", "fi", "fr", "hu", "id"),
        *("it", "nl", "no", "pl", "pt", "ro", "sv", "tr"),
    ],
    "CYRILLIC": ["bg", "ru", "uk"],
    "GREEK": ["el"],
    "HEBREW": ["he"],
    "ARABIC": ["ar"],
    "DEVANAGARI": ["hi"],
    "THAI": ["th"],
    "HANGUL": ["ko"],
    "HIRAGANA": ["ja"],
    "KATAKANA": ["ja"],
    "CJK": ["zh"],
}
LANGUAGES = frozenset(language for languages in SCRIPTS.values() for language in languages)


def detect_language(text: str) -> str | None:
    """Return its code, None for a text that is too short to be certain, or in an unknown script."""
    words = WORD.findall(NOT_PROSE.sub(" ", text[: 4 * MOST_LETTERS]).lower())
    letters = "".join(words)[:MOST_LETTERS]
    candidates = SCRIPTS.get(detect_script(letters), [])
    if len(candidates) == 1:
        return candidates[0] if len(letters) >= LEAST_LETTERS_OF_A_SCRIPT else None
    if len(letters) < LEAST_LETTERS or not candidates:
        return None
    found = Counter(features(words))
    ranked = sorted((likelihood(found, language), language) for language in candidates)
    (second, _), (first, language) = ranked[-2:]
    return language if first - second >= CERTAIN else None


def detect_script(letters: str) -> str:
    """The script that most letters belong to. Kana stand only in Japanese, among Chinese ones."""
    scripts = Counter(name_of(letter, "").partition(" ")[0] for letter in letters)
    if scripts["HIRAGANA"]:
        return "HIRAGANA"
    return max(scripts, key=scripts.__getitem__, default="")


def features(words: list[str]) -> list[str]:
    """The letters of every word, their groups with the ends of the word, and the word itself."""
    found = []
    for word in words:
        ends = f" {word} "
        for size in GROUPS:
            found += [ends[start : start + size] for start in range(len(ends) - size + 1)]
        found.append(f" {word} ")
    return found


def likelihood(found: Counter[str], language: str) -> float:
    """Measure how well a language explains the features found, as a logarithm."""
    own, every = profiles()[language], everything()
    return sum(
        count * log(OWN * own.get(feature, 0) + (1 - OWN) * every[feature])
        for feature, count in found.items()
        if feature in every
    )


@cache
def profiles() -> dict[str, dict[str, float]]:
    """The share of every feature in each sample."""
    samples = json.loads(SAMPLES.read_text(encoding="utf-8"))
    return {
        language: shares(f"{sample['text']} {sample['words']}".lower())
        for language, sample in samples.items()
    }


@cache
def everything() -> Counter[str]:
    """The share of every feature in all samples."""
    total: Counter[str] = Counter()
    for known in profiles().values():
        for feature, share in known.items():
            total[feature] += share / len(profiles())
    return total


def shares(text: str) -> dict[str, float]:
    """Return the share of every feature of a text."""
    counted = Counter(features(WORD.findall(text)))
    return {feature: count / counted.total() for feature, count in counted.items()}
