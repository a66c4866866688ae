"""What is packed into base64 is compared as it was before, for there may be durations in it."""

import json
import re
import zlib
from base64 import b64decode, urlsafe_b64decode
from typing import Any

_PACKED = re.compile(r"(agentevals:section |agentevals-baseline:\d+:)([A-Za-z0-9+/_.=-]{20,})")


def unpacked(text: str) -> str:
    """The text, with JSON in place of every section's and every baseline's base64."""
    return _PACKED.sub(_put, text)


def _put(found: re.Match[str]) -> str:
    kind, encoded = found.groups()
    if kind.startswith("agentevals-baseline"):
        content = b64decode(encoded)
    else:
        content = urlsafe_b64decode(encoded.replace(".", "-"))
    document: Any = json.loads(zlib.decompress(content))
    return f"{kind}\n{json.dumps(document, indent=1, ensure_ascii=False)}\n"
