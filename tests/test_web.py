from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest

from agentevals import web
from agentevals.model.errors import InputError, UnavailableError
from tests.servers import Script, reply, serve


@pytest.fixture
def pauses():
    return []


@pytest.fixture
def terms(pauses):
    return web.Terms(retries=2, longest_pause=30.0, sleep=pauses.append)


def test_an_answer_with_status_headers_and_body(terms):
    with serve(Script(reply(404, b"nothing", {"X-Seen": "yes"}))) as server:
        response = web.get(server.url + "/a", terms=terms)

    assert (response.status, response.headers["x-seen"], response.body) == (404, "yes", b"nothing")


def test_a_document_is_sent_as_json(terms):
    with serve(Script(reply(200))) as server:
        web.post(server.url, {"a": "ö"}, headers={"authorization": "Bearer k"}, terms=terms)

    assert server.seen[0].document == {"a": "ö"}
    assert server.seen[0].headers["content-type"] == "application/json"
    assert server.seen[0].headers["authorization"] == "Bearer k"


@pytest.mark.parametrize("method", ["PUT", "PATCH"])
def test_other_methods(terms, method):
    with serve(Script(reply(200))) as server:
        web.send(method, server.url + "/thing", {"a": 1}, terms=terms)

    assert (server.seen[0].method, server.seen[0].document) == (method, {"a": 1})


def test_deleting(terms):
    with serve(Script(reply(200))) as server:
        web.delete(server.url + "/thing", terms=terms)

    assert (server.seen[0].method, server.seen[0].path) == ("DELETE", "/thing")


@pytest.mark.parametrize("status", [429, 500, 502, 503, 529])
def test_a_passing_trouble_is_tried_again(terms, pauses, status):
    with serve(Script(reply(status), reply(200, b"ok"))) as server:
        assert web.get(server.url, terms=terms).body == b"ok"

    assert pauses == [0.5]


def test_which_troubles_pass_is_the_callers_to_say(pauses):
    with serve(Script(reply(503, headers={"retry-after": "9"}))) as server:
        response = web.get(server.url, terms=web.Terms(passing=frozenset(), sleep=pauses.append))

    assert (response.status, response.headers["retry-after"]) == (503, "9")
    assert pauses == []


def test_what_was_perhaps_done_is_told_from_what_was_refused():
    with (
        serve(Script(reply(200, b"x", cut=100))) as server,
        pytest.raises(web.NoAnswerError, match="broke the connection off"),
    ):
        web.post(server.url, {"a": 1}, terms=web.Terms(retries=0))

    assert len(server.seen) == 1


def test_a_broken_connection_is_tried_again(terms, pauses):
    with serve(Script(reply(200, b"x", cut=100), reply(200, b"ok"))) as server:
        assert web.get(server.url, terms=terms).body == b"ok"

    assert pauses == [0.5]


def test_retry_after_in_seconds_is_honoured(terms, pauses):
    with serve(Script(reply(429, headers={"retry-after": "7"}), reply(200))) as server:
        web.get(server.url, terms=terms)

    assert pauses == [7.0]


def test_retry_after_as_a_date_is_honoured(terms, pauses):
    moment = datetime.now(UTC) + timedelta(seconds=20)
    with serve(
        Script(
            reply(503, headers={"retry-after": format_datetime(moment, usegmt=True)}), reply(200)
        )
    ) as server:
        web.get(server.url, terms=terms)

    assert 15 < pauses[0] <= 20


@pytest.mark.parametrize("asked", ["86400", "9" * 400, "Wed, 21 Oct 2999 07:28:00 GMT"])
def test_no_server_makes_us_wait_forever(terms, pauses, asked):
    with serve(Script(reply(429, headers={"retry-after": asked}), reply(200))) as server:
        web.get(server.url, terms=terms)

    assert pauses == [30.0]


