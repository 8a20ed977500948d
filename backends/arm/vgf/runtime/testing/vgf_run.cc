// Runs a VGF file through the delegate: vgf_run FILE {in|out}:SCALAR_TYPE:SIZE,SIZE,...:PATH ...
// Every value twice, as of two calls.

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <executorch/extension/tensor/tensor.h>
#include <executorch/runtime/backend/interface.h>
#include <executorch/runtime/platform/runtime.h>

namespace {

using executorch::aten::ScalarType;
using executorch::aten::SizesType;
using executorch::extension::TensorPtr;
using executorch::runtime::ArrayRef;
using executorch::runtime::BackendExecutionContext;
using executorch::runtime::BackendInitContext;
using executorch::runtime::Error;
using executorch::runtime::EValue;
using executorch::runtime::FreeableBuffer;
using executorch::runtime::MemoryAllocator;
using executorch::runtime::Span;

std::vector<char> read(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

struct Value {
  bool is_input;
  std::string path;
  std::vector<char> data;
  TensorPtr tensor;
};

std::string next(std::string& text) {
  const size_t end = text.find(':');
  const std::string part = text.substr(0, end);
  text.erase(0, end + 1);
  return part;
}

Value parse(std::string text) {
  Value made;
  made.is_input = next(text) == "in";
  const auto type = static_cast<ScalarType>(std::atoi(next(text).c_str()));
  std::vector<SizesType> sizes;
  for (std::string shape = next(text); !shape.empty();) {
    sizes.push_back(std::atoi(shape.c_str()));
    const size_t comma = shape.find(',');
    shape.erase(0, comma == std::string::npos ? comma : comma + 1);
  }
  made.path = text;
  // Outputs are files as large as they will be.
  made.data = read(text);
  made.tensor = executorch::extension::make_tensor_ptr(sizes, made.data.data(), type);
  return made;
}

int run(const char* path, std::vector<Value>& values) {
  auto* const backend = executorch::runtime::get_backend_class("VgfBackend");
  if (backend == nullptr || !backend->is_available()) {
    return 3;
  }
  std::vector<char> file = read(path);
  std::vector<uint8_t> memory(4096);
  MemoryAllocator allocator(static_cast<uint32_t>(memory.size()), memory.data());
  BackendInitContext init(&allocator);
  FreeableBuffer processed(file.data(), file.size(), nullptr);
  const auto handle = backend->init(init, &processed, {});
  if (!handle.ok()) {
    return 4;
  }
  // Constants are the driver's now.
  file.assign(file.size(), 0);
  std::vector<EValue> evalues;
  for (const Value& one : values) {
    evalues.emplace_back(*one.tensor);
  }
  std::vector<EValue*> args;
  for (EValue& one : evalues) {
    args.push_back(&one);
  }
  Error ran = Error::Ok;
  for (int i = 0; i < 2 && ran == Error::Ok; ++i) {
    BackendExecutionContext context;
    ran = backend->execute(context, *handle, Span<EValue*>(args.data(), args.size()));
  }
  backend->destroy(*handle);
  for (const Value& one : values) {
    if (!one.is_input) {
      std::ofstream(one.path, std::ios::binary)
          .write(one.data.data(), static_cast<std::streamsize>(one.data.size()));
    }
  }
  return ran == Error::Ok ? 0 : 5;
}

}  // namespace

int main(int argc, char** argv) {
  executorch::runtime::runtime_init();
  if (argc < 2) {
    std::fprintf(stderr, "usage: vgf_run FILE {in|out}:SCALAR_TYPE:SIZES:PATH ...\n");
    return 2;
  }
  std::vector<Value> values;
  for (int i = 2; i < argc; ++i) {
    values.push_back(parse(argv[i]));
  }
  return run(argv[1], values);
}
