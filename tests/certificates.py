"""Certificates for servers on loopback."""

import datetime as dt
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from agentevals.sandbox.program_rights import CERTIFICATES

_DAY = dt.timedelta(days=1)


def trust_localhost(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Write a certificate of localhost that every client of this machine trusts."""
    certificate = write_certificate(folder, "localhost")
    for name in CERTIFICATES:
        monkeypatch.setenv(name, str(certificate))
    return certificate


def write_certificate(folder: Path, host: str) -> Path:
    """A certificate of a host that signs itself, with its key."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, host)])
    now = dt.datetime.now(dt.UTC)
    certificate = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
        .not_valid_before(now - _DAY)
        .not_valid_after(now + _DAY)
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(host)]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .sign(key, hashes.SHA256())
    )
    pem = certificate.public_bytes(serialization.Encoding.PEM)
    secret = key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )
    (folder / "host.pem").write_bytes(pem + secret)
    return folder / "host.pem"
