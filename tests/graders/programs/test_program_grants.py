"""What a config grants by name is what a program has: no more, and nothing else."""

import json
from pathlib import Path

import pytest
import yaml

from agentevals.evaluator.evaluator_manifest import Capabilities
from agentevals.graders.grader import Services
from agentevals.graders.grading import grade_case
from agentevals.graders.programs.code import Code
from agentevals.graders.programs.program_grants import Grants, Target, lend, list_surplus, narrow
from agentevals.model.errors import EvaluatorError, InputError
from tests.graders.llm.questions.scripted import ScriptedJudge
from tests.support import EXAMPLES, agentevals, case

[TRACE, *_] = sorted((EXAMPLES / "traces").iterdir())
SECRET = "s3cret-of-the-step"
PREDECESSOR = """\
import json, os, sys
asked = json.load(sys.stdin)
key = os.environ["MODEL_KEY"]
with open("data/golden.json") as file:
    golden = json.load(file)
print(json.dumps({"score": 1.0, "details": {"golden": golden, "why": f"asked with {key}"}}))
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    for name in ("data", "evals", ".git"):
        (tmp_path / name).mkdir()
    (tmp_path / "data" / "golden.json").write_text('["Paris"]')
    (tmp_path / "data" / "other.json").write_text("[]")
    (tmp_path / ".env").write_text("TOKEN=x")
    (tmp_path / "evals" / "old.py").write_text(PREDECESSOR)
    return tmp_path


def write(project: Path, text: str = "", **keys: object) -> None:
    if text:
        (project / "evals" / "old.py").write_text(text)
    entry = {"name": "old", "type": "code", "path": "evals/old.py", **keys}
    (project / "eval_config.yaml").write_text(yaml.safe_dump({"evaluators": [entry]}))


def run(project: Path, *options: str, key: str | None = SECRET):
    words = ("run", str(TRACE), "--config", "eval_config.yaml", *options)
    return agentevals(*words, cwd=project, **({"MODEL_KEY": key} if key else {}))


def test_the_first_error_names_both_lines_that_an_evaluator_of_the_predecessor_needs(
    project: Path,
) -> None:
    write(project)

    shown = " ".join(run(project).stdout.split())

    assert "KeyError: 'MODEL_KEY'" in shown
    assert "Add `env: [MODEL_KEY]` and `files: [data/golden.json]` to this evaluator" in shown


def test_with_these_two_lines_it_runs_and_no_output_has_the_value(project: Path) -> None:
    write(project, env=["MODEL_KEY"], files=["data/golden.json"])

    done = run(project, "-o", "json", "--output-file", "markdown=report.md")

    told = json.loads(done.stdout)
    assert done.returncode == 0, done.stderr
    assert '"golden": ["Paris"]' in json.dumps(told)
    assert "asked with ***" in json.dumps(told)
    assert SECRET not in done.stdout + done.stderr + (project / "report.md").read_text()


def test_an_error_hides_the_value_too(project: Path) -> None:
    write(project, "import os, sys; sys.exit('no: ' + os.environ['MODEL_KEY'])", env=["MODEL_KEY"])

    done = run(project)

    assert "no: ***" in done.stdout
    assert SECRET not in done.stdout + done.stderr


def test_a_variable_that_is_not_set_is_said(project: Path) -> None:
    write(project, env=["MODEL_KEY"])

    done = run(project, key=None)

    assert "'env' grants MODEL_KEY, which is not set here" in done.stdout
    assert done.returncode == 2


def test_no_other_variable_and_no_other_file_comes_with_them(project: Path) -> None:
    text = f"""\
import json, os
found = [name for name in os.environ if name == "HOSTILE"]
for path in ({str(project / "data/other.json")!r}, {str(project / ".env")!r}, "data/other.json"):
    try: open(path); found.append(path)
    except OSError: pass
