"""What the job that measures leaves is read as data, and nothing else of it is believed."""

import json

import pytest

from tests.frameworks import status
from tests.frameworks.status import Status, StatusError, Verdict

ROW = {"verdict": "right", "versions": {"ai": "7.0.1"}}
KNOWN = ("one", "other")


@pytest.fixture
def left(tmp_path):
    """A folder with a status in it, given as a document or as a text."""

    def leave(content):
        text = content if isinstance(content, str) else json.dumps(content)
        (tmp_path / status.FILE).write_text(text, encoding="utf-8")
        return tmp_path

    return leave


def test_what_was_written_is_read(tmp_path):
    found = {
        "one": Status(Verdict.WRONG, {"@ai-sdk/openai": "4.0.118", "opentelemetry-sdk": "1.3b0"}),
        "other": Status(),
    }
    status.write(tmp_path / "status", found)

    assert status.read(tmp_path / "status", KNOWN) == found


def test_a_row_that_the_run_has_not_reached_was_not_measured(left):
    found = status.read(left({"one": ROW}), KNOWN)

    assert [found[name].verdict for name in KNOWN] == [Verdict.RIGHT, Verdict.NOT_MEASURED]


@pytest.mark.parametrize(
    ("content", "why"),
    [
        ("{", "no JSON"),
        ("[" * 100_000, "no JSON"),
        ([], "no object"),
        ({"third": ROW}, "'third' is no row of the table"),
        ({"one": []}, "not a verdict and versions"),
        ({"one": {**ROW, "svg": "<svg/>"}}, "not a verdict and versions"),
        ({"one": {**ROW, "verdict": "superb"}}, "'superb' is no verdict"),
        ({"one": {**ROW, "verdict": {}}}, "is no verdict"),
        ({"one": {**ROW, "versions": []}}, "versions are no object"),
        ({"one": {**ROW, "versions": {f"p{n}": "1" for n in range(30)}}}, "at most 20"),
        ({"one": {**ROW, "versions": {"ai": "<script>"}}}, "'<script>' is no release"),
        ({"one": {**ROW, "versions": {"ai": "1\n| x"}}}, "is no release"),
        ({"one": {**ROW, "versions": {"[ai](x)": "1"}}}, "is no release"),
        ({"one": {**ROW, "versions": {"ai": 1}}}, "is no release"),
        (" " * (1 << 21), "more than 1048576 bytes"),
    ],
)
def test_anything_else_is_refused(left, content, why):
    folder = left(content)

    with pytest.raises(StatusError) as refused:
        status.read(folder, KNOWN)

    assert why in str(refused.value)


def test_a_file_beside_it_is_refused(left):
    folder = left({"one": ROW})
    (folder / "one.svg").touch()

    with pytest.raises(StatusError, match=r"'one\.svg' is no file of a run"):
        status.read(folder, KNOWN)


def test_a_link_is_not_followed(tmp_path):
    real = tmp_path / "real.json"
    real.write_text("{}")
    folder = tmp_path / "status"
    folder.mkdir()
    (folder / status.FILE).symlink_to(real)

    with pytest.raises(StatusError, match="not found"):
        status.read(folder, KNOWN)
