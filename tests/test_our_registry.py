"""Our evaluators as a registry: manifests, pages, index. `make test-evaluators` runs them all."""

import json

import jsonschema
import pytest
import yaml

from agentevals.evaluator import evaluator_manifest
from registry_tools.evidence import evidence_measuring, evidence_page, labelled_examples
from registry_tools.evidence.labelled_examples import Label
from registry_tools.manifests import registry_entry as entries
from tests.our_evaluators.evaluators import (
    EVALUATORS,
    FOLDERS,
    JUDGED,
    NAMES,
    fixtures,
    publish,
    usual,
    written,
)
from tests.support import EXAMPLES, agentevals


@pytest.mark.parametrize("folder", FOLDERS, ids=NAMES)
def test_a_config_that_is_right_is_described_as_right(folder):
    schema = written(folder)["config_schema"]
    jsonschema.Draft202012Validator.check_schema(schema)

    for fixture in fixtures(folder):
        if fixture.expect.status != "NOT_EVALUATED":
            jsonschema.validate(fixture.config, schema)


@pytest.mark.parametrize("folder", FOLDERS, ids=NAMES)
def test_a_manifest_is_complete_and_asks_for_nothing_but_a_judge(folder):
    found = evaluator_manifest.convert(written(folder))

    assert (found.name, evaluator_manifest.rate_level(found)) == (folder.name, "complete")
    assert found.capabilities == evaluator_manifest.Capabilities(judge=folder in JUDGED)
    assert found.deterministic == (folder not in JUDGED)
    assert ("judge" in found.tags) == (folder in JUDGED)


@pytest.mark.parametrize("folder", FOLDERS, ids=NAMES)
def test_fixtures_pass_fail_and_cannot_be_judged(folder):
    found = [fixture.expect for fixture in fixtures(folder)]

    assert len(found) >= 3
    assert any(each.status == "NOT_EVALUATED" for each in found)
    if folder not in JUDGED:  # without a judge they score nothing
        assert max(each.score for each in found) == 1
        assert min(each.score for each in found) < 1


@pytest.mark.parametrize("folder", FOLDERS, ids=NAMES)
def test_a_page_describes_every_setting_and_shows_a_config_that_is_right(folder):
    page = (folder / "README.md").read_text()
    found = written(folder)
    (entry,) = yaml.safe_load(page.split("```yaml\n")[1].split("```")[0])["evaluators"]

    assert all(f"| `{setting}` |" in page for setting in found["config_schema"]["properties"])
    assert found["description"] in page
    assert entry["ref"] == f"evaluators/{folder.name}/{found['entrypoint']}"
    jsonschema.validate(entry["config"], found["config_schema"])


@pytest.mark.parametrize("folder", JUDGED, ids=lambda folder: folder.name)
def test_a_judged_evaluator_names_the_model_that_it_was_measured_with(folder):
    evidence = evidence_measuring.read_evidence(entries.read(folder.parent, folder.name))

    assert evidence is None or evidence.judge


@pytest.mark.parametrize("folder", FOLDERS, ids=NAMES)
def test_at_least_forty_labelled_examples_fail_and_pass(folder):
    entry = entries.read(folder.parent, folder.name)
    labels = [each.label for each in labelled_examples.read(entry, labelled_examples.FILE)]
    evidence = evidence_measuring.read_evidence(entry)

    assert len(labels) >= 40
    assert min(labels.count(Label.FAIL), labels.count(Label.PASS)) >= 15
    assert evidence or folder in JUDGED, f"make evidence NAMES={folder.name}"
    assert evidence_page.write_section(evidence) in (folder / "README.md").read_text()


def test_the_list_of_evaluators_is_the_list_of_folders():
    page = (EVALUATORS / "README.md").read_text()

    rows = [
        f"| [{name}]({name}/) | {found['language']} | {', '.join(found['tags'])} "
        f"| {found['description']} |"
        for name, found in ((folder.name, written(folder)) for folder in FOLDERS)
    ]
    assert [line for line in page.splitlines() if line.startswith("| [")] == rows


def test_they_are_right_but_for_their_owner():
    done = agentevals("registry", "validate", "--no-smoke", str(EVALUATORS))

    said = done.stdout.splitlines()[:-1]
    assert done.returncode == 0
    assert [line for line in said if not line.endswith("[placeholder]")] == []


def test_all_of_them_in_a_config(tmp_path):
    entries = []
    for folder in FOLDERS:
        path = str(folder / written(folder)["entrypoint"])
        entry = {"name": folder.name, "type": "code", "path": path}
        if folder not in JUDGED:
            entries.append({**entry, "config": usual(folder).config})
    (tmp_path / "eval_config.yaml").write_text(yaml.safe_dump({"evaluators": entries}))

    done = agentevals(
        *("run", str(EXAMPLES / "traces" / "paris.jsonl")),
        *("-c", "eval_config.yaml", "--eval-set", str(EXAMPLES / "eval_set.json"), "-o", "json"),
        cwd=tmp_path,
    )

    (trace,) = json.loads(done.stdout)["traces"]
    errors = {each["metric_name"]: each["error"] for each in trace["metrics"]}
    assert errors == dict.fromkeys(entry["name"] for entry in entries)


def test_all_of_them_are_listed_in_three_languages(tmp_path):
    listed = json.loads((publish(tmp_path) / "index.json").read_text())["evaluators"]

    assert [entry["name"] for entry in listed] == NAMES
    assert len(listed) >= 15
    assert {entry["language"] for entry in listed} == {"python", "javascript", "typescript"}
