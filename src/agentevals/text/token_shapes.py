"""The shapes of secrets: tokens of vendors, keys, and passwords in addresses.

Each pattern begins with a literal character, so that one search for all of them skips most of a
text at once. Each is linear: a match completes or fails within a bounded number of characters, or
begins only where a word begins. A group holds the part to hide; without one all of it is hidden.

A text may have been cut before anybody hid its secrets: then the end or the beginning is missing.
"""

import re
from collections.abc import Iterable, Iterator
from functools import cache
from itertools import chain

# behind a letter or digit no word begins, but behind an escape of JSON or of an address one does
_BEGINS = (
    r"(?<![\w-]{0})",
    r"(?<=\\[nrt]{0})",
    r"(?<=\\u[0-9A-Fa-f]{{4}}{0})",
    r"(?<=%[0-9A-Fa-f]{{2}}{0})",
)
CUT = "…"
_LEAST = 6  # characters of a part that tell more than they would by chance
_ENOUGH = 16  # characters of a part that are hidden, however long the secret is
_NEAR = 5  # characters between a part and the mark of a cut, such as a line break
_QUOTES = ("'", '"', "`", "\\")  # end a text that was cut without a mark
_RUN = re.compile(r"(?<![\w+/=.-])[\w+/=.-]{16,}+(?=…)", re.ASCII)
# what the missing end of a token may have been
_ENDS = ("a1B2c3D4" * 12, "0123456789abcdef" * 6, "A1B2C3D4" * 12, "a1B2c3D4." * 12)
_CUT_DIGIT = re.compile(r"[0-9]")
Span = tuple[int, int]


def _anchor(prefix: str, rest: str) -> str:
    """Return the pattern of a token whose prefix counts only where a word begins."""
    begin = "|".join(text.format(re.escape(prefix[0])) for text in _BEGINS)
    return f"{re.escape(prefix[0])}(?:{begin}){re.escape(prefix[1:])}{rest}"


