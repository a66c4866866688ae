"""Ed25519 as RFC 8032 has it, to check signatures: nothing here is secret, so nothing leaks.

Points are the four numbers of section 5.1.4. A package would be a hundred times larger.
"""

import hashlib

KEY_BYTES, SIGNATURE_BYTES = 32, 64
_P = 2**255 - 19
_ORDER = 2**252 + 27742317777372353535851937790883648493
_D = -121665 * pow(121666, -1, _P) % _P
_ROOT = pow(2, (_P - 1) // 4, _P)

_Point = tuple[int, int, int, int]
_NEUTRAL: _Point = (0, 1, 1, 0)


def verify(key: bytes, message: bytes, signature: bytes) -> bool:
    """Tell whether the owner of a public key signed a message."""
    if len(key) != KEY_BYTES or len(signature) != SIGNATURE_BYTES:
        return False
    begin, scalar = signature[:32], int.from_bytes(signature[32:], "little")
    owner, commitment = _decode(key), _decode(begin)
    if owner is None or commitment is None or scalar >= _ORDER:
        return False
    digest = hashlib.sha512(begin + key + message).digest()
    challenge = int.from_bytes(digest, "little") % _ORDER
    return _is_same(_multiply(scalar, _BASE), _add(commitment, _multiply(challenge, owner)))


def _add(one: _Point, other: _Point) -> _Point:
    a = (one[1] - one[0]) * (other[1] - other[0]) % _P
    b = (one[1] + one[0]) * (other[1] + other[0]) % _P
    c = 2 * one[3] * other[3] * _D % _P
    d = 2 * one[2] * other[2] % _P
    e, f, g, h = b - a, d - c, d + c, b + a
    return e * f % _P, g * h % _P, f * g % _P, e * h % _P


def _multiply(times: int, point: _Point) -> _Point:
    total = _NEUTRAL
    while times:
        if times & 1:
            total = _add(total, point)
        point = _add(point, point)
        times >>= 1
    return total


def _is_same(one: _Point, other: _Point) -> bool:
    return not (
        (one[0] * other[2] - other[0] * one[2]) % _P or (one[1] * other[2] - other[1] * one[2]) % _P
    )


def _decode(content: bytes) -> _Point | None:
    """Return the point that 32 bytes stand for; None where they stand for none."""
    number = int.from_bytes(content, "little")
    sign, y = number >> 255, number & (2**255 - 1)
    x = _find_x(y, sign) if y < _P else None
    return None if x is None else (x, y, 1, x * y % _P)


def _find_x(y: int, sign: int) -> int | None:
    square = (y * y - 1) * pow(_D * y * y + 1, -1, _P) % _P
    x = pow(square, (_P + 3) // 8, _P)
    if (x * x - square) % _P:
        x = x * _ROOT % _P
    if (x * x - square) % _P or (not x and sign):
        return None
    return _P - x if x & 1 != sign else x


_BASE_Y = 4 * pow(5, -1, _P) % _P
_BASE_X = _find_x(_BASE_Y, 0) or 0
_BASE: _Point = (_BASE_X, _BASE_Y, 1, _BASE_X * _BASE_Y % _P)
