"""What docs/isolation.md says about the environment of a program is what a program finds."""

import json
import re
from pathlib import Path

import pytest
import yaml

from tests.sandbox.conftest import Run
from tests.support import DOCS, EXAMPLES, agentevals

PAGE = (DOCS / "isolation.md").read_text(encoding="utf-8")
[PROMISE] = re.findall(r"^\* \*\*An environment.*?(?=^\* )", PAGE, re.MULTILINE | re.DOTALL)


def test_the_page_names_every_variable_that_a_program_gets(
    either: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MY_API_KEY", "secret")

    names = json.loads(either("import json, os; print(json.dumps(list(os.environ)))").stdout)

    described = {"PYTHON" if name.startswith("PYTHON") else name for name in names}
    assert described <= set(re.findall(r"`([A-Z]+)…?`", PROMISE))


@pytest.mark.parametrize("key", ["environment", "capabilities"])
def test_one_setting_alone_passes_a_variable_on(tmp_path, key: str) -> None:
    (tmp_path / "e.py").write_text("")
    entry = {"name": "e", "type": "code", "path": "e.py", key: ["MY_API_KEY"]}
    (tmp_path / "eval_config.yaml").write_text(yaml.safe_dump({"evaluators": [entry]}))

    done = agentevals("validate", "eval_config.yaml", cwd=tmp_path)

    assert "except those that the evaluator's `env` names" in " ".join(PROMISE.split())
    assert f"unknown key '{key}'" in done.stdout


TONE = """\
import os
key = os.environ["TONE_API_KEY"]
words = open("data/words.txt").read()
"""


def test_the_error_on_the_page_is_that_of_a_program_without_its_grants(tmp_path: Path) -> None:
    [shown] = re.findall(r"^```text\n(.*?)\n```", PAGE, re.MULTILINE | re.DOTALL)
    for name, text in (("data/words.txt", ""), ("evals/tone.py", TONE)):
        (tmp_path / name).parent.mkdir()
        (tmp_path / name).write_text(text)
    entry = {"name": "tone", "type": "code", "path": "evals/tone.py"}
    (tmp_path / "eval_config.yaml").write_text(yaml.safe_dump({"evaluators": [entry]}))
    trace = str(EXAMPLES / "traces" / "paris.jsonl")

    words = ("run", trace, "--config", "eval_config.yaml", "-o", "json")
    done = agentevals(*words, cwd=tmp_path, TONE_API_KEY="x")

    errors = re.findall(r'"error": "(evaluator .*?)\\n', done.stdout)
    assert errors == [shown]
