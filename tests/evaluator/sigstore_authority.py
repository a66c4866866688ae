"""A Sigstore of the tests' own: a certificate authority, its log, and a log of signatures.

What it hands out are bundles in the real format, which the real package verifies.
"""

import base64
import hashlib
import json
import struct
from datetime import UTC, datetime, timedelta

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

NOW = datetime(2026, 1, 1, tzinfo=UTC)
GITHUB = "https://token.actions.githubusercontent.com"
WORKFLOW = "https://github.com/OWNER/agentevals-action/.github/workflows/registry-publish.yml@v1"
_FULCIO = "1.3.6.1.4.1.57264.1"
_SCTS = x509.ObjectIdentifier("1.3.6.1.4.1.11129.2.4.2")
_ALGORITHM = ec.ECDSA(hashes.SHA256())


def encode(content):
    return base64.b64encode(content).decode()


def make_key():
    return ec.generate_private_key(ec.SECP256R1())


def encode_key(key):
    return key.public_key().public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)


def identify(key):
    return hashlib.sha256(encode_key(key)).digest()


class Authority:
    """Signs for whoever asks, and for nobody's real identity."""

    def __init__(self):
        self._ca, self._ct, self._rekor = make_key(), make_key(), make_key()
        name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "test")])
        usage = dict.fromkeys(_USAGES, False) | {"key_cert_sign": True, "crl_sign": True}
        self._root = (
            x509.CertificateBuilder(name, name, self._ca.public_key(), 1)
            .not_valid_before(NOW - timedelta(days=900))
            .not_valid_after(NOW + timedelta(days=9000))
            .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
            .add_extension(x509.KeyUsage(**usage), critical=True)
            .add_extension(
                x509.SubjectKeyIdentifier.from_public_key(self._ca.public_key()), critical=False
            )
            .sign(self._ca, hashes.SHA256())
        )

    def describe_root(self):
        """The trusted_root.json of this Sigstore."""
        since = {"start": "2020-01-01T00:00:00Z"}

        def log(key, url):
            public = {
                "rawBytes": encode(encode_key(key)),
                "keyDetails": "PKIX_ECDSA_P256_SHA_256",
                "validFor": since,
            }
            return {
                "baseUrl": url,
                "hashAlgorithm": "SHA2_256",
                "publicKey": public,
                "logId": {"keyId": encode(identify(key))},
            }

        chain = {"certificates": [{"rawBytes": encode(self._root.public_bytes(Encoding.DER))}]}
        return {
            "mediaType": "application/vnd.dev.sigstore.trustedroot+json;version=0.1",
            "tlogs": [log(self._rekor, "https://rekor.example")],
            "certificateAuthorities": [
                {
                    "subject": {"organization": "test", "commonName": "test"},
                    "uri": "https://fulcio.example",
                    "certChain": chain,
                    "validFor": since,
                }
            ],
            "ctlogs": [log(self._ct, "https://ct.example")],
        }

    def sign(self, content, *, repository="https://github.com/o/r", ref="refs/heads/main"):
        """The bundle of a signature by a workflow of this branch."""
        key = make_key()
        certificate = self._certify(key, repository, ref)
        signature = key.sign(content, _ALGORITHM)
        return json.dumps(
            {
                "mediaType": "application/vnd.dev.sigstore.bundle.v0.3+json",
                "verificationMaterial": {
                    "certificate": {"rawBytes": encode(certificate.public_bytes(Encoding.DER))},
                    "tlogEntries": [self._log(certificate, content, signature)],
                },
                "messageSignature": {
                    "messageDigest": {
                        "algorithm": "SHA2_256",
                        "digest": encode(hashlib.sha256(content).digest()),
                    },
                    "signature": encode(signature),
                },
            }
        ).encode()

    def _certify(self, key, repository, ref):
        said = {8: GITHUB, 12: repository, 14: ref}
        usage = dict.fromkeys(_USAGES, False) | {"digital_signature": True}
        builder = (
            x509.CertificateBuilder(
                self._root.subject, x509.Name([]), key.public_key(), x509.random_serial_number()
            )
            .not_valid_before(NOW - timedelta(minutes=1))
            .not_valid_after(NOW + timedelta(minutes=9))
            .add_extension(x509.KeyUsage(**usage), critical=True)
            .add_extension(
                x509.ExtendedKeyUsage([ExtendedKeyUsageOID.CODE_SIGNING]), critical=False
            )
            .add_extension(
                x509.AuthorityKeyIdentifier.from_issuer_public_key(self._ca.public_key()),
                critical=False,
            )
            .add_extension(
                x509.SubjectAlternativeName([x509.UniformResourceIdentifier(WORKFLOW)]),
                critical=True,
            )
        )
        for number, text in said.items():
            oid = x509.ObjectIdentifier(f"{_FULCIO}.{number}")
            der = b"\x0c" + bytes([len(text)]) + text.encode()
            builder = builder.add_extension(x509.UnrecognizedExtension(oid, der), critical=False)
        before = builder.sign(self._ca, hashes.SHA256())
        listed = self._list_timestamp(before.tbs_certificate_bytes)
        scts = x509.UnrecognizedExtension(_SCTS, b"\x04" + _measure(listed) + listed)
        return builder.add_extension(scts, critical=False).sign(self._ca, hashes.SHA256())

    def _list_timestamp(self, certificate):
        """The list of one timestamp of a certificate, as RFC 6962 has it."""
        moment = struct.pack("!Q", int(NOW.timestamp() * 1000))
        entry = identify(self._ca) + len(certificate).to_bytes(3) + certificate
        signed = b"\0\0" + moment + b"\0\1" + entry + b"\0\0"
        signature = self._ct.sign(signed, _ALGORITHM)
        one = b"\0" + identify(self._ct) + moment + b"\0\0\4\3"
        one += struct.pack("!H", len(signature)) + signature
        return struct.pack("!HH", len(one) + 2, len(one)) + one

    def _log(self, certificate, content, signature):
        """The entry of a log that has no other one."""
        pem = encode(certificate.public_bytes(Encoding.PEM))
        said = {"algorithm": "sha256", "value": hashlib.sha256(content).hexdigest()}
        signed = {"content": encode(signature), "publicKey": {"content": pem}}
        spec = {"data": {"hash": said}, "signature": signed}
        body = _write({"apiVersion": "0.0.1", "kind": "hashedrekord", "spec": spec})
        root, seconds = hashlib.sha256(b"\0" + body).digest(), int(NOW.timestamp())
        promised = {
            "body": encode(body),
            "integratedTime": seconds,
            "logID": identify(self._rekor).hex(),
            "logIndex": 0,
        }
        note = f"rekor.example\n1\n{encode(root)}\n"
        mark = encode(identify(self._rekor)[:4] + self._rekor.sign(note.encode(), _ALGORITHM))
        return {
            "logIndex": "0",
            "logId": {"keyId": encode(identify(self._rekor))},
            "kindVersion": {"kind": "hashedrekord", "version": "0.0.1"},
            "integratedTime": str(seconds),
            "inclusionPromise": {
                "signedEntryTimestamp": encode(self._rekor.sign(_write(promised), _ALGORITHM))
            },
            "inclusionProof": {
                "logIndex": "0",
                "rootHash": encode(root),
                "treeSize": "1",
                "hashes": [],
                "checkpoint": {"envelope": f"{note}\n\N{EM DASH} rekor.example {mark}\n"},
            },
            "canonicalizedBody": encode(body),
        }


_USAGES = (
    "digital_signature", "content_commitment", "key_encipherment", "data_encipherment",
    "key_agreement", "key_cert_sign", "crl_sign", "encipher_only", "decipher_only",
)  # fmt: skip


def _measure(content):
    """The length of a content, as DER has it."""
    return bytes([len(content)]) if len(content) < 0x80 else bytes([0x81, len(content)])


def _write(document):
    return json.dumps(document, sort_keys=True, separators=(",", ":")).encode()
