import base64
import binascii
import json
import re

import pytest

from agentevals.text.redaction import Redactor, TokenMarker, find_marks

# put together here, so that no scanner takes this file for a leak
SHAPES = {
    "openai": "sk-" + "proj-abcDEF1234567890abcd",
    "anthropic": "sk-" + "ant-api03-abcDEF_1234567890",
    "classic": "ghp" + "_" + "a1B2" * 9,
    "oauth": "gho" + "_" + "a1B2" * 9,
    "user": "ghu" + "_" + "a1B2" * 9,
    "refresh": "ghr" + "_" + "a1B2" * 9,
    "installation": "ghs" + "_" + "a1B2" * 9 + "." + "b" * 400 + ".c-_" + "d" * 80,
    "fine-grained": "github" + "_pat_" + "11ABCDEFG0" * 8,
    "aws": "AKIA" + "ABCDEFGH12345678",
    "aws session": "ASIA" + "ABCDEFGH12345678",
    "jwt": "eyJ" + "hbGciOiJIUzI1NiJ9" + ".eyJzdWIiOiIxMjM0In0." + "c2lnbmF0dXJl-_",
    "pem": "-----BEGIN RSA " + "PRIVATE KEY-----\nMIIE+/=\nabc\n-----END RSA PRIVATE KEY-----",
    "pem with headers": "-----BEGIN EC " + "PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\n\nMIIE\n"
    "-----END EC PRIVATE KEY-----",
    "pem in json": "-----BEGIN " + r"PRIVATE KEY-----\nMIIE\n-----END PRIVATE KEY-----",
}


@pytest.mark.parametrize("shape", SHAPES)
def test_what_looks_like_a_secret_is_replaced(shape):
    assert Redactor()(f'key="{SHAPES[shape]}".') == 'key="***".'


@pytest.mark.parametrize("shape", ["openai", "jwt"])
@pytest.mark.parametrize("before", ["", "x ", "=", ":", r"\n", "%20", '"', "(", "\n"])
def test_a_secret_is_found_wherever_a_word_begins(shape, before):
    assert Redactor()(f"{before}{SHAPES[shape]}") == f"{before}***"


@pytest.mark.parametrize(
    "text",
    [
        "task-force-something-long-2026",
        "sk-learn-compatible-estimators",
        "sk-short1",
        "ghp_short",
        "eyJust a word",
        "AKIA is a prefix",
        "-----BEGIN CERTIFICATE-----\nMIIE\n-----END CERTIFICATE-----",
    ],
)
def test_ordinary_text_stays(text):
    assert Redactor()(text) == text


def test_a_key_without_an_end_is_hidden_as_far_as_it_goes():
    begun = "-----BEGIN " + "PRIVATE KEY-----\nMIIEabc+/\nabc"

    assert Redactor()(begun) == "***"


def test_secrets_that_are_held_are_replaced_as_they_are_and_as_json_spells_them():
    secret = 'correct "horse"\nbattery\tstaple'
    redact = Redactor([secret])

    assert redact(f"x {secret} y") == "x *** y"
    assert redact(json.dumps({"key": secret})) == '{"key": "***"}'
    assert redact("only battery\tstaple") == "only ***"


def test_a_secret_with_quotes_and_accents_is_replaced_in_json_of_either_kind():
    secret = 'pä"ssword'

    assert Redactor([secret])(json.dumps([secret])) == '["***"]'
    assert Redactor([secret])(json.dumps([secret], ensure_ascii=False)) == '["***"]'


def test_secrets_that_are_held_are_replaced_as_addresses_spell_them():
    assert Redactor(["p@ss word"])("?q=p%40ss+word") == "?q=***"
    assert Redactor(["p@ss/word 1"])("https://x/?q=p%40ss%2Fword%201&y") == "https://x/?q=***&y"


@pytest.mark.parametrize("before", ["", "u", "us", "user:", "Basic user:"])
@pytest.mark.parametrize("behind", ["", ".", "..", "... and more"])
def test_a_secret_is_replaced_in_base64_and_hexadecimal_wherever_it_stands(before, behind):
    secret = "s3cr3t?of>the/step+ß"
    text = f"{before}{secret}{behind}".encode()

    for spell in (base64.b64encode, base64.urlsafe_b64encode, base64.b16encode, binascii.hexlify):
        shown = Redactor([secret])(spell(text).decode())

        assert "***" in shown
        longest = max(shown.split("***"), key=len)
        assert len(longest) <= len(spell(f"{before}{behind}".encode())) + 4


