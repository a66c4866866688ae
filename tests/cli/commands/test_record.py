import json
import subprocess
import sys
from datetime import datetime
from pathlib import Path

import msgspec
import pytest

from agentevals.configs.dialects import compile_plan, find_agent
from agentevals.files.agent_files import AgentFiles
from agentevals.model.provenance import PREFIX, read_provenance
from agentevals.traces import loaders
from tests.action.job import git
from tests.support import agentevals

EXAMPLES = Path(__file__).parents[3] / "examples"
AGENT = EXAMPLES / "weather_agent/agent.py"


def recorded(output, *command, cwd=None, **variables):
    return agentevals("record", "-o", output, "--", *command, cwd=cwd, **variables)


@pytest.mark.parametrize("name", ["paris", "picnic"])
def test_the_recordings_of_the_examples_are_those_of_their_agent(tmp_path, name):
    done = recorded(tmp_path / "again.jsonl", sys.executable, AGENT, name)

    assert done.returncode == 0
    again = loaders.load([tmp_path / "again.jsonl"]).traces
    committed = loaders.load([EXAMPLES / f"traces/{name}.jsonl"]).traces
    assert list(map(spans, again)) == list(map(spans, committed))


def spans(trace):
    """Its spans without what `record` says of when and how it was made."""
    return [
        msgspec.structs.replace(
            span,
            resource={k: v for k, v in span.resource.items() if not k.startswith(PREFIX)},
        )
        for span in trace.spans
    ]


AGENT_FILES = {
    "agent.py": "x = 1\n",
    "eval_config.yaml": "agent: agent.py\nevaluators: [{name: safety_v1, type: builtin}]\n",
}


def test_it_writes_of_which_agent_a_recording_is(tmp_path):
    for name, text in AGENT_FILES.items():
        (tmp_path / name).write_text(text)
    for words in (("init", "-q"), ("add", "."), ("commit", "-qm", "x")):
        git(tmp_path, *words)
    (tmp_path / "agent.py").write_text("x = 2\n")
    done = recorded("again.jsonl", sys.executable, AGENT, "paris", cwd=tmp_path)

    assert done.returncode == 0, done.stderr
    (trace,) = loaders.load([tmp_path / "again.jsonl"]).traces
    found = read_provenance(span.resource for span in trace.spans)
    assert found.agents == (AgentFiles(tmp_path, ("agent.py",)).compute_digest(),)
    assert (found.commit, found.dirty) == (git(tmp_path, "rev-parse", "HEAD"), True)
    assert found.command == f"{sys.executable} {AGENT} paris"
    assert datetime.fromisoformat(found.time).tzinfo is not None


@pytest.mark.parametrize(
    ("config", "mistake"),
    [
        ("agent: agnt.py", ":1:8: 'agent' matches no file (did you mean 'agent.py'?)"),
        ("agent: agent.py", ""),
        ('"no config"', ":1:1: a config is a mapping with 'evaluators', not 'no config'"),
    ],
)
def test_an_agent_that_nobody_finds_is_refused_before_it_is_started(tmp_path, config, mistake):
    (tmp_path / "agent.py").write_text("x = 1\n")
    (tmp_path / "eval_config.yaml").write_text(config)
    done = recorded("traces", sys.executable, "-c", "print('started')", cwd=tmp_path)

    assert (done.stdout == "") is bool(mistake)
    if mistake:
        assert (done.returncode, done.stderr) == (2, f"agentevals: eval_config.yaml{mistake}\n")


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("suite.eval.yaml", "x-agentevals: {agent: agent.py}\ntests: []\n"),
        ("test_config.json", '{"criteria": {}, "x-agentevals": {"agent": ["agent.py"]}}'),
        ("set.json", '{"evaluatorRefs": [], "x-agentevals": {"agent": ["agent.py"]}}'),
    ],
)
def test_configs_of_other_systems_list_the_files_too(tmp_path, name, text):
    (tmp_path / "agent.py").write_text("x = 1\n")
    (tmp_path / name).write_text(text)
    done = agentevals(
        *("record", "-o", "t.jsonl", "-c", name, "--", sys.executable, AGENT, "paris"), cwd=tmp_path
    )

    assert done.returncode == 0, done.stderr
    (trace,) = loaders.load([tmp_path / "t.jsonl"]).traces
    found = read_provenance(span.resource for span in trace.spans)
    assert found.agents == (AgentFiles(tmp_path, ("agent.py",)).compute_digest(),)


