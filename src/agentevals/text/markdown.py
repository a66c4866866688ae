"""Foreign text for GitHub's Markdown: nothing in it means anything to Markdown, HTML or GitHub.

People and programs read the source as well: in mails, in `gh pr view`, in coding agents. So a sign
is escaped only where it would act: the underscore of `a_b` and the parentheses of `(3/5)` stay.
"""

import re
import unicodedata
from collections.abc import Iterable
from functools import lru_cache

from agentevals.text import terminal
from agentevals.text.terminal import plain
from agentevals.text.wording import NOTHING

CELL = 400  # characters of one sentence
LINE = 2_000  # characters of one line in a fence

_BREAK = "\u200b"  # nobody sees it, and what it stands in is no reference any more
_MARKS = 4  # combining marks kept on one letter
_SHA = 6  # hexadecimal digits that GitHub does not yet take for a commit
_TICKS = 8  # a longer run of them, and code is written in HTML
_ACTING = re.compile(
    r"""[`|]
    | (?<!\ )[*~] | [*~](?!\ )     # emphasis, if not between two spaces
    | (?<!\w)_++                  # emphasis begins, if not within a word
    | \\(?=[!-/:-@\[-`{-~]|$)      # escapes the sign behind it
    | <(?=[A-Za-z/!?]|$)           # a tag, a comment, an address
    | &(?=\#?\w+;)                 # a sign by its name or number
    | \](?=[(\[:]) | (?<=\#\#)\[   # the end of a link's text; a command of the runner
    # and at the begin of a line, what begins a block or a command
    | ^(?:[-+](?=\ |$) | \#(?=\#{0,5}(?:\ |$)) | > | [-=](?=[-=:\ ]*$) | :(?=[-:])
        | \[(?=!|[\ xX]\](?:\ |$)))
    """,
    re.VERBOSE,
)
_ACTING_IN_HTML = re.compile(rf"[<>&\[\]]|{_ACTING.pattern}", re.VERBOSE)
_NUMBERED = re.compile(r"^(\d{1,9})(?=[.)](?: |$))")
_FORMULA = re.compile(r"(?<! )\$|\$(?![\d ])")  # ` $5` would begin one, but nothing ends it
_DOLLAR = "<span>$</span>"  # no backslash keeps GitHub from reading a formula
_NAMES = {"<": "&lt;", ">": "&gt;", "&": "&amp;"}
_LINKED = re.compile(
    r"://|www\.|gh-(?=\d)|:(?!\d+:)(?=[\w+-]{1,60}:)|@(?=[\w.-])|\#(?=\d)", re.IGNORECASE
)
_NO_LABEL = re.compile(r"[^A-Za-z0-9 _.-]+")
_COMMIT = re.compile(r"(?<![0-9A-Za-z])[0-9A-Fa-f]{7,40}(?![0-9A-Za-z])")
# letters and signs that draw nothing; joiners and emoji styles only where nothing is joined
_INVISIBLE = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\uffa0\U0001d173-\U0001d17a"
    "\ufe00-\ufe0e\U000e0100-\U000e01ef\u0600-\u0605\u06dd\u070f\u08e2]"
    "|(?<![^\x00-\x7f])[\u200c\u200d]|[\u200c\u200d](?![^\x00-\x7f])"
    "|(?<![0-9#*\u0080-\U0010ffff])\ufe0f"
)


def text(untrusted: str, limit: int = CELL) -> str:
    """Return a sentence without mention, link, reference, emoji code, markup or table border."""
    shown = _ACTING.sub(_escape, _break_links(visible(untrusted, limit)))
    return _FORMULA.sub(_DOLLAR, _NUMBERED.sub(r"\1\\", shown))


def html_text(untrusted: str, limit: int = CELL) -> str:
    """Return such a sentence for where Markdown is not read: the summary of `<details>`."""
    shown = _ACTING_IN_HTML.sub(_write_entities, _break_links(visible(untrusted, limit)))
    return _FORMULA.sub(_DOLLAR, shown)


