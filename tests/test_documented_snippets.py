"""What the pages show is run: configs over a recording, commands in the order of the page."""

import json
import re
import shlex
import subprocess
import sys
from pathlib import Path

import jsonschema
import pytest
import yaml

from agentevals.cli import schemas
from agentevals.configs.dialects import compile_plan
from tests.servers import as_json, serve
from tests.support import DOCS, EXAMPLES, agentevals

FOLDERS = ("how-to", "tutorials", "understand")
PAGES = {page.stem: page for page in [*DOCS.glob("*.md"), DOCS.parent / "README.md"]}
PAGES |= {
    f"{folder}/{page.stem}": page
    for folder in FOLDERS
    for page in sorted((DOCS / folder).glob("*.md"))
}
PARIS = str(EXAMPLES / "traces" / "paris.jsonl")
EVAL_SET = ("--eval-set", str(EXAMPLES / "eval_set.json"), "--allow-missing")
# who runs the snippets of other pages and languages
ELSEWHERE = {
    ("frameworks", "js"): "frameworks/measuring.py",
    ("frameworks", "python"): "frameworks/measuring.py",
    ("action", "text"): "action/rules/test_approval.py",
    ("adk", "bash"): "test_documented_adk.py",
    ("adk", "json"): "test_documented_adk.py",
    ("agentv-judges", "python"): "test_documented_judges.py",
    ("agentv", "text"): "test_editors.py",
    ("changed-rules", "text"): "action/rules/test_approval.py",
    ("cluster", "python"): "recipes/test_recipes.py",
    ("configs", "json"): "test_documented_configs.py",
    ("configs", "text"): "test_documented_configs.py",
    ("doctor", "text"): "cli/commands/test_doctor.py",
    ("eval-sets", "json"): "test_documented_configs.py",
    ("eval-sets", "jsonl"): "test_documented_configs.py",
    ("evaluators", "python"): "test_documented_evaluators.py",
    ("plug-ins", "python"): "test_documented_evaluators.py",
    ("plug-ins", "toml"): "test_documented_evaluators.py",
    ("protocol", "js"): "test_documented_evaluators.py",
    ("protocol", "json"): "test_documented_evaluators.py",
    ("how-to/cache", "python"): "walkthroughs/test_how_to.py",
    ("how-to/evaluator-with-a-dependency", "python"): "walkthroughs/test_how_to.py",
    ("how-to/evaluator-with-a-dependency", "text"): "walkthroughs/test_how_to.py",
    ("how-to/evaluator-with-a-key", "python"): "walkthroughs/test_how_to.py",
    ("how-to/other-ci", "groovy"): "walkthroughs/test_how_to.py",
    ("how-to/private-registry", "text"): "evaluator/test_github_source.py",
    ("how-to/from-adk", "bash"): "test_documented_adk.py",
    ("how-to/from-uipath", "bash"): "test_documented_uipath.py",
    ("how-to/upgrade", "text"): "test_action_yml.py",
    ("index", "text"): "test_examples.py",
    ("isolation", "console"): "cli/commands/test_sandbox.py",
    ("isolation", "text"): "sandbox/test_documented.py",
    ("output", "text"): "cli/commands/test_explain.py",
    ("python", "python"): "cli/test_python_api.py",
    ("reference", "text"): "test_reference.py",
    ("registry", "text"): "test_documented_registry.py",
    ("scale", "python"): "cluster/test_documented.py",
    ("trace-origin", "text"): "action/test_kept_traces.py",
    ("tutorials/evaluator-author", "python"): "walkthroughs/test_tutorials.py",
    ("tutorials/first-pull-request", "python"): "walkthroughs/test_tutorials.py",
    ("understand/pairing", "python"): "walkthroughs/test_tutorials.py",
    ("uipath", "bash"): "test_documented_uipath.py",
    ("registry-maintainers", "text"): "test_documented_registry.py",
    ("move-your-registry", "text"): "registry_tools/test_move.py",
    ("protected-main", "text"): "registry_tools/index/test_index_places.py",
    ("protected-main", "json"): "registry_tools/index/test_index_places.py",
}
HERE = {"yaml", "console", "sh"}


def snippets(page, *languages):
    fences = rf"^```(?:{'|'.join(languages)})\n(.*?)^```"
    return re.findall(fences, PAGES[page].read_text(), re.DOTALL | re.MULTILINE)


# workflows are checked by test_documented_workflows.py, other files in tests/walkthroughs
CONFIGS = [
    (page, text)
    for page in PAGES
    for text in snippets(page, "yaml")
    if "\nevaluators:" in text or "\ntests:" in text
]


def commands(page):
    """The lines of a page that people type, without what is printed."""
    for text in snippets(page, "console", "sh"):
        for line in text.splitlines():
            if line.startswith("$ ") or "```sh" in PAGES[page].read_text():
                yield shlex.split(line.removeprefix("$ "), comments=True)


def test_every_snippet_is_run_by_a_test():
    fences = [
        (page, language)
        for page, path in PAGES.items()
        for language in re.findall(r"^```(\w+)$", path.read_text(), re.MULTILINE)
    ]

    unknown = {each for each in fences if each[1] not in HERE and each not in ELSEWHERE}
    assert unknown == set()
    assert [
        name for name in ELSEWHERE.values() if not (Path(__file__).parent / name).is_file()
    ] == []


