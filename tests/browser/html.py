"""A comment as GitHub shows it: cmark-gfm makes the HTML, GitHub's style sheet draws it."""

import re

import cmarkgfm
from cmarkgfm.cmark import Options

TITLES = {
    "NOTE": "Note",
    "TIP": "Tip",
    "IMPORTANT": "Important",
    "WARNING": "Warning",
    "CAUTION": "Caution",
}
# drawn by us: GitHub's own pictures of an alert are not in its style sheet
SIGNS = {
    "NOTE": '<circle cx="8" cy="8" r="7"/><path d="M8 7v5M8 4v1"/>',
    "TIP": '<circle cx="8" cy="6" r="5"/><path d="M6 14h4M8 11v-3"/>',
    "IMPORTANT": '<path d="M1 2h14v10H8l-3 3v-3H1zM8 4v4M8 9v1"/>',
    "WARNING": '<path d="M8 1l7 13H1zM8 6v4M8 11v1"/>',
    "CAUTION": '<path d="M5 1h6l4 4v6l-4 4H5l-4-4V5zM8 4v5M8 11v1"/>',
}
AUTHOR = "<b>github-actions</b> <i>bot</i> commented"
_ALERT = re.compile(r"<blockquote>\n<p>\[!([A-Z]+)\]\n(.*?)</blockquote>", re.DOTALL)
_DIFF = re.compile(r'<pre lang="diff"><code>(.*?)</code></pre>', re.DOTALL)
_COLOURS = {"+": "added", "-": "removed", "#": "aside"}


def rendered(markdown: str) -> str:
    """The HTML that cmark-gfm makes, with alerts and coloured diffs as GitHub adds them."""
    html = cmarkgfm.github_flavored_markdown_to_html(markdown, Options.CMARK_OPT_UNSAFE)
    return _DIFF.sub(_coloured, _ALERT.sub(_alert, html))


# paper, line, header, text and aside, then added and removed lines of a diff: GitHub's own colours
_LIGHT = ("#fff", "#d1d9e0", "#f6f8fa", "#1f2328", "#59636e")
_DARK = ("#0d1117", "#3d444d", "#151b23", "#f0f6fc", "#9198a1")
_LIGHT_DIFF = ("#116329", "#dafbe1", "#82071e", "#ffebe9")
_DARK_DIFF = ("#aff5b4", "#033a16", "#ffdcd7", "#67060c")


def document(
    markdown: str, style: str, script: str = "", *, framed: bool = False, dark: bool = False
) -> str:
    """A whole page, as wide as a comment of a pull request; nothing in it comes from elsewhere."""
    paper, line, top, ink, aside = _DARK if dark else _LIGHT
    added, added_paper, removed, removed_paper = _DARK_DIFF if dark else _LIGHT_DIFF
    frame = ("framed", f"<header>{AUTHOR}</header>") if framed else ("", "")
    return f"""<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><style>{style}
body {{ margin: 0; background: {paper}; font-family: "Liberation Sans", sans-serif; }}
.comment {{ box-sizing: border-box; width: 900px; padding: 16px; }}
.framed {{ border: 1px solid {line}; border-radius: 6px; width: 900px; margin: 16px; }}
.framed header {{ padding: 8px 16px; background: {top}; border-radius: 6px 6px 0 0; }}
.framed header {{ border-bottom: 1px solid {line}; font-size: 14px; color: {ink}; }}
.framed header i {{ border: 1px solid {line}; border-radius: 2em; padding: 0 7px; }}
.framed header i {{ font: 12px "Liberation Sans"; color: {aside}; }}
.comment .added {{ color: {added}; background: {added_paper}; }}
.comment .removed {{ color: {removed}; background: {removed_paper}; }}
.comment .aside {{ color: {aside}; }}
.comment svg {{ fill: none; stroke: currentColor; stroke-width: 1.5; margin-right: 8px; }}
</style></head><body><div class="{frame[0]}">{frame[1]}
<article class="comment markdown-body">{rendered(markdown)}</article></div>
<script>{script}</script></body></html>"""


def _alert(match: re.Match[str]) -> str:
    kind = match.group(1)
    sign = f'<svg viewBox="0 0 16 16" width="16" height="16">{SIGNS[kind]}</svg>'
    title = f'<p class="markdown-alert-title">{sign}{TITLES[kind]}</p>'
    names = f"markdown-alert markdown-alert-{kind.lower()}"
    return f'<div class="{names}">{title}<p>{match.group(2)}</div>'


def _coloured(match: re.Match[str]) -> str:
    lines = [_line(line) for line in match.group(1).splitlines()]
    return f"<pre><code>{chr(10).join(lines)}</code></pre>"


def _line(line: str) -> str:
    kind = _COLOURS.get(line[:1])
    return f'<span class="{kind}">{line}</span>' if kind else line
