from pathlib import Path

import pytest

from agentevals.model.results import Blame
from agentevals.run.trace_arguments import expand


def test_names_are_kept_in_their_order_and_globs_are_sorted(tmp_path):
    for name in ("b.json", "a.json", "deep/c.json"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()

    paths, findings = expand([f"{tmp_path}/missing.json", f"{tmp_path}/**/*.json"])

    assert [path.relative_to(tmp_path).as_posix() for path in paths] == [
        "missing.json",
        "a.json",
        "b.json",
        "deep/c.json",
    ]
    assert findings == []


def test_a_glob_without_a_match_says_what_to_do():
    paths, findings = expand(["nowhere/*.json"])

    assert (paths, findings[0].blame) == ([], Blame.INPUT)
    assert "'nowhere/*.json'" in findings[0].message
    assert "agentevals record" in findings[0].message


def test_a_file_whose_name_looks_like_a_glob_is_that_file(tmp_path):
    path = tmp_path / "run[1].json"
    path.touch()

    assert expand([str(path)]) == ([Path(path)], [])


@pytest.mark.parametrize("pattern", ["", "x" * 5_000 + "*", "a\0*"])
def test_what_no_file_can_be_named_matches_nothing(pattern):
    paths, findings = expand([pattern])

    assert (paths, [finding.rule for finding in findings]) == ([], ["no-trace-file"])
