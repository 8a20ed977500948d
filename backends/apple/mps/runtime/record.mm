/// @file
/// Makes the graphs of delegates against the stand-in for MPSGraph, and writes down the calls that
/// make each: `record BLOB...` writes BLOB.calls.

#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>

#include <executorch/backends/apple/mps/runtime/linux/mock.h>
#include <executorch/backends/apple/mps/runtime/model.h>
#include <executorch/runtime/platform/runtime.h>

using executorch::backends::mps::Blob;
using executorch::backends::mps::mock;
using executorch::backends::mps::Model;

namespace {

bool record(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  const auto blob = executorch::backends::mps::read_blob(bytes.data(), bytes.size());
  if (!blob.ok()) {
    return false;
  }
  const auto model = Model::load(*blob);
  std::ofstream(path + ".calls") << mock().calls;
  return model.ok();
}

}  // namespace

int main(int argc, char** argv) {
  executorch::runtime::runtime_init();
  for (int i = 1; i < argc; ++i) {
    if (!record(argv[i])) {
      std::fprintf(stderr, "record: %s has no graph\n", argv[i]);
      return 1;
    }
  }
  return 0;
}
