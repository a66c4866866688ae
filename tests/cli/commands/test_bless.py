import json
from pathlib import Path

from agentevals.configs import eval_sets
from tests.support import agentevals

TRACES = Path(__file__).parents[3] / "examples/traces"


def bless(*words, cwd):
    return agentevals("bless", *map(str, words), cwd=cwd)


def run(*words, cwd):
    return agentevals("run", *map(str, words), cwd=cwd)


def test_a_recording_that_was_blessed_passes(tmp_path):
    done = bless(*sorted(TRACES.glob("*.jsonl")), "-o", "eval_set.json", cwd=tmp_path)

    assert done.returncode == 0, done.stderr
    assert done.stdout == ("4 cases written to eval_set.json: paris, phoenix, picnic, umbrella\n")
    assert len(eval_sets.load(tmp_path / "eval_set.json").cases) == 4
    scored = run(TRACES, "-e", "eval_set.json", cwd=tmp_path)
    assert scored.stdout.startswith("PASS  4 cases passed"), scored.stdout + scored.stderr


def test_it_ends_with_what_comes_next(tmp_path):
    prepared = bless(TRACES, cwd=tmp_path)
    (tmp_path / "eval_config.yaml").touch()
    judged = bless(TRACES, "-o", "a set.json", cwd=tmp_path)

    assert prepared.stderr.splitlines()[-1] == "agentevals: next: agentevals init"
    assert judged.stderr.splitlines()[-1] == (
        f"agentevals: next: agentevals run {TRACES} --config eval_config.yaml "
        "--eval-set 'a set.json'"
    )


def test_an_eval_set_is_not_overwritten_by_accident(tmp_path):
    (tmp_path / "eval_set.json").write_text("mine")

    done = bless(TRACES / "paris.jsonl", cwd=tmp_path)

    assert done.returncode == 2
    assert "eval_set.json: is already there; give --update" in done.stderr
    assert (tmp_path / "eval_set.json").read_text() == "mine"


def test_an_update_keeps_the_other_cases(tmp_path):
    bless(TRACES / "paris.jsonl", TRACES / "picnic.jsonl", cwd=tmp_path)
    before = json.loads((tmp_path / "eval_set.json").read_text())

    done = bless(TRACES / "paris.jsonl", TRACES / "umbrella.jsonl", "--update", cwd=tmp_path)

    after = json.loads((tmp_path / "eval_set.json").read_text())
    assert done.returncode == 0
    assert [case["eval_id"] for case in after["eval_cases"]] == ["paris", "picnic", "umbrella"]
    assert after["eval_cases"][1] == before["eval_cases"][1]
    assert not list(tmp_path.glob(".*"))


def test_an_update_of_something_else_says_what_it_needs(tmp_path):
    (tmp_path / "cases.jsonl").write_text('{"eval_id": "a", "conversation": []}\n')

    done = bless(TRACES / "paris.jsonl", "-o", "cases.jsonl", "--update", cwd=tmp_path)

    assert done.returncode == 2
    assert "needs an object with 'eval_cases'" in done.stderr


def test_a_trace_without_turns_is_refused_by_its_name(tmp_path):
    span = {
        "traceId": "a" * 32,
        "spanId": "b" * 16,
        "name": "chat",
        "attributes": {"gen_ai.operation.name": "invoke_agent"},
    }
    (tmp_path / "silent.json").write_text(json.dumps([span]))

    done = bless("silent.json", TRACES / "paris.jsonl", cwd=tmp_path)

    assert done.returncode == 2
    assert "silent.json" in done.stderr
    assert not (tmp_path / "eval_set.json").exists()


def test_a_file_that_cannot_be_read_is_the_users_mistake(tmp_path):
    (tmp_path / "bad.json").write_text("{")

    done = bless("bad.json", cwd=tmp_path)

    assert done.returncode == 2
    assert "bad.json" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_place_that_cannot_be_is_the_users_mistake(tmp_path):
    done = bless(TRACES / "paris.jsonl", "-o", "x" * 300, cwd=tmp_path)

    assert done.returncode == 2
    assert "cannot be written: File name too long" in done.stderr


