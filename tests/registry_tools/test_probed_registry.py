"""A registry in which every probe lies beside what is right, as its commands see it."""

import json
import socket
from pathlib import Path

import pytest
import yaml

from tests.registry_tools import registries
from tests.registry_tools.registries import FIXTURES, LEGACY, MANIFEST
from tests.registry_tools.test_probes import BROKE_THE_INDEX, PASSED_UNSEEN
from tests.support import agentevals

WRITTEN = {
    **PASSED_UNSEEN,
    **{case: (manifest, {}, rule) for case, (manifest, rule) in BROKE_THE_INDEX.items()},
}
# what is wrong beside the manifest, or is only pointed out, costs no place in the index
LISTED = {"decorator in a comment", "evil index", "compiled program", "cut author"}

READS = "import json, os, pathlib, socket, sys\njson.load(sys.stdin)\n"
SCORES = "print(json.dumps({'score': float(achieved)}))\n"
PROGRAMS = {
    "true-as-score": ("print('{\"score\": true}')", "gave the score true"),
    "list-on-stdout": ("print('[1]')", "printed [1]; one JSON object was expected"),
    "exits-with-nine": ("sys.exit(9)", "exited with code 9"),
    "sixty-megabytes": ("print('x' * 60_000_000)", "printed more than 16 MiB"),
}
TRIES = {
    "reads-the-environment": "achieved = 'SECRET' in os.environ\n",
    "writes-outside": (
        "try:\n    pathlib.Path({outside!r}).write_text('here')\n    achieved = True\n"
        "except OSError:\n    achieved = False\n"
    ),
    "calls-the-network": (
        "try:\n    socket.create_connection(('127.0.0.1', {port}), 1)\n    achieved = True\n"
        "except OSError:\n    achieved = False\n"
    ),
}


def slug(case: str) -> str:
    return "case-" + case.lower().replace(" ", "-").replace("'", "")


def command(root: Path, *words: str):
    return agentevals(
        "registry", *words, cwd=root,
        XDG_CACHE_HOME=str(root.parent / "cache"), SECRET="hunter2",
    )  # fmt: skip


def validated(root: Path, *words: str):
    done = command(root, "validate", "--format", "json", *words)
    return done.returncode, json.loads(done.stdout)["findings"]


@pytest.fixture
def listening():
    """The port of somebody who would answer."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server.getsockname()[1]


@pytest.fixture(scope="module")
def community(tmp_path_factory):
    root = tmp_path_factory.mktemp("probed") / "registry"
    for name in ("contains", "zealous"):
        text = LEGACY.format(name=name, description="Whether it does", tags="text")
        registries.write(root, name, {"evaluator.yaml": text, "fixtures.yaml": None})
    for case, (manifest, files, _) in WRITTEN.items():
        renamed = {path.replace("politeness", slug(case)): text for path, text in files.items()}
        text = manifest and manifest.replace("politeness", slug(case))
        registries.write(root, slug(case), {"evaluator.yaml": text, **renamed})
    registries.repository(root)
    return root


@pytest.fixture(scope="module")
def findings(community):
    code, found = validated(community, "--no-smoke")
    assert code == 1
    return found


@pytest.fixture(scope="module")
def compiled(community):
    done = command(community, "index")
    assert done.returncode == 0
    return done.stderr


@pytest.mark.parametrize("case", WRITTEN)
def test_each_has_its_finding_at_its_place_however_many_others_there_are(findings, case):
    home = f"evaluators/{slug(case)}"
    found = [one for one in findings if (one["path"] + "/").startswith(home + "/")]
    own = [one for one in found if one["rule"] == WRITTEN[case][2]]

    assert own
    assert all(one["line"] and one["column"] for one in own if one["path"].endswith(".yaml")
               and one["rule"] != "manifest")  # fmt: skip


def test_those_that_are_right_hear_nothing_of_the_others(findings):
    theirs = [one for one in findings if one["path"].startswith(("evaluators/contains/",
              "evaluators/zealous/"))]  # fmt: skip

    assert {one["rule"] for one in theirs} == {"complete"}


def test_the_index_has_whatever_can_be_listed_and_nothing_else(community, compiled):
    names = sorted(["contains", "zealous", *map(slug, LISTED)])
    of_json = json.loads((community / "index.json").read_text())["evaluators"]
    of_yaml = yaml.safe_load((community / "index.yaml").read_text())["evaluators"]

    assert [entry["name"] for entry in of_json] == names
    assert {"contains", "zealous"} <= {entry["name"] for entry in of_yaml} <= set(names)
    assert all(entry["path"].startswith(f"evaluators/{entry['name']}/") for entry in of_json)


@pytest.mark.parametrize("case", sorted(WRITTEN.keys() - LISTED))
def test_what_is_not_listed_is_told_in_one_line(compiled, case):
    lines = [line for line in compiled.splitlines() if f"/{slug(case)}/evaluator.yaml:" in line]

    assert len(lines) == 1
    assert ": not listed: " in lines[0]


def test_programs_are_each_held_against_what_they_do(tmp_path):
    root = tmp_path / "registry"
    for name, (body, _) in PROGRAMS.items():
        registries.write(root, name, {f"{name}.py": f"{READS}{body}\n"})
    registries.write(root, "politeness")
    code, found = validated(root)
    said = {one["path"].split("/")[1]: one["message"] for one in found
            if one["rule"] == "smoke-program"}  # fmt: skip

    assert code == 1
    assert said.keys() == PROGRAMS.keys()
    assert [name for name, (_, why) in PROGRAMS.items() if why not in said[name]] == []


def test_what_programs_try_achieves_nothing(tmp_path, listening):
    root, outside = tmp_path / "registry", tmp_path / "outside.txt"
    tmp_path.chmod(0o777)  # so that it is not its mode which protects it
    for name, attempt in TRIES.items():
        body = attempt.replace("{outside!r}", repr(str(outside))).replace("{port}", str(listening))
        expected = FIXTURES.replace("score: 1.0", "score: 0.0")
        files = {f"{name}.py": READS + body + SCORES, "fixtures.yaml": expected}
        registries.write(root, name, files)
    code, found = validated(root)

    assert (code, found) == (0, [])
    assert not outside.exists()


def test_whoever_skips_the_run_by_its_packages_is_told_to_have_skipped_it(tmp_path):
    root = tmp_path / "registry"
    loose = "--extra-index-url https://evil.example\ntorch\n"
    text = LEGACY.format(name="politeness", description="Whether it is", tags="text")
    for name, manifest in (("politeness", text), ("kindness", MANIFEST)):
        files = {"requirements.txt": loose, f"{name}.py": "1 / 0\n"}
        files["evaluator.yaml"] = manifest.replace("politeness", name)
        registries.write(root, name, files)
    code, found = validated(root)
    rules = {(one["path"].split("/")[1], one["rule"], one["severity"]) for one in found}

    assert code == 1
    assert {("kindness", "requirements", "error"), ("politeness", "requirements", "warning"),
            ("politeness", "smoke-unproven", "note")} <= rules  # fmt: skip