@pytest.mark.parametrize(
    ("page", "text"),
    [(page, text) for page in PAGES for text in snippets(page, "yaml", "python", "js", "toml")],
)
def test_every_file_that_is_shown_begins_with_its_name(page, text):
    assert re.match(r"(#|//) [\w./-]+\.(yaml|yml|py|js|mjs|toml)\n", text)


def file_name(text):
    return text.splitlines()[0].removeprefix("# ")


@pytest.mark.parametrize(("page", "text"), CONFIGS)
def test_every_config_is_accepted_without_a_remark(tmp_path, page, text):
    config = tmp_path / file_name(text)
    config.parent.mkdir(parents=True, exist_ok=True)
    config.write_text(text)
    (config.parent / "eval_set.json").write_bytes((EXAMPLES / "eval_set.json").read_bytes())
    for name in ("agent.py", "prompts/system.md", "tools/search.py", "data/words.txt"):
        (config.parent / name).parent.mkdir(exist_ok=True)
        (config.parent / name).write_text("")
    (tmp_path / "shared/prompts").mkdir(parents=True)
    (tmp_path / "shared/prompts/system.md").write_text("")

    assert compile_plan(config).findings == ()


@pytest.mark.parametrize(("page", "text"), [each for each in CONFIGS if "\ntests:" not in each[1]])
def test_every_config_fits_the_schema_that_editors_use(page, text):
    schema = json.loads(schemas.path("eval_config").read_text())

    found = jsonschema.Draft202012Validator(schema).iter_errors(yaml.safe_load(text))

    assert list(found) == []


@pytest.mark.parametrize("text", snippets("graders", "yaml"))
def test_every_config_of_the_graders_page_grades_a_recording(tmp_path, text):
    config = tmp_path / "eval_config.yaml"
    config.write_text(text)

    done = agentevals("run", PARIS, *EVAL_SET, "-c", str(config), "-o", "json")

    (trace,) = json.loads(done.stdout)["traces"]
    assert trace["metrics"]
    assert {metric["error"] for metric in trace["metrics"]} == {None}


@pytest.mark.parametrize("text", snippets("judge", "yaml"))
def test_every_config_of_the_judge_page_asks_the_judge(tmp_path, text):
    config = yaml.safe_load(text)
    with serve(lambda seen: as_json({"error": {"message": "overloaded"}}, 400)) as server:
        judge = {"model": "gpt-4o-mini"} | config.get("judge", {}) | {"base_url": server.url}
        judge |= {"api_key_env": "SECRET", "cache": False}
        (tmp_path / "c.yaml").write_text(json.dumps(config | {"judge": judge}))
        done = agentevals(
            *("run", PARIS, *EVAL_SET, "-c", str(tmp_path / "c.yaml"), "-o", "json"),
            SECRET="sk-secret",
        )

    (trace,) = json.loads(done.stdout)["traces"]
    assert server.seen[0].headers["authorization"] == "Bearer sk-secret"
    assert "overloaded" in trace["metrics"][0]["error"]
    assert "sk-secret" not in done.stdout + done.stderr


def typed(words, cwd, **variables):
    """A line as a shell would run it: with its own patterns expanded."""
    path = f"{Path(sys.executable).parent}:/usr/bin:/bin"
    return subprocess.run(
        ["/bin/sh", "-c", " ".join(w if "*" in w else shlex.quote(w) for w in words)],
        capture_output=True,
        text=True,
        check=False,
        cwd=cwd,
        env={"PATH": path, "HOME": str(cwd), "LANG": "C.UTF-8", **variables},
    )


@pytest.fixture
def scored(tmp_path):
    """A folder with all that the commands of the page about judges name, but a judge."""
    (tmp_path / "traces").mkdir()
    (tmp_path / "traces" / "my_trace.json").write_bytes(Path(PARIS).read_bytes())
    (tmp_path / "eval_set.json").write_bytes((EXAMPLES / "eval_set.json").read_bytes())
    (tmp_path / "eval_config.yaml").write_text(
        "eval_set: eval_set.json\ngate: {allow_missing: true}\n"
        "evaluators: [{name: tool_trajectory_avg_score, type: builtin}]\n"
    )
    return tmp_path


# those of other pages are typed in tests/walkthroughs
@pytest.mark.parametrize("words", list(commands("judge")))
def test_the_commands_of_the_page_about_judges_work(scored, words):
    if words[0] == "export":
        name, _, value = words[1].partition("=")
        assert name in PAGES["judge"].read_text()
        assert value == "…"
        return

    done = typed(words, scored)

    assert done.returncode == 0, (words, done.stdout, done.stderr)


def test_init_prints_what_the_page_shows(tmp_path):
    (text,) = (text for text in snippets("evaluators", "console") if " init " in text)
    command, *printed = text.splitlines()

    done = typed(shlex.split(command.removeprefix("$ ")), tmp_path)

    assert done.stdout.splitlines()[: len(printed)] == printed


def test_record_sets_the_variables_of_the_page(tmp_path):
    table = re.findall(
        r"^\| (`OTEL[^|]+) \| ([^|]+) \|$", PAGES["recording"].read_text(), re.MULTILINE
    )
    described = {name: value for names, value in table for name in re.findall(r"`(\w+)`", names)}
    dump = "import json, os; print(json.dumps(dict(os.environ)))"

    done = agentevals("record", "-o", str(tmp_path / "t"), "--", sys.executable, "-c", dump)

    env = json.loads(done.stdout)
    assert len(described) >= 6
    for name, value in described.items():
        if "receiver" in value:
            assert env[name].startswith("http://127.0.0.1:")
        else:
            assert f"`{env[name]}`" in value