@pytest.mark.parametrize("asked", ["soon", "-5", "", "1.5", "Wed, 99 Foo"])
def test_a_retry_after_that_means_nothing_is_ignored(terms, pauses, asked):
    with serve(Script(reply(429, headers={"retry-after": asked}), reply(200))) as server:
        web.get(server.url, terms=terms)

    assert pauses == [0.5]


def test_giving_up_names_the_host_and_the_reason(terms, pauses):
    with serve(Script(reply(503))) as server, pytest.raises(UnavailableError) as caught:
        web.get(server.url + "/secret-path?token=abc", terms=terms)

    assert str(caught.value) == (
        f"{server.host}: answered 503 (3 tries); check that it is up and reachable, then run again"
    )
    assert pauses == [0.5, 1.0]


def test_nobody_listens(terms):
    with serve(Script()) as server:
        gone = server.url

    with pytest.raises(UnavailableError, match=r"cannot be reached.*\(3 tries\)"):
        web.get(gone, terms=terms)


def test_a_server_that_says_nothing():
    with (
        serve(Script(reply(200, stall=True))) as server,
        pytest.raises(UnavailableError, match=r"did not answer within 0\.1 s"),
    ):
        web.get(server.url, timeout=0.1, terms=web.Terms(retries=0))


def test_a_server_that_drips():
    with (
        serve(Script(reply(200, drip=True))) as server,
        pytest.raises(UnavailableError, match=r"did not answer within 0\.2 s"),
    ):
        web.get(server.url, timeout=0.2, terms=web.Terms(retries=0))


def test_too_much_is_refused(terms):
    small = web.Terms(max_bytes=1000)
    with (
        serve(Script(reply(200, b"x" * 1001))) as server,
        pytest.raises(UnavailableError, match="more than 1000 bytes"),
    ):
        web.get(server.url, terms=small)


def test_a_redirect_is_not_followed_unasked(terms):
    with (
        serve(Script(reply(302, headers={"location": "/elsewhere"}))) as server,
        pytest.raises(UnavailableError, match="redirect that is not followed"),
    ):
        web.get(server.url, terms=terms)

    assert len(server.seen) == 1


def test_a_redirect_is_followed_when_asked():
    moved = Script(reply(302, headers={"location": "/b"}), reply(200, b"here"))
    with serve(moved) as server:
        response = web.get(server.url, headers={"Authorization": "t"}, terms=web.Terms(redirects=1))

    assert response.body == b"here"
    assert [(seen.path, seen.headers["authorization"]) for seen in server.seen] == [
        ("/", "t"),
        ("/b", "t"),
    ]


@pytest.mark.parametrize("header", ["Authorization", "x-api-key", "Cookie"])
def test_no_secret_goes_to_another_host(header):
    with serve(Script(reply(200, b"here"))) as other:
        moved = Script(reply(301, headers={"location": other.url + "/x"}))
        with serve(moved) as server:
            web.get(server.url, headers={header: "t", "x-mine": "1"}, terms=web.Terms(redirects=1))

    assert header.lower() not in other.seen[0].headers
    assert other.seen[0].headers["x-mine"] == "1"


def test_what_was_posted_is_not_sent_again_to_where_a_redirect_leads():
    with (
        serve(Script(reply(307, headers={"location": "/b"}))) as server,
        pytest.raises(UnavailableError, match="redirect"),
    ):
        web.post(server.url, {"a": 1}, terms=web.Terms(redirects=3))


@pytest.mark.parametrize("location", ["http://[::1", "file:///etc/passwd", "mailto:x", "http://"])
def test_a_redirect_that_leads_nowhere_is_the_servers_mistake(location):
    with (
        serve(Script(reply(302, headers={"location": location}))) as server,
        pytest.raises(UnavailableError, match="redirect that is not followed"),
    ):
        web.get(server.url, terms=web.Terms(redirects=3))


def test_what_comes_with_a_redirect_is_not_taken_in_without_end():
    endless = Script(reply(302, b"x" * 10_000, headers={"location": "/b"}))
    with (
        serve(endless) as server,
        pytest.raises(UnavailableError, match="more than 1000 bytes"),
    ):
        web.get(server.url, terms=web.Terms(redirects=3, max_bytes=1000))


