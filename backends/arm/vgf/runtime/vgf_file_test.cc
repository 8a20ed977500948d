// The reader with files of its own, and with damaged ones.

#include <cstring>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <executorch/backends/arm/vgf/runtime/vgf_file.h>
#include <executorch/backends/arm/vgf/runtime/vgf_generated.h>
#include <executorch/runtime/platform/runtime.h>

namespace executorch {
namespace backends {
namespace arm {
namespace {

namespace vgf_format = ::executorch::arm::vgf_file;
using runtime::Error;

/// What a file says, each part of which a test may change: a graph with an input, an output and a
/// constant.
struct Parts {
  int32_t descriptor = 1000460000;
  int32_t format = 100;
  std::vector<int64_t> shape = {2, 3};
  std::vector<int64_t> strides;
  uint32_t alias_group = 0xffffffff;
  vgf_format::ModuleType type = vgf_format::ModuleType::GRAPH;
  std::vector<uint32_t> spirv = {0x07230203, 1, 2, 3, 4};
  uint32_t module_index = 0;
  uint32_t bound = 1;
  uint32_t binding = 1;
  uint32_t output = 1;
  uint32_t constant = 0;
  int32_t sparsity = -1;
  uint64_t constant_bytes = 24;
};

std::string bytes_of(const flatbuffers::FlatBufferBuilder& builder) {
  return {reinterpret_cast<const char*>(builder.GetBufferPointer()), builder.GetSize()};
}

template <typename Value>
void append(std::string& to, Value value) {
  to.append(reinterpret_cast<const char*>(&value), sizeof(value));
}

std::string modules(const Parts& parts) {
  flatbuffers::FlatBufferBuilder builder;
  const auto code = vgf_format::CreateSpirvDirect(builder, &parts.spirv);
  const std::vector<flatbuffers::Offset<vgf_format::Module>> all = {vgf_format::CreateModuleDirect(
      builder, parts.type, "name", "entry", vgf_format::Code::Spirv, code.Union())};
  builder.Finish(vgf_format::CreateModuleTableDirect(builder, &all));
  return bytes_of(builder);
}

std::string sequence(const Parts& parts) {
  flatbuffers::FlatBufferBuilder builder;
  const auto slot = [&](uint32_t binding, uint32_t resource) {
    return vgf_format::CreateBindingSlot(builder, binding, resource);
  };
  const std::vector<flatbuffers::Offset<vgf_format::BindingSlot>> bindings = {
      slot(0, 0), slot(parts.binding, parts.bound)};
  const std::vector<flatbuffers::Offset<vgf_format::DescriptorSet>> sets = {
      vgf_format::CreateDescriptorSetDirect(builder, &bindings)};
  const std::vector<flatbuffers::Offset<vgf_format::ConstantBinding>> constants = {
      vgf_format::CreateConstantBinding(builder, 7, parts.constant)};
  const std::vector<flatbuffers::Offset<vgf_format::Segment>> segments = {
      vgf_format::CreateSegmentDirect(builder, parts.type, "s", parts.module_index, &sets, nullptr,
                                      nullptr, nullptr, nullptr, nullptr, &constants)};
  const std::vector<flatbuffers::Offset<vgf_format::BindingSlot>> inputs = {slot(0, 0)};
  const std::vector<flatbuffers::Offset<vgf_format::BindingSlot>> outputs = {slot(1, parts.output)};
  builder.Finish(vgf_format::CreateSequenceDirect(builder, &segments, &inputs, &outputs));
  return bytes_of(builder);
}

std::string resources(const Parts& parts) {
  flatbuffers::FlatBufferBuilder builder;
  std::vector<flatbuffers::Offset<vgf_format::Resource>> all;
  for (const auto category : {vgf_format::Category::INPUT, vgf_format::Category::OUTPUT,
                              vgf_format::Category::CONSTANT}) {
    const bool is_constant = category == vgf_format::Category::CONSTANT;
    const auto description =
        vgf_format::CreateDescriptionDirect(builder, &parts.shape, &parts.strides);
    all.push_back(vgf_format::CreateResource(builder, is_constant ? -1 : parts.descriptor,
                                             parts.format, category, description, 0,
                                             parts.alias_group));
  }
  builder.Finish(vgf_format::CreateResourceTableDirect(builder, &all));
  return bytes_of(builder);
}

std::string constants(const Parts& parts) {
  std::string made("CONST00\0", 8);
  append<uint64_t>(made, 1);
  append<uint32_t>(made, 2);
  append<int32_t>(made, parts.sparsity);
  append<uint64_t>(made, parts.constant_bytes);
  append<uint64_t>(made, 0);
  return made + std::string(24, 'c');
}

std::string file_of(const Parts& parts = {}) {
  std::string head("VGF1\0\0\0\0\0\5\0\0\0\0\0\0", 16);
  std::string body;
  for (std::string section :
       {modules(parts), sequence(parts), resources(parts), constants(parts)}) {
    append<uint64_t>(head, 128 + body.size());
    append<uint64_t>(head, section.size());
    section.resize((section.size() + 7) / 8 * 8);
    body += section;
  }
  head.resize(128);
  return head + body;
}

Error error_of(const std::string& file) { return read_vgf_file(file.data(), file.size()).error(); }

class VgfFileTest : public ::testing::Test {
 protected:
  void SetUp() override { runtime::runtime_init(); }
};

TEST_F(VgfFileTest, SaysWhatIsToBeMade) {
  const std::string bytes = file_of();
  const auto file = read_vgf_file(bytes.data(), bytes.size());
  ASSERT_TRUE(file.ok());
  ASSERT_EQ(file->tensors.size(), 3u);
  EXPECT_EQ(file->tensors[0].shape, (std::vector<int64_t>{2, 3}));
  EXPECT_EQ(file->tensors[0].bytes, 24u);
  EXPECT_TRUE(file->tensors[2].is_constant);
  EXPECT_EQ(file->inputs, std::vector<uint32_t>{0});
  EXPECT_EQ(file->outputs, std::vector<uint32_t>{1});
  ASSERT_EQ(file->segments.size(), 1u);
  const VgfSegment& segment = file->segments[0];
  EXPECT_EQ(segment.spirv.size(), 5u);
  EXPECT_EQ(segment.entry_point, "entry");
  ASSERT_EQ(segment.bindings.size(), 2u);
  EXPECT_EQ(segment.bindings[1].tensor, 1u);
  ASSERT_EQ(segment.constants.size(), 1u);
  EXPECT_EQ(segment.constants[0].id, 7u);
  EXPECT_EQ(segment.constants[0].data[23], 'c');
}

TEST_F(VgfFileTest, WhatIsNotRunIsRefused) {
  const auto refused = [](auto change) {
    Parts parts;
    change(parts);
    return error_of(file_of(parts));
  };
  EXPECT_EQ(refused([](Parts& p) { p.type = vgf_format::ModuleType::COMPUTE; }),
            Error::NotSupported);
  EXPECT_EQ(refused([](Parts& p) { p.descriptor = 7; }), Error::NotSupported);
  EXPECT_EQ(refused([](Parts& p) { p.format = 37; }), Error::NotSupported);
  EXPECT_EQ(refused([](Parts& p) { p.strides = {12, 4}; }), Error::NotSupported);
  EXPECT_EQ(refused([](Parts& p) { p.alias_group = 0; }), Error::NotSupported);
  EXPECT_EQ(refused([](Parts& p) { p.sparsity = 1; }), Error::NotSupported);
}

TEST_F(VgfFileTest, WhatCannotBeIsRefused) {
  const auto refused = [](auto change) {
    Parts parts;
    change(parts);
    return error_of(file_of(parts)) == Error::DelegateInvalidCompatibility;
  };
  EXPECT_TRUE(refused([](Parts& p) { p.shape = {2, -3}; }));
  EXPECT_TRUE(refused([](Parts& p) { p.shape = {1 << 20, 1 << 20, 1 << 30}; }));
  EXPECT_TRUE(refused([](Parts& p) { p.spirv[0] = 1; }));
  EXPECT_TRUE(refused([](Parts& p) { p.spirv.clear(); }));
  EXPECT_TRUE(refused([](Parts& p) { p.module_index = 1; }));
  EXPECT_TRUE(refused([](Parts& p) { p.bound = 3; }));
  EXPECT_TRUE(refused([](Parts& p) { p.bound = 2; })) << "a constant is not bound";
  EXPECT_TRUE(refused([](Parts& p) { p.binding = 0; })) << "twice";
  EXPECT_TRUE(refused([](Parts& p) { p.output = 3; }));
  EXPECT_TRUE(refused([](Parts& p) { p.output = 2; })) << "a constant is no output";
  EXPECT_TRUE(refused([](Parts& p) { p.constant = 1; }));
  EXPECT_TRUE(refused([](Parts& p) { p.constant_bytes = 25; }));
  EXPECT_TRUE(refused([](Parts& p) { p.constant_bytes = 16; }));
  EXPECT_EQ(read_vgf_file(nullptr, 0).error(), Error::DelegateInvalidCompatibility);
}

TEST_F(VgfFileTest, EveryBeginningIsRefused) {
  const std::string file = file_of();
  for (size_t size = 0; size < file.size(); ++size) {
    // Of its own, so that a sanitizer sees who reads on.
    const std::vector<char> cut(file.begin(), file.begin() + static_cast<std::ptrdiff_t>(size));
    EXPECT_EQ(read_vgf_file(cut.data(), cut.size()).error(), Error::DelegateInvalidCompatibility);
  }
}

TEST_F(VgfFileTest, DamageIsNoCrash) {
  const std::string file = file_of();
  std::mt19937 random(0);
  for (int i = 0; i < 20000; ++i) {
    std::string damaged = file;
    for (int j = 0; j < 3; ++j) {
      damaged[random() % damaged.size()] = static_cast<char>(random());
    }
    const auto read = read_vgf_file(damaged.data(), damaged.size());
    if (!read.ok()) {
      continue;
    }
    for (const VgfSegment& segment : read->segments) {
      for (const VgfConstant& one : segment.constants) {
        const char* const begin = reinterpret_cast<const char*>(one.data);
        ASSERT_GE(begin, damaged.data());
        ASSERT_LE(begin + read->tensors[one.tensor].bytes, damaged.data() + damaged.size());
      }
    }
  }
}

}  // namespace
}  // namespace arm
}  // namespace backends
}  // namespace executorch
