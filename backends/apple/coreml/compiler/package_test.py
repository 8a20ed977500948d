"""The bytes of a directory, which `runtime/blob_test.mm` reads as well."""

import json

from executorch.backends.apple.coreml import executorchcoreml
from executorch.backends.apple.coreml.compiler.package import flatten, settle_manifest, unflatten

FILES = {
    "metadata.json": b'{"inputNames": ["a\\u00df}"], "outputNames": [], "identifier": "i"}',
    "model.mlpackage/x.bin": b"one",
}
BYTES = (
    b'{"inputNames": ["a\\u00df}"], "outputNames": [], "identifier": "i"}one'
    b'}]}"eludom_derewol":"eman",1:"dnik",}0:"ezis",0:"tesffo"{:"noigeRatad",}2:"egakc'
    b'aplm.ledom",0:"nosj.atadatem"{:"nerdlihc"{,}"egakcaplm.ledom":"eman",1:"dnik",}0:"ez'
    b'is",0:"tesffo"{:"noigeRatad",}1:"nib.x"{:"nerdlihc"{,}"nib.x":"eman",0:"dnik",}3:"ez'
    b'is",66:"tesffo"{:"noigeRatad",}{:"nerdlihc"{,}"nosj.atadatem":"eman",0:"dnik",}66:"ez'
    b'is",0:"tesffo"{:"noigeRatad",}{:"nerdlihc"{[:"sedon"{'
)


def test_directories_have_the_bytes_that_the_delegate_reads(tmp_path):
    for path, content in FILES.items():
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_bytes(content)
    assert flatten(tmp_path) == BYTES
    assert unflatten(BYTES) == FILES


def test_published_tools_find_them_under_their_name(tmp_path):
    assert executorchcoreml.unflatten_directory_contents(BYTES, str(tmp_path / "made"))
    assert executorchcoreml.flatten_directory_contents(str(tmp_path / "made")) == BYTES
    assert executorchcoreml.flatten_directory_contents(str(tmp_path / "nowhere")) is None
    assert not executorchcoreml.unflatten_directory_contents(b"no directory", str(tmp_path / "other"))


def test_packages_without_weights_name_none(tmp_path):
    data = tmp_path / "Data" / "com.apple.CoreML"
    (data / "weights").mkdir(parents=True)
    (data / "model.mlmodel").write_bytes(b"model")
    paths = {"a": "com.apple.CoreML/model.mlmodel", "b": "com.apple.CoreML/weights"}
    entries = {name: {"path": path} for name, path in paths.items()}
    (tmp_path / "Manifest.json").write_text(
        json.dumps({"itemInfoEntries": entries, "rootModelIdentifier": "a"})
    )
    settle_manifest(tmp_path)
    made = json.loads((tmp_path / "Manifest.json").read_text())
    assert list(made["itemInfoEntries"]) == [made["rootModelIdentifier"]] and not (data / "weights").exists()


def test_directories_with_nothing_in_them_are_kept(tmp_path):
    (tmp_path / "made" / "weights").mkdir(parents=True)
    (tmp_path / "made" / "x").write_bytes(b"x")
    data = flatten(tmp_path / "made")
    assert unflatten(data) == {"weights/": b"", "x": b"x"}
    assert executorchcoreml.unflatten_directory_contents(data, str(tmp_path / "again"))
    assert flatten(tmp_path / "again") == data
