"""Signing: the vectors of RFC 8032, files that are changed in each place, and the command line."""

from __future__ import annotations

import hashlib
import os
import subprocess

import pytest
from absl import app
from Crypto.PublicKey import ECC
from Crypto.Signature import eddsa

from executorch.extension.signature import sign

#: RFC 8032, 7.1: private key, public key, message, signature of TEST 1 to 3.
VECTORS = [
    (
        "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60",
        "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
        "",
        "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46b"
        "d25bf5f0595bbe24655141438e7a100b",
    ),
    (
        "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb",
        "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c",
        "72",
        "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c"
        "387b2eaeb4302aeeb00d291612bb0c00",
    ),
    (
        "c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7",
        "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025",
        "af82",
        "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc659"
        "4a7c15e9716ed28dc027beceea1ec40a",
    ),
]
CONTENT = b"a program, or any other file\n"


@pytest.fixture(scope="module")
def key() -> ECC.EccKey:
    return eddsa.import_private_key(bytes.fromhex(VECTORS[0][0]))


@pytest.mark.parametrize(("private", "public", "message", "signature"), VECTORS)
def test_vectors_of_the_standard(private, public, message, signature):
    key = eddsa.import_private_key(bytes.fromhex(private))
    assert key.public_key().export_key(format="raw").hex() == public
    assert eddsa.new(key, "rfc8032").sign(bytes.fromhex(message)).hex() == signature


def test_the_layout_is_the_documented_one(key):
    file = sign.sign(CONTENT, key)
    public = key.public_key().export_key(format="raw")
    signed = b"ExecuTorch program signature 1".ljust(32, b"\0")
    signed += len(CONTENT).to_bytes(8, "little") + hashlib.sha256(CONTENT).digest()
    signature = eddsa.new(key, "rfc8032").sign(signed)
    numbers = b"".join(number.to_bytes(4, "little") for number in (1, 2, 104))
    trailer = b"ETSG" + numbers + len(CONTENT).to_bytes(8, "little")
    trailer += hashlib.sha256(public).digest()[:8] + signature + b"ETSGETSG"
    assert file == CONTENT + trailer
    # signature_test.cc has the same.
    assert file[-72:-56].hex() == "d2f3d34c6311436697da5e048cb4646e"


def test_what_was_signed_comes_back_and_nothing_else(key):
    file = sign.sign(CONTENT, key)
    assert sign.check(file, key.public_key()) == CONTENT
    for at in range(len(file)):
        changed = bytearray(file)
        changed[at] ^= 1
        with pytest.raises(sign.SignatureError):
            sign.check(bytes(changed), key.public_key())
    with pytest.raises(sign.SignatureError, match="signed by another key, 21fe31df"):
        sign.check(file, sign.generate_key().public_key())
    with pytest.raises(sign.SignatureError, match="no signature"):
        sign.check(CONTENT, key.public_key())
    with pytest.raises(sign.SignatureError, match="signed already"):
        sign.sign(file, key)


def test_digests(key):
    file = sign.add_digest(CONTENT)
    assert file[len(CONTENT) + 32 :][:32] == hashlib.sha256(CONTENT).digest()
    with pytest.raises(sign.SignatureError, match="a digest and no signature"):
        sign.check(file, key.public_key())


def test_command_line(tmp_path, monkeypatch):
    monkeypatch.setenv("BUILD_WORKING_DIRECTORY", str(tmp_path))
    (tmp_path / "model.pte").write_bytes(CONTENT)
    assert sign.run("keygen", "private.pem", "public.pem") == ""
    assert os.stat(tmp_path / "private.pem").st_mode & 0o777 == 0o600
    sign.run("sign", "private.pem", "model.pte", "signed.pte")
    assert sign.run("check", "public.pem", "signed.pte") == f"signed by this key: {len(CONTENT)} bytes"
    sign.run("digest", "model.pte", "digest.pte")
    assert (tmp_path / "digest.pte").read_bytes() == sign.add_digest(CONTENT)
    raw = ECC.import_key((tmp_path / "public.pem").read_text()).export_key(format="raw")
    assert bytes(eval(sign.run("key", "public.pem").replace("{", "[").replace("}", "]"))) == raw
    with pytest.raises(FileExistsError):
        sign.run("keygen", "private.pem", "public.pem")
    with pytest.raises(app.UsageError, match="no command 'sign' with 1 files"):
        sign.run("sign", "model.pte")


@pytest.mark.skipif(
    subprocess.run(["sh", "-c", "command -v openssl"], capture_output=True, check=False).returncode != 0,
    reason="no openssl on this machine",
)
def test_keys_of_openssl(tmp_path):
    path = tmp_path / "key.pem"
    subprocess.run(["openssl", "genpkey", "-algorithm", "ed25519", "-out", str(path)], check=True)
    key = ECC.import_key(path.read_text())
    assert sign.check(sign.sign(CONTENT, key), key.public_key()) == CONTENT