try: open({str(project / "data/golden.json")!r}, "a"); found.append("written")
except OSError: pass
print(json.dumps({{"score": float(not found), "details": {{"found": found}}}}))
"""
    write(project, text, env=["MODEL_KEY"], files=["data/golden.json"])

    assert run(project).returncode == 0, run(project, "-o", "json").stdout


@pytest.mark.parametrize(
    ("keys", "said"),
    [
        ({"env": ["GITHUB_TOKEN"]}, "'GITHUB_TOKEN' belongs to the machine or to the job"),
        ({"env": ["LD_PRELOAD"]}, "'LD_PRELOAD' belongs to the machine"),
        ({"env": ["A B"]}, "'A B' is not the name of a variable"),
        ({"files": ["/etc/passwd"]}, "'/etc/passwd' lies outside of the project"),
        ({"files": ["../x"]}, "'../x' lies outside of the project"),
        ({"files": [".env"]}, "'.env' is closed to programs"),
        ({"files": ["link"]}, "'link' lies outside of the project"),
        ({"files": ["missing.json"]}, "'missing.json' does not exist"),
        ({"network": ["http://a.example"]}, "has no port from 1 to 65535; write host:port"),
        ({"network": ["a.example:0"]}, "has no port from 1 to 65535"),
        ({"subproces": True}, "unknown key 'subproces' (did you mean 'subprocess'?)"),
    ],
)
def test_a_grant_that_cannot_be_is_refused_with_its_place(
    project: Path, keys: dict[str, object], said: str
) -> None:
    (project / "link").symlink_to("/etc/passwd")
    write(project, **keys)

    done = agentevals("validate", "eval_config.yaml", cwd=project)

    assert said in done.stdout
    assert "eval_config.yaml:" in done.stdout
    assert done.returncode == 2


FORKS = "import os; os.fork() or os._exit(0); os.wait(); print('{\"score\": 1}')"
THREADS = (
    "import threading; t = threading.Thread(target=print, args=('{\"score\": 1}',)); t.start()"
)


def test_other_programs_are_started_only_where_that_is_granted(project: Path) -> None:
    write(project, FORKS)
    refused = run(project)
    write(project, FORKS, subprocess=True)
    granted = run(project)
    write(project, THREADS)
    alone = run(project)

    assert "PermissionError: [Errno 1] Operation not permitted. Add `subprocess: true`" in " ".join(
        refused.stdout.split()
    )
    assert (granted.returncode, alone.returncode) == (0, 0), granted.stdout + alone.stdout


ASKS_BARE = "import urllib.request; urllib.request.urlopen('http://api.example.com/x')"


def test_a_refused_connection_names_the_host_that_the_program_wants(project: Path) -> None:
    write(project, ASKS_BARE)

    shown = " ".join(run(project).stdout.split())

    assert "Add `network: [api.example.com:80]` to this evaluator" in shown
    assert "urlopen error" in shown


def test_a_host_that_was_asked_for_in_vain_is_a_finding(project: Path) -> None:
    text = (
        "import urllib.request\n"
        "try: urllib.request.urlopen('http://127.0.0.1:9/')\n"
        "except OSError: print('{\"score\": 1}')\n"
    )
    write(project, text, network=["127.0.0.1:8"])

    [finding] = json.loads(run(project, "-o", "json").stdout)["findings"]

    assert finding["rule"] == "not-granted"
    assert "asked for 127.0.0.1:9" in finding["message"]
    assert "add `network: [127.0.0.1:9]` to it" in finding["message"]


def grant(**keys: object) -> Grants:
    return Grants.model_validate(keys)


FILES = (Path("/p/data"), Path("/p/golden.json"))


def test_only_what_both_sides_name_holds() -> None:
    one = grant(env=["A", "B"], files=FILES, network=True, subprocess=True, judge=True)
    other = grant(env=["B", "C"], files=FILES[1:], network=["a.example", "*.b.example"], judge=True)

    both = narrow(one, other)

    assert (both.env, both.files) == (("B",), FILES[1:])
    assert both.network == ("a.example:443", "*.b.example:443")
    assert (both.subprocess, both.asks_judge) == (None, Target())


@pytest.mark.parametrize(
    ("one", "other", "both"),
    [
        (["*.a.example"], ["x.a.example"], ("x.a.example:443",)),
        (["x.a.example"], ["*.a.example"], ("x.a.example:443",)),
        (["a.example:80"], ["a.example"], ()),
        (True, False, False),
        (False, True, False),
        (True, True, True),
    ],
)
def test_of_two_networks_the_narrower_holds(one: object, other: object, both: object) -> None:
    assert narrow(grant(network=one), grant(network=other)).network == both


def test_whatever_is_wider_is_named_as_it_is_written() -> None:
    wide = grant(
        env=["A"], files=FILES, network=["a.example"], subprocess=True, judge={"max_calls": 9}
    )
    narrower = grant(files=[Path("/p")], network=["b.example"], judge={"max_calls": 8})

    assert list_surplus(wide, narrower) == [
        *("env: [A]", "network: [a.example:443]", "subprocess: true", "judge: true"),
    ]
    assert list_surplus(wide, wide) == []
    assert list_surplus(grant(network=True), wide) == ["network: true"]


def lent(grants: Grants, asked: Capabilities | None, services: Services):
    with lend(grants, services, name="e", asked=asked) as loan:
        return loan.rights


def test_a_manifest_is_a_request_and_what_it_asks_for_in_vain_is_said(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("KEY", "value")
    monkeypatch.setenv("OTHER", "value")
    services = Services()
    asked = Capabilities(
        network=("api.example.com",), environment=("KEY", "MORE"), files=("data",), subprocess=True
    )

    rights = lent(grant(env=["KEY", "OTHER"], files=FILES[:1], network=True), asked, services)

    assert (dict(rights.env), rights.files) == ({"KEY": "value"}, FILES[:1])
    assert (rights.network, list(map(str, rights.hosts))) == (False, ["api.example.com:443"])
    assert not rights.subprocess
    said = " ".join(services.findings)
    for key in ("env: [MORE]", "subprocess: true"):
        assert f"its manifest asks for `{key}`; add it to the evaluator" in said
    assert "`env: [OTHER]` has no effect: its manifest does not ask for it" in said


def test_without_a_manifest_what_the_config_grants_holds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KEY", "value")

    assert dict(lent(grant(env=["KEY"]), None, Services()).env) == {"KEY": "value"}


def test_a_judge_that_is_asked_through_the_proxy_shows_no_key() -> None:
    with lend(grant(judge=True), Services(), name="e") as loan:
        assert loan.env["OPENAI_API_KEY"] == loan.env["AGENTEVALS_JUDGE_TOKEN"]
        assert loan.env["OPENAI_BASE_URL"] == f"{loan.env['AGENTEVALS_JUDGE_URL']}/v1"
        assert str(loan.rights.served[0]) in loan.env["OPENAI_BASE_URL"]


ASKS_AS_OPENAI = """\
import json, os, urllib.request
body = json.dumps({"model": "any", "messages": [{"role": "user", "content": "Good?"}]}).encode()
head = {"authorization": "Bearer " + os.environ["OPENAI_API_KEY"]}
asked = urllib.request.Request(os.environ["OPENAI_BASE_URL"] + "/chat/completions", body, head)
said = json.load(urllib.request.urlopen(asked))["choices"][0]["message"]["content"]
print(json.dumps({"score": 1.0, "details": {"said": said}}))
"""


def test_a_program_asks_the_judge_of_the_run_and_no_more_than_it_was_granted(
    tmp_path: Path,
) -> None:
    (tmp_path / "asks.py").write_text(ASKS_AS_OPENAI)
    judge = ScriptedJudge("it is good")
    one = case()

    grade = Code(name="e", path=tmp_path / "asks.py", judge=True).grade(one, Services(judge=judge))
    (tmp_path / "asks.py").write_text("import os; os.environ['AGENTEVALS_JUDGE_URL']")
    refused = grade_case(Code(name="e", path=tmp_path / "asks.py"), one, Services(judge=judge))

    assert grade.details["said"] == "it is good"
    assert grade.details["target_proxy"] == {"call_count": 1, "max_calls": 50}
    assert judge.prompts == ["Good?"]
    assert "'AGENTEVALS_JUDGE_URL'. Add `judge: true` to this evaluator" in refused.error


def test_an_error_of_the_program_is_raised_without_values(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KEY", SECRET)

    with (
        pytest.raises(EvaluatorError, match=r"^it said \*\*\*$"),
        lend(grant(env=["KEY"]), Services(), name="e"),
    ):
        raise EvaluatorError("it said " + SECRET)


def test_what_is_granted_and_missing_is_no_error_of_the_evaluator() -> None:
    with pytest.raises(InputError, match="NOT_SET_ANYWHERE, which is not set here"):
        lent(grant(env=["NOT_SET_ANYWHERE"]), None, Services())