@pytest.mark.parametrize("text", ["{{ template }}", "steps: [1]", "tests: []\nx-agentevals: 1"])
def test_a_file_of_another_program_keeps_nobody_from_recording(tmp_path, text):
    (tmp_path / "pipeline.eval.yaml").write_text(text)
    done = recorded("t.jsonl", sys.executable, AGENT, "paris", cwd=tmp_path)
    named = agentevals(
        *("record", "-c", "pipeline.eval.yaml", "--", sys.executable, AGENT, "paris"), cwd=tmp_path
    )

    assert done.returncode == 0, done.stderr
    assert "agentevals: pipeline.eval.yaml:" in done.stderr
    assert "; it is ignored" in done.stderr
    assert (named.returncode, named.stdout) == (2, "")


@pytest.mark.parametrize("place", ["evals/eval_config.yaml", "EVAL.yaml"])
def test_configs_in_the_usual_places_are_found(tmp_path, place):
    (tmp_path / "agent.py").write_text("x = 1\n")
    (tmp_path / place).parent.mkdir(exist_ok=True)
    own = "agent: ../agent.py\nevaluators: []"
    text = own if "config" in place else "x-agentevals: {agent: agent.py}\ntests: []"
    (tmp_path / place).write_text(text)
    recorded("t.jsonl", sys.executable, AGENT, "paris", cwd=tmp_path)

    (trace,) = loaders.load([tmp_path / "t.jsonl"]).traces
    found = read_provenance(span.resource for span in trace.spans)
    listed = find_agent(tmp_path / place)
    assert found.agents == (listed.compute_digest(),)


SAME_IDS = """
import json, os, pathlib, sys, urllib.request

done = pathlib.Path("done")
attempt = len(done.read_text()) if done.exists() else 0
done.write_text("x" * (attempt + 1))
answer = "It is sunny." if attempt else "I do not know."
texts = {
    "gen_ai.operation.name": "chat",
    "gen_ai.request.model": "m",
    "gen_ai.conversation.id": "the same",
    "gen_ai.input.messages": json.dumps(
        [{"role": "user", "parts": [{"type": "text", "content": "How is the weather?"}]}]),
    "gen_ai.output.messages": json.dumps(
        [{"role": "assistant", "parts": [{"type": "text", "content": answer}]}]),
}
span = {"traceId": "a" * 32, "spanId": "b" * 16, "name": "chat m", "startTimeUnixNano": "1",
        "endTimeUnixNano": "2", "attributes": [
            {"key": key, "value": {"stringValue": text}} for key, text in texts.items()]}
body = {"resourceSpans": [{"scopeSpans": [{"spans": [span]}]}]}
urllib.request.urlopen(urllib.request.Request(
    os.environ["OTEL_EXPORTER_OTLP_ENDPOINT"] + "/v1/traces", json.dumps(body).encode(),
    {"Content-Type": "application/json"}))
sys.exit(attempt == 1)
"""


@pytest.mark.parametrize("output", ["traces", "traces.jsonl"])
@pytest.mark.parametrize("group_by", ["trace", "conversation"])
def test_attempts_are_kept_apart_although_the_agent_uses_the_same_ids_in_each(
    tmp_path, output, group_by
):
    (tmp_path / "agent.py").write_text(SAME_IDS)
    done = agentevals(
        *("record", "-o", output, "--repeat", "3", "--", sys.executable, "agent.py"), cwd=tmp_path
    )
    (tmp_path / "c.yaml").write_text("evaluators: [{name: sunny, type: contains, value: sunny}]\n")
    run = agentevals("run", output, "-c", "c.yaml", "--group-by", group_by, cwd=tmp_path)

    assert done.returncode == 1, "the first exit code that is not 0"
    assert run.stdout.startswith("PASS  1 case passed"), run.stdout
    assert "(2 of 3 attempts passed)" in run.stdout
    assert "1 case recorded 3 times: a case passes if most of its attempts do" in run.stdout


def test_only_one_attempt_of_each_case_is_blessed(tmp_path):
    (tmp_path / "agent.py").write_text(SAME_IDS)
    words = ("record", "-o", "traces", "--repeat", "3", "--", sys.executable, "agent.py")
    agentevals(*words, cwd=tmp_path)

    done = agentevals("bless", "traces", "-o", "eval_set.json", cwd=tmp_path)

    assert done.stdout.startswith("1 case written to eval_set.json")
    assert "2 further attempts skipped; the first of each case is blessed" in done.stderr


def test_attempts_without_names_are_one_case_by_their_question(tmp_path):
    (tmp_path / "c.yaml").write_text("evaluators: [{name: any, type: contains, value: Paris}]\n")
    words = ("record", "-o", "traces", "--repeat", "2", "--", sys.executable, AGENT, "paris")
    agentevals(*words, cwd=tmp_path)

    run = agentevals("run", "traces", "-c", "c.yaml", cwd=tmp_path)

    assert "1 case recorded 2 times" in run.stdout


