import pytest

from agentevals import web
from agentevals.github.api_calls import RateLimitedError
from agentevals.github.api_retries import Pace, RetryPolicy, find_trouble
from tests.github.clocks import START, VirtualTime

SLOW_DOWN = b'{"message": "You have exceeded a secondary rate limit."}'
ABUSE = b'{"message": "You have triggered an abuse detection mechanism."}'
USED_UP = b'{"message": "API rate limit exceeded for installation ID 1."}'
FORBIDDEN = b'{"message": "Resource not accessible by integration"}'
RESET = {"x-ratelimit-remaining": "0", "x-ratelimit-reset": str(int(START) + 20)}


@pytest.mark.parametrize(
    ("status", "headers", "body", "wait"),
    [
        (200, {}, b"{}", None),
        (200, RESET, b"{}", None),
        (403, {}, FORBIDDEN, None),
        (403, RESET, FORBIDDEN, None),
        (404, {"retry-after": "5"}, b"{}", None),
        (403, {"retry-after": "5"}, FORBIDDEN, 5.0),
        (403, {"retry-after": "5", **RESET}, SLOW_DOWN, 5.0),
        (403, RESET, USED_UP, 21.0),
        (403, RESET | {"x-ratelimit-reset": "1"}, USED_UP, 1.0),
        (403, RESET | {"x-ratelimit-remaining": "3"}, SLOW_DOWN, 60.0),
        (403, {}, SLOW_DOWN, 60.0),
        (403, {}, ABUSE, 60.0),
        (429, {}, b"", 60.0),
        (429, {"retry-after": "0"}, b"", 0.0),
        (429, {"retry-after": "soon"}, b"", 60.0),
        (429, {"retry-after": "9" * 400}, b"", 60.0),
        (429, {"retry-after": "\u0665"}, b"", 60.0),
        (200, {}, b'{"errors": [{"type": "RATE_LIMITED"}]}', 60.0),
        (200, {}, b'{"body": "RATE_LIMITED"}', None),
        (200, {}, b'[{"body": "\\"type\\": \\"RATE_LIMITED\\""}]', None),
    ],
)
def test_what_an_answer_makes_us_wait(status, headers, body, wait):
    response = web.Response(status=status, headers=headers, body=body)

    found = find_trouble(response, START, RetryPolicy(), 1)
    assert (found.pause if found and found.refused else None) == wait


def test_without_a_number_the_wait_doubles():
    response = web.Response(status=429, headers={}, body=b"")

    assert [find_trouble(response, START, RetryPolicy(), n).pause for n in (1, 2, 3)] == [
        60.0,
        120.0,
        240.0,
    ]


def test_a_pause_between_writes_is_only_as_long_as_needed():
    time = VirtualTime()
    pace = Pace(RetryPolicy(), time.clock)
    pace.note_write()
    time.clock.sleep(0.25)
    pace.wait_to_write()
    pace.wait_to_write()

    assert time.pauses == [0.25, 0.75]


def test_a_wait_of_years_is_said_in_words():
    pace = Pace(RetryPolicy(), VirtualTime().clock)

    with pytest.raises(RateLimitedError, match="a wait of more than ten hours, and 300 s are left"):
        pace.wait(1e11, "answered 403")
