import pytest

from agentevals.github.api import Api
from agentevals.github.api_calls import (
    Again,
    BadTokenError,
    LostAnswerError,
    NotFoundError,
    PermissionMissingError,
    Purpose,
    RateLimitedError,
    build_path,
    make_once,
)
from agentevals.github.api_retries import RetryPolicy
from agentevals.github.issue_comments import Comment
from agentevals.model.errors import InputError, UnavailableError
from tests.github.clocks import START
from tests.servers import Script, as_json, reply, serve
from tests.stand_in.faults import Fault, rate_limited, slow_down

READ = Purpose(deed="read the comments", needs="pull-requests: read")
WRITE = Purpose(deed="write a comment", needs="pull-requests: write")
COMMENTS = "/repos/o/r/issues/7/comments"


def listed(api):
    return list(api.list_pages(COMMENTS, Comment, to=READ))


def posted(api, body="hello"):
    return api.post(COMMENTS, {"body": body}, Comment, to=WRITE)


def bodies(stand_in):
    return [comment.body for comment in stand_in.world.repository().comments_on(7)]


def test_what_every_request_says(api, stand_in):
    listed(api)

    headers = stand_in.requests()[0].headers
    assert headers["authorization"] == f"Bearer {stand_in.token}"
    assert headers["x-github-api-version"] == "2022-11-28"
    assert headers["accept"] == "application/vnd.github+json"
    assert headers["user-agent"] == "agentevals"


def test_the_token_is_not_in_its_representation(api, stand_in):
    assert stand_in.token not in repr(api)


@pytest.mark.parametrize("count", [0, 1, 99, 100, 101, 250])
def test_all_pages_are_read(api, stand_in, count):
    for number in range(count):
        stand_in.world.comment(f"comment {number}")

    assert [comment.body for comment in listed(api)] == bodies(stand_in)
    assert len(stand_in.requests()) == count // 100 + 1


def test_pages_without_links_end_with_the_first_short_one(time):
    full, short = as_json([{"id": n} for n in range(100)]), as_json([{"id": 100}])
    with serve(Script(full, short)) as server:
        api = Api(url=server.url, graphql_url="", token="t", clock=time.clock)

        assert len(listed(api)) == 101


def test_a_listing_without_end_ends(time):
    more = {"link": '<x>; rel="next"', "content-type": "application/json"}
    with serve(Script(reply(200, b"[]", more))) as server:
        api = Api(url=server.url, graphql_url="", token="t", clock=time.clock)

        with pytest.raises(UnavailableError, match="more than 10000 entries"):
            listed(api)


def test_an_enterprise_server(enterprise, time):
    api = Api(
        url=enterprise.url,
        graphql_url=enterprise.graphql_url,
        token=enterprise.token,
        clock=time.clock,
    )
    posted(api)

    assert [comment.body for comment in listed(api)] == ["hello"]
    assert enterprise.requests()[0].target == "/api/v3/repos/o/r/issues/7/comments"


@pytest.mark.parametrize("status", [500, 502, 503, 504])
def test_reading_is_tried_again(api, stand_in, time, status):
    stand_in.faults.append(Fault("GET", "comments", status, times=3))

    assert listed(api) == []
    assert time.pauses == [1.0, 2.0, 4.0]


def test_a_broken_connection_while_reading_is_tried_again(api, stand_in, time):
    stand_in.faults.append(Fault("GET", "comments"))

    assert listed(api) == []
    assert time.pauses == [1.0]


def test_trouble_that_does_not_end(api, stand_in):
    stand_in.faults.append(Fault("GET", "comments", 502, times=99))

    with pytest.raises(UnavailableError, match=r"does not manage to read.*answered 502 \(5 tries"):
        listed(api)


def test_a_github_that_is_silent_is_left_alone_for_a_while(api, stand_in, time):
    stand_in.faults.append(Fault("GET", "comments", times=99))
    with pytest.raises(UnavailableError, match=r"cannot be reached.*\(5 tries"):
        listed(api)
    asked, pauses = len(stand_in.requests()), list(time.pauses)

    for ask in (listed, posted):
        with pytest.raises(UnavailableError, match=r"was given up a moment ago: .*cannot be reach"):
            ask(api)

    assert (len(stand_in.requests()), time.pauses) == (asked, pauses)


