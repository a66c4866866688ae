"""The shapes of tokens: one sample for each, and texts that only look like them.

What is hidden of a secret whose text was cut: as much as would help somebody who reads it.
"""

import time

import pytest

from agentevals.text.redaction import Redactor, TokenMarker, fold_question
from agentevals.text.token_shapes import SHAPES

MIXED = "a1B2c3D4e5F6g7H8i9J0" * 5
HEX = "0123456789abcdef" * 8
UPPER = "A1B2C3D4E5F6G7H8J9K0" * 5
# in two parts, so that no scanner takes this file for a leak
SAMPLES = {
    "1Password": [("ops", "_eyJ" + MIXED[:60])],
    "Age": [("AGE-SECRET-", "KEY-1" + UPPER[:58])],
    "Airtable": [("pat", MIXED[:14] + "." + HEX[:64])],
    "Atlassian": [("ATATT", "3xFf" + MIXED[:60] + "=1A2B3C4D"), ("ATBB", MIXED[:32])],
    "AWS": [
        ("AKIA", "ABCDEFGH12345678"),
        ("ASIA", "ABCDEFGH12345678"),
        ("ABSK", MIXED[:80] + "=="),
    ],
    "Buildkite": [("bkua", "_" + HEX[:40])],
    "Cerebras": [("csk", "-" + "a1b2c3d4" * 6)],
    "CircleCI": [("CCIPAT", "_" + MIXED[:22] + "_" + HEX[:40])],
    "Contentful": [("CFPAT", "-" + MIXED[:43])],
    "Databricks": [("dapi", HEX[:32]), ("dapi", HEX[:32] + "-2")],
    "DigitalOcean": [("dop", "_v1_" + HEX[:64]), ("doo", "_v1_" + HEX[:64])],
    "Discord": [("MTk4", MIXED[:20] + ".Cl2FMQ." + MIXED[:27])],
    "Docker Hub": [("dckr", "_pat_" + MIXED[:27])],
    "Doppler": [("dp.", "pt." + MIXED[:43])],
    "E2B": [("e2b", "_" + HEX[:40])],
    "Dynatrace": [("dt0c01.", UPPER[:24] + "." + UPPER[:64])],
    "Figma": [("figd", "_" + MIXED[:40])],
    "Firecrawl": [("fc", "-" + HEX[:32])],
    "Fireworks": [("fw", "_" + MIXED[:24])],
    "Fly.io": [("FlyV1", " fm2_" + MIXED[:60])],
    "GitHub": [("ghp", "_" + MIXED[:36]), ("github", "_pat_" + MIXED[:82])],
    "GitLab": [("glpat", "-" + MIXED[:20]), ("glrt", "-" + MIXED[:20])],
    "Google": [
        ("AIza", "Sy" + MIXED[:33]),
        ("GOCSPX", "-" + MIXED[:28]),
        ("ya29", ".a0Af_" + MIXED[:40]),
    ],
    "Grafana": [("glsa", "_" + MIXED[:32] + "_" + HEX[:8]), ("glc", "_" + MIXED[:60])],
    "Groq": [("gsk", "_" + MIXED[:52])],
    "Heroku": [("HRKU", "-" + MIXED[:60])],
    "Hugging Face": [("hf", "_" + MIXED[:34])],
    "HubSpot": [("pat", "-na1-550e8400-e29b-41d4-a716-446655440000")],
    "Jina": [("jina", "_" + MIXED[:60])],
    "JSON Web Token": [("eyJ", "hbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.c2lnbmF0dXJl")],
    "LangSmith": [("lsv2", "_pt_" + HEX[:32] + "_" + HEX[:10])],
    "Linear": [("lin", "_api_" + MIXED[:40])],
    "LlamaCloud": [("llx", "-" + MIXED[:48])],
    "Mailgun": [("key", "-" + HEX[:32])],
    "Netlify": [("nfp", "_" + MIXED[:36])],
    "New Relic": [("NRAK", "-" + UPPER[:27])],
    "Notion": [("ntn", "_" + MIXED[:46]), ("secret", "_" + MIXED[:43])],
    "NVIDIA": [("nvapi", "-" + MIXED[:60])],
    "npm": [("npm", "_" + MIXED[:36])],
    "OpenAI, Anthropic and others": [
        ("sk", "-proj-" + MIXED[:40]),
        ("sk", "-ant-api03-" + MIXED),
        ("sk", "-" + HEX[:32]),
        ("sk", "-12345678901234567890"),
        ("sk", "-abcdefghijklmnop1234"),
        ("sk", "-ant-" + "x" * 40),
    ],
    "Perplexity": [("pplx", "-" + MIXED[:48])],
    "Pinecone": [("pcsk", "_" + MIXED[:60])],
    "PlanetScale": [("pscale", "_tkn_" + MIXED[:43])],
    "Pulumi": [("pul", "-" + HEX[:40])],
    "Postman": [("PMAK", "-" + HEX[:24] + "-" + HEX[:34])],
    "PyPI": [("pypi", "-AgEIcHlwaS5vcmc" + MIXED)],
    "Replicate": [("r8", "_" + MIXED[:37])],
    "RubyGems": [("rubygems", "_" + HEX[:48])],
    "SendGrid": [("SG.", MIXED[:22] + "." + MIXED[:43])],
    "Sentry": [("sntrys", "_" + MIXED[:80])],
    "Shopify": [("shpat", "_" + HEX[:32])],
    "Slack": [("xoxb", "-123456789012-" + MIXED[:24]), ("xapp", "-1-A0123-" + MIXED[:30])],
    "Square": [("sq0atp", "-" + MIXED[:22])],
    "Stripe": [
        ("sk", "_live_" + MIXED[:24]),
        ("rk", "_test_" + MIXED[:24]),
        ("whsec", "_" + MIXED[:32]),
    ],
    "Supabase": [("sbp", "_" + HEX[:40]), ("sb", "_secret_" + MIXED[:30])],
    "Tailscale": [("tskey", "-auth-kAbCd1234CNTRL-" + MIXED[:32])],
    "Tavily": [("tvly", "-dev-" + MIXED[:32])],
    "Twilio": [("SK", HEX[:32])],
    "Vault": [("hvs", "." + MIXED[:90])],
    "xAI": [("xai", "-" + MIXED[:80])],
}
ALL = [
    pytest.param(begin + rest, id=f"{vendor} {begin}")
    for vendor, samples in SAMPLES.items()
    for begin, rest in samples
]
# text around the secret stays: (before, secret, behind)
WITHIN = {
    "Azure": ("AccountName=x;AccountKey=", MIXED[:86] + "==", ";EndpointSuffix=core"),
    "Azure bus": ("SharedAccessKey=", MIXED[:43] + "=", ""),
    "Azure SAS": ("https://x.example/c?sv=2024&sig=", MIXED[:40] + "%3D", "&se=2026"),
    "AWS ini": ("aws_secret_access_key = ", MIXED[:40], "\n"),
    "AWS variable": ("AWS_SECRET_ACCESS_KEY=", MIXED[:40], "\n"),
    "AWS json": ('{"SecretAccessKey": "', MIXED[:40], '"}'),
    "AWS json in json": (r"{\"SecretAccessKey\": \"", MIXED[:40], r"\"}"),
    "Slack webhook": ("https://hooks.slack.com/services/", "T0123/B0123/" + MIXED[:24], " x"),
    "Discord webhook": ("https://discord.com/api/webhooks/", "1" * 18 + "/" + MIXED[:68], " x"),
    "Telegram": ("123456789:", "AA" + MIXED[:33], "/getMe"),
    "bearer": ("Authorization: Bearer ", MIXED[:20], " x"),
    "bearer in a command": ("-H 'authorization: bearer ", MIXED[:20], "'"),
    "basic": ("Authorization: Basic ", "dXNlcjpwYXNz", "\n"),
    "basic in json": ('"Authorization": "Basic ', "dXNlcjpwYXNz", '"'),
    "postgres": ("postgres://user:", "pass", "@host:5432/db"),
    "redis": ("redis://:", "pass", "@host"),
    "amqp": ("(amqp://me:", "p%40ss!", "@host/v)"),
}
SECRET = "correct-horse-battery"
LONG = "q7Zp2Vx9Lk4Rt8Wn" * 100
# in two parts, so that no scanner takes this file for a leak
NPM = "npm" + "_" + "a1B2" * 9
JWT = "eyJ" + "hbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.c2lnbmF0dXJl"
AWS = "AKIA" + "ABCDEFGH1234"


