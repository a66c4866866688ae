import json

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from agentevals.evaluator import registry_index
from agentevals.evaluator.registry_index import Index, IndexEntry, Removed
from registry_tools.index.index_serialise import JSON, YAML, UnwritableError, serialise

texts = st.text(max_size=40)
values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.floats(allow_nan=False,
    allow_infinity=False) | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=8,
)  # fmt: skip


def entry(**said):
    return IndexEntry(**{"name": "x", "path": "evaluators/x/x.py", **said})


@given(texts, texts, st.dictionaries(texts, values, max_size=3))
def test_what_is_written_is_what_every_reader_reads(description, author, schema):
    one = entry(description=description, author=author, config_schema=schema)
    whole = Index(evaluators=(one,), removed={"y": Removed(reason=author or "x")})
    try:
        made = serialise(whole, thorough=True)
    except UnwritableError:
        assert json.loads(json.dumps(schema)) is not None  # said, and not written
        return

    assert registry_index.parse(made.json, where="x") == whole
    assert registry_index.parse(made.yaml, where="x") == whole
    assert yaml.safe_load(made.yaml)["evaluators"][0]["description"] == description
    assert json.loads(made.entries["x"])["evaluator"]["author"] == author


@pytest.mark.parametrize(
    "text",
    [
        '"', "\\", "\\d", "@x", "a: b", "# x", "yes", "null", "1e3", "'", "- x", "---", "...",
        "\n", "a\nb", "\t", "\u0085", "\u2028", "\ufeff", "\u200b", "\x7f", "\x00", "\x1b[0m", "😀",
        "\uffff", "\U0010ffff", " x ", "{", "%YAML", "&a", "*a", "!!str", "x" * 5_000,
    ],
)  # fmt: skip
def test_no_text_is_too_strange(text):
    whole = Index(evaluators=(entry(description=text, tags=(text,)),))
    made = serialise(whole, thorough=True)

    assert registry_index.parse(made.yaml, where="x") == whole


@pytest.mark.parametrize("number", [0.1, 1e-07, 1.5e30, -2.5, 0, 10**14, True])
def test_numbers_stay_numbers(number):
    whole = Index(evaluators=(entry(config_schema={"minimum": number}),))

    assert registry_index.parse(serialise(whole, thorough=True).yaml, where="x") == whole


@pytest.mark.parametrize("value", [float("inf"), float("nan"), 2**70, 2**53, 1e300, "\ud800"])
def test_what_some_reader_reads_otherwise_is_not_written(value):
    with pytest.raises((UnwritableError, UnicodeEncodeError)):
        serialise(Index(evaluators=(entry(config_schema={"minimum": value}),)))


def test_an_entry_takes_a_line():
    made = serialise(Index(evaluators=(entry(), entry(name="y"))))

    assert len(made.json.splitlines()) == 4


def test_an_empty_index_is_one():
    made = serialise(Index(evaluators=()))

    assert registry_index.parse(made.yaml, where="x") == registry_index.parse(made.json, where="x")


def test_the_files_lie_where_clients_look():
    assert list(serialise(Index(evaluators=(entry(),))).files()) == [
        YAML,
        JSON,
        "index/search.json",
        "e/x.json",
        "index/tree/root.json",
    ]


@pytest.mark.parametrize(
    ("files", "language", "expected"),
    [
        ([], "python", True), (["README.md", "fixtures.yaml", "examples.yaml"], "python", True),
        (["requirements.txt"], "python", True), (["helper.py"], "python", False),
        (["words.txt"], "python", False), ([], "javascript", True), ([], "typescript", False),
    ],
)  # fmt: skip
def test_the_predecessors_list_has_what_its_client_can_run(files, language, expected):
    listed = dict.fromkeys(["evaluator.yaml", "kind.py", *files], "0" * 64)
    entry = IndexEntry(
        name="kind", language=language, path="evaluators/kind/kind.py", entrypoint="kind.py",
        files=listed, requirements="requirements.txt",
    )  # fmt: skip
    written = serialise(Index(evaluators=(entry,)), thorough=True)

    assert (b"kind.py" in written.yaml) is expected
    assert b"kind.py" in written.json