def test_later_it_is_asked_again_and_is_well_once_it_answers(api, stand_in, time):
    stand_in.faults.append(Fault("GET", "comments", times=6))
    with pytest.raises(UnavailableError):
        listed(api)
    time.clock.sleep(60.0)

    assert listed(api) == []
    stand_in.faults.append(Fault("GET", "comments", times=4))
    assert listed(api) == []


def test_a_github_in_trouble_is_not_waited_for_at_every_request(api, stand_in, time):
    stand_in.faults.append(Fault("GET", "comments", 502, times=99))
    with pytest.raises(UnavailableError):
        listed(api)
    time.pauses.clear()

    with pytest.raises(UnavailableError, match=r"\(2 tries"):
        listed(api)

    assert time.pauses == [1.0]


def test_a_github_that_takes_long_to_say_nothing_is_not_asked_five_times(time):
    def slowly(_):
        time.clock.sleep(30.0)
        return reply(502)

    with serve(slowly) as server:
        api = Api(url=server.url, graphql_url=server.url, token="t", clock=time.clock)
        with pytest.raises(UnavailableError, match=r"\(2 tries"):
            listed(api)


@pytest.mark.parametrize(
    "fault",
    [
        Fault("POST", "comments", after_effect=True),
        Fault("POST", "comments", 502, after_effect=True),
    ],
)
def test_what_may_have_been_posted_is_not_posted_again(api, stand_in, fault):
    stand_in.faults.append(fault)

    with pytest.raises(LostAnswerError, match="whether GitHub managed to write a comment"):
        posted(api)

    assert bodies(stand_in) == ["hello"]


def test_what_was_refused_for_its_rate_is_posted_again(api, stand_in, time):
    stand_in.faults.append(slow_down("POST", "comments", retry_after="7"))
    posted(api)

    assert bodies(stand_in) == ["hello"]
    assert time.pauses == [7.0]


def test_a_change_is_sent_again(api, stand_in):
    comment = stand_in.world.comment("old")
    stand_in.faults.append(Fault("PATCH", "comments", 500))
    place = f"/repos/o/r/issues/comments/{comment.id}"
    api.patch(place, {"body": "new"}, Comment, to=WRITE)

    assert bodies(stand_in) == ["new"]


@pytest.mark.parametrize("fault", [Fault("PATCH", "comments", 500), slow_down("PATCH", "comments")])
def test_a_change_that_would_be_out_of_date_is_not_sent_again(api, stand_in, fault):
    comment = stand_in.world.comment("old")
    stand_in.faults.append(fault)
    place = f"/repos/o/r/issues/comments/{comment.id}"

    with pytest.raises(LostAnswerError):
        api.patch(place, {"body": "new"}, Comment, to=WRITE, again=Again.NEVER)

    assert bodies(stand_in) == ["old"]


def test_deleting_what_is_gone_is_as_good(api, stand_in):
    comment = stand_in.world.comment("old")
    stand_in.faults.append(Fault("DELETE", "comments", after_effect=True))
    api.delete(f"/repos/o/r/issues/comments/{comment.id}", to=WRITE)

    assert bodies(stand_in) == []
    assert len(stand_in.requests("DELETE")) == 2


def test_a_second_between_writes(api, time):
    for _ in range(3):
        posted(api)

    assert time.pauses == [1.0, 1.0]


def test_limits_are_waited_for_in_githubs_order(api, stand_in, time):
    stand_in.faults += [
        slow_down("GET", "comments", retry_after="3"),
        rate_limited("GET", "comments", reset=int(START) + 23),
        slow_down("GET", "comments"),
    ]
    listed(api)

    assert time.pauses == [3.0, 21.0, 240.0]


def test_no_limit_makes_us_wait_longer_than_we_may(api, stand_in, time):
    stand_in.faults.append(rate_limited("GET", "comments", reset=int(START) + 3000))

    with pytest.raises(RateLimitedError, match="a wait of 3001 s, and 300 s are left"):
        listed(api)

    assert time.pauses == []


