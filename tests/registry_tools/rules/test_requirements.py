import pytest

from agentevals.model.results import Severity
from registry_tools.rules.requirements import find_problems
from tests.registry_tools import registries

HASH = "--hash=sha256:" + "0123456789abcdef" * 4


def test_a_lock_is_fine():
    text = f"""\
# written by a tool
regex==2024.11.6 \\
    {HASH} \\
    {HASH}
    # via something
attrs[extra]==24.2.0 ; python_version < "3.13" {HASH}
"""

    assert list(find_problems(text)) == []


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("--extra-index-url https://packages.example.com", "says where packages come from"),
        ("--index-url=https://packages.example.com", "says where packages come from"),
        ("-ihttps://packages.example.com", "says where packages come from"),
        ("-f https://packages.example.com", "says where packages come from"),
        ("--trusted-host packages.example.com", "turns off a check"),
        ("-r other.txt", "includes another file"),
        ("-e .", "installs a folder"),
        ("--pre", "does not belong into a lock"),
        ("git+https://github.com/x/y", "comes from an address"),
        ("y @ git+ssh://git@github.com/x/y", "comes from an address"),
        ("y @ https://example.com/y.whl", "comes from an address"),
        ("./y.whl", "is a file"),
        ("/tmp/y", "is a file"),
        ("y @ file", "is a file"),
        ("torch", "is not pinned"),
        ("torch>=2", "is not pinned"),
        ("torch==2.*", "is not pinned"),
        ("torch==2.0", "has no hash"),
        ("torch==2.0 --hash=md5:0123", "has no hash"),
        (f"torch==2.0 {HASH}x", "has no hash"),
        ("torch==${VERSION}", "depends on a variable"),
    ],
)
def test_whatever_is_no_lock_is_found_at_its_line(line, message):
    found = list(find_problems(f"# first\n{line}\n"))

    assert [(message in problem.message, problem.line) for problem in found] == [(True, 2)]


def test_a_line_that_is_continued_is_found_where_it_begins():
    found = list(find_problems("\nregex==1.0 \\\n\n"))

    assert [problem.line for problem in found] == [2]


def test_a_manifest_that_cannot_be_read_asks_for_no_lock(tmp_path):
    wrong, loose = "name: a: b\n", {"requirements.txt": "requests>=2\n"}
    found = registries.of_manifest(tmp_path, wrong, loose)

    assert {one.rule: one.severity for one in found} == {
        "yaml": Severity.ERROR, "requirements": Severity.WARNING,
    }  # fmt: skip
