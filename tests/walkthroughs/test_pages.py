"""What the pages show works for somebody who has done what the README says, and nothing else."""

import json
import re

import pytest

from tests.walkthroughs.reader import FENCED, ROOT

REMOTE = re.compile(r"\bref: (\S+)")
PAGES = [*sorted((ROOT / "docs").rglob("*.md")), ROOT / "README.md"]
PAGES += sorted((ROOT / "evaluators").glob("**/README.md"))


def text_of(name):
    return (ROOT / name).read_text(encoding="utf-8")


@pytest.mark.parametrize("page", ["configs", "evaluators", "registry", "output"])
def test_a_page_can_be_followed_after_the_readme(reader, page):
    assert reader.follow(text_of(f"docs/{page}.md"))


def test_the_page_about_recording_begins_with_nothing(beginner):
    assert beginner.follow(text_of("docs/recording.md"))
    assert (beginner.folder / "eval_set.json").is_file()


def test_the_page_of_our_registry_shows_what_is_in_it(reader):
    assert "tool_sequence" in reader.follow(text_of("evaluators/README.md"))[-1]


REFERENCES = [
    pytest.param(page, at, text, id=f"{page.relative_to(ROOT)}-{ref}")
    for page in PAGES
    for at, text in ((m.start(), m.group(2)) for m in FENCED.finditer(page.read_text()))
    for ref in REMOTE.findall(text)
    if text.startswith("# eval_config.yaml\n")
]


@pytest.mark.parametrize(("page", "at", "text"), REFERENCES)
def test_every_reference_resolves_with_what_its_page_says_before_it(reader, page, at, text):
    before = page.read_text(encoding="utf-8")[:at]
    for line in re.findall(r"^\$ (export .*)$", before, re.MULTILINE):
        reader.type(line)
    (reader.folder / "eval_config.yaml").write_text(text)

    printed = reader.type("agentevals run traces/ --config eval_config.yaml -o json || true")

    metrics = [metric for trace in json.loads(printed)["traces"] for metric in trace["metrics"]]
    assert metrics
    errors = {metric["error"] for metric in metrics} - {None}
    assert all("no judge is configured" in error for error in errors)


def test_every_reference_is_in_a_config_that_can_be_copied():
    found = [ref for page in PAGES for ref in REMOTE.findall(page.read_text())]
    of_evaluators = [ref for ref in found if "${{" not in ref]  # a checkout has one, too

    assert len(of_evaluators) == len(REFERENCES) + 1  # and one that is a parameter of a function


@pytest.mark.parametrize(
    "ref", re.findall(r"`(numbers_agree[^`]*)`", text_of("docs/evaluators.md"))
)
def test_every_way_to_write_a_reference_resolves(reader, ref):
    reader.environ["AGENTEVALS_EVALUATOR_REPO"] = "OWNER/agentevals-action"
    entry = {"name": "e", "type": "remote", "ref": ref}
    (reader.folder / "c.json").write_text(json.dumps({"evaluators": [entry]}))

    assert '"sha256"' in reader.type("agentevals run traces/ --config c.json -o json || true")
