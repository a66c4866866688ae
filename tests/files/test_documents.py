import pytest

from agentevals.files import documents
from agentevals.files.documents import Paths
from agentevals.model.errors import ConfigError


@pytest.fixture
def read(tmp_path):
    def from_file(name, text):
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        return documents.read(path)

    return from_file


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.json", '{"a":\t[1]}'),
        ("a.yaml", '{"a":\t[1]}'),
        ("a.yaml", "{a: [1]}"),
        ("a.yml", "a:\n- 1"),
        ("a", "a: [1]"),
        ("a.txt", '\n {"a": [1]}'),
        ("a.jsonl", '{\n  "a": [1]\n}\n'),
    ],
)
def test_the_content_decides_the_language(read, name, text):
    document = read(name, text)

    assert document.value == {"a": [1]}
    assert not document.lines


@pytest.mark.parametrize("name", ["a.jsonl", "a.ndjson", "a.json", "a"])
def test_json_lines_are_a_list(read, name):
    document = read(name, '{"a": 1}\n{"a": 2}\n')

    assert document.value == [{"a": 1}, {"a": 2}]
    assert document.lines
    assert document.place((1, "a")) == (2, 7)


def test_one_line_of_json_is_lines_only_by_its_extension(read):
    assert read("a.jsonl", '{"a": 1}').value == [{"a": 1}]
    assert read("a.json", '{"a": 1}').value == {"a": 1}


@pytest.mark.parametrize(
    ("name", "text"), [("a.json", '{"a":\n {"b": 1}}'), ("a.yaml", "a:\n {b: 1}")]
)
def test_a_problem_stands_at_a_value_or_at_its_key(read, name, text):
    document = read(name, text)

    value, key = (document.problem("wrong", ("a", "b"), key=key) for key in (False, True))
    assert str(key) == f"{document.path}:2:{key.column}: wrong"
    assert value.line == 2
    assert value.column == key.column + len('"b": ' if name == "a.json" else "b: ")


def test_a_key_that_is_not_there_has_the_place_of_its_mapping(read):
    assert read("a.yaml", "x: 1\na:\n  b: 1").key_place(("a", "zz")) == (3, 3)


@pytest.mark.parametrize("text", ["", " \n\t\n"])
def test_an_empty_file(read, text):
    with pytest.raises(ConfigError, match=r"a\.yaml: the file is empty$"):
        read("a.yaml", text)


def test_only_comments_are_nothing(read):
    assert read("a.yaml", "# nothing\n").value is None


def test_faults_are_problems_of_the_file(read, tmp_path):
    with pytest.raises(ConfigError) as refused:
        read("a.yaml", "on: 1\na: 1\na: 2\n")

    assert [str(problem) for problem in refused.value.problems] == [
        f"{tmp_path}/a.yaml:1:1: the key 'on' is read as true; write it in quotes",
        f"{tmp_path}/a.yaml:3:1: the key 'a' is here twice, first in line 2; remove one",
    ]


def test_json_that_is_broken_is_not_taken_for_yaml(read):
    with pytest.raises(ConfigError, match="1:8: not valid JSON: a comma too many"):
        read("a.json", '{"a": 1,}')


def test_a_file_is_read_once_while_documents_are_kept(read, tmp_path):
    with documents.keep():
        first = read("a.yaml", "a: 1")
        assert read("a.yaml", "a: 2") is first
        assert documents.read(tmp_path / "." / "a.yaml") is first

    assert documents.read(tmp_path / "a.yaml").value == {"a": 2}


def test_a_file_that_could_not_be_read_is_read_again(read):
    with documents.keep():
        with pytest.raises(ConfigError):
            read("a.yaml", "")
        assert read("a.yaml", "a: 1").value == {"a": 1}


@pytest.fixture
def paths(tmp_path, monkeypatch):
    (tmp_path / "configs").mkdir()
    (tmp_path / "configs" / "c.yaml").write_text("a: 1\nb: x.json\n")
    monkeypatch.chdir(tmp_path)
    return Paths(documents.read(tmp_path / "configs" / "c.yaml"))


def test_the_folder_of_the_file_comes_first(paths, tmp_path):
    (tmp_path / "x.json").touch()
    (tmp_path / "configs" / "x.json").touch()

    assert paths.absolute("x.json", ("b",)) == str(tmp_path / "configs" / "x.json")
    assert paths.findings == []


def test_then_the_working_directory_and_it_is_said(paths, tmp_path):
    (tmp_path / "x.json").touch()

    assert paths.absolute("x.json", ("b",)) == str(tmp_path / "x.json")
    [finding] = paths.findings
    assert str(finding) == (
        f"{tmp_path}/configs/c.yaml:2:4: 'x.json' is not in the folder of this file; "
        "the one in the working directory is used"
    )


def test_what_is_nowhere_is_expected_beside_the_file(paths, tmp_path):
    assert paths.absolute("x.json", ("b",)) == str(tmp_path / "configs" / "x.json")


def test_an_absolute_path_stays(paths):
    assert paths.absolute("/x/y.json", ("b",)) == "/x/y.json"


def test_a_glob_goes_where_it_matches(paths, tmp_path):
    (tmp_path / "x.json").touch()

    assert paths.absolute("*.json", ("b",)) == str(tmp_path / "*.json")
    assert paths.absolute("*.xml", ("b",)) == str(tmp_path / "configs" / "*.xml")


@pytest.mark.parametrize("name", ["a\0b", "*\0", "x\0/*", "a" * 5_000])
def test_a_name_that_no_file_can_have(paths, tmp_path, name):
    assert paths.absolute(name, ("b",)) == str(tmp_path / "configs" / name)