def test_a_recording_from_before_there_was_a_config_is_of_the_agent_that_init_lists(tmp_path):
    (tmp_path / "agent.py").write_text("x = 1\n")
    recorded("traces", sys.executable, AGENT, "paris", cwd=tmp_path)
    agentevals("init", cwd=tmp_path)

    (trace,) = loaders.load(list((tmp_path / "traces").iterdir())).traces
    found = read_provenance(span.resource for span in trace.spans)
    assert found.agents == (compile_plan(tmp_path / "eval_config.yaml").agent.compute_digest(),)


def test_what_an_agent_says_of_its_own_provenance_is_dropped(tmp_path):
    forged = f"{PREFIX}commit={'f' * 40},{PREFIX}agents=mine,service.name=weather"
    recorded(
        "again.jsonl", sys.executable, AGENT, "paris", cwd=tmp_path, OTEL_RESOURCE_ATTRIBUTES=forged
    )

    (trace,) = loaders.load([tmp_path / "again.jsonl"]).traces
    found = read_provenance(span.resource for span in trace.spans)
    assert (found.commit, found.agents) == ("", ())


def test_it_ends_with_what_it_got_and_what_comes_next(tmp_path):
    done = recorded("traces", sys.executable, AGENT, "picnic", cwd=tmp_path)

    assert done.stderr == (
        "agentevals: 2 traces with 12 records written to traces: 1 conversation, 6 model calls, "
        "4 tool calls; no question, answer or tool call is missing\n"
        "agentevals: next: agentevals bless traces -o eval_set.json\n"
    )
    assert done.stdout.startswith("user: Is today a good day for a picnic in Lisbon?\n")


def test_recordings_that_are_there_already_are_said(tmp_path):
    first = recorded("traces", sys.executable, AGENT, "picnic", cwd=tmp_path)
    earlier = len(list((tmp_path / "traces").iterdir()))

    second = recorded("traces", sys.executable, AGENT, "paris", cwd=tmp_path)

    said = f"beside them traces holds {earlier} earlier recording"
    assert said not in first.stderr
    assert said in second.stderr
    assert "remove the others, or record into another folder" in second.stderr


EXPECTED = {"eval_set_id": "a", "eval_cases": [{"eval_id": "paris", "conversation": []}]}


@pytest.mark.parametrize(
    ("files", "suggested"),
    [
        ({"my_eval_set.json": EXPECTED}, "run traces --eval-set my_eval_set.json"),
        (
            {"eval_config.yaml": {"eval_set": "gold.json"}, "gold.json": EXPECTED},
            "run traces --config eval_config.yaml",
        ),
        ({"eval_config.yaml": {"eval_set": "gold.json"}}, "bless traces -o gold.json"),
        (
            {"eval_config.yaml": {"evaluators": []}, "eval_set.json": EXPECTED},
            "run traces --config eval_config.yaml --eval-set eval_set.json",
        ),
        ({"eval_config.yaml": {"evaluators": []}}, "bless traces -o eval_set.json"),
    ],
)
def test_what_comes_next_depends_on_the_expectations_that_are_there(tmp_path, files, suggested):
    for name, content in files.items():
        (tmp_path / name).write_text(json.dumps(content))

    done = recorded("traces", sys.executable, AGENT, "paris", cwd=tmp_path)

    assert done.stderr.endswith(f"agentevals: next: agentevals {suggested}\n")


def test_when_nothing_arrives_it_says_what_to_check_and_keeps_the_exit_code(tmp_path):
    done = recorded(tmp_path / "traces", sys.executable, "-c", "exit(3)")

    assert done.returncode == 3
    assert "no traces arrived at http://127.0.0.1:" in done.stderr
    assert "OTLP exporter over HTTP" in done.stderr
    assert "and the command ended with exit code 3: see what it printed" in done.stderr
    assert "may be started with 'opentelemetry-instrument'" in done.stderr


def test_nobody_is_told_to_start_it_as_it_was_started(tmp_path):
    starter = tmp_path / "opentelemetry-instrument"
    starter.write_text("#!/bin/sh\n")
    starter.chmod(0o755)

    done = recorded(tmp_path / "traces", starter, "python", "agent.py")

    assert "may be started with" not in done.stderr
    assert "prints which instrumentations it cannot load; install opentelemetry-distro" in (
        done.stderr
    )


