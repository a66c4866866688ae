import json
import xml.etree.ElementTree as ET

import pytest

from tests.bench.growth import Point, draw, fit
from tests.bench.records import keep, make_record

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
        keep(tmp_path, make_record({"traces": {"ours": cost}}, LINEAR), LINEAR)

    lines = (tmp_path / "history.jsonl").read_text(encoding="utf-8").splitlines()
    assert [json.loads(line)["rows"]["traces"]["ours"] for line in lines] == ["0.6 ms", "0.5 ms"]
    assert json.loads(lines[0])["growth"][-1]["traces"] == 100_000
    assert (tmp_path / "growth.svg").exists()
