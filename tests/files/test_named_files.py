import os
import subprocess
import sys
import threading
from functools import partial
from glob import glob

import pytest

from agentevals.files import named_files
from agentevals.model.errors import InputError

soon = partial(named_files.open_readable, patience=0.01)


def refusal(path):
    with pytest.raises(InputError) as refused:
        named_files.text(path)
    return str(refused.value).removeprefix(f"{path}: ")


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-32"])
def test_any_unicode_encoding_is_read(tmp_path, encoding):
    path = tmp_path / "a.yaml"
    path.write_bytes("a: é😀\r\n".encode(encoding))

    assert named_files.text(path) == "a: é😀\n"


def test_other_encodings_are_refused_with_the_line(tmp_path):
    path = tmp_path / "a.yaml"
    path.write_bytes("a: 1\nb: é\n".encode("latin-1"))

    with pytest.raises(InputError) as refused:
        named_files.text(path)
    assert str(refused.value) == f"{path}:2: this is not UTF-8 text; save the file as UTF-8"


def test_a_missing_file_offers_the_nearest_name(tmp_path):
    (tmp_path / "eval_config.yaml").touch()

    assert refusal(tmp_path / "eval_config.yml") == (
        "there is no such file (did you mean 'eval_config.yaml'?)"
    )


def test_a_missing_folder(tmp_path):
    assert refusal(tmp_path / "no" / "a.yaml") == "there is no such file"


def test_a_folder(tmp_path):
    assert refusal(tmp_path) == "this is a folder; name a file in it"


def test_a_name_that_no_file_can_have(tmp_path):
    assert refusal(tmp_path / "a\0b") == "cannot be read: embedded null byte"
    assert refusal(tmp_path / ("a" * 5_000)) == "cannot be read: file name too long"
    assert not named_files.exists(tmp_path / "a\0b")
    assert not named_files.exists(tmp_path / ("a" * 5_000))


def test_a_path_below_the_working_directory_is_shown_from_there(tmp_path, monkeypatch):
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")

    assert str(named_files.shortest(tmp_path / "here" / "a" / "b")) == "a/b"
    assert named_files.shortest(tmp_path / "a") == tmp_path / "a"


def test_a_folder_that_is_called_like_a_glob_leads_nowhere_else(tmp_path):
    root = tmp_path / "root"
    (root / "[a]").mkdir(parents=True)
    (root / "[b]").symlink_to(tmp_path)

    assert named_files.contains(root, root / "[a]/x")
    assert named_files.contains(root, root / "**/*.json")
    assert not named_files.contains(root, root / "[a]/../../x")
    assert not named_files.contains(root, root / "[b]/x")
    assert not named_files.contains(root, root / "*/../../x")


@pytest.fixture
def pipe(tmp_path):
    path = tmp_path / "pipe"
    os.mkfifo(path)
    return path


def test_a_pipe_without_a_writer_is_refused(pipe):
    with pytest.raises(OSError, match="no program writes into"):
        soon(pipe, os.O_RDONLY)


def test_a_writer_that_says_nothing_yet_is_waited_for(pipe):
    # a writer can open a pipe only together with a reader, so this end is opened for both
    writing = os.open(pipe, os.O_RDWR)

    reading = soon(pipe, os.O_RDONLY)
    sender = threading.Thread(target=os.write, args=(writing, b"late"))
    sender.start()

    assert os.read(reading, 10) == b"late"
    sender.join()
    for end in (reading, writing):
        os.close(end)


def test_a_device_is_refused():
    with pytest.raises(OSError, match="a device"):
        named_files.open_readable("/dev/zero", os.O_RDONLY)


@pytest.mark.skipif(not os.path.ismount("/proc"), reason="only Linux has such files")
def test_a_file_of_the_kernel_is_refused_behind_a_link_too(tmp_path):
    (tmp_path / "trace.jsonl").symlink_to("/proc/kmsg")

    with pytest.raises(OSError, match="a file of the kernel"):
        named_files.open_readable(tmp_path / "trace.jsonl", os.O_RDONLY)


def test_a_link_out_of_the_project_leads_to_no_secret(tmp_path):
    project, secret = tmp_path / "project", tmp_path / "secret"
    project.mkdir()
    (project / ".git").mkdir()
    for place in (secret, project / "own"):
        place.write_text("x")
        place.chmod(0o600)
    (project / "out.json").symlink_to(secret)
    (project / "folder").symlink_to(tmp_path)
    (project / "in.json").symlink_to(project / "own")

    for name in ("out.json", "folder/secret"):
        with pytest.raises(OSError, match="a link leads out of the project to a file that is not"):
            named_files.open_readable(project / name, os.O_RDONLY)
    secret.chmod(0o644)
    for name in ("out.json", "in.json", "own"):
        os.close(named_files.open_readable(project / name, os.O_RDONLY))


@pytest.mark.parametrize("named", ["/dev/stdin", "/dev/fd/0"])
def test_a_file_that_a_shell_hands_over_is_read(tmp_path, named):
    (tmp_path / "own").write_text("x")
    (tmp_path / "own").chmod(0o600)
    text = (
        f"from agentevals.files import named_files; print(named_files.open_readable({named!r}, 0))"
    )
    with (tmp_path / "own").open() as given:
        subprocess.run([sys.executable, "-c", text], stdin=given, check=True)


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
    found = sorted(str(path) for path in named_files.find_matches(pattern))
    absolute = sorted(str(path) for path in named_files.find_matches(f"{tree}/{pattern}"))

    assert found == sorted(glob(pattern, recursive=True))  # noqa: PTH207 -- what is compared with
    assert len(absolute) == len(found)


@pytest.mark.parametrize("pattern", ["b/**", "**/**/a.json"])
def test_at_any_depth_each_file_is_found_once(tree, pattern):
    found = [path for path in named_files.find_matches(pattern) if path.is_file()]

    assert len(found) == len(set(found)) > 2


def test_links_in_a_circle_come_to_an_end(tree):
    for name in "xyz":
        (tree / "b" / name).symlink_to(".")
        (tree / "b/c" / name).symlink_to("..")

    assert {path.resolve() for path in named_files.find_matches("**/*.yaml")} == {tree / "b/a.yaml"}


def test_a_pattern_that_looks_at_too_much_is_refused(tree):
    (tree / "x").symlink_to(".")

    with pytest.raises(InputError, match=r"'(\*/)+\*' looks at more than 100 files; begin it with"):
        list(named_files.find_matches("/".join("*" * 20), most=100))
