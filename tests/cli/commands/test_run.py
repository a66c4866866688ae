import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.judge.models import completion
from tests.servers import Script, serve
from tests.support import agentevals

EXAMPLES = Path(__file__).parents[3] / "examples"
TRACES = sorted(str(path) for path in (EXAMPLES / "traces").glob("*.jsonl"))
EVAL_SET = ("-e", str(EXAMPLES / "eval_set.json"))
PARIS = str(EXAMPLES / "traces" / "paris.jsonl")
PHOENIX = str(EXAMPLES / "traces" / "phoenix.jsonl")


def run(*words, **options):
    return agentevals("run", *words, **options)


def document(*words, **options):
    done = run(*words, "-o", "json", **options)
    return done.returncode, json.loads(done.stdout)


def test_a_good_recording_passes():
    done = run(PARIS, *EVAL_SET, "--allow-missing")

    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("PASS")


def test_a_bad_recording_fails_and_says_why():
    done = run(PHOENIX, *EVAL_SET, "--allow-missing")

    assert done.returncode == 1
    assert done.stdout.startswith("FAIL")
    assert 'unit: "celsius"' in done.stdout


@pytest.mark.parametrize("name", ["eval_config.yaml", "EVAL.yaml"])
def test_a_prompt_under_config_reaches_the_judge(tmp_path, name):
    opinion = {"score": 1.0, "hits": [], "misses": [], "reasoning": "good"}
    tests = [{"id": "paris", "input": "Do I need an umbrella in Paris tomorrow?"}]
    entry = {"name": "quality", "type": "llm_judge", "config": {"prompt": "MY OWN {{answer}}"}}
    with serve(Script(completion(opinion))) as server:
        judge = {"model": "m", "base_url": f"{server.url}/v1", "cache": False}
        config = {"judge": judge, "evaluators": [entry]}
        (tmp_path / name).write_text(
            json.dumps(config | ({"tests": tests} if name == "EVAL.yaml" else {}))
        )
        run(PARIS, "-c", name, cwd=tmp_path)

    [question] = server.seen
    assert "MY OWN " in str(question.document["messages"])


@pytest.fixture
def coherent(tmp_path):
    """Run an EvalConfig of ADK whose metric names the model that ADK asks by default."""
    criterion = {"threshold": 3, "judge_model_options": {"judge_model": "gemini-2.5-flash"}}
    (tmp_path / "c.json").write_text(
        json.dumps({"criteria": {"response_evaluation_score": criterion}})
    )
    return lambda *words, **given: run(PARIS, "-c", "c.json", *words, cwd=tmp_path, **given)


def test_an_evalconfig_is_judged_at_the_address_that_the_command_line_names(coherent):
    said = {"verdicts": [{"id": "ordered", "rationale": "r", "verdict": "yes"}]}
    with serve(Script(completion(said))) as server:
        words = ("--judge-base-url", f"{server.url}/v1", "--judge-api-key-env", "MY_KEY")
        coherent(*words, "--judge-provider", "openai", MY_KEY="k" * 20)

    [question, *_] = server.seen
    assert question.path == "/v1/chat/completions"
    assert question.document["model"] == "gemini-2.5-flash"
    assert question.headers["authorization"] == f"Bearer {'k' * 20}"


def test_without_an_address_the_options_are_named_that_give_one(coherent):
    done = coherent("--judge-model", "llama3")

    assert done.returncode == 2
    assert (
        "--judge-model llama3: cannot tell who serves 'llama3'; give --judge-provider or "
        "--judge-base-url" in done.stderr
    )