def test_all_waiting_of_a_run_adds_up(stand_in, time):
    api = Api(
        url=stand_in.url,
        graphql_url="",
        token=stand_in.token,
        clock=time.clock,
        retry_policy=RetryPolicy(total=100.0),
    )
    stand_in.faults.append(slow_down("GET", "comments", retry_after="60", times=2))

    with pytest.raises(RateLimitedError, match="40 s are left"):
        listed(api)


def test_who_hurries_does_not_wait_for_another_write_or_for_long(api, stand_in, time):
    posted(api)
    api.pace.hurry()
    posted(api)
    stand_in.faults.append(slow_down("GET", "comments", retry_after="60"))

    with pytest.raises(RateLimitedError, match="a wait of 60 s"):
        listed(api)

    assert time.pauses == []


def test_who_hurries_asks_again_when_it_was_given_up_a_moment_ago(api, stand_in):
    stand_in.faults.append(Fault("GET", "comments", times=5))
    with pytest.raises(UnavailableError):
        listed(api)
    api.pace.hurry()

    assert listed(api) == []


def test_a_missing_permission_names_the_lines_to_add(api, stand_in):
    stand_in.permissions["pull-requests"] = stand_in.permissions["issues"] = "read"

    with pytest.raises(PermissionMissingError) as caught:
        posted(api)

    assert caught.value.lines == "permissions:\n  contents: read\n  pull-requests: write\n"
    assert caught.value.lines in str(caught.value)


def test_a_missing_permission_in_graphql(api, stand_in):
    stand_in.permissions["pull-requests"] = "none"

    with pytest.raises(PermissionMissingError):
        api.graphql("query { viewer { login } }", {}, dict, to=READ)


def test_a_query(api):
    found = api.graphql("query { viewer { login } }", {}, dict, to=READ)

    assert found == {"viewer": {"login": "github-actions[bot]"}}


def test_a_limit_of_graphql_comes_as_success(api, stand_in, time):
    limited = {"errors": [{"type": "RATE_LIMITED", "message": "API rate limit exceeded"}]}
    stand_in.faults.append(Fault("POST", "graphql", 200, limited))
    api.graphql("query { viewer { login } }", {}, dict, to=READ)

    assert time.pauses == [60.0]


def test_a_bad_token(stand_in, time):
    api = Api(url=stand_in.url, graphql_url="", token="wrong-token", clock=time.clock)

    with pytest.raises(BadTokenError, match="Bad credentials; check the input") as caught:
        listed(api)

    assert "wrong-token" not in str(caught.value)


@pytest.mark.parametrize("body", [b"<html>", b"{}", b"[" * 100_000, b'[{"id": "x"}]'])
def test_what_is_not_of_this_api(time, body):
    with serve(Script(reply(200, body))) as server:
        api = Api(url=server.url, graphql_url="", token="t", clock=time.clock)

        with pytest.raises(UnavailableError, match="check GITHUB_API_URL"):
            listed(api)


def test_a_download_from_elsewhere_takes_no_token_along(api, stand_in):
    stand_in.world.repository().tarballs["main"] = b"data"

    assert api.download("/repos/o/r/tarball/main", to=READ) == b"data"
    assert len(stand_in.stored) == 1
    assert "authorization" not in stand_in.stored[0].request.headers


@pytest.mark.parametrize(
    ("parts", "expected"),
    [
        (("repos", "o/r", "pulls", 7), "/repos/o/r/pulls/7"),
        (("contents", "a b/c?d#e%.md"), "/contents/a%20b/c%3Fd%23e%25.md"),
    ],
)
def test_paths(parts, expected):
    assert build_path(*parts) == expected


@pytest.mark.parametrize("part", ["..", "a/../../user", ".", "", "a//b", "/etc"])
def test_no_name_leads_to_another_place(part):
    with pytest.raises(InputError, match="no address within GitHub's API"):
        build_path("repos", "o/r", "contents", part)


def test_nothing_is_there(api):
    with pytest.raises(NotFoundError, match="pull-requests: read"):
        api.get("/repos/o/r/issues/comments/5", Comment, to=READ)


def test_making_something_once_ends(api, stand_in):
    stand_in.faults.append(Fault("POST", "comments", times=99))

    with pytest.raises(LostAnswerError):
        make_once(lambda: posted(api), lambda: None)

    assert len(stand_in.requests("POST")) == 4
