#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <flatbuffers/flatbuffers.h>

#include <executorch/backends/vulkan/runtime/graph/graph.h>
#include <executorch/backends/vulkan/serialization/schema_generated.h>

namespace executorch {
namespace backends {
namespace vulkan {
namespace testing {

/// Writes a graph as lowering does, value by value.
class GraphForTests {
 public:
  using Ids = std::vector<int32_t>;

  int32_t none() { return add(vkgraph::GraphTypes::Null, vkgraph::CreateNull(builder_).Union()); }
  int32_t integer(int64_t value) {
    return add(vkgraph::GraphTypes::Int, vkgraph::CreateInt(builder_, value).Union());
  }
  int32_t number(double value) {
    return add(vkgraph::GraphTypes::Double, vkgraph::CreateDouble(builder_, value).Union());
  }
  int32_t boolean(bool value) {
    return add(vkgraph::GraphTypes::Bool, vkgraph::CreateBool(builder_, value).Union());
  }
  int32_t size(int32_t value = 0) {
    return add(vkgraph::GraphTypes::SymInt, vkgraph::CreateSymInt(builder_, value).Union());
  }
  int32_t ints(const std::vector<int64_t>& items) {
    return add(vkgraph::GraphTypes::IntList,
               vkgraph::CreateIntListDirect(builder_, &items).Union());
  }
  int32_t numbers(const std::vector<double>& items) {
    return add(vkgraph::GraphTypes::DoubleList,
               vkgraph::CreateDoubleListDirect(builder_, &items).Union());
  }
  int32_t list(const Ids& items) {
    return add(vkgraph::GraphTypes::ValueList,
               vkgraph::CreateValueListDirect(builder_, &items).Union());
  }
  int32_t text(const char* value) {
    return add(vkgraph::GraphTypes::String, vkgraph::CreateStringDirect(builder_, value).Union());
  }

  /// @param type In the device's memory; `staging` on the program's side.
  int32_t tensor(const std::vector<int64_t>& sizes, DType type, DType staging, int32_t memory = -1,
                 int32_t constant = -1) {
    const std::vector<uint32_t> dims(sizes.begin(), sizes.end());
    return add(vkgraph::GraphTypes::VkTensor,
               vkgraph::CreateVkTensorDirect(builder_, vkgraph::VkDataType(type), &dims, constant,
                                             memory, vkgraph::VkStorageType::BUFFER,
                                             vkgraph::VkMemoryLayout::DEFAULT_LAYOUT,
                                             vkgraph::VkDataType(staging))
                   .Union());
  }
  int32_t constant(const std::vector<int64_t>& sizes, DType type, DType staging,
                   const std::string& bytes) {
    constants_.push_back(vkgraph::CreateVkBytes(builder_, bytes_.size(), bytes.size()));
    bytes_ += bytes + std::string((16 - bytes.size() % 16) % 16, '\0');
    return tensor(sizes, type, staging, -1, static_cast<int32_t>(constants_.size()) - 1);
  }

  void call(const char* name, const Ids& arguments) {
    calls_.push_back(vkgraph::CreateOperatorCallDirect(
        builder_, static_cast<uint32_t>(calls_.size() + 1), name, &arguments));
  }
  void input(int32_t value) { inputs_.push_back(static_cast<uint32_t>(value)); }
  void output(int32_t value) { outputs_.push_back(static_cast<uint32_t>(value)); }

  /// The delegate's bytes; see serialization/schema.fbs.
  std::string blob() {
    builder_.Finish(vkgraph::CreateVkGraphDirect(builder_, "0", &calls_, &values_, &inputs_,
                                                 &outputs_, &constants_),
                    "VK00");
    const std::string flatbuffer(reinterpret_cast<const char*>(builder_.GetBufferPointer()),
                                 builder_.GetSize());
    const size_t constants = (32 + flatbuffer.size() + 15) / 16 * 16;
    std::string blob(constants, '\0');
    blob.replace(4, 4, "VH00");
    put(blob, 8, 30, 2);
    put(blob, 10, 32, 4);
    put(blob, 14, flatbuffer.size(), 4);
    put(blob, 18, constants, 4);
    put(blob, 22, bytes_.size(), 8);
    blob.replace(32, flatbuffer.size(), flatbuffer);
    return blob + bytes_;
  }

 private:
  static void put(std::string& bytes, size_t offset, uint64_t value, size_t size) {
    for (size_t i = 0; i < size; ++i) {
      bytes[offset + i] = static_cast<char>(value >> (8 * i));
    }
  }

  int32_t add(vkgraph::GraphTypes type, flatbuffers::Offset<void> value) {
    values_.push_back(vkgraph::CreateVkValue(builder_, type, value));
    return static_cast<int32_t>(values_.size()) - 1;
  }

  flatbuffers::FlatBufferBuilder builder_;
  std::vector<flatbuffers::Offset<vkgraph::VkValue>> values_;
  std::vector<flatbuffers::Offset<vkgraph::OperatorCall>> calls_;
  std::vector<flatbuffers::Offset<vkgraph::VkBytes>> constants_;
  std::vector<uint32_t> inputs_;
  std::vector<uint32_t> outputs_;
  std::string bytes_;
};

}  // namespace testing
}  // namespace vulkan
}  // namespace backends
}  // namespace executorch
