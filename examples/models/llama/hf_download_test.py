"""What is fetched is converted once, and taken whole."""

import pathlib

import huggingface_hub
import pytest

from executorch.examples.models.llama.hf_download import download_and_convert_hf_checkpoint


def test_a_repository_is_converted_once(tmp_path, monkeypatch):
    snapshot = tmp_path / "snapshots" / "4e1f"
    snapshot.mkdir(parents=True)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(huggingface_hub, "snapshot_download", lambda *_, **__: str(snapshot))
    calls = []

    def convert(directory, file):
        pathlib.Path(file).write_text("half")
        calls.append(directory)
        if len(calls) == 1:
            raise RuntimeError("no memory")
        pathlib.Path(file).write_text("weights")

    with pytest.raises(RuntimeError, match="no memory"):
        download_and_convert_hf_checkpoint("Qwen/Qwen3-0.6B", convert)
    files = [download_and_convert_hf_checkpoint("Qwen/Qwen3-0.6B", convert) for _ in range(2)]
    assert calls == [str(snapshot)] * 2 and files[0] == files[1]
    assert pathlib.Path(files[0]).read_text() == "weights"
    assert [one.name for one in pathlib.Path(files[0]).parent.iterdir()] == ["Qwen_Qwen3-0.6B_4e1f.pth"]