@pytest.mark.parametrize("secret", ALL)
@pytest.mark.parametrize("around", ['"{}"', "key={} x", r"a\n{}\n", "({})", "`{}`"])
def test_a_token_of_a_vendor_is_hidden_whole(secret, around):
    assert Redactor()(around.format(secret)) == around.format("***")


@pytest.mark.parametrize("vendor", SAMPLES)
def test_the_shape_of_a_hidden_token_is_known(vendor):
    for begin, rest in SAMPLES[vendor]:
        marker = TokenMarker()
        marker(begin + rest)
        assert set(marker.found.values()) == {vendor}


@pytest.mark.parametrize("place", WITHIN)
def test_only_the_secret_part_is_hidden_where_its_place_tells_it(place):
    before, secret, behind = WITHIN[place]

    assert Redactor()(before + secret + behind) == f"{before}***{behind}"
    assert Redactor()(f"{before}***{behind}") == f"{before}***{behind}"


@pytest.mark.parametrize("secret", ALL)
def test_a_question_is_compared_without_the_token_in_it(secret):
    assert secret.casefold() not in fold_question(f"is it {secret} or so")


@pytest.mark.parametrize("place", WITHIN)
def test_a_question_is_compared_without_the_secret_in_it(place):
    before, secret, behind = WITHIN[place]

    assert secret.casefold() not in fold_question(f"{before}{secret}{behind}")


