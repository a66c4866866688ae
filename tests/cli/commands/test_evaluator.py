import json
import logging
import os
import shutil
import subprocess
import sys

import pytest
import yaml
from typer.testing import CliRunner

from agentevals.cli.commands.evaluator import app
from agentevals.configs.dialects import compile_plan
from agentevals.evaluator import sources
from agentevals.evaluator.sources import EvaluatorInfo, EvaluatorSource, register_source
from agentevals.graders import BUILTINS
from agentevals.model.errors import InputError, UnavailableError
from agentevals.sandbox.program_runtimes import find_node
from tests.servers import reply, serve
from tests.support import agentevals


@pytest.fixture(autouse=True)
def quiet():
    """What a command logs goes where its stderr went, which is closed after it."""
    ours = logging.getLogger("agentevals")
    before = ours.handlers, ours.propagate, ours.level
    yield
    ours.handlers, ours.propagate = before[:2]
    ours.setLevel(before[2])


def run(*args, raises=None):
    result = CliRunner().invoke(app, args)
    if raises:
        assert isinstance(result.exception, raises), result.exception
        return str(result.exception)
    assert result.exception is None, result.exception
    return result.stdout


def execute(command, message):
    env = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    done = subprocess.run(
        command, input=json.dumps(message), env=env, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


MESSAGE = {
    "metric_name": "x",
    "invocations": [
        {"invocation_id": "1", "final_response": "Hello"},
        {"invocation_id": "2", "final_response": None},
    ],
}


@pytest.mark.parametrize(
    ("args", "file", "language"),
    [
        (["my-eval"], "my-eval/my-eval.py", "python"),
        (["2nd"], "2nd/2nd.py", "python"),
        (["class"], "class/class.py", "python"),
        (["a", "--runtime", "py"], "a/a.py", "python"),
        (["a", "-r", "js"], "a/a.js", "javascript"),
        (["input", "-r", "javascript"], "input/input.js", "javascript"),
        (["a", "--runtime", "ts"], "a/a.ts", "typescript"),
        (["a.ts", "--runtime", "py"], "a/a.ts", "typescript"),
        (["a.js"], "a/a.js", "javascript"),
    ],
)
def test_init_writes_a_program_that_works_as_it_stands(tmp_path, args, file, language):
    said = run("init", *args, "-o", str(tmp_path))

    program = tmp_path / file
    interpreter = sys.executable if language == "python" else find_node()
    answer = execute([interpreter, program], MESSAGE)
    assert (answer["score"], answer["per_invocation_scores"]) == (0.5, [1, 0])
    assert str(program) in said
    manifest = yaml.safe_load(program.with_name("evaluator.yaml").read_text())
    assert list(manifest)[:4] == ["name", "description", "language", "entrypoint"]
    assert (manifest["language"], manifest["entrypoint"]) == (language, program.name)
    assert manifest["name"] == program.stem


@pytest.mark.parametrize("runtime", ["py", "js", "ts"])
def test_the_hint_of_init_can_be_pasted_into_a_shell(tmp_path, runtime):
    said = run("init", "my-eval", "-r", runtime, "-o", str(tmp_path / "my own"))

    hint = next(row.partition(":")[2] for row in said.splitlines() if row.startswith("try it:"))
    nothing_on_path = {"PATH": str(tmp_path)}
    words = [shutil.which("sh"), "-c", hint]
    answer = subprocess.run(words, capture_output=True, text=True, check=True, env=nothing_on_path)
    assert json.loads(answer.stdout)["score"] == 1


@pytest.mark.parametrize("where", [".", "evaluators", "my own: evaluators"])
def test_the_config_on_the_page_that_init_writes_leads_to_the_program(tmp_path, where):
    assert agentevals("evaluator", "init", "my_eval", "-o", where, cwd=tmp_path).returncode == 0
    page = (tmp_path / where / "my_eval" / "README.md").read_text()
    text = page.split("```yaml\n")[1].split("```")[0]
    name = text.splitlines()[0].removeprefix("# ")
    (tmp_path / name).write_text(text)

    done = agentevals("validate", name, cwd=tmp_path)

    assert done.returncode == 0, done.stdout


def test_init_does_not_overwrite_anything(tmp_path):
    run("init", "mine", "-o", str(tmp_path))
    (tmp_path / "mine" / "mine.py").write_text("precious")

    said = run("init", "mine", "-o", str(tmp_path), raises=InputError)

    assert "exists already" in said
    assert (tmp_path / "mine" / "mine.py").read_text() == "precious"


@pytest.mark.parametrize("name", ["x" * 300, "fine"])
def test_init_says_where_it_cannot_write(tmp_path, name):
    (tmp_path / "file").touch()

    said = run("init", name, "-o", str(tmp_path / "file"), raises=InputError)

    assert "cannot be written to: " in said


@pytest.mark.parametrize("name", ["../mine", "a/b", "", ".py", "a b", "é"])
def test_init_takes_names_that_a_registry_takes(tmp_path, name):
    assert "cannot be an evaluator's name" in run(
        "init", name, "-o", str(tmp_path), raises=InputError
    )


@pytest.mark.parametrize(
    ("words", "code"),
    [(["politeness"], 0), (["2nd"], 1)],
)
def test_what_init_writes_passes_the_check_that_it_names(tmp_path, words, code):
    around = {"XDG_CACHE_HOME": str(tmp_path / "cache")}
    done = agentevals("evaluator", "init", *words, cwd=tmp_path, **around)
    hint = next(row for row in done.stdout.splitlines() if row.startswith("check it:"))
    checked = agentevals(*hint.split()[3:], cwd=tmp_path, **around)

    assert checked.returncode == code, checked.stdout
    assert (" error: " in checked.stdout) == (code == 1)
    assert ("no registry takes this name" in done.stderr) == (code == 1)


@pytest.mark.parametrize("name", ["class", "2nd", "Loud", "a", "response_match_score"])
def test_init_says_at_once_that_no_registry_takes_a_name(tmp_path, name):
    result = CliRunner().invoke(app, ["init", name, "-o", str(tmp_path)])

    assert (tmp_path / name / "evaluator.yaml").is_file()
    assert result.stderr.startswith("agentevals: no registry takes this name: ")


def test_init_knows_its_languages(tmp_path):
    said = run("init", "a", "--runtime", "pyhton", "-o", str(tmp_path), raises=InputError)

    assert said == "unknown runtime 'pyhton' (did you mean 'python'?)"


class Registry(EvaluatorSource):
    """A registry of one entry, or one that is closed."""

    def __init__(self, name="github", *, is_open=True):
        self._name, self._is_open = name, is_open

    @property
    def source_name(self):
        return self._name

    async def list_evaluators(self):
        if not self._is_open:
            msg = "example.org: is closed"
            raise UnavailableError(msg)
        return [
            EvaluatorInfo(
                name="shout",
                description="Loud\x1b[31m words " + "x" * 200,
                source=self._name,
                language="python",
                ref="evaluators/shout/shout.py",
                last_updated="2026-03-26T10:00:00Z",
            )
        ]

    async def fetch_evaluator(self, ref, dest):
        return dest


@pytest.fixture
def registry():
    yield from registered(Registry())


@pytest.fixture
def closed_registry():
    yield from registered(Registry(is_open=False))


def registered(source):
    register_source(source)
    yield source
    sources._registered.remove(source)


def test_list_shows_builtins_and_registries(registry):
    said = run("list")

    assert said.splitlines()[0].split() == ["NAME", "SOURCE", "UPDATED", "DESCRIPTION"]
    assert "\x1b" not in said
    shout = next(row for row in said.splitlines() if row.startswith("shout"))
    assert shout.split()[:3] == ["shout", "github", "2026-03-26"]
    assert shout.endswith("[python]")
    assert said.endswith(f"{len(BUILTINS) + 1} evaluator(s) found.\n")


def test_list_of_one_source(closed_registry):
    said = run("list", "--source", "builtin", "--json")

    assert {info["name"] for info in json.loads(said)} == set(BUILTINS)


def test_list_survives_a_registry_that_does_not_answer(closed_registry):
    result = CliRunner().invoke(app, ["list", "--json"])

    assert result.exit_code == 0
    assert len(json.loads(result.stdout)) == len(BUILTINS)
    assert "source 'github': example.org: is closed" in result.stderr


def test_list_of_a_registry_that_does_not_answer_is_an_error(closed_registry):
    assert run("list", "--source", "github", raises=UnavailableError) == "example.org: is closed"


def test_list_names_the_sources_it_knows(registry):
    said = run("list", "--source", "githbu", raises=InputError)

    assert said == "unknown source 'githbu' (did you mean 'github'?)"


LISTED = {
    "name": "contains",
    "description": "Says the words",
    "language": "python",
    "path": "evaluators/contains/contains.py",
    "tags": ["text"],
    "version": "1.2.0",
    "license": "Apache-2.0",
    "capabilities": {"network": ["example.org"], "subprocess": True},
    "config_schema": {
        "required": ["words"],
        "properties": {"words": {"type": "array"}, "all": {"type": "boolean", "default": False}},
    },
    "deprecated": "there is a better one",
    "replaced_by": "says",
    "aliases": ["includes"],
    "maintainers": [{"login": "someone", "id": 7}],
}
OLD = {"name": "equals", "description": "Is the same", "path": "evaluators/equals/equals.py"}
GONE = {**OLD, "name": "gone", "yanked": "it was wrong"}
HOSTILE = {"name": "z\x1b[31m;reboot", "path": "evaluators/other/other.py"}


@pytest.fixture
def published(monkeypatch, tmp_path):
    """A registry on a web server, and no other but the builtins."""
    content = json.dumps({"evaluators": [LISTED, OLD, GONE, HOSTILE]}).encode()

    def answer(seen):
        return reply(200, content) if seen.path == "/r/index.json" else reply(404)

    with serve(answer) as server:
        monkeypatch.setenv("AGENTEVALS_CACHE", str(tmp_path / "cache"))
        monkeypatch.setenv("AGENTEVALS_EVALUATOR_INDEX", f"{server.url}/r/index.json")
        yield server


def test_list_shows_versions_and_what_should_not_be_used(published):
    rows = run("list", "--source", "https").splitlines()

    assert rows[0].split() == ["NAME", "VERSION", "SOURCE", "UPDATED", "DESCRIPTION"]
    assert rows[1].split()[:4] == ["contains", "1.2.0", "https", "(deprecated)"]
    assert "(withdrawn)" in rows[3]


def test_list_for_programs_has_the_same_keys_for_all(published):
    infos = json.loads(run("list", "--json", "--source", "https"))
    builtin = json.loads(run("list", "--json", "--source", "builtin"))

    assert infos[0].keys() == builtin[0].keys()
    assert infos[0]["license"] == "Apache-2.0"
    assert infos[0]["capabilities"] == {"network": ["example.org"], "subprocess": True}


@pytest.mark.parametrize(
    ("words", "names"),
    [
        (["TEXT"], ["contains"]),
        (["includes"], ["contains"]),
        (["is", "same"], ["equals", "gone"]),
        (["nothing-like-it"], []),
    ],
)
def test_search_finds_all_words_anywhere(published, words, names):
    found = json.loads(run("search", *words, "--source", "https", "--json"))

    assert [info["name"] for info in found] == names


def test_show_says_everything(published):
    said = run("show", "contains", "--source", "https")

    assert said.startswith("contains 1.2.0\nSays the words\n")
    for part in (
        "license       Apache-2.0",
        "may           network: example.org; subprocess",
        "config        words (list, required), all (true or false, default false)",
        "deprecated    there is a better one",
        "use instead   says",
        "maintainers   someone",
        "use it:  agentevals evaluator config contains",
    ):
        assert part in said


def test_config_has_what_is_required(published):
    (entry,) = yaml.safe_load(run("config", "contains"))["evaluators"]

    assert entry["config"] == {"words": []}


def test_show_has_nothing_to_paste_that_would_do_something_else(published):
    said = run("show", HOSTILE["name"], "--source", "https")

    assert "\x1b" not in said
    assert said.splitlines()[-1].endswith(" config 'z␛[31m;reboot'")


@pytest.mark.parametrize("name", ["contains", "includes"])
def test_show_for_programs(published, name):
    said = json.loads(run("show", name, "--source", "https", "--json"))

    assert (said["name"], said["version"], said["source"]) == ("contains", "1.2.0", "https")
    assert said["config_schema"] == LISTED["config_schema"]


def test_show_of_a_builtin():
    assert "source        builtin" in run("show", "cost_v1", "--source", "builtin")


def test_show_of_an_unknown_name_offers_the_nearest(published):
    said = run("show", "contians", "--source", "https", raises=InputError)

    assert said == "unknown evaluator 'contians' (did you mean 'contains'?)"


def test_offline_lists_what_was_seen_before(published, monkeypatch):
    monkeypatch.setenv("AGENTEVALS_OFFLINE", "")
    run("list", "--source", "https")
    asked = len(published.seen)

    assert "contains" in run("list", "--source", "https", "--offline")
    assert len(published.seen) == asked


@pytest.mark.parametrize("source", ["https", "file"])
def test_a_source_that_is_not_set_up_says_what_it_needs(source, monkeypatch):
    monkeypatch.delenv("AGENTEVALS_EVALUATOR_INDEX", raising=False)
    monkeypatch.delenv("AGENTEVALS_EVALUATOR_FOLDER", raising=False)

    assert "set AGENTEVALS_EVALUATOR_" in run("list", "-s", source, raises=InputError)


def test_config_of_a_builtin():
    said = yaml.safe_load(run("config", "tool_trajectory_avg_score", "-t", "0.8"))

    assert said == {
        "evaluators": [{"name": "tool_trajectory_avg_score", "type": "builtin", "threshold": 0.8}]
    }


@pytest.mark.parametrize("name", BUILTINS)
def test_config_of_every_builtin_is_a_config(tmp_path, name):
    path = tmp_path / "eval_config.yaml"
    path.write_text(run("config", name))

    (grader,) = compile_plan(path).graders
    assert grader.name == name


def test_config_says_what_an_evaluator_needs():
    said = run("config", "final_response_match_v2")

    assert "# needs a judge" in said
    assert "# needs an eval set" in said


def test_config_of_a_remote_evaluator(registry):
    (entry,) = yaml.safe_load(run("config", "shout"))["evaluators"]

    assert entry == {
        "name": "shout",
        "type": "remote",
        "source": "github",
        "ref": "evaluators/shout/shout.py",
        "threshold": 0.5,
    }


def test_config_of_an_own_evaluator(tmp_path):
    program = tmp_path / "mine.py"
    program.touch()

    (entry,) = yaml.safe_load(run("config", "mine", "--path", str(program)))["evaluators"]

    assert entry == {"name": "mine", "type": "code", "path": str(program), "threshold": 0.5}


def test_config_of_a_program_that_is_not_there(tmp_path):
    assert "does not exist" in run("config", "m", "-p", str(tmp_path / "m.py"), raises=InputError)


def test_config_of_an_unknown_evaluator(registry):
    assert "did you mean 'shout'" in run("config", "shut", raises=InputError)


def test_runtimes_says_what_was_found_and_what_is_missing(monkeypatch):
    monkeypatch.setenv("DOCKER_HOST", "unix:///nowhere")
    said = run("runtimes")

    assert sys.executable in said
    assert str(find_node()) in said
    assert "docker       no container engine answers at /nowhere; start Docker" in said
    assert "local        available" in said


def test_a_mistake_ends_with_2_and_one_sentence(tmp_path):
    done = subprocess.run(
        [sys.executable, "-m", "agentevals", "evaluator", "init", "a/b"],
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
    )

    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.startswith("agentevals: 'a/b' cannot be an evaluator's name")
