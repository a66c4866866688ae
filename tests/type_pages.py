"""`docs/types/`, one page for each evaluator type, generated from the code: `make docs`."""

from collections.abc import Iterator
from inspect import cleandoc
from pathlib import Path

from agentevals.graders import BUILTINS, GRADERS
from agentevals.graders.grader import Grader
from agentevals.model.completeness import Fact
from tests.reference import write_table
from tests.site.pages import Page

FOLDER = Path(__file__).parents[1] / "docs" / "types"
FAMILIES = {
    "text": "The last answer as a text",
    "tools": "Tool calls",
    "budgets": "Tokens, money, time and calls",
    "llm": "Judged by a language model",
    "agentv": "Of AgentV: fields, and evaluators made of others",
    "uipath": "Of UiPath",
    "adk": "Of Google ADK",
    "programs": "Programs",
}
_DESCRIBED = (
    *("graders", "judge", "agentv-evaluators", "agentv-judges", "uipath", "adk"),
    *("evaluators", "remote-evaluators"),
)


def find_family(grader: type[Grader]) -> str:
    """The folder of its module."""
    return grader.__module__.split(".")[2]


def write_page(name: str) -> str:
    """What the code says about one type."""
    grader = GRADERS[name]
    about, *more = cleandoc(grader.__doc__ or "").split("\n\n")
    lines = [f"# {name}", "", " ".join(about.split())]
    lines += [part for text in more for part in ("", " ".join(text.split()))]
    lines += ["", "| question | answer |", "|---|---|", *_list_facts(name, grader), ""]
    own = set(grader.model_fields) - set(Grader.model_fields)
    lines += ["## Settings", ""]
    lines += write_table(own, grader) if own else ["It has no settings of its own."]
    lines += ["", f"Like every evaluator it has {_COMMON}."]
    return "\n".join(lines) + "\n"


_COMMON = "`name`, `threshold`, `weight`, `required` and `negate`: see [reference](../reference.md)"


def _list_facts(name: str, grader: type[Grader]) -> Iterator[str]:
    written = f"{{name: {name}, type: builtin}}" if name in BUILTINS else f"type: {name}"
    yield f"| How do you write it? | `{written}` |"
    facts = [f"`{fact.value}`" for fact in Fact if fact in grader.judges_by]
    some = ", ".join(facts) or "what its settings ask for"
    yield f"| Which [evidence](../understand/evidence.md) does it need? | {some} |"
    expects = "yes" if grader.needs_expectation else "only if its settings compare with one"
    yield f"| Does it need an [eval set](../eval-sets.md)? | {expects} |"
    passes = grader.model_fields["threshold"].default
    yield f"| From which score on does it pass? | {passes}, unless you give a `threshold` |"
    if where := find_description(name):
        yield f"| Where are examples? | {where} |"


def find_description(name: str) -> str:
    """A link to the section of a page that describes it; empty if there is none."""
    for page in _DESCRIBED:
        anchors = Page(f"docs/{page}.md").anchors
        for anchor in (name, f"type-{name}", f"{name}-and-assert_set"):
            if anchor in anchors:
                return f"[{page}](../{page}.md#{anchor})"
    return ""


def write_index() -> str:
    """All types by family."""
    lines = ["# Evaluator types, one by one", ""]
    lines.append(
        "Look up a type. [Which evaluator do I need?](../choosing.md) starts with your question."
    )
    for family, title in FAMILIES.items():
        lines += ["", f"## {title}", "", "| type | its score |", "|---|---|"]
        for name in GRADERS.ours:
            if find_family(GRADERS[name]) == family:
                about = cleandoc(GRADERS[name].__doc__ or "").split("\n\n", maxsplit=1)[0]
                lines.append(f"| [`{name}`]({name}.md) | {' '.join(about.split())} |")
    return "\n".join(lines) + "\n"


def write_pages() -> dict[str, str]:
    """The name of each file, and its text."""
    pages = {f"{name}.md": write_page(name) for name in GRADERS.ours}
    return {"README.md": write_index(), **pages}


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for old in FOLDER.glob("*.md"):
        old.unlink()
    for file, text in write_pages().items():
        (FOLDER / file).write_text(text, encoding="utf-8")