def test_what_was_sent_and_could_not_be_read_is_said(tmp_path):
    sender = (
        "import os, urllib.request as u\n"
        "url = os.environ['OTEL_EXPORTER_OTLP_ENDPOINT'] + '/v1/traces'\n"
        "try: u.urlopen(u.Request(url, b'{', {'Content-Type': 'application/json'}))\n"
        "except OSError: pass\n"
    )

    done = recorded(tmp_path / "traces", sys.executable, "-c", sender)

    assert "agentevals: 1 request refused: the body is not an OTLP request" in done.stderr


SENDER = """
import json, os, urllib.request
spans = [
    {"traceId": at[0] * 32, "spanId": f"{number + 1:016x}", "name": name, "attributes": [
        {"key": key, "value": {"stringValue": value}} for key, value in said.items()]}
    for number, (at, name, said) in enumerate(json.loads(os.environ["SPANS"]))
]
body = json.dumps({"resourceSpans": [{"scopeSpans": [{"spans": spans}]}]}).encode()
urllib.request.urlopen(urllib.request.Request(
    os.environ["OTEL_EXPORTER_OTLP_ENDPOINT"] + "/v1/traces", body,
    {"Content-Type": "application/json"})).read()
"""
CONTENT = "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"
CHAT = {"gen_ai.operation.name": "chat", "gen_ai.request.model": "m-1", "gen_ai.system": "x"}


def sent(tmp_path, *spans, **variables):
    """The last words of `record` about spans: the trace, the name and the attributes of each."""
    given = json.dumps(spans)
    done = recorded("traces", sys.executable, "-c", SENDER, cwd=tmp_path, SPANS=given, **variables)
    assert done.returncode == 0, done.stderr
    return done.stderr


def test_when_no_message_was_recorded_it_says_which_variable_to_set(tmp_path):
    said = sent(tmp_path, ("a", "chat", CHAT))

    assert said == (
        "agentevals: 1 trace with 1 record written to traces: 1 conversation, 1 model call, 0 tool "
        "calls; missing: the question, the answer and the tool calls in 1 of 1 turn: "
        f"{CONTENT}=SPAN_AND_EVENT is set, and the agent has not followed it. Older "
        f"instrumentations follow only 'true': set {CONTENT}=true, and record again; they send "
        "messages as log records, so start it with 'opentelemetry-instrument', or give it a "
        "LoggerProvider with an OTLP exporter. Else look for settings about messages or content "
        "in the agent's own code\n"
        "agentevals: next: change that, and record again; 'agentevals doctor traces' shows more\n"
    )


def test_when_the_user_has_switched_messages_off_it_says_how(tmp_path):
    said = sent(tmp_path, ("a", "chat", CHAT), **{CONTENT: "false"})

    assert f"{CONTENT} is 'false' in your environment, which keeps messages out. Unset" in said


def test_when_messages_are_events_and_nobody_exports_them_it_says_so(tmp_path):
    said = sent(tmp_path, ("a", "chat", CHAT), **{CONTENT: "true"})

    assert "send messages as log records, and the agent has no exporter for them" in said


def test_when_only_an_answer_is_missing_no_setting_is_blamed(tmp_path):
    asked = json.dumps([{"role": "user", "parts": [{"type": "text", "content": "Hi"}]}])
    said = sent(tmp_path, ("a", "chat", {**CHAT, "gen_ai.input.messages": asked}))

    assert "missing: the answer and the tool calls in 1 of 1 turn: the model's output is" in said


@pytest.mark.parametrize(
    ("spans", "why"),
    [
        ([("a", "POST", {"http.request.method": "POST"})], "there are only HTTP spans. Instr"),
        ([("a", "turn", {})], "no span says that it is of a model, a tool or an agent; names: 't"),
    ],
)
def test_when_nothing_of_a_model_is_in_the_spans_it_says_what_is(tmp_path, spans, why):
    said = sent(tmp_path, *spans)

    assert "0 conversations, 0 model calls, 0 tool calls; nothing of an agent or a model is" in said
    assert f"is in 1 trace: {why}" in said
    assert "next: change that, and record again" in said


def test_spans_of_something_else_beside_an_agent_are_no_mistake(tmp_path):
    heard = [{"role": "user", "parts": [{"type": "text", "content": "Hi"}]}]
    answered = [{"role": "assistant", "parts": [{"type": "text", "content": "Hello"}]}]
    messages = {"gen_ai.input.messages": heard, "gen_ai.output.messages": answered}
    chat = {**CHAT, **{key: json.dumps(value) for key, value in messages.items()}}
    other = ("b", "GET /health", {"http.request.method": "GET"})

    said = sent(tmp_path, ("a", "chat", chat), other)

    assert said == (
        "agentevals: 2 traces with 2 records written to traces: 1 conversation, 1 model call, 0 "
        "tool calls; no question, answer or tool call is missing; nothing of an agent or a model "
        "is in 1 other trace: there are only HTTP spans\n"
        "agentevals: next: agentevals bless traces -o eval_set.json\n"
    )


