"""Every evaluator of ours scores what its fixtures say, in the sandbox and by what users run."""

import json
import shutil
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

from agentevals.custom_evaluators import Permissions, SubprocessBackend
from agentevals.evaluator import manifest
from agentevals.model.cases import Grade
from agentevals.sandbox import wire
from agentevals_evaluator_sdk import EvalInput
from registry_tools.manifests import fixtures as smoke
from registry_tools.manifests.fixtures import Fixture
from tests.registry_tools import registries
from tests.support import EXAMPLES, agentevals

EVALUATORS = Path(__file__).parents[1] / "evaluators"
FOLDERS = sorted(path for path in EVALUATORS.iterdir() if (path / manifest.FILE).is_file())
NAMES = [folder.name for folder in FOLDERS]


def fixtures(folder: Path) -> tuple[Fixture, ...]:
    path = folder / "fixtures.yaml"
    found = smoke.read(path.read_bytes(), str(path))
    assert not found.problems, found.problems
    return found.fixtures


FIXTURES = [
    pytest.param(folder, fixture, id=f"{folder.name}-{fixture.name}")
    for folder in FOLDERS
    for fixture in fixtures(folder)
]


def written(folder: Path) -> dict[str, Any]:
    return yaml.safe_load((folder / manifest.FILE).read_text())


def judged(folder: Path, message: EvalInput) -> Grade:
    backend = SubprocessBackend(folder / written(folder)["entrypoint"])
    answer = backend.exchange(message.model_dump_json().encode(), folder.name, Permissions())
    return wire.read_grade(answer.stdout, name=folder.name)


def usual(folder: Path, **settings: Any) -> EvalInput:
    """What its first fixture gives it, with other settings."""
    message = fixtures(folder)[0].build_input(folder.name)
    return message.model_copy(update={"config": {**message.config, **settings}})


@pytest.mark.parametrize(("folder", "fixture"), FIXTURES)
def test_a_fixture_scores_what_it_says(folder, fixture):
    grade = judged(folder, fixture.build_input(folder.name))

    wanted = fixture.expect
    assert grade.score == pytest.approx(wanted.score, abs=wanted.tolerance), grade
    assert (grade.status or None) == wanted.status, grade
    assert grade.reasoning or grade.misses or grade.score > 0.5, "it says what is missing"


@pytest.mark.parametrize("folder", FOLDERS, ids=NAMES)
def test_a_config_that_is_right_is_described_as_right(folder):
    schema = written(folder)["config_schema"]
    jsonschema.Draft202012Validator.check_schema(schema)

    for fixture in fixtures(folder):
        if fixture.expect.status != "NOT_EVALUATED":
            jsonschema.validate(fixture.config, schema)


@pytest.mark.parametrize("folder", FOLDERS, ids=NAMES)
def test_an_unknown_setting_is_refused(folder):
    grade = judged(folder, usual(folder, no_such_setting=1))

    assert grade.status == "NOT_EVALUATED"
    assert "no_such_setting" in grade.reasoning


SETTINGS = [
    pytest.param(folder, setting, id=f"{folder.name}-{setting}")
    for folder in FOLDERS
    for setting in written(folder)["config_schema"]["properties"]
]


@pytest.mark.parametrize(("folder", "setting"), SETTINGS)
def test_a_setting_of_the_wrong_kind_is_refused(folder, setting):
    grade = judged(folder, usual(folder, **{setting: {"no": ["such", "thing"]}}))

    assert grade.status == "NOT_EVALUATED"
    assert f"config.{setting}" in grade.reasoning


@pytest.mark.parametrize("folder", FOLDERS, ids=NAMES)
def test_a_manifest_is_complete_and_asks_for_nothing(folder):
    found = manifest.convert(written(folder))

    assert (found.name, manifest.rate_level(found)) == (folder.name, "complete")
    assert found.capabilities == manifest.Capabilities()
    assert found.deterministic


@pytest.mark.parametrize("folder", FOLDERS, ids=NAMES)
def test_fixtures_pass_fail_and_cannot_be_judged(folder):
    found = [fixture.expect for fixture in fixtures(folder)]

    assert len(found) >= 3
    assert max(each.score for each in found) == 1
    assert min(each.score for each in found) < 1
    assert any(each.status == "NOT_EVALUATED" for each in found)


@pytest.mark.parametrize("folder", FOLDERS, ids=NAMES)
def test_a_page_describes_every_setting_and_shows_a_config_that_is_right(folder):
    page = (folder / "README.md").read_text()
    found = written(folder)
    (entry,) = yaml.safe_load(page.split("```yaml\n")[1].split("```")[0])["evaluators"]

    assert all(f"| `{setting}` |" in page for setting in found["config_schema"]["properties"])
    assert found["description"] in page
    assert entry["ref"] == f"evaluators/{folder.name}/{found['entrypoint']}"
    jsonschema.validate(entry["config"], found["config_schema"])