def test_names_that_differ_in_a_secret_only_still_differ():
    redact = Redactor(["horse-battery", "horse-staple"])
    first, second = redact.rename("a horse-battery"), redact.rename("a horse-staple")

    assert first != second
    assert first.startswith("a ***")
    assert redact.rename("a horse-battery") == first
    assert redact.rename("a donkey") == "a donkey"


def test_however_many_names_differ_in_a_secret_only_all_of_them_still_differ():
    names = [f"a horse-battery-{number}" for number in range(1_000)]
    redact = Redactor(names)

    assert len({redact.rename(name) for name in names}) == len(names)


def mark(text):
    return TokenMarker()(text)


def test_tokens_of_a_recording_are_marked_so_that_equal_ones_stay_equal():
    first, second = SHAPES["openai"], SHAPES["anthropic"]
    marked = mark(f"{first} {first} {second}").split()

    assert all(re.fullmatch(r"\*\*\*[0-9a-f]{8}", word) for word in marked)
    assert marked[0] == marked[1] != marked[2]


@pytest.mark.parametrize("shape", SHAPES)
def test_a_token_has_one_mark_however_it_is_spelt_and_however_often_it_is_marked(shape):
    said = json.dumps({"said": SHAPES[shape]})
    once = mark(said)

    assert mark(once) == once
    assert json.loads(once)["said"] == mark(SHAPES[shape])


@pytest.mark.parametrize("address", ["postgres://user:hunter2@host", "redis://:hunter2@host"])
def test_a_password_that_is_marked_already_stays_marked(address):
    once = mark(address)

    assert "hunter2" not in once
    assert (mark(once), Redactor()(once)) == (once, once)


def test_only_tokens_that_are_named_are_marked():
    first, second = SHAPES["openai"], SHAPES["aws"]
    only = TokenMarker(find_marks({"said": mark(first)}))

    assert only(f"{first} {second}") == f"{mark(first)} {second}"


@pytest.mark.parametrize("key", [True, None, (1, 2), "half \ud800"])
def test_marks_are_found_in_what_json_cannot_hold(key):
    assert find_marks({key: "***0123abcd"}) == {"***0123abcd"}


def test_it_is_described_how_many_tokens_of_which_shape_are_hidden():
    marker = TokenMarker()
    marker(f"{SHAPES['aws']} {SHAPES['aws']} {SHAPES['pem']} {SHAPES['aws session']}")

    assert marker.describe() == "3 secrets hidden (AWS: 2; private key: 1)"
    assert TokenMarker().describe() == ""


def test_a_secret_that_holds_another_is_replaced_whole():
    assert Redactor(["horse", "horse-battery"])("horse-battery horse") == "*** ***"


@pytest.mark.parametrize("secret", ["", " ", "ab", "\n"])
def test_what_is_too_short_to_be_one_is_left_alone(secret):
    assert Redactor([secret])("ab and nothing") == "ab and nothing"


def test_characters_of_patterns_are_ordinary_in_a_secret():
    assert Redactor(["a.*(b|c)"])("a.*(b|c) axxb") == "*** axxb"


def test_secrets_are_not_shown():
    assert "horse" not in repr(Redactor(["horse battery"]))


@pytest.mark.parametrize(
    "piece",
    [
        *("sk-", "sk-a", "_sk-", "eyJ", "eyJaaaaaaaa.", "-eyJaaaaaaaa", "%20eyJ", "\\n"),
        *("ghp_", "github_pat_", "AKIA", "-", "-----BEGIN PRIVATE KEY-----", "-----BEGIN "),
        "-----END ",
    ],
)
def test_a_megabyte_of_beginnings_costs_one_pass(piece):
    """A quadratic pattern would need a trillion steps: the test would not end."""
    text = piece * (1_000_000 // len(piece))

    assert len(Redactor()(text)) <= len(text)
