"""docs/output.md, held against what a run really writes."""

import json
import re
import xml.etree.ElementTree as ET

import jsonschema
import pytest

from tests.support import DOCS, EXAMPLES, agentevals

PAGE = (DOCS / "output.md").read_text()
TRACES = str(EXAMPLES / "traces")
CONFIG = ("-c", str(EXAMPLES / "eval_config.yaml"))


def run(output, *words):
    return agentevals("run", TRACES, "-m", "tool_trajectory_avg_score", "-o", output, *words).stdout


def with_eval_set(output):
    return run(output, "-e", str(EXAMPLES / "eval_set.json"))


@pytest.mark.parametrize("output", ["json", "report"])
def test_the_schema_that_the_page_links_holds_for_a_run(output):
    section = PAGE.split(f"\n## {output}\n")[1].split("\n## ")[0]
    (link,) = re.findall(r"\]\((\S+\.schema\.json)\)", section)
    schema = json.loads((DOCS / link).read_text())

    for written in (with_eval_set(output), run(output)):
        found = jsonschema.Draft202012Validator(schema).iter_errors(json.loads(written))

        assert list(found) == []


def test_what_the_page_says_is_added_to_the_json_is_there():
    document = json.loads(with_eval_set("json"))
    places = {
        "top level": document,
        "each trace": document["traces"][0],
        "each metric": document["traces"][0]["metrics"][0],
    }

    for place, found in places.items():
        (row,) = re.findall(rf"^\| {place} \| (.+) \|$", PAGE, re.MULTILINE)
        assert set(re.findall(r"`(\w+)`", row)) <= set(found)


def test_the_signs_of_the_table_are_those_of_the_page():
    shown = with_eval_set("table")

    for sign in "=≠-":
        assert f"| `{sign}` |" in PAGE
        assert re.search(rf"^    {sign} \w", shown, re.MULTILINE)


def test_a_run_that_fails_has_a_junit_test_that_fails():
    suites = ET.fromstring(run("junit"))

    (suite,) = suites.findall("testsuite[@name='(run)']")
    assert suite.get("errors") == "1"
