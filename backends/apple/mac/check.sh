#!/bin/sh
# On a Mac with Xcode's command line tools: builds a delegate against Apple's frameworks and runs a program on it, or those in a
# directory that `lowered_models --write` made, and compares them with what PyTorch gave.
#     backends/apple/mac/check.sh coreml|mps model.pte|DIRECTORY
set -eu
backend=$1
if [ -d "$2" ]; then
  set -- "$(cd "$2" && pwd)"
  set -- "$1"/*_"$backend"_*.pte
else
  set -- "$(cd "$(dirname "$2")" && pwd)/$(basename "$2")"
fi
cd "$(dirname "$0")/../../.."

prefix=$(mktemp -d)
trap 'rm -rf "$prefix"' EXIT
include=$prefix/include/executorch/backends/apple
mkdir -p "$include/coreml" "$include/mps/serialization"
case $backend in
  coreml)
    sources="blob.mm asset_store.mm arrays.mm model.mm CoreMLBackend.mm"
    flags="-framework CoreML"
    ;;
  mps)
    sources="blob.cc values.mm elementwise.mm layers.mm lookups.mm movers.mm windows.mm model.mm MPSBackend.mm"
    ./bazelw build //backends/apple/mps/serialization:schema_cc
    cp bazel-bin/backends/apple/mps/serialization/schema_generated.h "$include/mps/serialization/"
    flatbuffers=$(ls -d "$(./bazelw info output_base)"/external/*pip_tosa_tools/site/include)
    flags="-isystem $flatbuffers -framework Metal -framework MetalPerformanceShaders -framework MetalPerformanceShadersGraph"
    ;;
  *)
    echo "check.sh: no backend $backend; there are coreml and mps" >&2
    exit 2
    ;;
esac

./bazelw build --config=macos //runtime:dist //extension:dist //kernels:dist
for library in runtime extension kernels; do
  tar xzf "bazel-bin/$library/dist.tar.gz" -C "$prefix"
done
ln -s "$PWD/backends/apple/$backend/runtime" "$include/$backend/runtime"
files=
for source in $sources; do
  files="$files backends/apple/$backend/runtime/$source"
done

# Kernels and the backend register themselves: their archives and objects are linked whole.
# shellcheck disable=SC2086
xcrun clang++ -std=c++17 -O2 -fno-objc-arc -I "$prefix/include" $files backends/apple/mac/run.cc \
  -Wl,-force_load,"$prefix/lib/libexecutorch.a" -Wl,-force_load,"$prefix/lib/libportable_ops_lib.a" \
  "$prefix/lib/libextension_module_static.a" "$prefix/lib/libextension_flat_tensor.a" \
  "$prefix/lib/libextension_named_data_map.a" \
  "$prefix/lib/libextension_tensor.a" "$prefix/lib/libextension_data_loader.a" \
  "$prefix/lib/libportable_kernels.a" "$prefix/lib/libexecutorch_core.a" \
  $flags -framework Foundation -o "$prefix/run"
"$prefix/run" "$@"
