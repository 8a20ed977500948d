"""Signs programs, and checks signatures, with Ed25519 keys in PEM files.

    sign.py keygen private.pem public.pem
    sign.py sign private.pem model.pte signed.pte
    sign.py digest model.pte with_digest.pte
    sign.py check public.pem signed.pte
    sign.py key public.pem                          # the bytes for C++'s PublicKey

A signed file stays a program for runtimes that do not look for signatures. Keys are those that `openssl genpkey -algorithm
ed25519` makes, too. The layout is described in `signature.h`.
"""

from __future__ import annotations

import hashlib
import os
import pathlib
import struct

from absl import app
from Crypto.PublicKey import ECC
from Crypto.Signature import eddsa

_VERSION = 1
_DIGEST, _SIGNATURE = 1, 2
_PURPOSE = b"ExecuTorch program signature 1\0\0"
_TRAILER = struct.Struct("<4sIIIQ8s64s8s")
_MAGIC, _END = b"ETSG", b"ETSGETSG"


class SignatureError(ValueError):
    """A file that is not signed, or not by this key, or not what was signed."""


def generate_key() -> ECC.EccKey:
    """A new private key."""
    return ECC.generate(curve="Ed25519")


def _message(content: bytes) -> bytes:
    return _PURPOSE + struct.pack("<Q", len(content)) + hashlib.sha256(content).digest()


def _trailer(kind: int, content: bytes, key_id: bytes, value: bytes) -> bytes:
    return _TRAILER.pack(_MAGIC, _VERSION, kind, _TRAILER.size, len(content), key_id, value, _END)


def _key_id(public: ECC.EccKey) -> bytes:
    return hashlib.sha256(public.export_key(format="raw")).digest()[:8]


def _unsigned(file: bytes) -> bytes:
    if file.endswith(_END):
        raise SignatureError("the file is signed already; sign the one that it was made from")
    return file


def sign(file: bytes, private: ECC.EccKey) -> bytes:
    """The file with a signature behind it.

    Raises:
        SignatureError: it has one.
    """
    signature = eddsa.new(private, "rfc8032").sign(_message(_unsigned(file)))
    return file + _trailer(_SIGNATURE, file, _key_id(private.public_key()), signature)


def add_digest(file: bytes) -> bytes:
    """The file with its SHA-256 behind it, which whoever changes the file can change as well.

    Raises:
        SignatureError: it has one, or a signature.
    """
    return file + _trailer(_DIGEST, _unsigned(file), b"", hashlib.sha256(file).digest())


def check(file: bytes, public: ECC.EccKey) -> bytes:
    """What was signed.

    Raises:
        SignatureError: the file is not signed by this key, or is not what was signed.
    """
    if not file.endswith(_END) or len(file) <= _TRAILER.size:
        raise SignatureError("the file has no signature")
    content = file[: -_TRAILER.size]
    magic, version, kind, size, length, key_id, value, _ = _TRAILER.unpack(file[-_TRAILER.size :])
    if (magic, version, size, length) != (_MAGIC, _VERSION, _TRAILER.size, len(content)):
        raise SignatureError("the signature is damaged, of another version, or of another file")
    if kind != _SIGNATURE:
        raise SignatureError("the file has a digest and no signature")
    if key_id != _key_id(public):
        raise SignatureError(f"the file is signed by another key, {key_id.hex()}")
    try:
        eddsa.new(public, "rfc8032").verify(_message(content), value)
    except ValueError as error:
        raise SignatureError("the file is not what was signed") from error
    return content


def _save_key_pair(private_path: pathlib.Path, public_path: pathlib.Path) -> None:
    key = generate_key()
    # Nobody else may read the private one, from its first byte on.
    with os.fdopen(os.open(private_path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
        file.write(key.export_key(format="PEM"))
    public_path.write_text(key.public_key().export_key(format="PEM"))


def run(command: str, *paths: str) -> str:
    """Does what the command line asks for; what is to be printed.

    Raises:
        app.UsageError: a command that does not exist, or another number of files.
    """
    where = pathlib.Path(os.environ.get("BUILD_WORKING_DIRECTORY", "."))
    files = [where / path for path in paths]
    match command, files:
        case "keygen", [private, public]:
            _save_key_pair(private, public)
        case "sign", [private, program, out]:
            out.write_bytes(sign(program.read_bytes(), ECC.import_key(private.read_text())))
        case "digest", [program, out]:
            out.write_bytes(add_digest(program.read_bytes()))
        case "check", [public, program]:
            content = check(program.read_bytes(), ECC.import_key(public.read_text()))
            return f"signed by this key: {len(content)} bytes"
        case "key", [public]:
            raw = ECC.import_key(public.read_text()).public_key().export_key(format="raw")
            return "{" + ", ".join(f"0x{byte:02x}" for byte in raw) + "}"
        case _:
            raise app.UsageError(f"no command {command!r} with {len(paths)} files")
    return ""


def main(arguments: list[str]) -> None:
    if len(arguments) < 2:
        raise app.UsageError("which command? keygen, sign, digest, check or key")
    try:
        print(run(*arguments[1:]), end="")
    except SignatureError as error:
        raise SystemExit(f"error: {error}") from None


if __name__ == "__main__":
    app.run(main)
