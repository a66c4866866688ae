import pytest

from agentevals.files import yaml_reader
from agentevals.files.document_places import DEEPEST


def value(text):
    found, _, wrong = yaml_reader.scan(text)
    assert not wrong
    return found


def faults(text):
    return [(fault.line, fault.column, fault.message) for fault in yaml_reader.scan(text)[2]]


def test_scalars_are_what_yaml_says():
    text = "{t: yes, n: ~, i: 1_000, o: 012, x: 0x1F, f: 1.5, s: 'no', p: some text, q: \"1\"}"

    assert value(text) == {
        "t": True,
        "n": None,
        "i": 1000,
        "o": 10,
        "x": 31,
        "f": 1.5,
        "s": "no",
        "p": "some text",
        "q": "1",
    }


def test_dates_stay_text_because_json_has_none():
    assert value("a: 2024-01-01\nb: 2024-01-01T10:00:00Z") == {
        "a": "2024-01-01",
        "b": "2024-01-01T10:00:00Z",
    }


def test_an_explicit_tag_decides():
    assert value("[!!str 12, !!int '12', ! 12, !!float 1]") == ["12", 12, "12", 1.0]


def test_every_key_and_value_has_a_place():
    _, root, _ = yaml_reader.scan("# note\na:\n  - x\n  - b: [1, 2]\n")

    inner = root.find(("a", 1))
    assert inner.keys["b"][:2] == (4, 5)
    assert [n.extent[:2] for n in inner.find(("b",)).children.values()] == [(4, 9), (4, 12)]


def test_what_was_not_read_as_text_is_kept_as_it_was_written():
    _, root, _ = yaml_reader.scan("[no, 012, text, 'no']")

    assert [node.raw for node in root.children.values()] == ["no", "012", None, None]


def test_aliases_and_merges():
    text = "base: &b {x: 1, y: 2}\nlist: [*b]\none: {<<: *b, y: 3}\ntwo:\n  <<: [{z: 1}, *b]\n"

    assert value(text) == {
        "base": {"x": 1, "y": 2},
        "list": [{"x": 1, "y": 2}],
        "one": {"x": 1, "y": 3},
        "two": {"z": 1, "x": 1, "y": 2},
    }


def test_a_merged_value_has_the_place_where_it_is_written():
    _, root, _ = yaml_reader.scan("base: &b {x: 1}\none: {<<: *b}")

    assert root.find(("one",)).keys["x"][:2] == (1, 11)
    assert root.find(("one", "x")).extent.line == 1


@pytest.mark.parametrize(
    ("text", "line", "column", "why"),
    [
        ("a: [", 2, 1, "did not find expected node content while parsing a flow node"),
        ("a: b: c", 1, 5, "mapping values are not allowed in this context"),
        ("a:\n\t- b", 2, 1, "a tab cannot indent; use spaces"),
        ('"\\q"', 1, 2, "found unknown escape character while parsing a quoted scalar"),
    ],
)
def test_broken_syntax_is_said_with_its_place(text, line, column, why):
    assert faults(text) == [(line, column, f"not valid YAML: {why}")]


@pytest.mark.parametrize(
    ("text", "line", "column", "message"),
    [
        ("on: 1", 1, 1, "the key 'on' is read as true; write it in quotes"),
        ("a: 1\n012: 2", 2, 1, "the key '012' is read as 10; write it in quotes"),
        ("a: 1\n1.5: 2", 2, 1, "the key '1.5' is read as 1.5; write it in quotes"),
        ("? [a]\n: 1", 1, 3, "a key must be text, not a list or a mapping"),
        ("a: &x 1\n*x : 2", 2, 1, "a key must be text, not an alias"),
        ("a: 1\nb:\n  c: 1\na: 2", 4, 1, "the key 'a' is here twice, first in line 1; remove one"),
        ("a: .nan", 1, 4, "'.nan' is not a finite number"),
        ("a: -.inf", 1, 4, "'-.inf' is not a finite number"),
        ("a: !!int x", 1, 4, "'x' cannot be read as !!int"),
        ("a: !!bool x", 1, 4, "'x' cannot be read as !!bool"),
        ("a: !new {b: 1}", 1, 4, "the tag '!new' is not supported; remove it"),
        ("a: 1\n---\nb: 2", 2, 1, "a second YAML document starts here; keep one in each file"),
        ("a: &a [*a]", 1, 8, "the alias *a stands for nothing that is complete"),
        ("a: *b", 1, 4, "the alias *b stands for nothing that is complete"),
        ("<<: 3", 1, 5, "'<<' takes a mapping"),
        ("a: \x07", 1, 4, "the character '\\x07' is not allowed in YAML; remove it"),
        ("a: 1\nb: '\x1b[31m'", 2, 5, "the character '\\x1b' is not allowed in YAML; remove it"),
    ],
)
def test_what_a_config_cannot_mean_is_refused(text, line, column, message):
    assert faults(text) == [(line, column, message)]


def test_python_objects_are_never_made():
    text = "a: !!python/object/apply:os.system ['exit 1']"

    assert "python/object" in faults(text)[0][2]


def test_all_faults_at_once():
    assert [line for line, _, _ in faults("on: 1\nb: .nan\nb: !x y\n")] == [1, 2, 3, 3]


@pytest.mark.parametrize(
    "text",
    [
        "[" * 5_000 + "]" * 5_000,
        "[" * 100_000,
        "{a: " * 100_000,
        "- " * 100_000 + "a",
        "\n".join(["a0: &a0 [x]", *(f"a{i}: &a{i} [*a{i - 1}]" for i in range(1, 5_000))]),
    ],
    ids=["flow", "unclosed flow", "mappings", "block", "aliases in a chain"],
)
def test_deep_nesting_is_refused_before_it_can_crash(text):
    assert [why for _, _, why in faults(text)] == [
        f"nested deeper than {DEEPEST} levels; flatten it"
    ]


def test_a_billion_laughs_are_not_laughed():
    text = "\n".join(
        ["a0: &a0 [x, x, x, x, x, x, x, x, x]"]
        + [f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 9)}]" for i in range(1, 30)]
    )

    assert [why for _, _, why in faults(text)] == [
        "aliases repeat more than 100,000 values; write fewer"
    ]


def test_a_whole_number_as_a_key_can_mean_nothing_but_its_text():
    assert yaml_reader.scan("0: bad\n10: good\n")[0] == {"0": "bad", "10": "good"}
