import os

import pytest

from agentevals.github.runner.workspace import Workspace, find_matches
from agentevals.model.errors import ConfigError, InputError


@pytest.fixture
def root(tmp_path):
    """A checkout, with something beside it that is none of its business."""
    for name in ("a.yaml", "b.yaml", "traces/1.jsonl", "traces/old/2.jsonl", ".git/config"):
        path = tmp_path / "checkout" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(name)
    (tmp_path / "secret").write_text("of somebody else")
    return tmp_path / "checkout"


def workspace(root, working_directory=".", **more):
    return Workspace.locate({"GITHUB_WORKSPACE": str(root)} | more, working_directory)


def expanded(root, *patterns, **more):
    found = workspace(root, **more).expand(patterns, "config")
    return [str(path.relative_to(root)) for path in found.files]


def refused(root, *patterns, **more):
    with pytest.raises(ConfigError) as caught:
        workspace(root, **more).expand(patterns, "config")
    return [problem.message for problem in caught.value.problems]


@pytest.mark.parametrize(
    ("patterns", "files"),
    [
        (["a.yaml"], ["a.yaml"]),
        (["b.yaml", "a.yaml"], ["b.yaml", "a.yaml"]),
        (["*.yaml"], ["a.yaml", "b.yaml"]),
        (["*.yaml", "!b.*"], ["a.yaml"]),
        (["*.yaml", "!*.yaml", "b.yaml"], ["b.yaml"]),
        (["[ab].yaml", "a.yaml"], ["a.yaml", "b.yaml"]),
        (["traces"], ["traces/1.jsonl", "traces/old/2.jsonl"]),
        (["traces/", "!traces/old"], ["traces/1.jsonl"]),
        (["**/*.jsonl"], ["traces/1.jsonl", "traces/old/2.jsonl"]),
        (["**/old/**/*.jsonl"], ["traces/old/2.jsonl"]),
        (["tr*/**"], ["traces/1.jsonl", "traces/old/2.jsonl"]),
        (["traces/../a.yaml"], ["a.yaml"]),
        ([".git/*"], [".git/config"]),
    ],
)
def test_what_patterns_name(root, patterns, files):
    assert sorted(expanded(root, *patterns)) == sorted(files)


def test_the_order_is_that_of_the_patterns_and_then_of_the_names(root):
    assert expanded(root, "b.yaml", "*.yaml", "traces") == [
        "b.yaml",
        "a.yaml",
        "traces/1.jsonl",
        "traces/old/2.jsonl",
    ]


def test_a_glob_without_a_match_is_told(root):
    assert workspace(root).expand(["a.yaml", "*.json"], "config").unmatched == ("*.json",)


def test_hidden_files_are_named_or_not_found(root):
    assert ".git/config" not in expanded(root, "**")


def test_relative_paths_start_from_the_working_directory(root):
    found = workspace(root, "traces").expand(["1.jsonl"], "traces")

    assert found.files == (root / "traces" / "1.jsonl",)


def test_files_that_are_not_there_are_said_all_at_once_with_the_nearest(root):
    assert refused(root, "bb.yaml", "trace") == [
        "'config': there is no file 'bb.yaml' (did you mean 'b.yaml'?)",
        "'config': there is no file 'trace' (did you mean 'traces'?)",
    ]


def test_exclusions_alone_name_nothing(root):
    assert "first name the files to read" in refused(root, "!a.yaml")[0]


@pytest.mark.parametrize(
    "pattern",
    ["../secret", "../*", "traces/../../secret", "/etc/passwd", "/etc/*", "/proc/self/environ"],
)
def test_nothing_outside_of_the_workspace_is_read(root, pattern):
    assert "leads out of the workspace" in refused(root, pattern)[0]


@pytest.mark.parametrize(
    ("link", "target", "pattern"),
    [
        ("x.yaml", "../secret", "x.yaml"),
        ("x.yaml", "../secret", "*.yaml"),
        ("x.yaml", "/proc/self/environ", "**/*.yaml"),
        ("x.yaml", "missing", "x.yaml"),
        ("x.yaml", "x.yaml", "x.yaml"),
        ("out", "..", "out/secret"),
        ("out", "..", "out/*"),
        ("out", "..", "*/sec*"),
        ("out", "..", "out"),
    ],
)
def test_a_link_that_leads_out_or_nowhere_is_refused(root, link, target, pattern):
    (root / link).symlink_to(target)

    assert refused(root, pattern) != []


def test_a_bad_link_can_be_left_out(root):
    (root / "x.yaml").symlink_to("../secret")

    assert expanded(root, "*.yaml", "!x.yaml") == ["a.yaml", "b.yaml"]