def test_recordings_that_a_run_cannot_tell_apart_are_named(tmp_path):
    """One trace for each request is what instrumentation leaves without a span around the turn."""
    for name in ("a", "b"):
        lines = (TRACES / "paris.jsonl").read_text()
        for key in ("agentevals.eval.case.id", "gen_ai.conversation.id", "session.id"):
            lines = lines.replace(key, "other")
        trace_id = json.loads(lines.splitlines()[0])["resourceSpans"][0]["scopeSpans"][0]
        trace_id = trace_id["spans"][0]["traceId"]
        (tmp_path / f"{name}.jsonl").write_text(lines.replace(trace_id, name * 32))

    done = bless("a.jsonl", "b.jsonl", cwd=tmp_path)

    assert "2 recordings begin with the same words, so that a run cannot tell them" in done.stderr
    assert "'agentevals.eval.case.id': a.jsonl; b.jsonl" in done.stderr


QUESTION = [{"role": "user", "parts": [{"type": "text", "content": "Where is order 7?"}]}]
ANSWER = [{"role": "assistant", "parts": [{"type": "text", "content": "Shipped."}]}]


def record(place, *, trace_id, args=None, question=True, answer=True):
    """What an instrumentation leaves of one turn with one tool call."""
    told = {"gen_ai.operation.name": "invoke_agent"}
    told |= {"gen_ai.input.messages": json.dumps(QUESTION)} if question else {}
    told |= {"gen_ai.output.messages": json.dumps(ANSWER)} if answer else {}
    called = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "find_order"}
    called |= {"gen_ai.tool.call.id": f"call_{trace_id[:9]}"}
    called |= {"gen_ai.tool.call.arguments": json.dumps(args)} if args else {}
    asked = {"gen_ai.operation.name": "chat", "gen_ai.response.finish_reasons": ["stop"]}
    spans = [
        {
            "traceId": trace_id,
            "spanId": trace_id[at : at + 16],
            **({"parentSpanId": trace_id[:16]} if at else {}),
            "name": attributes["gen_ai.operation.name"],
            "startTimeUnixNano": 10 + at,
            "endTimeUnixNano": 20 + at,
            "attributes": attributes,
        }
        for at, attributes in enumerate((told, called, asked))
    ]
    place.write_text(json.dumps(spans if trace_id < "8" else spans[::-1]))


def test_what_was_not_recorded_is_omitted_and_said(tmp_path):
    record(tmp_path / "a.json", trace_id="0123456789abcdef" * 2)

    done = bless("a.json", cwd=tmp_path)

    assert done.returncode == 0
    assert (
        "agentevals: the eval set omits the arguments of tool calls in 1 turn of 1 recording, "
        "because neither a span nor a message holds those of 'find_order'. Let the"
    ) in done.stderr
    (case,) = json.loads((tmp_path / "eval_set.json").read_text())["eval_cases"]
    (call,) = case["conversation"][0]["intermediate_data"]["tool_uses"]
    assert call == {"id": "call-1", "name": "find_order"}


def test_an_expectation_that_nobody_recorded_judges_nothing(tmp_path):
    record(tmp_path / "a.json", trace_id="0123456789abcdef" * 2, answer=False)
    bless("a.json", cwd=tmp_path)
    record(tmp_path / "a.json", trace_id="f123456789abcdef" * 2, args={"order_id": 7})

    done = run("a.json", "-e", "eval_set.json", "-m", "response_match_score", cwd=tmp_path)

    told = " ".join(done.stdout.split())
    assert told.startswith("NOT EVALUATED 1 case lacks evidence")
    assert "! Record it and run 'agentevals bless --update', or write it into the case." in told
    assert "Not recorded: the answer, because the eval case does not state it." in told


def test_recordings_without_a_question_are_refused(tmp_path):
    for name in ("0", "9"):
        record(tmp_path / f"{name}.json", trace_id=(name + "123456789abcdef") * 2, question=False)

    done = bless("0.json", "9.json", cwd=tmp_path)

    assert done.returncode == 2
    assert (
        "0.json; 9.json: nothing worth expecting was recorded in 2 recordings: a run cannot find "
        "its case, because the question was not recorded: no span"
    ) in done.stderr
    assert not (tmp_path / "eval_set.json").exists()


def test_a_recording_without_a_question_is_skipped_beside_better_ones(tmp_path):
    record(tmp_path / "a.json", trace_id="0123456789abcdef" * 2, question=False)

    done = bless("a.json", TRACES / "paris.jsonl", cwd=tmp_path)

    assert done.returncode == 0
    assert "a.json: nothing worth expecting was recorded" in done.stderr
    assert done.stdout == "1 case written to eval_set.json: paris\n"


