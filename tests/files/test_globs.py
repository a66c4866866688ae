from glob import glob

import pytest

from agentevals.files import globs
from agentevals.model.errors import InputError

NAMES = ("a.json", "b/a.json", "b/c/a.json", "b/c/.a.json", ".b/a.json", "[a]/a.json", "b/a.yaml")


@pytest.fixture
def tree(tmp_path, monkeypatch):
    for name in NAMES:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    "pattern",
    [
        "*.json",
        "b/*",
        "*/a.json",
        "**/*.json",
        "b/**/a.*",
        "**/c/*",
        "b/*/../*.yaml",
        ".*/a.json",
        "[[]a]/*.json",
        "?/c/.*.json",
        "no/*.json",
        "a.json/*",
        "a.json",
        "a\0b*",
    ],
)
def test_it_finds_what_glob_finds(tree, pattern):
    found = sorted(str(path) for path in globs.matching(pattern))
    absolute = sorted(str(path) for path in globs.matching(f"{tree}/{pattern}"))

    assert found == sorted(glob(pattern, recursive=True))  # noqa: PTH207 -- what is compared with
    assert len(absolute) == len(found)


@pytest.mark.parametrize("pattern", ["b/**", "**/**/a.json"])
def test_at_any_depth_each_file_is_found_once(tree, pattern):
    found = [path for path in globs.matching(pattern) if path.is_file()]

    assert len(found) == len(set(found)) > 2


def test_links_in_a_circle_come_to_an_end(tree):
    for name in "xyz":
        (tree / "b" / name).symlink_to(".")
        (tree / "b/c" / name).symlink_to("..")

    assert {path.resolve() for path in globs.matching("**/*.yaml")} == {tree / "b/a.yaml"}


def test_a_pattern_that_looks_at_too_much_is_refused(tree):
    (tree / "x").symlink_to(".")

    with pytest.raises(InputError, match=r"'(\*/)+\*' looks at more than 100 files; begin it with"):
        list(globs.matching("/".join("*" * 20), most=100))
