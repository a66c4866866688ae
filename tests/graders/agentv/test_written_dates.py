import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentevals.graders.agentv.written_dates import find_mistake, read_day


@pytest.mark.parametrize(
    ("text", "formats", "day"),
    [
        ("05/03/2024", ["DD/MM/YYYY"], "2024-03-05"),
        ("05/03/2024", ["MM/DD/YYYY"], "2024-05-03"),
        ("5.3.24", ["D.M.YY"], "2024-03-05"),
        ("5.3.99", ["D.M.YY"], "1999-03-05"),
        ("05-MAR-2024", ["DD-MMM-YYYY"], "2024-03-05"),
        ("5 March 2024 at 3", ["D MMMM YYYY [at] H"], "2024-03-05"),
        ("20240305T230000+0200", ["YYYYMMDDTHHmmssZ"], "2024-03-05"),
        ("03/2024", ["MM/YYYY"], "2024-03-01"),
        ("2024年3月5日", ["YYYY年M月D日"], "2024-03-05"),
        ("Tuesday 5 March 2024", ["dddd D MMMM YYYY"], "2024-03-05"),
        ("2024-03-05", ["DD/MM/YYYY"], "2024-03-05"),
        ("2024-03-05", ["YYYY-DD-MM"], "2024-05-03"),
        ("15/03/2024", ["MM/DD/YYYY"], None),
        ("05-03-2024", ["DD/MM/YYYY"], "2024-03-05"),
        ("31/02/2024", ["DD/MM/YYYY"], None),
    ],
)
def test_listed_formats_come_first(text, formats, day):
    assert read_day(text, formats) == day


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("2025-01-15", "2025-01-15"),
        ("20250115", "2025-01-15"),
        ("2025", "2025-01-01"),
        ("2025-07", "2025-07-01"),
        ("2025-01-15T10:30:00", "2025-01-15"),
        ("2025-01-15 10:30", "2025-01-15"),
        ("2025-01-15T10:30:00.123Z", "2025-01-15"),
        ("2025-01-15T23:30:00-05:00", "2025-01-16"),
        ("2025-01-15T00:30:00+0200", "2025-01-14"),
        (" 2025-01-15\n", "2025-01-15"),
        ("2025-02-30", None),
        ("2025-13-01", None),
        ("2025-01-15T25:00:00", None),
        ("0001-01-01T00:00:00+05:00", None),
        ("2025-01-15T10:30:00+99:00", None),
    ],
)
def test_a_date_of_iso_8601_is_the_day_in_utc(text, day):
    assert read_day(text) == day


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("January 15, 2025", "2025-01-15"),
        ("Jan 15 2025", "2025-01-15"),
        ("15 Sept 2025", "2025-09-15"),
        ("15-JAN-2025", "2025-01-15"),
        ("Wed, 15 Jan 2025 23:30:00 GMT", "2025-01-15"),
        ("January 15, 2025 11:30 PM", "2025-01-15"),
        ("2025/01/15", "2025-01-15"),
        ("2025-1-5", "2025-01-05"),
        ("2025.01.15", "2025-01-15"),
        ("05.01.2025", "2025-01-05"),
        ("5.1.2025", "2025-01-05"),
        ("15.01.2025", "2025-01-15"),
        ("01.15.2025", "2025-01-15"),
        ("05.01.25", "2025-01-05"),
        ("01.15.25", "2025-01-15"),
        ("05.01.2025 10:00", "2025-01-05"),
        ("32.01.2025", None),
        ("15 January, 2025", "2025-01-15"),
        ("15 Jan. 25", "2025-01-15"),
        ("Wed Jan 15 10:30:00 2025", "2025-01-15"),
        ("January 2025", "2025-01-01"),
        ("2025-2-30", None),
        ("1" * 101, None),
        ("15/01/2025", "2025-01-15"),
        ("03/05/2024", "2024-03-05"),
        ("1/15/25", "2025-01-15"),
        ("Janus 15, 2025", None),
        ("soon", None),
        ("", None),
        ("null", None),
        ("1736899200000", None),
        ("1710120200000", None),
        ("\u0662\u0660\u0662\u0665-01-15", None),
    ],
)
def test_other_dates_are_read_as_people_write_them(text, day):
    assert read_day(text) == day


@given(st.dates())
def test_a_day_is_read_as_it_is_written(day):
    assert read_day(day.isoformat()) == day.isoformat()


@given(st.text(max_size=40), st.lists(st.sampled_from(["DD/MM/YYYY", "D MMM YY", "YYYY"])))
def test_no_text_is_too_strange(text, formats):
    assert read_day(text, formats) is None or len(read_day(text, formats)) == 10


@pytest.mark.parametrize("zone", ["UTC", "America/New_York", "Asia/Tokyo"])
def test_the_machine_does_not_matter(zone):
    module = "agentevals.graders.agentv.written_dates"
    program = f"from {module} import read_day; print(read_day('2025-01-15T23:30:00'))"
    told = subprocess.run(
        [sys.executable, "-c", program], env={"TZ": zone}, capture_output=True, check=True
    )

    assert told.stdout.strip() == b"2025-01-15"


@pytest.mark.parametrize(
    ("written", "mistake"),
    [
        ("YYYY-MM-DDTHH:mm:ssZ", ""),
        ("MMMM D, YYYY [at] h:mm A", ""),
        ("YYYY年M月D日", ""),
        ("%d/%m/%Y", "'%' has no meaning in it"),
        ("DD/MM", "it has no year (YYYY)"),
        ("DD/MM/YYYY DD", "it names one thing twice"),
        ("yyyy-MM-dd", "'y' has no meaning in it"),
        ("D/q/YYYY", "'q' has no meaning in it"),
        ("", "it has no year (YYYY)"),
    ],
)
def test_a_format_that_means_nothing_is_found(written, mistake):
    assert find_mistake(written) == mistake
