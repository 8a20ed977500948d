"""Gives the unpacked Java the certificate authorities that this machine trusts.

Debian's package for that builds the store while it is being installed, which unpacking does not do.
Without a store, Bazel could fetch nothing over HTTPS.
"""

from __future__ import annotations

import hashlib
import os
import re
import ssl
import struct
from pathlib import Path

_BUNDLES = ("/etc/ssl/certs/ca-certificates.crt", "/etc/ssl/cert.pem")
_PASSWORD = "changeit"  # Java's convention: the store holds nothing secret
_MAGIC, _VERSION, _TRUSTED_CERTIFICATE = 0xFEEDFEED, 2, 2


def _utf(text: str) -> bytes:
    data = text.encode()
    return struct.pack(">H", len(data)) + data


def jks(certificates: list[bytes]) -> bytes:
    """A Java key store (format JKS, version 2) of DER certificates."""
    body = struct.pack(">III", _MAGIC, _VERSION, len(certificates))
    for number, certificate in enumerate(certificates):
        body += struct.pack(">I", _TRUSTED_CERTIFICATE) + _utf(f"ca{number}") + struct.pack(">Q", 0)
        body += _utf("X.509") + struct.pack(">I", len(certificate)) + certificate
    # The format's integrity check: SHA-1 over the password, a fixed phrase and the content.
    return body + hashlib.sha1(_PASSWORD.encode("utf-16-be") + b"Mighty Aphrodite" + body).digest()


def machine_certificates() -> list[bytes]:
    """DER certificates of the machine's bundle, or of the one that SSL_CERT_FILE names."""
    candidates = (os.environ.get("SSL_CERT_FILE", ""), *_BUNDLES)
    bundle = next((Path(path) for path in candidates if path and Path(path).is_file()), None)
    text = bundle.read_text(encoding="ascii", errors="ignore") if bundle else ""
    pattern = r"-----BEGIN CERTIFICATE-----.*?-----END CERTIFICATE-----"
    return [ssl.PEM_cert_to_DER_cert(pem) for pem in re.findall(pattern, text, re.DOTALL)]


def write(java_home: Path) -> None:
    """Writes the store where this Java looks for it."""
    store = Path(os.path.realpath(java_home / "lib/security/cacerts"))
    store.parent.mkdir(parents=True, exist_ok=True)
    store.write_bytes(jks(machine_certificates()))