def test_two_recordings_with_other_ids_give_the_same_bytes(tmp_path):
    for trace_id, name in (("0123456789abcdef" * 2, "one"), ("f0e1d2c3b4a59687" * 2, "two")):
        record(tmp_path / f"{name}.json", trace_id=trace_id, args={"order_id": 7})
        bless(f"{name}.json", "-o", f"{name}/eval_set.json", cwd=tmp_path)

    one, two = ((tmp_path / name / "eval_set.json").read_bytes() for name in ("one", "two"))
    assert one == two


def test_requests_of_one_turn_in_traces_of_their_own_are_refused(tmp_path):
    call = {"type": "tool_call", "id": "c1", "name": "find_order", "arguments": {"order_id": 7}}
    for name, said in (("a", [{"role": "assistant", "parts": [call]}]), ("b", ANSWER)):
        attributes = {"gen_ai.operation.name": "chat"}
        attributes |= {"gen_ai.input.messages": json.dumps(QUESTION)}
        attributes |= {"gen_ai.output.messages": json.dumps(said)}
        span = {"traceId": name * 32, "spanId": name * 16, "name": "chat", "attributes": attributes}
        (tmp_path / f"{name}.json").write_text(json.dumps([span]))

    done = bless("a.json", "b.json", cwd=tmp_path)

    assert done.returncode == 2
    assert "in 2 recordings: the requests of one turn are in traces of their own" in done.stderr
    assert not (tmp_path / "eval_set.json").exists()


def test_traces_of_something_else_hold_nothing_to_bless(tmp_path):
    attributes = {"http.request.method": "POST"}
    span = {"traceId": "a" * 32, "spanId": "b" * 16, "name": "POST", "attributes": attributes}
    (tmp_path / "a.json").write_text(json.dumps([span]))

    done = bless("a.json", cwd=tmp_path)

    assert done.returncode == 2
    assert "no turn of an agent; there is nothing to bless: there are only HTTP spans" in (
        done.stderr
    )


TOKEN = "AKIA" + "ABCDEFGH12345678"


def leak(folder):
    """Write a recording of an agent that hands on the token it was given."""
    call = {"type": "function", "id": "c1"}
    messages = [
        {"role": "user", "content": f"Log in with {TOKEN}, please"},
        {
            "role": "assistant",
            "content": "",
            "tool_calls": [
                call | {"function": {"name": "login", "arguments": json.dumps({"key": TOKEN})}}
            ],
        },
        {"role": "tool", "tool_call_id": "c1", "content": f"{TOKEN} is fine"},
        {"role": "assistant", "content": f"{TOKEN} works"},
    ]
    path = folder / "trace.json"
    path.write_text(json.dumps({"messages": messages}))
    return path


EXACT = ("-m", "tool_trajectory_avg_score", "-m", "response_match_score")


def test_tokens_of_vendors_are_no_expectation_and_the_recording_still_passes(tmp_path):
    trace = leak(tmp_path)
    done = bless(trace, cwd=tmp_path)
    written = (tmp_path / "eval_set.json").read_text()

    assert "agentevals: 1 secret hidden (AWS: 1); give --no-redact to keep them\n" in done.stderr
    assert "***" in written
    assert TOKEN.lower() not in (written + done.stdout + done.stderr).lower()
    scored = run(trace, "-e", "eval_set.json", *EXACT, "-o", "json", cwd=tmp_path)
    assert scored.returncode == 0, scored.stdout


def test_they_are_expected_if_that_is_asked_for(tmp_path):
    trace = leak(tmp_path)
    done = bless(trace, "--no-redact", cwd=tmp_path)

    assert "hidden" not in done.stderr
    assert TOKEN in (tmp_path / "eval_set.json").read_text()
    assert run(trace, "-e", "eval_set.json", *EXACT, cwd=tmp_path).returncode == 0


def test_an_update_finds_the_case_that_still_has_its_token(tmp_path):
    trace = leak(tmp_path)
    bless(trace, "--no-redact", cwd=tmp_path)
    (before,) = json.loads((tmp_path / "eval_set.json").read_text())["eval_cases"]
    bless(trace, "--update", cwd=tmp_path)
    (after,) = json.loads((tmp_path / "eval_set.json").read_text())["eval_cases"]

    assert after["eval_id"] == before["eval_id"]
    assert TOKEN not in json.dumps(after["conversation"])
