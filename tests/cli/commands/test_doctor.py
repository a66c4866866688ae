import json
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from agentevals.cli import schemas
from agentevals.text.wording import NOTHING
from tests.support import agentevals

ROOT = Path(__file__).parents[3]
RECORDED = sorted((ROOT / "tests/data/doctor").iterdir())
TRACES = ROOT / "examples/traces"
ASKED = json.dumps([{"role": "user", "parts": [{"type": "text", "content": "Weather?"}]}])
SAID = json.dumps([{"role": "assistant", "parts": [{"type": "text", "content": "Clear."}]}])


def span(number, name, parent="", **attributes):
    pairs = [{"key": key, "value": {"stringValue": value}} for key, value in attributes.items()]
    return {
        "traceId": "0" * 31 + "1",
        "spanId": f"{number:016x}",
        "parentSpanId": f"{parent:016x}" if parent else "",
        "name": name,
        "startTimeUnixNano": number * 1000,
        "endTimeUnixNano": number * 1000 + 500,
        "attributes": pairs,
    }


def export(*spans, scope="opentelemetry.instrumentation.genai.openai", version="1.3b0"):
    resource = {"telemetry.sdk.name": "opentelemetry", "telemetry.sdk.language": "python"}
    resource |= {"telemetry.sdk.version": "1.45.2", "service.name": "weather"}
    pairs = [{"key": key, "value": {"stringValue": value}} for key, value in resource.items()]
    scoped = {"scope": {"name": scope, "version": version}, "spans": list(spans)}
    return {"resourceSpans": [{"resource": {"attributes": pairs}, "scopeSpans": [scoped]}]}


def chat(**messages):
    known = {"gen_ai.operation.name": "chat", "gen_ai.request.model": "m"}
    return span(1, "chat m", **known, **messages)


@pytest.fixture
def doctor(tmp_path):
    def examine(*words, **files):
        for name, content in files.items():
            text = content if isinstance(content, str) else json.dumps(content)
            (tmp_path / name.replace("__", ".")).write_text(text)
        done = agentevals("doctor", *map(str, words), cwd=tmp_path)
        assert not done.stderr
        return done.returncode, done.stdout

    return examine


@pytest.mark.parametrize("folder", RECORDED, ids=lambda folder: folder.name)
def test_a_recording_of_a_real_package_is_shown_as_before(folder):
    done = agentevals("doctor", "trace.jsonl", cwd=folder)

    assert done.stdout == (folder / "shown.txt").read_text(encoding="utf-8")
    assert done.returncode == 1


def test_the_page_about_doctor_shows_a_real_output():
    shown = (ROOT / "tests/data/doctor/pydantic_ai_without_content/shown.txt").read_text("utf-8")

    assert shown.strip() in (ROOT / "docs/doctor.md").read_text("utf-8")


def test_a_complete_recording_says_who_made_it_and_what_it_holds(doctor):
    complete = chat(**{"gen_ai.input.messages": ASKED, "gen_ai.output.messages": SAID})

    code, text = doctor("a.json", a__json=export(complete))

    assert code == 0
    assert text == (
        "COMPLETE  1 conversation, 1 turn: all that evaluators need was recorded\n"
        "\n"
        "  recorded by  OpenTelemetry: opentelemetry.instrumentation.genai.openai 1.3b0 (1 span)\n"
        "  SDK          opentelemetry python 1.45.2\n"
        "  service      weather\n"
        "\n"
        "                                   tool   tool       tool\n"
        "          turns  question  answer  calls  arguments  answers  tokens  cost  time\n"
        "  a.json      1  ✓         ✓       ✓ 0    ✓          ✓"
        f"        {NOTHING}       {NOTHING}     ✓\n"
        "\n"
        "  ✓ recorded   ✗ missing   █ withheld   "
        f"{NOTHING} not recorded: only a limit on it needs it\n"
    )


def test_a_missing_fact_comes_after_what_records_it(doctor):
    code, text = doctor("a.json", a__json=export(chat(**{"gen_ai.input.messages": ASKED})))

    assert code == 1
    assert text.startswith(
        "INCOMPLETE  1 conversation, 1 turn: answer and tool calls not recorded\n"
        "\n"
        "→ OpenTelemetry has recorded other messages of this turn: no setting of it adds this one, "
        "and\n"
        "  another instrumentation may\n"
        "    answer      unknown in 1 turn: the model's output is not in the span\n"
        "    tool calls  unknown in 1 turn: the model's output is not in the span\n"
    )


def test_the_json_has_every_part_also_where_it_is_empty(doctor):
    code, text = doctor(
        "a.json", "-o", "json", a__json=export(chat(**{"gen_ai.input.messages": ASKED}))
    )

    found = json.loads(text)
    [conversation] = found["conversations"]
    assert code == 1
    assert list(found) == [
        *("schema_version", "complete", "remedies", "total", "conversations", "files", "notes"),
    ]
    assert found["complete"] is conversation["complete"] is False
    assert conversation["recorder"] == {
        "sdks": ["opentelemetry python 1.45.2"],
        "services": ["weather"],
        "scopes": [
            {
                "name": "opentelemetry.instrumentation.genai.openai",
                "version": "1.3b0",
                "title": "OpenTelemetry",
                "spans": 1,
                "measured": "yes",
            }
        ],
    }
    assert conversation["shown"]["answer"] == {"recorded": 0, "withheld": 0, "unknown": 1}
    assert conversation["missing"][0] == {
        "fact": "answer",
        "presence": "unknown",
        "evidence": "the model's output is not in the span",
        "remedy": found["remedies"][0],
        "turns": 1,
    }
    assert found["total"]["missing"] == conversation["missing"]


