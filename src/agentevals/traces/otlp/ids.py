"""Trace and span ids in one spelling: lower-case hexadecimal digits, empty when there is none."""

import base64
import binascii
import re

TRACE, SPAN = 16, 8  # bytes

is_trace_id = re.compile("(?!0{32})[0-9a-f]{32}").fullmatch
is_span_id = re.compile("(?!0{16})[0-9a-f]{16}").fullmatch
_is_hex = re.compile("[0-9a-f]+").fullmatch


def normal(raw: str, size: int) -> str:
    """The id as `size` bytes in hexadecimal; one that is something else stays as it is."""
    text = raw.strip()
    digits = text.lower().removeprefix("0x")
    if not digits.strip("0"):
        return ""
    if len(digits) == 2 * size and _is_hex(digits):
        return digits
    decoded = _from_base64(text)
    if len(decoded) != size:
        return text
    return decoded.hex() if any(decoded) else ""


def _from_base64(text: str) -> bytes:
    try:
        return base64.b64decode(text.replace("-", "+").replace("_", "/"), validate=True)
    except (binascii.Error, ValueError):
        return b""