# the first digit is near: words joined by hyphens have none
# kinds of characters change twice within words, or a word is longer than any
_MADE = (
    r"(?=(?>[\w-]{0,40}?(?:[A-Za-z][0-9]|[0-9][A-Za-z]|[a-z][A-Z])){2}"
    r"|(?>(?:[A-Za-z0-9]{1,11}+[_-]){0,4})(?:(?=[A-Za-z]{0,60}+[0-9])[A-Za-z0-9]{12}|[A-Za-z0-9]{24}))"
)
_DIGIT = r"(?=[A-Za-z_-]{0,60}+[0-9])"
_PEM = (
    r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"
    r"(?:[\w+/=\s\\:,.()]|-(?!----))*+(?:-----END [A-Z0-9 ]{0,60}-----)?"
)
_QUOTED = r"""[\\"']{0,4}\s{0,2}[:=]\s{0,2}[\\"']{0,4}"""
_BASIC = rf"uthorization{_QUOTED}(?i:basic|token|digest)\s([\w.~+/=-]{{8,}}+)"
SHAPES: dict[str, tuple[str, ...]] = {
    "1Password": (_anchor("ops_", r"eyJ[\w-]{40,}+"),),
    "Age": (r"AGE-SECRET-KEY-1[A-Z0-9]{58}",),
    "Airtable": (_anchor("pat", r"[A-Za-z0-9]{14}\.[0-9a-f]{64}"),),
    "Atlassian": (r"AT(?:ATT3|CTT3|BB)[\w=-]{30,}+",),
    "AWS": (
        r"ABSK[A-Za-z0-9+/]{60,}+={0,2}",
        r"A(?:KIA|SIA)[A-Z0-9]{16}",
        rf"a(?i:ws_?secret_?access_?key){_QUOTED}([\w+/=]{{30,}}+)",
        rf"A(?i:ws_?secret_?access_?key){_QUOTED}([\w+/=]{{30,}}+)",
        rf"S(?i:ecret_?access_?key){_QUOTED}([\w+/=]{{30,}}+)",
    ),
    "Azure": (
        r"A(?i:ccountKey)=([\w+/]{20,}+={0,2})",
        r"S(?i:haredAccessKey)=([\w+/]{20,}+={0,2})",
        r"s(?<=[?&]s)ig=([\w%+/-]{20,}+={0,2})",
    ),
    "Buildkite": (_anchor("bkua_", r"[a-z0-9]{40}"),),
    "Cerebras": (_anchor("csk-", r"[a-z0-9]{40,}+"),),
    "CircleCI": (r"CCIPAT_\w{20,}+", r"CCIPRJ_\w{20,}+"),
    "Contentful": (r"CFPAT-[\w-]{40,}+",),
    "Databricks": (_anchor("dapi", r"[0-9a-f]{32}(?:-\d)?"),),
    "DigitalOcean": (r"d(?:op|oo|or)_v1_[0-9a-f]{64}",),
    "Discord": (
        r"d(?i:iscord(?:app)?\.com/api/webhooks/)(\d{15,22}/[\w-]{40,}+)",
        *(_anchor(letter, r"[\w-]{23,27}\.[\w-]{6}\.[\w-]{27,}+") for letter in ("M", "N", "O")),
    ),
    "Docker Hub": (r"dckr_(?:pat|oat)_[\w-]{20,}+",),
    "Doppler": (_anchor("dp.", r"(?:pt|st|ct|sa|scim|audit)\.[\w.-]{30,}+"),),
    "E2B": (_anchor("e2b_", r"[0-9a-f]{40}"),),
    "Dynatrace": (r"dt0[a-z]\d\d\.[A-Z0-9]{24}\.[A-Z0-9]{64}",),
    "Figma": (r"figd_[\w-]{30,}+",),
    "Firecrawl": (_anchor("fc-", r"[0-9a-f]{32}"),),
    "Fireworks": (_anchor("fw_", r"[A-Za-z0-9]{20,}+"),),
    "Fly.io": (r"FlyV1 fm\d_[\w+/=,-]{20,}+", r"fm[12][ar]?_[\w+/=-]{60,}+"),
    "GitHub": (r"gh[opsur]_[A-Za-z0-9]{16}[\w.-]*+", r"github_pat_\w{16,}+"),
    "GitLab": (r"gl(?:pat|dt|rt|ptt|cbt|ft|agent|oas|soat|imt)-[\w.-]{20,}+",),
    "Google": (
        r"AIza[\w-]{35}",
        r"GOCSPX-[\w-]{24,}+",
        _anchor("ya29.", r"[\w-]{20,}+"),
    ),
    "Grafana": (r"glsa_[A-Za-z0-9]{32}_[0-9a-f]{8}", r"glc_[\w+/=]{32,}+"),
    "Groq": (_anchor("gsk_", r"[A-Za-z0-9]{40,}+"),),
    "Heroku": (r"HRKU-[\w-]{30,}+",),
    "Hugging Face": (_anchor("hf_", r"[A-Za-z0-9]{30,}+"), r"api_org_[A-Za-z0-9]{30,}+"),
    "HubSpot": (_anchor("pat-", r"(?:na|eu)\d-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"),),
    "Jina": (_anchor("jina_", r"[\w-]{40,}+"),),
    "JSON Web Token": (_anchor("eyJ", r"[\w-]{8,}+\.[\w-]{8,}+(?:\.[\w-]*+)?"),),
    "LangSmith": (r"lsv2_(?:pt|sk)_[0-9a-f]{32}(?:_[0-9a-f]{4,})?",),
    "Linear": (r"lin_(?:api|oauth)_[A-Za-z0-9]{32,}+",),
    "LlamaCloud": (_anchor("llx-", r"[A-Za-z0-9]{40,}+"),),
    "Mailgun": (_anchor("key-", r"[0-9a-f]{32}"),),
    "Netlify": (_anchor("nfp_", r"[A-Za-z0-9]{36,}+"),),
    "New Relic": (r"NRAK-[A-Z0-9]{27}",),
    "Notion": (_anchor("ntn_", r"[A-Za-z0-9]{40,}+"), _anchor("secret_", r"[A-Za-z0-9]{43}")),
    "NVIDIA": (_anchor("nvapi-", r"[\w-]{40,}+"),),
    "npm": (_anchor("npm_", r"[A-Za-z0-9]{36}"),),
    "OpenAI, Anthropic and others": (_anchor("sk-", rf"{_MADE}[\w-]{{16,}}+"),),
    "Perplexity": (_anchor("pplx-", r"[A-Za-z0-9]{40,}+"),),
    "Pinecone": (_anchor("pcsk_", r"\w{40,}+"),),
    "PlanetScale": (r"pscale_(?:tkn|pw|oauth)_[\w.=-]{32,}+",),
    "Pulumi": (_anchor("pul-", r"[0-9a-f]{40}"),),
    "Postman": (r"PMAK-[0-9a-f]{24}-[0-9a-f]{34}",),
    "private key": (_PEM,),
    "PyPI": (r"pypi-AgE[\w-]{50,}+",),
    "Replicate": (_anchor("r8_", r"[A-Za-z0-9]{37}"),),
    "RubyGems": (r"rubygems_[0-9a-f]{48}",),
    "SendGrid": (r"SG\.[\w-]{16,32}\.[\w-]{16,64}",),
    "Sentry": (r"sntry[su]_[\w+/=-]{40,}+",),
    "Shopify": (r"shp(?:at|ca|pa|ss|tka)_[0-9a-fA-F]{32}",),
    "Slack": (
        r"xox[abeoprs](?:\.xox[bp])?-[\w-]{10,}+",
        r"xapp-\d-[\w-]{10,}+",
        r"h(?i:ooks\.slack\.com/(?:services|workflows|triggers)/)([\w/]{20,}+)",
    ),
    "Square": (r"sq0(?:atp|csp|idp)-[\w-]{22,}+",),
    "Stripe": (
        *(_anchor(kind, r"_(?:live|test|prod)_[A-Za-z0-9]{10,}+") for kind in ("sk", "rk")),
        _anchor("whsec_", r"[\w+/=]{24,}+"),
    ),
    "Supabase": (r"sb(?:p_[0-9a-f]{40}|_secret_[\w-]{20,}+)",),
    "Tailscale": (_anchor("tskey-", r"[a-z]+-\w+-\w{16,}+"),),
    "Tavily": (_anchor("tvly-", rf"{_DIGIT}[\w-]{{24,}}+"),),
    "Telegram": (r":(?<=\d{8}:)(AA[\w-]{33})(?![\w-])",),
    "Twilio": (_anchor("SK", r"[0-9a-f]{32}(?!\w)"),),
    "Vault": (_anchor("hvs.", r"[\w-]{24,}+"), _anchor("hvb.", r"[\w-]{24,}+")),
    "xAI": (_anchor("xai-", r"[A-Za-z0-9]{40,}+"),),
    "header": (
        r"B(?i:earer)\s{1,2}(?=[A-Za-z_.~+/=-]{0,60}+[0-9])([\w.~+/=-]{16,}+)",
        r"b(?i:earer)\s{1,2}(?=[A-Za-z_.~+/=-]{0,60}+[0-9])([\w.~+/=-]{16,}+)",
        rf"A{_BASIC}",
        rf"a{_BASIC}",
    ),
    "password of an address": (r"""://[^\s/:@"'<>\\?#]{0,128}:([^\s/@"'<>\\]{1,256}+)@""",),
}


