// A delegate's blob, with a header and without: its graph handed to XNNPACK, and run. What it does
// not hold itself comes from a map that has data of some size for every name.

#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include <executorch/backends/xnnpack/runtime/blob.h>
#include <executorch/backends/xnnpack/runtime/executor.h>
#include <executorch/backends/xnnpack/runtime/subgraph.h>
#include <executorch/runtime/core/exec_aten/util/scalar_type_util.h>
#include <executorch/runtime/platform/runtime.h>
#include <executorch/tests/fuzz/digest.h>
#include <executorch/tests/fuzz/fuzz_target.h>
#include <executorch/tests/fuzz/quiet.h>

namespace {

namespace xnnpack = executorch::backends::xnnpack;
using executorch::aten::ScalarType;
using executorch::aten::Tensor;
using executorch::aten::TensorImpl;
using executorch::fuzz::Digest;
using executorch::runtime::Error;
using executorch::runtime::EValue;
using executorch::runtime::FreeableBuffer;
using executorch::runtime::Result;

constexpr size_t kMostElements = 1 << 16;
constexpr size_t kNamedBytes = 4096;

/// Every name has data: so many bytes as the number at its end says.
class AnyName final : public executorch::runtime::NamedDataMap {
 public:
  Result<const executorch::runtime::TensorLayout> get_tensor_layout(
      std::string_view) const override {
    return Error::NotFound;
  }
  Result<FreeableBuffer> get_data(std::string_view key) const override {
    const size_t digits = key.find_last_not_of("0123456789") + 1;
    const std::string number(key.substr(digits));
    const size_t asked = number.empty() || number.size() > 6 ? kNamedBytes : std::stoul(number);
    auto* const data = new float[asked / sizeof(float) + 1]();
    // Positive whether they are read as floats or two at a time as halves, as scales have to be.
    for (size_t i = 0; i < asked / sizeof(float); ++i) {
      const uint32_t half = 0x3E80 + 0x20 * uint32_t(i % 5);
      const uint32_t both = half << 16 | half;
      std::memcpy(&data[i], &both, sizeof(both));
    }
    return FreeableBuffer(data, asked,
                          [](void*, void* bytes, size_t) { delete[] static_cast<float*>(bytes); });
  }
  Error load_data_into(std::string_view, void*, size_t) const override { return Error::NotFound; }
  Result<uint32_t> get_num_keys() const override { return 0u; }
  Result<const char*> get_key(uint32_t) const override { return Error::InvalidArgument; }
};

struct Argument {
  std::vector<int32_t> sizes;
  std::vector<uint8_t> order;
  std::vector<int32_t> strides;
  std::unique_ptr<uint8_t[]> data;
  std::unique_ptr<TensorImpl> impl;
  EValue value;
};

ScalarType dtype_of(xnn_datatype type) {
  switch (type) {
    case xnn_datatype_qint8:
      return ScalarType::Char;
    case xnn_datatype_quint8:
      return ScalarType::Byte;
    case xnn_datatype_fp16:
      return ScalarType::Half;
    default:
      return ScalarType::Float;
  }
}

/// A tensor as the graph declares it, in memory of exactly that size.
bool make_argument(const xnnpack::External& external, Argument& argument) {
  size_t count = 1;
  for (const size_t dim : external.dims) {
    if (dim > kMostElements || (count *= dim) > kMostElements) {
      return false;
    }
    argument.sizes.push_back(static_cast<int32_t>(dim));
    argument.order.push_back(static_cast<uint8_t>(argument.order.size()));
  }
  argument.strides.resize(argument.sizes.size());
  int32_t stride = 1;
  for (size_t i = argument.sizes.size(); i-- > 0;) {
    argument.strides[i] = stride;
    stride *= argument.sizes[i];
  }
  const ScalarType dtype = dtype_of(external.datatype);
  const size_t size = count * executorch::runtime::elementSize(dtype);
  argument.data.reset(new uint8_t[size]());
  for (size_t i = 0; dtype == ScalarType::Float && i < count; ++i) {
    const float number = 0.125f * static_cast<float>(i % 11) - 0.5f;
    std::memcpy(argument.data.get() + i * sizeof(float), &number, sizeof(number));
  }
  argument.impl = std::make_unique<TensorImpl>(
      dtype, static_cast<ssize_t>(argument.sizes.size()), argument.sizes.data(),
      argument.data.get(), argument.order.data(), argument.strides.data(),
      executorch::aten::TensorShapeDynamism::DYNAMIC_BOUND);
  argument.value = EValue(Tensor(argument.impl.get()));
  return true;
}

bool run(const uint8_t* data, size_t size, Digest& digest) {
  static const AnyName named;
  const std::unique_ptr<uint8_t[]> copy(new uint8_t[size]);
  std::memcpy(copy.get(), data, size);
  const Result<xnnpack::Blob> blob = xnnpack::Blob::parse(copy.get(), size);
  if (!blob.ok()) {
    return false;
  }
  Result<std::unique_ptr<xnnpack::Executor>> made = xnnpack::Executor::create(*blob, &named, {});
  if (!made.ok()) {
    return false;
  }
  const Result<xnnpack::Subgraph> graph = xnnpack::Subgraph::define(*blob, &named);
  if (!graph.ok() || graph->externals().size() != (*made)->num_arguments()) {
    return false;
  }
  std::vector<Argument> arguments(graph->externals().size());
  std::vector<EValue*> args;
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (!make_argument(graph->externals()[i], arguments[i])) {
      return false;
    }
    args.push_back(&arguments[i].value);
  }
  if ((*made)->execute({args.data(), args.size()}) != Error::Ok) {
    return false;
  }
  for (size_t i = graph->num_inputs(); i < args.size(); ++i) {
    const Tensor& out = args[i]->toTensor();
    digest.add(out.const_data_ptr(), out.nbytes());
  }
  return true;
}

}  // namespace

extern "C" bool FuzzTargetResult(const uint8_t* data, size_t size, uint64_t* result) {
  executorch::fuzz::silence_log();
  executorch::runtime::runtime_init();
  Digest digest;
  const bool ok = run(data, size, digest);
  *result = digest.value;
  return ok;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  uint64_t digest = 0;
  (void)FuzzTargetResult(data, size, &digest);
  return 0;
}
