import pytest

from agentevals.evaluator import evaluator_files
from agentevals.model.errors import InputError

GOOD = "0" * 64


@pytest.mark.parametrize("name", ["a.py", ".hidden", "a+b@2/c-d_e.txt", "__init__.py", "..a"])
def test_names(name):
    evaluator_files.check([name], about="x")

    assert evaluator_files.find_problem(name) == ""


@pytest.mark.parametrize(
    "name",
    ["", "/a", "a/", "a//b", ".", "..", "a/../b", "...", "a.", "a\\b", "a b", "a:b", "a\0", "é"],
)
def test_names_that_lead_elsewhere(name):
    with pytest.raises(InputError, match=r"x has a file .*; nothing of it is used"):
        evaluator_files.check([name], about="x")


@pytest.mark.parametrize("name", ["a" * 600, "a/" * 20 + "b"])
def test_names_without_end(name):
    with pytest.raises(InputError, match="longer than 512 characters or deeper than 16 folders"):
        evaluator_files.check([name], about="x")


def test_names_that_differ_in_case_alone():
    with pytest.raises(InputError, match=r"'a.py' and 'A.py', which are one file"):
        evaluator_files.check(["a.py", "A.py"], about="x")


def test_a_file_that_is_a_folder_too():
    with pytest.raises(InputError, match="'a' both as a file and as a folder"):
        evaluator_files.check(["a/b/c.py", "a"], about="x")


@pytest.mark.parametrize("digest", ["", "0" * 63, "G" * 64, "0" * 64 + "\n"])
def test_every_file_has_a_digest(digest):
    with pytest.raises(InputError, match=r"gives 'a.py' no sha256"):
        evaluator_files.check_digests({"a.py": digest}, about="x")


def test_what_differs_is_said_for_every_file():
    expected = {"same": GOOD, "gone": GOOD, "other": GOOD}
    found = {"same": GOOD, "new": GOOD, "other": "1" * 64}

    assert evaluator_files.list_differences(expected, found) == [
        "gone is missing",
        "new is too many",
        "other has the sha256 111111111111…, not 000000000000…",
    ]


@pytest.mark.parametrize(
    "name",
    [
        "__pycache__/a.cpython-311.pyc", "lib/__pycache__/words.txt", "__PyCache__/a.py",
        "a.pyc", "A.PYC", "a.pyo", "a.cpython-311-x86_64-linux-gnu.so", "a.abi3.so", "lib/a.pyd",
        "a.dll", "a.dylib", "a.node", "x.pyc/a.so",
    ],
)  # fmt: skip
def test_what_may_run_although_nobody_can_read_it_is_compiled(name):
    assert evaluator_files.is_compiled(name)


@pytest.mark.parametrize(
    "name", ["a.py", "x.pyc/a.py", "__pycache__", "pyc", "a.pyc.txt", "so", "a.js", "node/a.ts"]
)
def test_what_people_can_read_is_not_compiled(name):
    assert not evaluator_files.is_compiled(name)


def test_compiled_files_are_left_out_and_named(caplog):
    names = ["a.py", "a.pyc", "b.so", "c.dll", "d.node"]

    assert evaluator_files.drop_compiled(names, about="o/r: 'a'") == ["a.py"]
    assert caplog.messages == [
        "o/r: 'a' has compiled files, which are never fetched or run: a.pyc, b.so, c.dll and 1 more"
    ]