@pytest.mark.parametrize("command", ["run", "validate"])
def test_a_key_is_not_sent_in_the_clear(tmp_path, command):
    judge = {"model": "m", "base_url": "http://judge.example/v1", "api_key_env": "MY_KEY"}
    evaluators = [{"name": "safety_v1", "type": "builtin"}]
    (tmp_path / "c.json").write_text(json.dumps({"judge": judge, "evaluators": evaluators}))
    words = ("run", PARIS, "-c", "c.json") if command == "run" else ("validate", "c.json")
    done = agentevals(*words, cwd=tmp_path, MY_KEY="key-of-mine")

    assert done.returncode == 2
    assert "the key in MY_KEY would go to http://judge.example" in done.stdout + done.stderr
    assert "key-of-mine" not in done.stdout + done.stderr


CRITERIA = [{"id": name, "outcome": f"is {name}"} for name in ("right", "short", "kind")]
UNKIND = {
    "checks": [
        {"id": name, "satisfied": name != "kind", "reasoning": "so it is"}
        for name in ("right", "short", "kind")
    ],
    "overall_reasoning": "nearly",
}


@pytest.fixture
def judged(tmp_path):
    """Run a config whose judge finds two of three criteria met."""

    def by(*evaluators, name="eval_config.yaml", **words):
        with serve(Script(*[completion(UNKIND)] * len(evaluators))) as server:
            judge = {"model": "m", "base_url": f"{server.url}/v1", "cache": False}
            config = {"judge": judge, "evaluators": evaluators, **words}
            (tmp_path / name).write_text(json.dumps(config))
            return run(PARIS, "-c", name, "-o", "json", cwd=tmp_path)

    return by


def test_a_score_that_is_required_of_rubrics_is_all_that_is_required(judged):
    rubrics = {"type": "rubrics", "required": 0.6, "criteria": CRITERIA}
    tests = [{"id": "paris", "input": "What is the weather in Paris?"}]
    contains = {"type": "contains", "value": "sunny"}

    done = judged(rubrics)
    assert (done.returncode, json.loads(done.stdout)["findings"]) == (0, [])

    done = judged(rubrics, contains, contains, name="EVAL.yaml", tests=tests)
    assert done.returncode == 0, done.stdout


def test_a_criterion_that_is_required_fails_its_case_and_is_named(judged):
    kind = [*CRITERIA[:2], CRITERIA[2] | {"required": True}]

    done = judged({"type": "rubrics", "threshold": 0.5, "criteria": kind})

    [finding] = json.loads(done.stdout)["findings"]
    assert done.returncode == 1
    assert finding["rule"] == "missed-gate"
    assert finding["message"].startswith(
        "evaluator 'rubrics': criterion 'kind' is required and was not met; this fails case "
    )


def test_a_glob_is_ours_to_expand():
    code, found = document(str(EXAMPLES / "traces" / "*.jsonl"), *EVAL_SET)

    assert code == 1
    assert [trace["eval_case_id"] for trace in found["traces"]] == [
        Path(path).stem for path in TRACES
    ]


def test_a_case_that_nobody_answered_fails_the_gate():
    code, found = document(PARIS, *EVAL_SET)

    assert code == 1
    assert [f["rule"] for f in found["findings"]] == ["missing-case"] * 3


def test_the_same_input_gives_the_same_bytes_durations_aside():
    def without_durations():
        _, found = document(*TRACES, "-c", str(EXAMPLES / "eval_config.yaml"), *EVAL_SET)
        found.pop("duration_ms", None)
        for trace in found["traces"]:
            for metric in trace["metrics"]:
                metric["duration_ms"] = None
        return found

    assert without_durations() == without_durations()


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ((), "no traces to score; name trace files"),
        (("nowhere/*.json",), "no trace file matches 'nowhere/*.json'"),
        ((PARIS, "-c", "missing.yaml"), "missing.yaml"),
        ((PARIS, "-e", "missing.json"), "missing.json"),
        ((PARIS, "-m", "respons_match_score"), "response_match_score"),
        ((PARIS, "-t", "1.5"), "1.5"),
        ((PARIS, "-f", "jaeger"), "jaeger-json"),
        ((PARIS, "-o", "jsn"), "did you mean 'json'?"),
        ((PARIS, "--output-file", "out.pdf"), "say the format, as in 'json=out.pdf'"),
        ((PARIS, "--output-file", "/proc/nowhere/out.json"), "cannot be written"),
    ],
)
def test_what_is_wrong_with_the_command_is_one_sentence_and_exit_2(words, sentence, tmp_path):
    done = run(*words, cwd=tmp_path)

    assert done.returncode == 2, done.stdout
    assert sentence in done.stderr + done.stdout
    assert "Traceback" not in done.stderr