class CutSecrets:
    """Finds parts of known secrets, and of tokens, beside the place where a text was cut."""

    def __init__(self, secrets: Iterable[str]) -> None:
        known = [secret for secret in secrets if len(secret) > _LEAST]
        self._begins = _index_parts(known)
        self._ends = _index_parts(secret[::-1] for secret in known)

    def hide(self, text: str, hidden: str) -> str:
        """Return the text with `hidden` in place of each part."""
        spans = list(_find_parts(text, *self._begins))
        size = len(text)
        spans += [(size - end, size - begin) for begin, end in _find_parts(text[::-1], *self._ends)]
        if CUT in text:
            spans += _find_tokens(text)
        return _replace(text, sorted(spans), hidden) if spans else text


def _replace(text: str, spans: Iterable[Span], hidden: str) -> str:
    """Replace the spans, which may overlap."""
    pieces, done = [], 0
    for begin, end in spans:
        if begin >= done:
            pieces += [text[done:begin], hidden]
        done = max(done, end)
    return "".join([*pieces, text[done:]])


def _index_parts(secrets: Iterable[str]) -> tuple[re.Pattern[str], dict[str, list[str]]]:
    """Return a pattern for the first characters of all secrets, and the secrets by them."""
    known: dict[str, list[str]] = {}
    for secret in secrets:
        known.setdefault(secret[:_LEAST], []).append(secret)
    return re.compile("|".join(map(re.escape, known)) or r"(?!)"), known


def _find_parts(text: str, begin: re.Pattern[str], known: dict[str, list[str]]) -> Iterator[Span]:
    for match in begin.finditer(text):
        start = match.start()
        for secret in known[match[0]]:
            length = _count_alike(secret, text[start : start + len(secret)])
            behind = text[start + length : start + length + _NEAR]
            if length >= _count_least(secret, behind):
                yield start, start + length
                break


def _count_alike(one: str, other: str) -> int:
    """Return how many characters two texts have in common at their beginning."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((at for at, (a, b) in pairs if a != b), min(len(one), len(other)))


def _count_least(secret: str, behind: str) -> int:
    """Return how many characters of a secret are too many to show before this text."""
    if CUT in behind:
        return max(_LEAST, min(_ENOUGH, len(secret) // 2))
    if not behind or behind.startswith(_QUOTES):
        return max(_LEAST, min(_ENOUGH, len(secret) * 3 // 4))
    return len(secret) + 1


def _find_tokens(text: str) -> Iterator[Span]:
    """Yield the beginnings of tokens of vendors, as far as more would make them one."""
    for run in _RUN.finditer(text):
        starts = [start for end in _ENDS for start in _complete(run[0], end)]
        if starts:
            yield run.start() + min(starts), run.end()


def _complete(run: str, end: str) -> Iterator[int]:
    """Yield where a token begins that ends in what is added."""
    for match in _any_token().finditer(run + end):
        begin, last = match.span(match.lastindex or 0)
        shown = run[begin:]
        if last > len(run) and len(shown) >= _ENOUGH and _CUT_DIGIT.search(shown):
            yield begin


@cache
def _any_token() -> re.Pattern[str]:
    return re.compile("|".join(chain(*SHAPES.values())), re.ASCII)
