"""What the page on several machines says of configurations, platform and servers, against the files that have them."""

import pathlib
import re
import subprocess

import pytest
import yaml

ROOT = pathlib.Path(__file__).parent.parent
PAGE = (ROOT / "docs/scaling-builds.md").read_text(encoding="utf-8")
BAZELRC = (ROOT / ".bazelrc").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", PAGE, re.DOTALL)


def test_configurations_and_the_platform_are_those_of_the_tree() -> None:
    configurations = set(re.findall(r"--config=(\w+)", PAGE))
    assert (
        configurations
        == set(re.findall(r"^\w+:(remote\w*) ", BAZELRC, re.MULTILINE))
        == {"remote", "remote_cache"}
    )
    (platform,) = re.findall(r"--extra_execution_platforms=(\S+)", BAZELRC)
    assert f"`{platform}`" in PAGE
    build = (ROOT / "toolchains/BUILD.bazel").read_text(encoding="utf-8")
    (declared,) = re.findall(
        rf'name = "{platform.partition(":")[2]}",.*?exec_properties = {{(.*?)}}', build, re.DOTALL
    )
    properties = dict(re.findall(r'"(\w+)": "([^"]+)"', declared))
    assert dict(re.findall(r"^\| `(\w+)` \| `([^`]+)` \|$", PAGE, re.MULTILINE)) == properties
    (worker,) = (block for block in blocks("sh") if "buildbox-worker" in block)
    assert dict(re.findall(r"--platform (\w+)=(\S+)", worker)) == properties


def test_the_server_matches_workers_by_the_platforms_properties() -> None:
    class Loader(yaml.SafeLoader):
        """Of YAML with the server's own kinds of nodes."""

    Loader.add_multi_constructor(
        "!", lambda loader, kind, node: {"kind": kind, **loader.construct_mapping(node, deep=True)}
    )
    (text,) = blocks("yaml")
    server = yaml.load(text, Loader)
    (scheduler,) = server["schedulers"]
    assert scheduler["property-set"]["match-property-keys"] == re.findall(
        r"^\| `(\w+)` \| `[^`]+` \|$", PAGE, re.MULTILINE
    )
    (instance,) = server["instances"]
    assert {service["kind"] for service in instance["services"]} == {
        "action-cache",
        "execution",
        "bots",
        "cas",
        "bytestream",
    }


@pytest.mark.parametrize("block", blocks("sh"))
def test_shell_blocks_parse(block: str) -> None:
    subprocess.run(["sh", "-n"], input=block, text=True, check=True)


@pytest.mark.parametrize("name", ["ac", "cas"])
def test_the_cache_takes_what_bazel_names_and_nothing_else(name: str) -> None:
    text, _ = blocks("nginx")
    (pattern,) = re.findall(r'location ~ "(.*?)"', text)
    assert re.search(pattern, f"/{name}/{'0a' * 32}")
    for other in (
        f"/{name}/{'0a' * 32}/x",
        f"/{name}/{'0a' * 31}",
        f"/{name}/../tmp",
        f"/x/{name}/{'0a' * 32}",
    ):
        assert not re.search(pattern, other)


@pytest.mark.parametrize(
    ("call", "stored"),
    [
        ("build.bazel.remote.execution.v2.ContentAddressableStorage/FindMissingBlobs", True),
        ("build.bazel.remote.execution.v2.ActionCache/GetActionResult", True),
        ("google.bytestream.ByteStream/Write", True),
        ("build.bazel.remote.execution.v2.Capabilities/GetCapabilities", False),
        ("build.bazel.remote.execution.v2.Execution/Execute", False),
    ],
)
def test_one_address_leads_to_storage_and_scheduler(call: str, stored: bool) -> None:
    _, text = blocks("nginx")
    (pattern,) = re.findall(r"location ~ (\S+)", text)
    assert bool(re.search(pattern, f"/{call}")) is stored
    ports = {name: int(port) for name, port in re.findall(r"upstream (\w+) {.*?:(\d+);", text)}
    assert f"--bind=0.0.0.0:{ports['storage']}" in PAGE
    assert f"[::]:{ports['scheduler']}" in PAGE
    assert f"--remote_executor=grpc://farm.example:{re.findall(r'listen (.*) http2', text)[0]}" in PAGE