def code(untrusted: str, limit: int = CELL) -> str:
    """Return a sentence as inline code, letter by letter; a table cell keeps its borders."""
    shown = _escape_markers(visible(untrusted, limit))
    longest = max(map(len, re.findall("`+", shown)), default=0)
    if "|" in shown or longest > _TICKS:
        return html_code(untrusted, limit)
    ticks = "`" * (longest + 1)
    padding = " " if shown.startswith("`") or shown.endswith("`") else ""
    return f"{ticks}{padding}{shown}{padding}{ticks}" if shown else NOTHING


def html_code(untrusted: str, limit: int = CELL) -> str:
    """Return inline code for where Markdown is not read."""
    return f"<code>{html_text(untrusted, limit)}</code>"


def fence(lines: Iterable[str], language: str = "") -> str:
    """Return a code block that none of its lines can end."""
    body = "".join(_write_line(line) for line in lines)
    longest = max(map(len, re.findall("`+", body)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{language}\n{body}{fence}\n"


def details(summary: str, body: str) -> str:
    """Return a folded text. Both parts are finished: foreign text in them is inert."""
    return f"<details><summary>{summary}</summary>\n\n{body.strip()}\n\n</details>\n"


def label(untrusted: str, limit: int = 40) -> str:
    """Return a name for a diagram: letters, digits and a few signs without meaning there."""
    return _NO_LABEL.sub("_", untrusted[:limit]).strip("_ ") or "unnamed"


def write_title(untrusted: str, limit: int = CELL) -> str:
    """Return a text for titles, statuses and annotations: GitHub's runner may read them."""
    shown = _escape_markers(visible(untrusted, limit))
    return terminal.line(shown).rstrip("\n")


def visible(untrusted: str, limit: int = CELL) -> str:
    """Return one line that hides nothing: invisible signs are spelt out, piled-up marks cut."""
    shown = _spell_out(untrusted[:limit])
    return f"{shown}…" if len(untrusted) > limit else shown


@lru_cache(maxsize=1024)  # a page that does not fit is made again with less
def _spell_out(cut: str) -> str:
    shown = plain(unicodedata.normalize("NFC", cut))
    if shown.isascii():
        return shown
    return _INVISIBLE.sub(lambda sign: f"\\u{{{ord(sign[0]):x}}}", _drop_piled_marks(shown))


def _write_line(line: str) -> str:
    margin = " " * min(len(line) - len(line.lstrip(" ")), 2)  # the sign column of a diff
    return terminal.line(margin + _escape_markers(visible(line, LINE)))


def _escape_markers(shown: str) -> str:
    """Escape our own markers and the runner's commands: code is shown as it is otherwise."""
    return shown.replace("<!--", "<! --").replace("##[", "##(")


def _escape(match: re.Match[str]) -> str:
    return "".join(_NAMES.get(sign, f"\\{sign}") for sign in match.group())


def _write_entities(match: re.Match[str]) -> str:
    return "".join(_NAMES.get(sign, f"&#{ord(sign)};") for sign in match.group())


def _break_links(shown: str) -> str:
    return _COMMIT.sub(_split_commit, _LINKED.sub(_break_link, shown))


def _break_link(match: re.Match[str]) -> str:
    found = match.group()
    return f"{found[:-1]}{_BREAK}{found[-1]}" if len(found) > 1 else found + _BREAK


def _split_commit(match: re.Match[str]) -> str:
    digits = match.group()
    return _BREAK.join(digits[at : at + _SHA] for at in range(0, len(digits), _SHA))


def _drop_piled_marks(shown: str) -> str:
    kept: list[str] = []
    marks = 0
    for char in shown:
        marks = marks + 1 if unicodedata.category(char) in {"Mn", "Me"} else 0
        if marks <= _MARKS:
            kept.append(char)
    return "".join(kept)