def test_a_link_that_stays_inside_is_the_file_itself(root):
    (root / "x.yaml").symlink_to("a.yaml")
    (root / "link").symlink_to("traces")

    assert expanded(root, "x.yaml", "link/*.jsonl", "l*/1.jsonl") == ["a.yaml", "traces/1.jsonl"]


def test_links_in_circles_do_not_keep_it_busy(root):
    for name in "uvwxyz":
        (root / name).symlink_to(".")

    assert expanded(root, "**/*.yaml") == ["a.yaml", "b.yaml"]


def test_nothing_is_looked_for_at_the_top_of_a_tower_of_folders(root):
    (root / "d/d").mkdir(parents=True)
    (root / "d/d/near.yaml").touch()
    tower = root.joinpath(*["d"] * 300)
    tower.mkdir(parents=True)
    (tower / "far.yaml").touch()

    assert expanded(root, "d/**/*.yaml") == ["d/d/near.yaml"]


def test_there_is_nothing_below_a_file(root):
    assert workspace(root).expand(["a.yaml/*", "b.yaml"], "config").unmatched == ("a.yaml/*",)


def test_a_pipe_is_no_file(root):
    os.mkfifo(root / "pipe.yaml")

    assert expanded(root, "*.yaml") == ["a.yaml", "b.yaml"]


def test_paths_of_the_runners_machine_are_those_of_the_container(root, tmp_path):
    temp = tmp_path / "temp"
    temp.mkdir()
    (temp / "t.jsonl").write_text("x")
    given = workspace(root, RUNNER_WORKSPACE="/home/runner/work/agent", RUNNER_TEMP=str(temp))

    found = given.expand(
        ["/home/runner/work/agent/agent/a.yaml", "/home/runner/work/_temp/*.jsonl"], "config"
    )

    assert found.files == (root / "a.yaml", temp / "t.jsonl")


def test_the_runners_temporary_files_are_read_only_where_a_workflow_names_them(root, tmp_path):
    temp = tmp_path / "temp"
    temp.mkdir()
    (temp / "credentials.yaml").write_text("x")
    (root / "x.yaml").symlink_to(temp / "credentials.yaml")

    assert "leads out" in refused(root, "x.yaml", RUNNER_TEMP=str(temp))[0]


@pytest.mark.parametrize("folder", ["missing", "a.yaml"])
def test_a_working_directory_that_is_none_is_said(root, folder):
    with pytest.raises(InputError, match="there is no folder"):
        workspace(root, folder)


def test_a_working_directory_elsewhere_is_refused(root):
    with pytest.raises(InputError, match="leads out of the workspace"):
        workspace(root, "..")


def test_a_path_that_is_to_be_written_need_not_exist(root):
    assert workspace(root).resolve("reports/new", "report-dir") == root / "reports" / "new"


def test_a_path_that_is_to_be_written_stays_inside(root):
    (root / "reports").symlink_to("..")

    with pytest.raises(InputError, match="'report-dir': 'reports/new' leads out"):
        workspace(root).resolve("reports/new", "report-dir")


@pytest.mark.parametrize("given", ["x" * 300, "a/" * 3000 + "*", "x" * 5000])
def test_a_name_that_no_file_can_have_is_a_mistake_and_no_bug(root, given):
    with pytest.raises(InputError, match=r"'baseline': .* be looked for: file name too long"):
        workspace(root).resolve(given, "baseline")

    [said] = refused(root, given)
    assert said.endswith("cannot be looked for: file name too long")


@pytest.mark.parametrize("given", ["[a]/x.json", "[a]/*.json", "[a]"])
def test_what_exists_under_the_name_of_a_glob_is_meant(tmp_path, given):
    for name in ("a", "[a]"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "x.json").touch()

    found = workspace(tmp_path).expand([given], "traces").files

    wanted = "a" if given == "[a]/*.json" else "[a]"
    assert found == (tmp_path / wanted / "x.json",)


def test_the_working_directory_is_no_glob(tmp_path):
    for name in ("a", "[a]"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "x.json").touch()

    here = workspace(tmp_path, "[a]")

    assert here.expand(["*.json"], "traces").files == (tmp_path / "[a]" / "x.json",)


def test_any_number_of_folders_twice_is_any_number_once(tmp_path):
    (tmp_path / "a" / "b").mkdir(parents=True)
    (tmp_path / "a" / "b" / "x").touch()

    found = list(find_matches(tmp_path, ("**", "**", "**", "x"), tmp_path))

    assert found == [tmp_path / "a" / "b" / "x"]


def test_a_link_that_leads_out_is_shown_and_not_entered(tmp_path):
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "out").symlink_to("/")

    found = list(find_matches(tmp_path / "in", ("*", "etc"), tmp_path / "in"))

    assert found == [tmp_path / "in" / "out"]