def test_requests_of_one_turn_in_traces_of_their_own_are_noticed(tmp_path):
    question = {"role": "user", "parts": [{"type": "text", "content": "Hi"}]}
    call = {"type": "tool_call", "id": "c1", "name": "greet", "arguments": {}}
    answer = {"type": "tool_call_response", "id": "c1", "response": "hello"}
    calling = {"role": "assistant", "parts": [call]}
    told = [question, calling, {"role": "tool", "parts": [answer]}]
    text = {"role": "assistant", "parts": [{"type": "text", "content": "Hello"}]}

    def chat(heard, said):
        messages = {"gen_ai.input.messages": heard, "gen_ai.output.messages": [said]}
        return {**CHAT, **{key: json.dumps(value) for key, value in messages.items()}}

    both = ("a", "chat", chat([question], calling)), ("b", "chat", chat(told, text))
    said = sent(tmp_path, *both)

    assert "the requests of one turn are in traces of their own. Put them under one span" in said
    assert "next: change that" in said


def test_a_command_that_does_not_exist_is_the_users_mistake(tmp_path):
    done = recorded(tmp_path / "traces", "no-such-program-here")

    assert done.returncode == 2
    assert done.stderr.startswith("agentevals: no-such-program-here: no such program")


@pytest.mark.parametrize("name", ["x" * 300, "x" * 300 + ".jsonl"])
def test_a_place_that_cannot_be_is_the_users_mistake(tmp_path, name):
    done = recorded(tmp_path / name, "true")

    assert done.returncode == 2
    assert "cannot be written to: File name too long; choose another place" in done.stderr


def test_a_command_that_removes_the_place_is_told_of(tmp_path):
    script = f"rm -rf traces; {sys.executable} {AGENT} paris"
    program = [sys.executable, "-m", "agentevals", "record", "-o", "traces", "--", "sh", "-c"]

    done = subprocess.run(
        [*program, script], cwd=tmp_path, capture_output=True, text=True, check=False
    )

    assert done.returncode == 2
    assert done.stderr.endswith(
        "traces: cannot be written to: No such file or directory; choose another place with -o\n"
    )


def test_what_comes_next_can_be_pasted_into_a_shell(tmp_path):
    done = recorded(tmp_path / "my traces", sys.executable, AGENT, "paris", cwd=tmp_path)

    assert f"next: agentevals bless '{tmp_path / 'my traces'}' -o eval_set.json\n" in done.stderr


TOKEN = "AKIA" + "ABCDEFGH12345678"
LEAKING = """
import json, os, sys, urllib.request
said = {"key": "gen_ai.completion", "value": {"stringValue": "It is " + sys.argv[1]}}
session = {"key": "session.id", "value": {"stringValue": sys.argv[1]}}
span = {"traceId": "a" * 32, "spanId": "b" * 16, "name": "chat", "attributes": [said, session]}
body = json.dumps({"resourceSpans": [{"scopeSpans": [{"spans": [span]}]}]}).encode()
urllib.request.urlopen(urllib.request.Request(
    os.environ["OTEL_EXPORTER_OTLP_ENDPOINT"] + "/v1/traces", body,
    {"Content-Type": "application/json"},
))
"""


def leak(output, *options):
    """Record an agent that says a token; return what is printed and what is kept."""
    words = ("record", "-o", output, *options, "--", sys.executable, "-c", LEAKING, TOKEN)
    done = agentevals(*words)
    (span,) = loaders.load([output]).traces[0].spans
    return done.stderr, span


def test_tokens_of_vendors_are_not_kept_and_ids_are(tmp_path):
    printed, span = leak(tmp_path / "traces.jsonl")

    assert TOKEN not in span.attributes["gen_ai.completion"]
    assert span.attributes["gen_ai.completion"].startswith("It is ***")
    assert (span.span_id, span.attributes["session.id"]) == ("b" * 16, TOKEN)
    assert "agentevals: 1 secret hidden (AWS: 1); give --no-redact to keep them\n" in printed
    assert TOKEN not in printed


def test_they_are_kept_if_that_is_asked_for(tmp_path):
    printed, span = leak(tmp_path / "traces.jsonl", "--no-redact")

    assert span.attributes["gen_ai.completion"] == f"It is {TOKEN}"
    assert "hidden" not in printed
