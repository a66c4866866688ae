"""What is hidden of a secret whose text was cut: as much as would help somebody who reads it."""

import time

import pytest

from agentevals.text.redaction import Redactor

SECRET = "correct-horse-battery"
LONG = "q7Zp2Vx9Lk4Rt8Wn" * 100
# in two parts, so that no scanner takes this file for a leak
NPM = "npm" + "_" + "a1B2" * 9
JWT = "eyJ" + "hbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.c2lnbmF0dXJl"
AWS = "AKIA" + "ABCDEFGH1234"


def hide(text):
    return Redactor([SECRET, LONG])(text)


@pytest.mark.parametrize("length", range(10, len(SECRET)))
def test_the_beginning_before_a_cut_is_hidden_from_half_of_it_on(length):
    assert hide(f"said {SECRET[:length]}…, and more") == "said ***…, and more"
    assert hide(f"{SECRET[:length]}\n[… 12 characters left out …]").startswith("***\n")


@pytest.mark.parametrize("length", range(10, len(SECRET)))
def test_the_end_behind_a_cut_is_hidden_from_half_of_it_on(length):
    assert hide(f"…{SECRET[-length:]} it said") == "…*** it said"
    assert hide(f"left out …]\n{SECRET[-length:]} it said") == "left out …]\n*** it said"


@pytest.mark.parametrize("behind", ["", "'", '"', "`", '\\"'])
def test_three_quarters_are_hidden_where_no_mark_tells_of_the_cut(behind):
    assert hide(f"said {SECRET[:16]}{behind}") == f"said ***{behind}"
    assert hide(f"said {SECRET[:14]}{behind}") == f"said {SECRET[:14]}{behind}"


@pytest.mark.parametrize("length", [16, 17, 400, 1_599])
def test_sixteen_characters_of_a_long_one_are_hidden(length):
    assert hide(f"{LONG[:length]}…") == "***…"


@pytest.mark.parametrize(
    "text",
    [
        *(
            "the horse is correct…",
            "correct…",
            "correct-h… battery",
            "…battery",
            "correct-horse is",
        ),
        *("a text that ends correct", "correct-horse", "'correct-horse'", "…", "", "a…b…c"),
    ],
)
def test_what_tells_little_stays(text):
    assert hide(text) == text


@pytest.mark.parametrize("token", [NPM[:30], JWT[:40], JWT[:22], AWS])
def test_a_token_of_a_vendor_is_hidden_though_its_end_is_missing(token):
    assert hide(f'{{"key": "{token}…') == '{"key": "***…'


@pytest.mark.parametrize(
    "text",
    [
        *("sk-learn-compatible-estim…", "key-value-store-of-agents…", "npm_config_registry_is…"),
        *(
            "0123456789abcdef01234567…",
            "https://host.example/a/path/2026/11…",
            "v1.2.3-rc.4+build.5678…",
        ),
    ],
)
def test_a_word_that_was_cut_is_no_token(text):
    assert hide(text) == text


@pytest.mark.parametrize("piece", ["…", "a1B2c3D4…", "correct…", "a1B2", "a1B2c3D4e5F6g7H8…", "'"])
def test_half_a_megabyte_of_cuts_takes_little_time(piece):
    text, redact = piece * (500_000 // len(piece)), Redactor([SECRET, LONG])
    begun = time.process_time()
    redact(text)

    assert time.process_time() - begun < 5
