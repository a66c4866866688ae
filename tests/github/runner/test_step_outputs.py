import json
import re
from pathlib import Path

import pytest

from agentevals.github.runner.step_outputs import (
    MOST_OUTPUT,
    MOST_SUMMARY,
    append_summary,
    set_outputs,
)


def parsed(text):
    """What the runner makes of the file: a name, a delimiter, lines up to the delimiter."""
    found = {}
    lines = iter(text.split("\n"))
    for line in lines:
        name, is_heredoc, delimiter = line.partition("<<")
        if not is_heredoc:
            assert line == ""
            continue
        value = []
        for inner in lines:
            if inner == delimiter:
                break
            value.append(inner)
        found[name] = "\n".join(value)
    return found


@pytest.fixture
def outputs(tmp_path):
    path = tmp_path / "outputs"
    path.touch()
    return path


def given(path, values, *details):
    notes = set_outputs({"GITHUB_OUTPUT": str(path)}, values, details=details)
    return parsed(path.read_text(encoding="utf-8")), notes


@pytest.mark.parametrize(
    "text", ["passed", "", "two\nlines\n", "x=y", "a<<b", "name<<end\nend\n", "日本 👍", "a\r\nb"]
)
def test_a_value_arrives_as_it_was(outputs, text):
    path = outputs
    set_outputs({"GITHUB_OUTPUT": str(path)}, {"verdict": text})

    assert parsed(path.read_bytes().decode()) == {"verdict": text}


def test_what_an_earlier_step_wrote_stays(outputs):
    outputs.write_text("verdict<<x\nold\nx\n")

    assert given(outputs, {"score": "0.5"}) == ({"verdict": "old", "score": "0.5"}, [])


def test_every_value_has_a_delimiter_of_its_own(outputs):
    set_outputs({"GITHUB_OUTPUT": str(outputs)}, {"passed": "1", "failed": "2"})

    lines = outputs.read_text().split("\n")
    delimiters = {line.partition("<<")[2] for line in lines if "<<" in line}

    assert len(delimiters) == 2


def test_the_fullest_json_that_fits_is_taken(outputs):
    full, small = json.dumps(["x" * MOST_OUTPUT]), '{"cases":3}'

    found, notes = given(outputs, {"verdict": "passed"}, full, small, "{}")

    assert found == {"verdict": "passed", "json": small}
    assert notes == [
        "the output 'json' was shortened: GitHub takes 1000000 bytes; read report.json"
    ]


@pytest.mark.parametrize(("beyond", "kept"), [(0, True), (1, False)])
def test_the_limit_counts_two_bytes_for_a_letter_and_every_output(outputs, beyond, kept):
    room = MOST_OUTPUT // 2 - len("verdict" + "passed" + "json")

    found, notes = given(outputs, {"verdict": "passed"}, "x" * (room + beyond))

    assert ("json" in found, notes == []) == (kept, kept)


def test_letters_beyond_the_first_plane_count_twice(outputs):
    found, _ = given(outputs, {}, "👍" * (MOST_OUTPUT // 4), "{}")

    assert found == {"json": "{}"}


def test_json_for_which_there_is_no_room_is_left_out_and_that_is_said(outputs):
    found, notes = given(outputs, {"verdict": "failed"}, "x" * MOST_OUTPUT)

    assert found == {"verdict": "failed"}
    assert notes[0].startswith("the output 'json' was omitted")


def test_outputs_that_are_too_large_are_not_written(outputs):
    found, notes = given(outputs, {"report": "x" * MOST_OUTPUT})

    assert found == {}
    assert "exceed" in notes[0]


def test_half_a_letter_does_no_harm(outputs):
    assert given(outputs, {"report": "a\ud800b"})[0] == {"report": "a?b"}


def test_an_output_that_is_not_described_cannot_be_set(outputs):
    with pytest.raises(ValueError, match="did you mean 'verdict'"):
        given(outputs, {"verdct": "passed"})


def test_outside_of_actions_nothing_is_written():
    assert set_outputs({}, {"verdict": "passed"}) == []
    assert append_summary({}, ["text"]) == []


def test_a_place_that_cannot_be_written_is_a_sentence(tmp_path):
    environ = {"GITHUB_OUTPUT": str(tmp_path), "GITHUB_STEP_SUMMARY": str(tmp_path)}

    assert set_outputs(environ, {"score": "1"}) == ["the outputs cannot be written: is a directory"]
    assert append_summary(environ, ["x"]) == ["the summary cannot be written: is a directory"]


def summary(path, *candidates):
    return append_summary({"GITHUB_STEP_SUMMARY": str(path)}, candidates)


def test_a_summary_is_appended_on_a_line_of_its_own(tmp_path):
    path = tmp_path / "summary"
    path.write_text("before")
    notes = summary(path, "# Score\n\n")

    assert (path.read_text(), notes) == ("before\n# Score\n", [])


def test_a_summary_need_not_have_been_begun(tmp_path):
    summary(tmp_path / "summary", "text")

    assert (tmp_path / "summary").read_text() == "text\n"


@pytest.mark.parametrize(("begun", "shortened"), [(0, False), (1, True)])
def test_what_is_there_already_counts_in_bytes(tmp_path, begun, shortened):
    path = tmp_path / "summary"
    path.write_text("\n" * begun)
    notes = summary(path, "é" * (MOST_SUMMARY // 2 - 1) + "e", "small")

    assert path.stat().st_size == (begun + len("small\n") if shortened else MOST_SUMMARY)
    assert bool(notes) is shortened


def test_a_summary_for_which_there_is_no_room_is_left_out_and_that_is_said(tmp_path):
    path = tmp_path / "summary"
    path.write_text("x" * MOST_SUMMARY)
    notes = summary(path, "text")

    assert path.stat().st_size == MOST_SUMMARY
    assert notes == ["the summary was omitted: GitHub takes 1048576 bytes of a step"]


def test_no_module_writes_what_later_steps_would_run_with():
    source = Path(__file__).parents[3] / "src" / "agentevals"
    texts = {path: path.read_text() for path in source.rglob("*.py")}

    assert [p for p, text in texts.items() if re.search(r"GITHUB_(ENV|PATH)\b", text)] == []