@pytest.mark.parametrize("folder", RECORDED, ids=lambda folder: folder.name)
def test_the_json_follows_the_published_schema(folder):
    done = agentevals("doctor", "trace.jsonl", "no.json", "-o", "json", cwd=folder)

    published = json.loads(schemas.path("doctor").read_text(encoding="utf-8"))
    Draft202012Validator(published).validate(json.loads(done.stdout))
    assert done.returncode == 2


def test_a_trace_without_an_agent_says_what_is_in_it(doctor):
    web = span(1, "POST", **{"http.request.method": "POST", "server.address": "api.openai.com"})
    scope = "opentelemetry.instrumentation.httpx"

    code, text = doctor("a.json", a__json=export(web, scope=scope, version="0.66b2"))

    assert code == 1
    assert text == (
        "INCOMPLETE  1 conversation, 0 turns: 1 conversation without a turn of an agent\n"
        "\n"
        "→ Install openinference-instrumentation-openai (or the like for your language), and "
        "record with\n  'agentevals record -o traces/ -- COMMAND'\n"
        "\n"
        "✗ 1 conversation without a turn of an agent\n"
        "  because      there are only HTTP spans, among them requests to a model (openai)\n"
        "  recorded by  opentelemetry.instrumentation.httpx 0.66b2 (1 span)\n"
        "  SDK          opentelemetry python 1.45.2\n"
        "  in           a.json\n"
    )


def test_a_file_of_another_tool_is_named_with_the_way_to_record(doctor):
    code, text = doctor("a.json", a__json={"info": {}, "data": {"spans": []}})

    assert code == 2
    assert text.startswith(
        "UNREADABLE  1 file cannot be read; the rest is 0 conversations, 0 turns\n"
    )
    assert "  looks like  a trace of MLflow\n" in text
    assert "or record with 'agentevals record" in text


def test_a_path_that_is_not_there_is_a_file_that_cannot_be_read(doctor):
    code, text = doctor("no.json")

    assert code == 2
    assert "✗ no.json\n" in text
    assert "no such file" in text


def test_incomplete_conversations_come_first_and_the_total_last(doctor):
    other = export(chat(**{"gen_ai.input.messages": ASKED}))

    code, text = doctor(TRACES, "z.json", z__json=other)

    rows = [line.split()[0] for line in text.splitlines() if "  ✓  " in line]
    assert code == 1
    assert rows == [
        *("z.json", "paris.jsonl", "phoenix.jsonl", "picnic.jsonl", "picnic.jsonl"),
        *("umbrella.jsonl", "total"),
    ]


def test_a_sample_for_an_issue_holds_no_text(doctor, tmp_path):
    spans = chat(**{"gen_ai.input.messages": ASKED, "gen_ai.output.messages": SAID})
    (tmp_path / "t.json").write_text(json.dumps(export(spans)))

    done = agentevals("doctor", "t.json", "--sample", "sample.jsonl", cwd=tmp_path)

    assert "1 span written to sample.jsonl: their texts are replaced" in done.stderr
    assert "/issues" in done.stderr
    sample = (tmp_path / "sample.jsonl").read_text()
    assert "Weather" not in sample
    assert "gen_ai.input.messages" in sample
    assert doctor("sample.jsonl")[0] == done.returncode


def test_a_file_without_spans_gives_no_sample(tmp_path):
    (tmp_path / "t.jsonl").write_text('{"role": "user", "content": "hi"}\n')

    done = agentevals("doctor", "t.jsonl", "--sample", "sample.jsonl", cwd=tmp_path)

    assert done.returncode == 2
    assert "nothing to write to sample.jsonl: the traces hold no spans" in done.stderr
    assert not (tmp_path / "sample.jsonl").exists()


@pytest.mark.parametrize(
    ("scope", "version", "said"),
    [
        ("openinference.instrumentation.openai", "0.1.66", None),
        ("openinference.instrumentation.openai", "9.0", "openai 9.0 (measured: 0.1."),
        (
            "opentelemetry.instrumentation.openai_v2",
            "2.4b0",
            "openai_v2 2.4b0 (measured: one without a version)",
        ),
        (
            "my.agents",
            "1.0",
            "not measured  my.agents 1.0. Is it read wrong? 'agentevals doctor --sample",
        ),
    ],
)
def test_an_instrumentation_that_nobody_has_measured_is_said(doctor, scope, version, said):
    known = chat(**{"gen_ai.input.messages": ASKED, "gen_ai.output.messages": SAID})

    _, shown = doctor("t.json", t__json=export(known, scope=scope, version=version))

    assert ("not measured" in shown) is bool(said)
    assert not said or said in " ".join(shown.split()).replace("not measured ", "not measured  ")
