"""`agentevals.evaluate` comes to what the command comes to."""

import re
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

import agentevals
from tests.run.suites import Suite
from tests.support import DOCS, EXAMPLES
from tests.support import agentevals as type_command

TRACES = EXAMPLES / "traces"


def read_written(words: tuple[str, ...], folder: Path) -> dict[str, object]:
    done = type_command("run", *words, "-o", "report", cwd=folder)
    assert done.returncode in {0, 1}, done.stderr
    return forget_times(msgspec.json.decode(done.stdout))


def forget_times(report: dict[str, object]) -> dict[str, object]:
    text = msgspec.json.encode(report).decode()
    found = msgspec.json.decode(re.sub(r'"duration_ms":[\d.e+-]+', '"duration_ms":0', text))
    return {name: value for name, value in found.items() if name != "schema_version"}


def write_out(report: agentevals.Report) -> dict[str, object]:
    whole = msgspec.structs.replace(report, cases=tuple(report.cases))
    return forget_times(msgspec.json.decode(msgspec.json.encode(whole)))


@pytest.mark.parametrize("seed", [11, 12])
def test_a_report_is_what_the_command_writes(
    seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    suite = Suite(seed, tmp_path, conversations=40)
    words = suite.write()
    traces = [word for word in words if word.endswith(".jsonl")]
    monkeypatch.chdir(tmp_path)

    report = agentevals.evaluate(traces, "config.yaml", eval_set="set.json", allow_missing=True)

    typed = (*traces, "-c", "config.yaml", "-e", "set.json", "--allow-missing")
    assert write_out(report) == read_written(typed, tmp_path)


def test_one_name_of_a_folder_will_do() -> None:
    report = agentevals.evaluate(TRACES, eval_set=EXAMPLES / "eval_set.json")

    assert sorted(case.case_id for case in report.cases) == [
        *("paris", "phoenix", "picnic", "umbrella"),
    ]


def test_a_run_is_compared_with_an_earlier_one(tmp_path: Path) -> None:
    expected, main = EXAMPLES / "eval_set.json", tmp_path / "main.json"
    words = (str(TRACES), "-e", str(expected))
    main.write_text(type_command("run", *words, "-t", "0.1", "-o", "report").stdout)

    report = agentevals.evaluate(TRACES, eval_set=expected, baseline=main)

    assert write_out(report) == read_written((*words, "--baseline", str(main)), tmp_path)


def test_what_is_wrong_is_said_as_the_command_says_it() -> None:
    with pytest.raises(agentevals.AgentEvalsError, match="did you mean") as caught:
        agentevals.evaluate(TRACES, metrics=["response_match_scor"])

    assert caught.value.exit_code == 2


def test_to_import_it_imports_nothing_else() -> None:
    program = "import sys; before = set(sys.modules); import agentevals; "
    program += "print(sorted(set(sys.modules) - before))"

    done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True)

    assert b"msgspec" not in done.stdout
    assert b"typing" not in done.stdout


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'evalute'"):
        agentevals.evalute  # noqa: B018


def list_programs() -> list[str]:
    page = (DOCS / "python.md").read_text(encoding="utf-8")
    return re.findall(r"^```python\n(.*?)^```", page, re.DOTALL | re.MULTILINE)


@pytest.mark.parametrize("text", list_programs())
def test_the_programs_of_the_page_run(text: str, tmp_path: Path) -> None:
    (tmp_path / "traces").symlink_to(TRACES)
    (tmp_path / "eval_set.json").symlink_to(EXAMPLES / "eval_set.json")
    (tmp_path / "eval_config.yaml").write_text(
        "eval_set: eval_set.json\nevaluators: [{name: response_match_score, type: builtin}]\n"
    )
    (tmp_path / "program.py").write_text(text)

    done = subprocess.run(
        [sys.executable, "program.py"], cwd=tmp_path, capture_output=True, text=True, check=False
    )

    assert done.returncode == 0, done.stderr
    assert done.stdout