def test_an_eval_set_that_answers_nothing_is_exit_2(tmp_path):
    case = {"eval_id": "x", "conversation": [{"user_content": {"parts": [{"text": "other"}]}}]}
    (tmp_path / "set.json").write_text(json.dumps({"eval_set_id": "s", "eval_cases": [case]}))

    done = run(PARIS, PHOENIX, "-e", str(tmp_path / "set.json"))

    assert done.returncode == 2
    assert "no recorded conversation answers any case" in done.stdout


def test_an_eval_set_without_a_case_is_exit_2(tmp_path):
    (tmp_path / "set.json").write_text('{"eval_set_id": "s", "eval_cases": []}')

    code, found = document(PARIS, "-e", str(tmp_path / "set.json"))

    assert (code, [f["rule"] for f in found["findings"] if f["severity"] == "error"]) == (
        2,
        ["nothing-answered"],
    )


def test_evaluators_that_need_an_eval_set_say_so_once():
    code, found = document(PARIS, PHOENIX)

    assert (code, [f["rule"] for f in found["findings"]]) == (2, ["no-eval-set"])


def test_one_evaluator_that_needs_no_eval_set_is_enough(tmp_path):
    config = tmp_path / "c.yaml"
    config.write_text("evaluators: [{name: tool_call_count_v1, type: builtin, max: 9}]")

    code, found = document(
        *(PARIS, "-c", str(config), "-m", "response_match_score", "--on-not-evaluated", "warn")
    )

    assert (code, found["findings"]) == (0, [])


@pytest.mark.parametrize("missing", ["nowhere.json", "no/where/*.json"])
def test_where_nothing_could_be_read_one_sentence_says_why(missing):
    code, found = document(missing, *EVAL_SET)

    assert (code, len(found["findings"])) == (2, 1)


def test_a_bad_file_costs_itself_only(tmp_path):
    (tmp_path / "broken.json").write_text('{"data": [')

    code, found = document(str(tmp_path / "broken.json"), PARIS, *EVAL_SET, "--allow-missing")

    assert code == 2
    assert [metric["eval_status"] for t in found["traces"] for metric in t["metrics"]] == ["PASSED"]
    assert "broken.json" in found["errors"][0]


def test_a_bad_evaluator_costs_itself_only(tmp_path):
    (tmp_path / "broken.py").write_text("raise SystemExit('no disk')")
    (tmp_path / "fine.py").write_text("print('{\"score\": 1}')")
    (tmp_path / "c.yaml").write_text(
        "evaluators:\n"
        "  - {name: broken, type: code, path: broken.py}\n"
        "  - {name: absent, type: code, path: absent.py}\n"
        "  - {name: fine, type: code, path: fine.py}\n"
    )

    code, found = document(PARIS, "-c", str(tmp_path / "c.yaml"))

    outcomes = {m["metric_name"]: m["outcome"] for m in found["traces"][0]["metrics"]}
    assert code == 2
    assert outcomes == {"broken": "ERROR", "absent": "ERROR", "fine": "PASSED"}


def test_no_secret_of_ours_reaches_an_evaluator(tmp_path):
    (tmp_path / "spy.py").write_text(
        "import json, os\nprint(json.dumps({'score': 1, 'details': dict(os.environ)}))\n"
    )
    (tmp_path / "c.yaml").write_text("evaluators: [{name: spy, type: code, path: spy.py}]")

    code, found = document(PARIS, "-c", str(tmp_path / "c.yaml"), GITHUB_TOKEN="s3cr3t")

    assert code == 0
    assert "s3cr3t" not in json.dumps(found)


