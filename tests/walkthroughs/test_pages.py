"""What the pages show works for somebody who has done what the README says, and nothing else."""

import json
import re

import pytest
import yaml

from tests.walkthroughs.reader import ROOT, list_fences

REMOTE = re.compile(r"\bref: (\S+)")
PAGES = [*sorted((ROOT / "docs").rglob("*.md")), ROOT / "README.md"]
PAGES += sorted((ROOT / "evaluators").glob("**/README.md"))


def text_of(name):
    return (ROOT / name).read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "page", ["configs", "evaluators", "remote-evaluators", "registry", "output"]
)
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
    for _, text, at in list_fences(page.read_text())
    for ref in REMOTE.findall(text)
    if text.startswith("# eval_config.yaml\n")
]


def said_before(page, at):
    """The lines of a page that set variables, up to a place of it."""
    return re.findall(r"^\$ (export .*)$", page.read_text(encoding="utf-8")[:at], re.MULTILINE)


def _is(metric, number):
    return metric["metric_name"].endswith(f"_{number}")


@pytest.fixture(scope="module")
def resolved(begin, tmp_path_factory):
    """The metrics of each trace by reference. One run has all pages that set the same."""
    groups = {}
    for page, at, text in (parameters.values for parameters in REFERENCES):
        groups.setdefault(tuple(said_before(page, at)), []).append((page, at, text))
    found = {}
    for lines, written in groups.items():
        reader = begin(tmp_path_factory.mktemp("references"))
        for line in lines:
            reader.type(line)
        configs = [yaml.safe_load(text) for *_, text in written]
        for number, one in enumerate(configs):
            assert one.keys() == {"evaluators"}
            for entry in one["evaluators"]:
                entry["name"] += f"_{number}"
        whole = {"evaluators": [entry for one in configs for entry in one["evaluators"]]}
        (reader.folder / "eval_config.yaml").write_text(yaml.safe_dump(whole, sort_keys=False))
        printed = reader.type("agentevals run traces/ --config eval_config.yaml -o json || true")
        metrics = [trace["metrics"] for trace in json.loads(printed)["traces"]]
        for number, (page, at, _) in enumerate(written):
            found[page, at] = [[m for m in each if _is(m, number)] for each in metrics]
    return found


@pytest.mark.parametrize(("page", "at", "text"), REFERENCES)
def test_every_reference_resolves_with_what_its_page_says_before_it(resolved, page, at, text):
    of_traces = resolved[page, at]

    assert {len(metrics) for metrics in of_traces} == {len(yaml.safe_load(text)["evaluators"])}
    errors = {metric["error"] for metrics in of_traces for metric in metrics} - {None}
    assert all("no judge is configured" in error for error in errors)


def test_every_reference_is_in_a_config_that_can_be_copied():
    found = [ref for page in PAGES for ref in REMOTE.findall(page.read_text())]
    of_evaluators = [ref for ref in found if "${{" not in ref]  # a checkout has one, too

    assert len(of_evaluators) == len(REFERENCES) + 1  # and one that is a parameter of a function


@pytest.mark.parametrize(
    "ref", re.findall(r"`(numbers_agree[^`]*)`", text_of("docs/remote-evaluators.md"))
)
def test_every_way_to_write_a_reference_resolves(reader, ref):
    reader.environ["AGENTEVALS_EVALUATOR_REPO"] = "OWNER/agentevals-action"
    entry = {"name": "e", "type": "remote", "ref": ref}
    (reader.folder / "c.json").write_text(json.dumps({"evaluators": [entry]}))

    assert '"sha256"' in reader.type("agentevals run traces/ --config c.json -o json || true")
