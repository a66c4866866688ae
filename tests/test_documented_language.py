"""Pages, help texts and messages are written as docs/development.md asks for: short, and plain."""

import ast
import re

import pytest
from typer.main import get_command

from agentevals import cli
from tests.site.pages import ROOT, list_others, list_pages, split_sentences

LONGEST = 25  # words of a sentence
# words that only those know who wrote the code
PRIVATE = re.compile(
    r"\b(shut in|the box|costs only itself|(is|are) said|anew|as (it|they) stands?|of ours"
    r"|the predecessor|ladder|strangers?|stand-ins?)\b",
    re.IGNORECASE,
)
# the folders of evaluators stand alone, and their measured prompts are not changed for style
PAGES = [*list_pages(), *(page for page in list_others() if "evaluators/" not in page.name)]
FORMULA = re.compile(r"[=√±]")
SOURCES = [*(ROOT / "src").rglob("*.py"), *(ROOT / "registry_tools").rglob("*.py")]
QUESTIONS = {ROOT / "src/agentevals/graders/llm/vertex.py"}  # what a model is asked


def find_long(sentences):
    return [one for one in sentences if len(one.split()) > LONGEST and not FORMULA.search(one)]


@pytest.mark.parametrize("page", PAGES, ids=[page.name for page in PAGES])
def test_a_page_has_short_sentences_and_no_private_words(page):
    assert find_long(page.sentences) == []
    if page.name != "CHANGELOG.md":
        assert [found.group() for found in PRIVATE.finditer(page.prose)] == []


def list_help(command, name):
    """The text of a command, of its options, and of its commands."""
    yield name, command.help or ""
    yield from ((name, getattr(each, "help", None) or "") for each in command.params)
    for each in getattr(command, "list_commands", lambda _: ())(None):
        yield from list_help(command.get_command(None, each), f"{name} {each}")


HELP = list(list_help(get_command(cli.app), "agentevals"))


def test_every_command_and_option_has_a_help_text():
    assert len(HELP) > 150
    assert [name for name, text in HELP if not text] == []


@pytest.mark.parametrize("name", sorted({name for name, _ in HELP}))
def test_help_has_short_sentences_and_no_private_words(name):
    texts = [text for named, text in HELP if named == name]

    assert [long for text in texts for long in find_long(split_sentences(text))] == []
    assert [found.group() for text in texts for found in PRIVATE.finditer(text)] == []


def list_texts(path):
    """The texts of a module that are no docstrings; what is put into one counts as a word."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    inner = {id(part) for n in ast.walk(tree) if isinstance(n, ast.JoinedStr) for part in n.values}
    inner |= {id(n.value) for n in ast.walk(tree) if isinstance(n, ast.Expr)}
    for node in ast.walk(tree):
        if id(node) in inner:
            continue
        if isinstance(node, ast.JoinedStr):
            yield "".join(
                getattr(part, "value", "") if isinstance(part, ast.Constant) else "x"
                for part in node.values
            )
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


def test_messages_have_short_sentences():
    texts = [text for path in SOURCES if path not in QUESTIONS for text in list_texts(path)]
    plain = [line for text in texts if "<" not in text for line in text.split("\n")]

    assert [long for line in plain for long in find_long(split_sentences(line))] == []