def test_every_shape_has_a_sample():
    placed = {"private key", "Azure", "Telegram", "header", "password of an address"}

    assert set(SHAPES) - set(SAMPLES) == placed
    assert len(SAMPLES) >= 25


@pytest.mark.parametrize(
    "text",
    [
        *("npm_config_registry", "hf_hub_download", "npm_package_version", "api_org_settings"),
        *("key-value-store", "secret_manager", "dapi is short", "SKELETON", "SK", "xai-grok-3"),
        *("shp_file", "SG.ordinary.text", "glpat-short", "r8_quantised", "gsk_short", "ya29.x"),
        *("Bearer of good news for everybody", "Authorization: none", "a bearer authentication"),
        *("https://host:8080/path@x", "http://[::1]:80/", "mailto:me@host", "git@host:a/b.git"),
        *("https://host/a:b@c", "12:34:56", "dp.something", "lin_space", "sk_learn", "M.N.O"),
        *("design=accountkey", "https://x.example/?design=abcdefghijklmnopqrstuvwxyz", "hvs.x"),
        *(
            "sk-learn-estimator-2026",
            "sk-lab-2-of-3-experiments",
            "fc-barcelona-2026",
            "fw_version",
        ),
        *("pat-riot", "pul-over", "llx-ray", "jina_embeddings_v3", "nvapi-reference", "ops_eyes"),
        *("0123456789abcdef" * 4, "550e8400-e29b-41d4-a716-446655440000", "claude-sonnet-4-5"),
    ],
)
def test_ordinary_text_stays(text):
    assert Redactor()(text) == text


@pytest.mark.parametrize(
    "piece",
    [
        *("://", "://a:", "://a:b", "Bearer ", "Bearer a", "authorization: basic ", "hf_", "sk_"),
        *("aws_secret_access_key=", "AccountKey=", "SharedAccessKey", "&sig=", "xoxb-", "SG.a."),
        *("sk-a-", "sk-a1", "sk-a1-", "sk-aaaaaaaa-", "pat", "tskey-a-", "fw_", "jina_"),
        *("dp.pt.", "glpat-", "tvly-", "tvly-a", "hooks.slack.com/services/", "12345678:AA"),
        *("discord.com/api/webhooks/1", "lsv2_pt_", "M.", "Ma", "ya29.", "FlyV1 fm2_", "a", "A1"),
    ],
)
def test_half_a_megabyte_of_beginnings_takes_little_time(piece):
    text, redact = piece * (500_000 // len(piece)), Redactor()
    begun = time.process_time()
    redact(text)

    assert time.process_time() - begun < 5


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
