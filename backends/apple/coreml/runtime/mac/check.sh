#!/bin/sh
# On a Mac with Xcode's command line tools: builds the delegate against Apple's Core ML and runs a program on it.
#     backends/apple/coreml/runtime/mac/check.sh model.pte
set -eu
program=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
cd "$(dirname "$0")/../../../../.."

./bazelw build --config=macos //runtime:dist //extension:dist //kernels:dist
prefix=$(mktemp -d)
trap 'rm -rf "$prefix"' EXIT
for library in runtime extension kernels; do
  tar xzf "bazel-bin/$library/dist.tar.gz" -C "$prefix"
done
mkdir -p "$prefix/include/executorch/backends/apple/coreml"
ln -s "$PWD/backends/apple/coreml/runtime" "$prefix/include/executorch/backends/apple/coreml/runtime"

# Kernels and the backend register themselves: their archives and objects are linked whole.
xcrun clang++ -std=c++17 -O2 -fno-objc-arc -I "$prefix/include" \
  backends/apple/coreml/runtime/blob.mm \
  backends/apple/coreml/runtime/asset_store.mm \
  backends/apple/coreml/runtime/arrays.mm \
  backends/apple/coreml/runtime/model.mm \
  backends/apple/coreml/runtime/CoreMLBackend.mm \
  backends/apple/coreml/runtime/mac/run.cc \
  -Wl,-force_load,"$prefix/lib/libexecutorch_kernels_whole.a" \
  "$prefix/lib/libexecutorch_extension.a" "$prefix/lib/libexecutorch_kernels.a" "$prefix/lib/libexecutorch_runtime.a" \
  -framework CoreML -framework Foundation -o "$prefix/run"
"$prefix/run" "$program"
