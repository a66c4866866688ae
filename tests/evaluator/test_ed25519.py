"""The first vectors of RFC 8032, section 7.1, and what is none of them."""

import pytest

from agentevals.evaluator import ed25519

ORDER = 2**252 + 27742317777372353535851937790883648493
VECTORS = [
    (
        "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
        "",
        (
            "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e06522490155"
            "5fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b"
        ),
    ),
    (
        "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c",
        "72",
        (
            "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da"
            "085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00"
        ),
    ),
    (
        "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025",
        "af82",
        (
            "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac"
            "18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a"
        ),
    ),
]


@pytest.fixture(params=VECTORS)
def vector(request):
    return [bytes.fromhex(part) for part in request.param]


def test_a_signature_of_the_standard_is_right(vector):
    assert ed25519.verify(*vector)


@pytest.mark.parametrize("part", range(3))
def test_one_other_bit_makes_it_wrong(vector, part):
    for bit in range(0, len(vector[part]) * 8, 7):
        other = bytearray(vector[part])
        other[bit // 8] ^= 1 << bit % 8
        assert not ed25519.verify(*vector[:part], bytes(other), *vector[part + 1 :])


def test_a_second_spelling_of_the_same_signature_is_refused(vector):
    key, message, signature = vector
    scalar = int.from_bytes(signature[32:], "little") + ORDER

    assert not ed25519.verify(key, message, signature[:32] + scalar.to_bytes(32, "little"))


@pytest.mark.parametrize(
    ("key", "signature"),
    [
        (b"", b""),
        (b"\xff" * 32, b"\0" * 64),
        (b"\x02" + b"\0" * 31, b"\0" * 64),
        (b"\x01" + b"\0" * 30 + b"\x80", b"\0" * 64),
    ],
)
def test_what_is_no_point_of_the_curve_signs_nothing(key, signature):
    assert not ed25519.verify(key, b"", signature)
