"""Encrypts a program for DecryptingDataLoader, with a new key or one of 64 hexadecimal digits.

    encrypt.py model.pte model.ete [key]            # prints the key

The layout is described in `decrypting_data_loader.h`.
"""

from __future__ import annotations

import os
import pathlib
import struct

from absl import app
from Crypto.Cipher import ChaCha20_Poly1305

_HEADER = struct.Struct("<8s16sIIQ")
_MAGIC = b"ETENCRY1"
_KEY_BYTES = 32


def encrypt(program: bytes, key: bytes, chunk_size: int = 1 << 16) -> bytes:
    """The encrypted file of a program; another one each time, since its nonce is drawn.

    Raises:
        ValueError: the key is not 32 bytes long.
    """
    if len(key) != _KEY_BYTES:
        raise ValueError(f"a key has {_KEY_BYTES} bytes, this one {len(key)}")
    nonce = os.urandom(16)
    header = _HEADER.pack(_MAGIC, nonce, chunk_size, 0, len(program))
    parts = [header]
    for index, start in enumerate(range(0, len(program), chunk_size)):
        cipher = ChaCha20_Poly1305.new(key=key, nonce=nonce + struct.pack("<Q", index))
        cipher.update(header)
        parts += cipher.encrypt_and_digest(program[start : start + chunk_size])
    return b"".join(parts)


def main(arguments: list[str]) -> None:
    if len(arguments) not in (3, 4):
        raise app.UsageError("which files? model.pte model.ete [key]")
    where = pathlib.Path(os.environ.get("BUILD_WORKING_DIRECTORY", "."))
    key = bytes.fromhex(arguments[3]) if len(arguments) == 4 else os.urandom(_KEY_BYTES)
    (where / arguments[2]).write_bytes(encrypt((where / arguments[1]).read_bytes(), key))
    print(key.hex())


if __name__ == "__main__":
    app.run(main)
