import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentevals.text.markdown import (
    code,
    details,
    fence,
    label,
    text,
    visible,
    write_title,
)
from tests import hostile
from tests.report.pages.harmless import MEANING
from tests.text import places

FEW = 3_000  # `make test-browser` has 20,000 read by a browser
ANYTHING = st.text(alphabet=st.characters(codec=None, categories=None), max_size=200)


def test_foreign_text_means_nothing_in_any_place_and_loses_no_sign():
    found = [wrong for one in hostile.compositions(FEW) if (wrong := misread(one))]

    assert found[:5] == []


@given(ANYTHING)
def test_any_text_means_nothing(foreign):
    assert misread(foreign) is None


def misread(foreign):
    """What a parser of GitHub's Markdown sees, where it is more or less than the text."""
    if not visible(foreign):
        return None
    elements, words = places.read(places.compose(foreign))
    known = [match.group() for match in MEANING.finditer("\n".join(words))]
    said = places.without_breaks("".join(words))
    if (elements, said, known) == (places.ELEMENTS, places.expect(foreign), []):
        return None
    return foreign, elements, said, known


@pytest.mark.parametrize(
    ("foreign", "shown"),
    [
        ("@team", "@\u200bteam"),
        ("fixes #12", "fixes #\u200b12"),
        ("o/r#1", "o/r#\u200b1"),
        ("GH-7", "GH\u200b-7"),
        ("http://a.b", "http:/\u200b/a.b"),
        ("a@b.c", "a@\u200bb.c"),
        ("www.a.b", "www\u200b.a.b"),
        ("deadbeef", "deadbe\u200bef"),
        (":shipit:", ":\u200bshipit:"),
        ("::error::x", "\\::\u200berror::x"),
        ("##[group]", "##\\[group]"),
        ("<!-- agentevals -->", "&lt;!-- agentevals -->"),
        ("a &lt; b", "a &amp;lt; b"),
        ("a\nb\r\nc", "a b c"),
        ("\u1fef", "\\`"),
        ("**bold** _it_ __init__", r"\*\*bold\*\* \_it_ \_\_init__"),
        ("[x](y) [x]: z", r"[x\](y) [x\]: z"),
        ("a | b", r"a \| b"),
        ("C:\\.git\\", r"C:\\.git\\"),
        ("# head", r"\# head"),
        ("1. one", r"1\. one"),
        ("- one", r"\- one"),
        ("--- - -", r"\--- - -"),
        ("$x$", "<span>$</span>x<span>$</span>"),
    ],
)
def test_what_github_would_obey_is_defused(foreign, shown):
    assert text(foreign) == shown


@pytest.mark.parametrize(
    "harmless",
    [
        *("bad.json:3: not JSON", "12:30:45", "日本語", "👩‍👩‍👧", "1️⃣", "é"),
        *("pass rate 60.0 % (3/5)", "tool_path a__b (judge)", "{x} [1, 2] 'a' \"b\"", "wow!"),
        *("2 * 3 < 7 > 5 ~ 6", "R&D & more", "#todo @ 5", "C:\\windows", "it costs $5", "-3.5"),
        *("1.5 is more", "a - b", "see docs/ci.md", "a --> b", "std::string"),
    ],
)
def test_what_is_harmless_stays(harmless):
    assert text(harmless) == harmless


@pytest.mark.parametrize(
    ("foreign", "shown"),
    [
        ("refund", "`refund`"),
        ("@team #1 a_b", "`@team #1 a_b`"),
        ("a`b", "``a`b``"),
        ("`a", "`` `a ``"),
        ("a|b", "<code>a&#124;b</code>"),
        ("`" * 9, f"<code>{'&#96;' * 9}</code>"),
        ("##[x] <!-- y", "`##(x] <! -- y`"),
        ("", "\N{EN DASH}"),
    ],
)
def test_code_is_shown_letter_by_letter(foreign, shown):
    assert code(foreign) == shown


@given(st.lists(ANYTHING, max_size=5))
def test_no_line_leaves_its_fence(lines):
    first, *body, last = fence(lines, "diff").removesuffix("\n").split("\n")

    assert first == f"{last}diff"
    assert len(body) == len(lines)
    assert all(last not in line for line in body)
    assert not any(line.lstrip().startswith("::") or "##[" in line for line in body)


def test_the_signs_of_a_diff_stay_in_their_column():
    assert fence(["  same", "- gone", "+ new"], "diff") == "```diff\n  same\n- gone\n+ new\n```\n"


def test_details_are_closed_and_their_body_is_markdown():
    assert details("More", "body\n") == "<details><summary>More</summary>\n\nbody\n\n</details>\n"


@pytest.mark.parametrize("mark", ["\u0330", "\u20dd"], ids=["below", "around"])
def test_marks_do_not_pile_up(mark):
    assert visible(f"x{mark * 9}y{mark * 4}") == f"x{mark * 4}y{mark * 4}"


def test_a_cut_is_seen():
    assert visible("x" * 1_000_000, 3) == "xxx…"
    assert visible("xxx", 3) == "xxx"


@pytest.mark.parametrize(
    ("foreign", "shown"),
    [
        ("support", "support"),
        ('a"]\nclick b "https://x"', "a_click b _https_x"),
        ("%%{init}%%", "init"),
        ("日本語", "unnamed"),
        ("x" * 100, "x" * 40),
    ],
)
def test_a_label_cannot_leave_its_diagram(foreign, shown):
    assert label(foreign) == shown


@pytest.mark.parametrize(
    ("foreign", "shown"),
    [("@a #1 <b>", "@a #1 <b>"), ("::error::x", "\N{RATIO}:error::x"), ("##[x]\n\x1b", "##(x] ␛")],
)
def test_where_no_markdown_is_read_only_a_runner_is_kept_from_obeying(foreign, shown):
    assert write_title(foreign) == shown
