/// Runs an encrypted program on inputs of ones: run model.ete KEY

#include <cstdio>
#include <memory>
#include <string>
#include <utility>

#include <executorch/examples/encrypted/decrypting_data_loader.h>
#include <executorch/extension/data_loader/file_data_loader.h>
#include <executorch/extension/module/module.h>
#include <executorch/extension/tensor/tensor.h>

namespace {

using executorch::examples::DecryptingDataLoader;
using executorch::examples::Key;
using executorch::extension::FileDataLoader;
using executorch::extension::Module;

bool read_key(const std::string& text, Key& key) {
  if (text.size() != 2 * key.size()) {
    return false;
  }
  for (size_t i = 0; i < key.size(); ++i) {
    unsigned value = 0;
    if (std::sscanf(text.c_str() + 2 * i, "%2x", &value) != 1) {
      return false;
    }
    key[i] = static_cast<uint8_t>(value);
  }
  return true;
}

int fail(const char* what, executorch::runtime::Error error) {
  std::fprintf(stderr, "%s: %s\n", what, executorch::runtime::to_string(error));
  return 1;
}

int run(Module& module) {
  const auto meta = module.method_meta("forward");
  if (!meta.ok()) {
    return fail("loading the program", meta.error());
  }
  std::vector<executorch::extension::TensorPtr> tensors;
  std::vector<executorch::runtime::EValue> inputs;
  for (size_t i = 0; i < meta->num_inputs(); ++i) {
    const auto info = meta->input_tensor_meta(i);
    if (!info.ok()) {
      return fail("an input is no tensor", info.error());
    }
    tensors.push_back(executorch::extension::ones({info->sizes().begin(), info->sizes().end()},
                                                  info->scalar_type()));
    inputs.emplace_back(tensors.back());
  }
  const auto outputs = module.forward(inputs);
  if (!outputs.ok()) {
    return fail("running the program", outputs.error());
  }
  const auto& output = outputs->at(0).toTensor();
  for (ssize_t i = 0; i < output.numel(); ++i) {
    std::printf("%.6f\n", static_cast<double>(output.const_data_ptr<float>()[i]));
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  Key key;
  if (argc != 3 || !read_key(argv[2], key)) {
    std::fprintf(stderr, "usage: run model.ete KEY, of %zu hexadecimal digits\n", 2 * key.size());
    return 2;
  }
  auto file = FileDataLoader::from(argv[1]);
  if (!file.ok()) {
    return fail(argv[1], file.error());
  }
  auto loader = DecryptingDataLoader::open(std::make_unique<FileDataLoader>(std::move(*file)), key);
  if (!loader.ok()) {
    return fail(argv[1], loader.error());
  }
  Module module(std::move(*loader));
  return run(module);
}
