"""`docs/rules/`, generated from the rules: `make docs` writes it anew."""

from collections.abc import Iterator
from pathlib import Path

from registry_tools.cli.formats import list_rules
from registry_tools.manifests.registry_finding import Rule

FOLDER = Path(__file__).parents[1] / "docs" / "rules"
INDEX = "README.md"


def pages() -> dict[str, str]:
    """Every page by its name."""
    rules = list_rules()
    whole = {f"{rule.id}.md": "\n".join(_page(rule)) + "\n" for rule in rules}
    return {INDEX: "\n".join(_index(rules)) + "\n", **whole}


def _index(rules: list[Rule]) -> Iterator[str]:
    yield "# Rules of a registry"
    yield ""
    yield "Look up a finding of `agentevals registry validate`. `make docs` generates these pages."
    yield ""
    yield from ("| rule | severity | meaning |", "|---|---|---|")
    for rule in rules:
        yield f"| [`{rule.id}`]({rule.id}.md) | {rule.severity.value} | {rule.title} |"


def _page(rule: Rule) -> Iterator[str]:
    yield from (f"# `{rule.id}`", "", f"{rule.title}.", "", rule.why, "")
    yield f"Severity: {rule.severity.value}."
    if rule.mends:
        yield from ("", f"`--fix` {rule.mends}.")
    yield from ("", "Wrong:", "", "```", rule.bad.rstrip("\n"), "```")
    yield from ("", "Right:", "", "```", rule.good.rstrip("\n"), "```")
    yield from ("", f"[All rules]({INDEX})")


def main() -> None:
    """Pages of rules that are no more go, too."""
    FOLDER.mkdir(exist_ok=True)
    wanted = pages()
    for old in FOLDER.glob("*.md"):
        if old.name not in wanted:
            old.unlink()
    for name, text in wanted.items():
        (FOLDER / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