def test_several_files_are_written_beside_what_is_shown(tmp_path):
    files = ("--output-file", "out/junit.xml", "--output-file", "report=out/all.json")

    done = run(PARIS, *EVAL_SET, "--allow-missing", "-o", "summary", *files, cwd=tmp_path)

    assert done.returncode == 0, done.stderr
    assert "[PASS] tool_trajectory_avg_score" in done.stdout
    assert (tmp_path / "out" / "junit.xml").read_text().startswith("<?xml")
    assert json.loads((tmp_path / "out" / "all.json").read_text())["verdict"] == "pass"


@pytest.mark.parametrize(
    ("variables", "coloured"),
    [({}, False), ({"FORCE_COLOR": "1"}, True), ({"FORCE_COLOR": "1", "NO_COLOR": "1"}, False)],
)
def test_colours_obey_the_environment(variables, coloured):
    done = run(PARIS, *EVAL_SET, "--allow-missing", **variables)

    assert ("\x1b[" in done.stdout) is coloured


def test_what_was_not_evaluated_fails_unless_it_is_let_through(tmp_path):
    (tmp_path / "ok.py").write_text("print('{\"score\": 1}')")
    (tmp_path / "c.yaml").write_text(
        "evaluators:\n"
        "  - {name: ok, type: code, path: ok.py}\n"
        "  - {name: response_match_score, type: builtin}\n"
    )
    config = ("-c", str(tmp_path / "c.yaml"))

    assert run(PARIS, *config).returncode == 1
    assert run(PARIS, *config, "--on-not-evaluated", "warn").returncode == 0


def test_a_closed_pipe_is_no_traceback():
    done = subprocess.run(
        f"{sys.executable} -m agentevals run {PARIS} -o json | true",
        shell=True,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )

    assert done.stderr == ""


def test_help_costs_no_more_than_it_must():
    slow = {"pydantic", "yaml", "msgspec", "requests"}
    program = f"import sys, agentevals.cli; print(sorted({slow!r} & set(sys.modules)))"

    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, encoding="utf-8", check=True
    )

    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize("word", ["run", "validate", "init", "record", "bless"])
def test_every_command_teaches_by_example(word):
    done = agentevals(word, "--help")

    assert done.returncode == 0, done.stderr
    assert f"agentevals {word}" in done.stdout.partition("Examples:")[2]


def test_an_unknown_command_names_the_nearest():
    done = agentevals("rnu")

    assert done.returncode == 2
    assert "run" in done.stderr


def test_offline_only_what_was_fetched_before_is_used(tmp_path):
    config = tmp_path / "c.yaml"
    config.write_text("evaluators:\n- {name: far, type: remote, ref: evaluators/far/far.py}\n")

    done = agentevals("run", PARIS, "-c", str(config), "--offline", XDG_CACHE_HOME=str(tmp_path))

    assert done.returncode == 3
    assert "offline" in done.stdout


@pytest.mark.parametrize(
    ("traces", "code", "cases"), [((PARIS, PHOENIX), 1, ["a", "b"]), ((PARIS,), 2, [None])]
)
def test_by_position_only_when_asked_and_only_where_the_numbers_are_equal(
    traces, code, cases, tmp_path
):
    turn = {"user_content": {"parts": [{"text": "other"}]}}
    asked = [{"eval_id": name, "conversation": [turn]} for name in "ab"]
    (tmp_path / "set.json").write_text(json.dumps({"eval_set_id": "s", "eval_cases": asked}))

    found, told = document(*traces, "-e", str(tmp_path / "set.json"), "--pair", "position")

    assert found == code
    assert [each.get("eval_case_id") for each in told["traces"]] == cases
