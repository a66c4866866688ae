"""The list of the agent's files, in a config of any dialect."""

import json

import pytest

from agentevals.configs.dialects import compile_plan, find_agent
from agentevals.configs.plan import Overrides
from agentevals.model.errors import ConfigError

EVALUATOR = "evaluators: [{name: tool_call_count_v1, type: builtin, max: 9}]\n"
FILES = ("agent.py", "prompts/system.md", "prompts/de/system.md", "evals/cases.json")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    for name in FILES:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("x\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write(folder, listed, name="eval_config.yaml"):
    path = folder / name
    path.write_text(f"agent: {json.dumps(listed)}\n{EVALUATOR}")
    return path


def refuse(path, overrides=None):
    with pytest.raises(ConfigError) as error:
        compile_plan(path, overrides)
    return [f"{p.line}:{p.column} {p.message}" for p in error.value.problems]


@pytest.mark.parametrize(
    ("listed", "advice"),
    [
        (["agnt.py"], " (did you mean 'agent.py'?)"),
        (["prompt/"], " (did you mean 'prompts'?)"),
        (["prompts/de/sytem.md"], " (did you mean 'prompts/de/system.md'?)"),
        (["src/**/*.ts"], " (paths are relative to this file)"),
        (["nowhere.xyz", "agent.pi"], " (did you mean 'agent.py'?)"),
        (["!agent.py"], "; '!' only excludes files, so name the files of the agent too"),
        (["agent.py", "!*.py"], ", because '!' excludes all of them"),
        (["nowhere.xyz", "!agnt.py"], " (paths are relative to this file)"),
    ],
)
def test_a_list_that_matches_no_file_is_refused_with_the_nearest_path(folder, listed, advice):
    assert refuse(write(folder, listed)) == [f"1:8 'agent' matches no file{advice}"]


def test_paths_are_relative_to_the_config_and_may_lead_up(folder):
    config = write(folder, ["agent.py"], "evals/eval_config.yaml")

    assert refuse(config) == ["1:8 'agent' matches no file (did you mean '../agent.py'?)"]
    assert not compile_plan(write(folder, ["../agent.py"], "evals/c.yaml")).agent.is_empty()


def test_all_mistakes_of_a_config_are_told_at_once(folder):
    config = folder / "c.yaml"
    config.write_text(f"jobs: 0\nagent: agnt.py\n{EVALUATOR}gate: 1\n")

    assert [text.partition(":")[0] for text in refuse(config)] == ["1", "2", "4"]


def test_a_single_pattern_that_matches_no_file_is_a_warning(folder):
    [found] = compile_plan(write(folder, ["agent.py", "!agent.txt", "promts/"])).findings

    assert (found.severity, found.line, found.column) == ("warning", 1, 35)
    assert found.message == (
        "'promts/' in 'agent' matches no file, so that no change of it counts "
        "(did you mean 'prompts'?)"
    )


def test_a_tree_that_may_lack_the_files_is_not_asked_for_them(folder):
    config = write(folder, ["dist/agent.js"])

    assert compile_plan(config, Overrides(has_agent=False)).agent.patterns == ("dist/agent.js",)


def test_nothing_outside_of_the_workspace_is_looked_at(folder):
    config = write(folder, ["../elsewhere.py", "agent.py"])

    assert refuse(config, Overrides(root=folder)) == [
        "1:9 '../elsewhere.py' leads out of the workspace; use a file in it"
    ]


TEST = {"id": "a", "input": "hi", "assertions": [{"type": "contains", "value": "x"}]}
OTHERS = {
    "suite.eval.yaml": {"tests": [TEST]},
    "test_config.json": {"criteria": {"tool_trajectory_avg_score": 1.0}},
}


@pytest.mark.parametrize("name", OTHERS)
def test_files_of_other_systems_list_them_in_an_extension(folder, name):
    path = folder / name
    path.write_text(json.dumps(OTHERS[name] | {"x-agentevals": {"agent": ["agent.py"]}}))

    assert compile_plan(path).agent == find_agent(path)
    assert find_agent(path).patterns == ("agent.py",)


@pytest.mark.parametrize(
    ("given", "mistakes"),
    [
        ({"agent": ["agnt.py"]}, ["'agent' matches no file (did you mean 'agent.py'?)"]),
        ({"agents": ["agent.py"]}, ["unknown key 'agents' (did you mean 'agent'?)"]),
        ({"agent": 3}, ["'agent' must be a list, not 3"]),
        (["agent.py"], ["'x-agentevals' must be a mapping, not a list"]),
    ],
)
@pytest.mark.parametrize("name", OTHERS)
def test_a_mistake_in_the_extension_is_refused(folder, name, given, mistakes):
    path = folder / name
    path.write_text(json.dumps(OTHERS[name] | {"x-agentevals": given}))

    assert [text.partition(" ")[2] for text in refuse(path)] == mistakes


def test_the_file_beside_json_lines_lists_them_for_all_lines(folder):
    path = folder / "suite.jsonl"
    path.write_text(json.dumps(TEST) + "\n")
    (folder / "suite.yaml").write_text("x-agentevals: {agent: [agent.py]}\n")

    assert compile_plan(path).agent.patterns == ("agent.py",)
