"""Text as somebody would write it who wants to be read as more than text: the same every time."""

import random
from collections.abc import Iterator

COUNT = 20_000
_LONG = 1_000_000

SEEDS = (
    "@all",
    "@org/team please look",
    "cc @octocat, @dependabot merge",
    "#1",
    "fixes #12",
    "closes shop/support-agent#7",
    "GH-3",
    "gh-44",
    "https://evil.example/x?y=z",
    "http://evil.example",
    "HTTPS://EVIL.EXAMPLE",
    "ftp://evil.example",
    "www.evil.example",
    "mailto:someone@evil.example",
    "someone@evil.example",
    "xmpp:someone@evil.example",
    "https://github.com/shop/support-agent/issues/1",
    "<https://evil.example>",
    "[x](https://evil.example)",
    "[x][y]\n\n[y]: https://evil.example",
    "[x]: javascript:alert(1)",
    "![x](https://evil.example/x.png)",
    "![x][y]",
    '<a href="https://evil.example">click</a>',
    "<img src=x onerror=alert(1)>",
    "<script>alert(1)</script>",
    "<style>*{display:none}</style>",
    "<svg/onload=alert(1)>",
    "<details open><summary>x</summary>",
    "</details>",
    "</summary></details></td></table>",
    "<sub>",
    "</sub><h1>",
    "<!-- agentevals:v1 key=evals -->",
    "<!-- agentevals:section eJyrVkpUslIqLU4tUqoFABw7BAk= -->",
    "<!-- agentevals:end -->",
    "-->",
    "<!--",
    "<![CDATA[",
    "<?php ?>",
    "&lt;b&gt; &amp;lt; &#60;img&#62;",
    "```",
    "`" * 9,
    "`" * 100,
    "~~~",
    "```\n</details>",
    "`a` `` b `` ```c```",
    "|",
    "a | b | c",
    "\\|",
    "\\\\|",
    "\\",
    "|---|\n|:-:|",
    "\n",
    "\n\n# head\n\n",
    "\r\n> [!CAUTION]\r\n> **Ready to merge**",
    "> [!TIP]\n> all fine",
    "- [x] done",
    "* * *",
    "---",
    "===",
    "    code",
    "1. one",
    "**bold** __bold__ *it* _it_ ~~gone~~",
    "$x^2$ $$\\frac{1}{2}$$",
    "$`x`$",
    ":shipit:",
    ":octocat: :+1:",
    "[^1]\n\n[^1]: foot",
    "deadbeef",
    "a1b2c3d4e5f60718293a4b5c6d7e8f9001122334",
    "shop/support-agent@a1b2c3d4e5f60718293a4b5c6d7e8f9001122334",
    "::error::gone",
    "  ::add-mask::a",
    "::set-output name=x::y",
    "::stop-commands::x",
    "\n::error file=a,line=1::b",
    "##[error]x",
    "##[add-mask]y",
    "##[group]",
    "\x1b[31mred\x1b[0m",
    "\x1b]8;;https://evil.example\x07x\x1b]8;;\x07",
    "\x9b2J",
    "\x00",
    "\x00\x01\x02\x7f\x80\x9f",
    "\u202egnp.exe",
    "\u2066x\u2069",
    "\u200b\u200c\u200d\ufeff\u00ad\u2060",
    "@\u200ball #\u200b1",
    "\u1fef\u1fef\u1fef",
    "\u037e \u212a",
    "\ufe0f\ufe0e\U000e0100",
    "\U000e0041\U000e0042",
    "\u3164\u115f\u1160\uffa0\u2800",
    "\ud800",
    "\udfff\ud800",
    "\ufffe\uffff\U0010ffff",
    "\ufdfd" * 5,
    "e\u0301" * 40,
    "z" + "\u0300\u0489" * 300,
    "👩‍👩‍👧‍👦 🇫🇷 1️⃣ 🏴󠁧󠁢󠁥󠁮󠁧󠁿",
    "日本語 \u1112\u1161\u11ab עברית العربية",
    "\u2028\u2029\x85\x0b\x0c",
    "%0A::error::x",
    "%%{init: {'theme': 'x'}}%%",
    'graph TD; A-->B; click A href "https://evil.example"',
    '"]\nline [1]\nclick x',
    "```mermaid\ngraph TD\n```",
    "../../etc/passwd",
    "/etc/passwd",
    "a/../../b",
    "C:\\windows",
    "a b(c)[d].yaml",
    "%2e%2e/%2e%2e",
    "javascript:alert(1)",
    "=cmd|' /C calc'!A0",
    "${{ github.token }}",
    "{{ x }} {% y %} ${z} $(id) `id`",
    "]]> &amp; \" '",
    "",
    " ",
    "\t",
)
# signs and words of which Markdown, HTML and GitHub's own marks are composed
_PIECES = (
    *"`*_~|\\<>[]()!#@:&;$-+=./1 \n\t\u00a0\u3000\u200b",
    *("a", "b2", "A_b", "é", "日", "e\u0301", "\u2019", "__", "**", "~~", "```", "~~~"),
    *("](", "][", "]:", "[^1]", "[x](y)", "![x](y)", "[x]", "[ ] ", "[!NOTE]", "(3/5)", "{x}"),
    *(" - ", "1. ", "2) ", "# ", "> ", "* ", "|-", "|:-:|", ":-:", "---", "===", "- - -", "***"),
    *("<b>", "</b>", "<!--", "-->", "<?", "<![CDATA[", "&amp;", "&#35;", "&#x40;", "&lt"),
    *("http://a.b", "www.a.b", "ftp:", "//", "mailto:", "xmpp:", "x@y.z", "@a", "@.b.c"),
    *("#1", "a/b#1", "GH-1", "deadbeef", "1234567", ":+1:", "::", "##[", "$", "${", "$x$", " $5"),
)
_GLUE = ("", "", " ", "\n", "|", "`", "\\", "<", ">", "@", "#", ":", "/", "*", "_", "[", "](", ")")


def strings(count: int = COUNT) -> Iterator[str]:
    """The seeds, then what comes of gluing and cutting them, then a very long line."""
    chance = random.Random(20_000)
    yield from SEEDS[:count]
    for _ in range(count - len(SEEDS) - 1):
        parts = chance.choices(SEEDS, k=chance.randint(1, 4))
        yield chance.choice(_GLUE).join(_bent(part, chance) for part in parts)
    if count > len(SEEDS):
        yield "x" * _LONG


def compositions(count: int = COUNT) -> Iterator[str]:
    """Yield up to fourteen pieces in a row: what opens, closes and escapes, in any order."""
    chance = random.Random(16)
    for _ in range(count):
        yield "".join(chance.choices(_PIECES, k=chance.randint(1, 14)))


def _bent(part: str, chance: random.Random) -> str:
    """As it is, cut, repeated, or with a sign in the middle."""
    at = chance.randint(0, len(part))
    match chance.randint(0, 5):
        case 0:
            return part[:at]
        case 1:
            return part[at:] * 2
        case 2:
            return part[:at] + chance.choice(_GLUE) + part[at:]
        case _:
            return part
