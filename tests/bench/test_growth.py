import json
import xml.etree.ElementTree as ET

import pytest

from tests.bench.growth import Point, draw, fit
from tests.bench.records import keep, make_record, read, render
from tests.support import DOCS

ROW = {
    "work": "traces",
    "limit": "decode",
    "theirs": "-",
    "ours": "1 ms",
    "reached": "9 x",
    "wanted": "8 x",
    "met": True,
}

LINEAR = [Point(10**n, 0.4 + 10**n * 0.0005, 60 + 10**n * 0.002) for n in range(1, 6)]
SQUARE = [Point(10**n, 0.4 + 10 ** (2 * n) * 1e-8, 60) for n in range(1, 6)]


def test_each_trace_costs_the_slope():
    found = fit(LINEAR)

    assert found.milliseconds == pytest.approx(0.5)
    assert found.kilobytes == pytest.approx(2)


@pytest.mark.parametrize(("points", "exponent"), [(LINEAR, 1), (SQUARE, 2)])
def test_the_exponent_tells_how_the_time_grows(points, exponent):
    assert fit(points).exponent == pytest.approx(exponent, abs=0.01)


def test_the_picture_names_every_size():
    texts = [each.text for each in ET.fromstring(draw(LINEAR)).iter() if each.text]

    assert {"10", "100", "1,000", "10,000", "100,000", "50.4 s"} <= set(texts)


def test_records_are_added_one_to_a_line(tmp_path):
    for cost in ("0.6 ms", "0.5 ms"):
        keep(tmp_path, make_record({"traces": {**ROW, "ours": cost}}, LINEAR), LINEAR)

    lines = (tmp_path / "history.jsonl").read_text(encoding="utf-8").splitlines()
    assert [json.loads(line)["rows"]["traces"]["ours"] for line in lines] == ["0.6 ms", "0.5 ms"]
    assert json.loads(lines[0])["growth"][-1]["traces"] == 100_000
    assert (tmp_path / "growth.svg").exists()


def test_the_page_has_the_newest_of_each_row_and_all_in_its_history(tmp_path):
    first = {"one": {**ROW, "work": "one trace"}, "traces": {**ROW, "ours": "0.6 ms"}}
    for rows in (first, {"traces": {**ROW, "ours": "0.5 ms", "met": False}}):
        keep(tmp_path, make_record(rows, LINEAR), LINEAR)

    page = (tmp_path / "README.md").read_text(encoding="utf-8")

    newest = page.partition("## Growth")[0]
    assert "| one trace | " in newest
    assert "0.6 ms" not in newest
    assert "| 0.5 ms | **missed:** 9 x | " in newest
    assert "0.500 ms of CPU" in page
    assert page.count("| traces | 9 x |") == 2


def test_the_page_of_this_repository_is_that_of_its_history():
    folder = DOCS / "bench"

    assert (folder / "README.md").read_text(encoding="utf-8") == render(read(folder))