def test_going_round_in_circles_ends():
    with (
        serve(Script(reply(302, headers={"location": "/"}))) as server,
        pytest.raises(UnavailableError, match="redirect"),
    ):
        web.get(server.url, terms=web.Terms(redirects=3))

    assert len(server.seen) == 4


@pytest.mark.parametrize(
    "url",
    ["", "example.com", "ftp://example.com", "http://", "http://[", "http://a:b/", "file:///x"],
)
def test_what_is_not_a_web_address(url, terms, pauses):
    with pytest.raises(InputError, match="not a web address"):
        web.get(url, terms=terms)

    assert pauses == []


@pytest.mark.parametrize("value", ["sk-1\n", "sk-ключ", "a\r\nx-evil: 1"])
def test_a_header_that_cannot_be_sent_is_not_shown(value, terms):
    with pytest.raises(InputError) as caught:
        web.get("http://127.0.0.1:9", headers={"authorization": value}, terms=terms)

    assert "'authorization'" in str(caught.value)
    assert "sk-" not in str(caught.value)
    assert caught.value.__cause__ is None


def test_passwords_of_netrc_stay_where_they_are(tmp_path, monkeypatch, terms):
    netrc = tmp_path / "netrc"
    netrc.write_text("machine 127.0.0.1 login me password other\n")
    netrc.chmod(0o600)
    monkeypatch.setenv("NETRC", str(netrc))
    with serve(Script(reply(200))) as server:
        web.get(server.url, headers={"authorization": "mine"}, terms=terms)

    assert server.seen[0].headers["authorization"] == "mine"


def test_user_names_in_an_address_are_not_shown(terms):
    with serve(Script(reply(503))) as server, pytest.raises(UnavailableError) as caught:
        web.get(server.url.replace("http://", "http://me:hidden@"), terms=terms)

    assert "hidden" not in str(caught.value)


def test_a_server_whose_identity_cannot_be_proved(pauses, terms):
    with (
        serve(Script(reply(200))) as server,
        pytest.raises(UnavailableError, match="its certificate was not accepted"),
    ):
        web.get(server.url.replace("http:", "https:"), terms=terms)

    assert pauses == []


def read_stream(url, headers=None):
    with web.stream(url, headers or {}, silence=5) as answer:
        return answer, b"".join(answer.pieces)


def test_a_stream_comes_in_pieces_and_says_where_it_came_from():
    moved = reply(302, headers={"location": "/there/page"})
    body = b"x" * 200_000
    with serve(Script(moved, reply(body=body, headers={"content-type": "a/b"}))) as server:
        answer, read = read_stream(f"{server.url}/here", {"authorization": "Basic x"})

    assert (answer.url, answer.status) == (f"{server.url}/there/page", 200)
    assert (answer.headers["content-type"], read) == ("a/b", body)
    assert [seen.headers["authorization"] for seen in server.seen] == ["Basic x"] * 2


def test_a_stream_takes_no_secret_to_another_server():
    with (
        serve(lambda _: reply(body=b"there")) as other,
        serve(lambda _: reply(302, headers={"location": other.url})) as server,
    ):
        answer, read = read_stream(server.url, {"authorization": "Basic x", "accept": "a/b"})

    assert (read, answer.url.rstrip("/")) == (b"there", other.url)
    assert "authorization" not in other.seen[0].headers
    assert other.seen[0].headers["accept"] == "a/b"


def test_a_stream_follows_a_few_redirects_and_no_others():
    with serve(lambda _: reply(302, headers={"location": "/again"})) as server:
        answer, _ = read_stream(server.url)

    assert (answer.status, len(server.seen)) == (302, 6)
    with pytest.raises(UnavailableError, match="cannot be reached"):
        read_stream("http://127.0.0.1:9/")
