import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from agentevals.files import yaml_strict
from agentevals.files.yaml_strict import UNREAD


def said(text):
    """What is wrong, and where."""
    content = text if isinstance(text, bytes) else text.encode()
    return [
        (fault.rule, fault.at.line, fault.at.column) for fault in yaml_strict.read(content).problems
    ]


def test_a_plain_document_is_read_with_its_places():
    document = yaml_strict.read(b"name: x\ntags: [a, 'b c']\npeople:\n  - {id: 7}\n")

    assert document.value == {"name": "x", "tags": ["a", "b c"], "people": [{"id": 7}]}
    assert document.problems == ()
    assert document.locate(("people", 0, "id"))[:4] == (4, 10, 4, 11)
    assert document.locate(("tags",), key=True)[:2] == (2, 1)
    assert document.get_source(("tags", 1)) == "'b c'"
    assert document.locate(("people", 3, "id"))[:2] == (4, 3)


def test_places_count_characters_and_not_bytes():
    document = yaml_strict.read("é: [ü, x]\n".encode())

    assert document.get_source(("é", 1)) == "x"
    assert document.locate(("é", 1))[:2] == (1, 8)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a: &x [1]", [("yaml-references", 1, 4)]),
        ("a: 1\nb: *a", [("yaml-references", 2, 4)]),
        ("a: 1\n<<: {b: 1}", [("yaml-references", 2, 1)]),
        ("a: !!str 1", [("yaml-references", 1, 4)]),
        ("a: !!python/object/apply:os.system [id]", [("yaml-references", 1, 4)]),
        ("a: 1\nb: 2\na: 3", [("duplicate-key", 3, 1)]),
        ("a:\n  b: 1\n  b: 2", [("duplicate-key", 3, 3)]),
        ("a: 1\n---\nb: 2", [("yaml", 2, 1)]),
        ("a: [1", [("yaml", 1, 6)]),
        ("a: @octocat", [("yaml", 1, 4)]),
        ("a: b: c", [("yaml", 1, 5)]),
        ("a:\n\tb: 1", [("yaml", 2, 1)]),
        ("? [a]\n: 1", [("yaml", 1, 3)]),
        ("a: \0", [("encoding", 1, 4)]),
        (b"a: caf\xe9", [("encoding", 1, 7)]),
        (b"\xef\xbb\xbfa: 1", [("encoding", 1, 1)]),
        ("a: 1\r\nb: 2\r\n", [("line-endings", 1, 5)]),
        ("a: " + "[" * 60_000, [("yaml", 1, 35)]),
        ("- " * 30_000, [("yaml", 1, 65)]),
        ("#" * (64 << 10) + "\n", [("size", 1, 1)]),
    ],
    ids=lambda value: repr(value)[:24] if not isinstance(value, list) else "",
)
def test_what_is_not_allowed_is_found_where_it_stands(text, expected):
    assert said(text) == expected


def test_everything_is_found_in_one_pass():
    text = "a: yes\na: 1\nb: &x 1\nc: *x\n1: 2\n"

    assert said(text) == [
        ("ambiguous-scalar", 1, 4),
        ("duplicate-key", 2, 1),
        ("yaml-references", 3, 4),
        ("yaml-references", 4, 4),
        ("ambiguous-scalar", 5, 1),
    ]


def test_of_two_equal_keys_the_first_counts():
    assert yaml_strict.read(b"a: 1\na: 2\n").value == {"a": 1}


def test_a_double_in_a_mapping_that_is_itself_a_double_names_its_own_first_line():
    problems = yaml_strict.read(b"a: 1\na:\n  b: 1\n  b: 2\n").problems

    assert [problem.message for problem in problems] == [
        "'a' is here twice, first in line 1",
        "'b' is here twice, first in line 3",
    ]


def test_what_an_alias_stands_for_is_not_guessed():
    assert yaml_strict.read(b"a: &x [1]\nb: *x\n").value == {"a": [1], "b": UNREAD}


@pytest.mark.parametrize("line", ["a: 1\n", "yes: 1\n", "a: *x\n"])
def test_a_file_of_nothing_but_mistakes_is_given_up_on(line):
    assert len(yaml_strict.read((line * 9_000).encode()).problems) <= yaml_strict.MOST_PROBLEMS + 2


@pytest.mark.parametrize(
    "word",
    [
        "yes", "no", "on", "off", "y", "n", "YES", "Off", "010", "0x1f", "0b1", "0o17", "1_000",
        "+1", "1e3", "1.", ".5", ".inf", "-.INF", ".nan", "1:30", "190:20:30", "2026-03-26",
        "2026-03-26T10:00:00Z", "9007199254740993", "=",
    ],
)  # fmt: skip
def test_a_word_that_readers_disagree_on_must_be_in_quotes(word):
    document = yaml_strict.read(f"a: {word}\n".encode())
    fault = document.problems[0]

    assert (fault.rule, fault.fix) == ("ambiguous-scalar", f'write "{word}"')
    assert document.value == {"a": word}
    assert yaml_strict.read(f'a: "{word}"\n'.encode()).problems == ()


@pytest.mark.parametrize(
    ("word", "value"),
    [
        ("", None), ("~", None), ("null", None), ("true", True), ("False", False),
        ("0", 0), ("-7", -7), ("1.5", 1.5), ("1.10", 1.1), ("1.5e+3", 1500.0),
        ("1.2.3", "1.2.3"), ("v1", "v1"), ("127.0.0.1", "127.0.0.1"), ("yesterday", "yesterday"),
        ("Norway", "Norway"), ("2026-3", "2026-3"), ("-", None),
    ],
)  # fmt: skip
def test_a_word_that_all_readers_agree_on_needs_none(word, value):
    document = yaml_strict.read(f"a: {word}\n".encode() if word != "-" else b"a:\n")

    assert (document.value, document.problems) == ({"a": value}, ())


LEAVES = st.none() | st.booleans() | st.integers(-999, 999) | st.text("abcno 10-:#", max_size=8)
VALUES = st.recursive(
    LEAVES,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.text("abcxyz", min_size=1, max_size=4), inner, max_size=3)
    ),
    max_leaves=12,
)


@given(st.dictionaries(st.text("abcxyz", min_size=1, max_size=4), VALUES, max_size=4))
def test_what_is_accepted_means_the_same_to_other_readers(value):
    text = yaml.safe_dump(value)
    document = yaml_strict.read(text.encode())

    assert document.problems or document.value == value


@given(st.binary(max_size=200) | st.text(max_size=200).map(str.encode))
def test_no_content_is_a_reason_to_fail(content):
    document = yaml_strict.read(content)

    assert document.problems or document.text or not content
    assert document.locate(("a", 0)).line >= 1