def test_the_list_of_evaluators_is_the_list_of_folders():
    page = (EVALUATORS / "README.md").read_text()

    rows = [
        f"| [{name}]({name}/) | {found['language']} | {', '.join(found['tags'])} "
        f"| {found['description']} |"
        for name, found in ((folder.name, written(folder)) for folder in FOLDERS)
    ]
    assert [line for line in page.splitlines() if line.startswith("| [")] == rows


HUGE = "a1 é. " * 200_000
UNICODE = "\u0000 \u202e \ufeff \U0001d538 e\u0301 " + "\U0001f600" * 500
CALL = {"name": UNICODE, "args": {UNICODE: [None, True, {"": 1e308}]}}
HOSTILE: dict[str, dict[str, Any]] = {
    "nothing": {},
    "an_empty_turn": {"invocations": [{}], "expected_invocations": None},
    "unicode": {
        "invocations": [
            {"final_response": UNICODE, "intermediate_steps": {"tool_calls": [CALL]}},
        ],
        "expected_invocations": [{"final_response": UNICODE}] * 3,
    },
    "huge": {
        "invocations": [{"user_content": HUGE, "final_response": HUGE}],
        "expected_invocations": [{"final_response": HUGE[1:]}],
    },
    "one_word": {"invocations": [{"final_response": "a" * 1_000_000}]},
    "many_turns": {
        "invocations": [{"final_response": "Hi", "intermediate_steps": {"tool_calls": [CALL]}}]
        * 2_000
    },
    "odd_figures": {
        "invocations": [
            {
                "performance_metrics": {"latency": [], "tokens": {"total": "x"}, "cost": {}},
                "turn_performance_metrics": {"latency": {"overall": {"max": None}}},
            }
        ]
    },
}


@pytest.mark.parametrize("what", HOSTILE)
@pytest.mark.parametrize("folder", FOLDERS, ids=NAMES)
def test_nothing_makes_it_fall_over(folder, what):
    given = {"metric_name": folder.name, "config": usual(folder).config, **HOSTILE[what]}

    grade = judged(folder, EvalInput.model_validate(given))

    assert 0 <= grade.score <= 1


def test_a_leak_is_not_leaked_once_more():
    leaks = ["ada.lovelace@example.org", "4111 1111 1111 1111", "ghp_" + "a1" * 18]
    turns = [{"final_response": leak} for leak in leaks]

    grade = judged(EVALUATORS / "pii_leak", EvalInput(metric_name="pii", invocations=turns))

    assert grade.per_turn == (0, 0, 0)
    assert not any(leak[4:] in str(grade) for leak in leaks)


def test_all_of_them_in_a_config(tmp_path):
    entries = []
    for folder in FOLDERS:
        path = str(folder / written(folder)["entrypoint"])
        entry = {"name": folder.name, "type": "code", "path": path}
        entries.append({**entry, "config": usual(folder).config})
    (tmp_path / "eval_config.yaml").write_text(yaml.safe_dump({"evaluators": entries}))

    done = agentevals(
        *("run", str(EXAMPLES / "traces" / "paris.jsonl")),
        *("-c", "eval_config.yaml", "--eval-set", str(EXAMPLES / "eval_set.json"), "-o", "json"),
        cwd=tmp_path,
    )

    (trace,) = json.loads(done.stdout)["traces"]
    assert {each["metric_name"]: each["error"] for each in trace["metrics"]} == dict.fromkeys(NAMES)


@pytest.fixture(scope="module")
def published(tmp_path_factory):
    """Our evaluators as a registry of their own, and its index as the command compiles it."""
    root = tmp_path_factory.mktemp("ours")
    ignored = shutil.ignore_patterns("__pycache__", ".*")
    shutil.copytree(EVALUATORS, root / "evaluators", ignore=ignored)
    registries.repository(root)
    done = agentevals("registry", "index", cwd=root)
    assert (done.returncode, done.stderr) == (0, "")
    return root


def test_the_command_finds_nothing_to_say(published):
    words = ("registry", "validate", "--level", "complete")
    done = agentevals(*words, cwd=published, XDG_CACHE_HOME=str(published / ".cache"))

    assert done.stdout == f"{len(FOLDERS)} evaluators checked: nothing to say\n", done.stderr


def test_all_of_them_are_listed_in_three_languages(published):
    listed = json.loads((published / "index.json").read_text())["evaluators"]

    assert [entry["name"] for entry in listed] == NAMES
    assert len(listed) >= 15
    assert {entry["language"] for entry in listed} == {"python", "javascript", "typescript"}
