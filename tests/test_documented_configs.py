"""Every snippet of docs/configs.md and docs/eval-sets.md is what the page says it is."""

import re
from pathlib import Path

import pytest
import yaml

from agentevals.compare.settlement import review_of
from agentevals.configs import eval_sets
from agentevals.configs.config_gate import AcceptedCase, AmountLimits, Gate, ShareLimits
from agentevals.configs.dialects import compile_plan
from agentevals.configs.dialects.agentevals import KEYS
from agentevals.configs.eval_case_labels import find_label
from agentevals.model.completeness import Fact, Gap, Presence
from agentevals.model.errors import ConfigError
from agentevals.model.review import Scene
from agentevals.report.outputs import table
from tests.compare.runs import case, result, settled
from tests.support import DOCS

PAGE = "\n".join((DOCS / f"{name}.md").read_text("utf-8") for name in ("configs", "eval-sets"))


def snippets(language):
    found = re.findall(rf"^```{language}\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE)
    return [text for text in found if "pre-commit" not in text]


@pytest.mark.parametrize("text", snippets("yaml"))
def test_the_configs_are_accepted(tmp_path, text):
    (tmp_path / "eval_set.json").write_text(snippets("json")[0])
    (tmp_path / "eval_config.yaml").write_text(text)

    assert compile_plan(tmp_path / "eval_config.yaml").findings == ()


@pytest.mark.parametrize("language", ["json", "jsonl"])
def test_the_eval_sets_are_accepted(tmp_path, language):
    for text in snippets(language):
        path = tmp_path / f"orders.{language}"
        path.write_text(text)

        loaded = eval_sets.load(path)

        assert loaded.cases[0].opening == "Where is order 7?"
        assert loaded.findings == ()


def test_the_cases_of_the_page_are_two_families(tmp_path):
    (text,) = [text for text in snippets("json") if "x-task" in text]
    (tmp_path / "orders.json").write_text(text)
    cases = eval_sets.load(tmp_path / "orders.json").cases

    assert [find_label(one.labels, "x-task") for one in cases] == ["late", "late", "hello"]


def test_missing_evidence_is_told_as_the_page_says():
    gap = Gap(
        fact=Fact.ANSWER,
        presence=Presence.UNKNOWN,
        evidence="the model's output is not in the span",
        remedy="Set OTEL_SEMCONV_STABILITY_OPT_IN=gen_ai_latest_experimental, and record again",
    )
    unjudged = result("response_match_score", None, details={"gap": gap})
    known = [case(name, result("response_match_score", 1.0)) for name in ("cancel", "hours")]
    lacking = [case(name, unjudged) for name in ("hello", "refund", "where")]
    shown = "".join(table.render(review_of(Scene(), [settled([*known, *lacking])])))
    page = re.sub(r" · [0-9]+ ms", " · 0 ms", snippets("text")[0])

    assert shown.startswith(page)


def test_the_messages_are_the_ones_that_appear(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    config = Path("eval_config.yaml")
    config.write_text(
        "evaluators:\n  - {name: quality, type: code, path: a.py,\n"
        "    treshold: 1}\n  -\n    type: code\n    name: no\n    path: a.py\n"
    )

    with pytest.raises(ConfigError) as refused:
        compile_plan(config)

    assert str(refused.value) == snippets("text")[-1].strip()


def test_the_gate_has_an_example_and_a_row_for_every_key():
    (text,) = [text for text in snippets("yaml") if "max_ratio" in text]
    example = yaml.safe_load(text)["gate"]
    section = PAGE.partition("\n## The gate\n")[2].partition("\n## ")[0]

    assert set(example) == set(Gate.model_fields)
    assert all(f"`{key}`" in section for key in Gate.model_fields)
    for part, given in ((ShareLimits, "pass_rate"), (AmountLimits, "cost")):
        assert set(example[given]) == set(part.model_fields)
        assert all(f"| `{limit}` |" in section for limit in part.model_fields)
    assert set(example["accept"][0]) == set(AcceptedCase.model_fields)


@pytest.mark.parametrize("key", [key for key in KEYS if key not in {"metrics", "output"}])
def test_every_key_is_described(key):
    assert f"`{key}`" in PAGE
