#include <cstdint>
#include <cstring>
#include <fstream>
#include <map>
#include <sstream>
#include <string>

#include <gtest/gtest.h>

#include <executorch/extension/data_loader/buffer_data_loader.h>
#include <executorch/extension/data_loader/file_data_loader.h>
#include <executorch/extension/flat_tensor/flat_tensor_data_map.h>
#include <executorch/extension/flat_tensor/serialize/flat_tensor_header.h>
#include <executorch/extension/flat_tensor/serialize/serialize.h>
#include <executorch/extension/testing_util/temp_file.h>
#include <executorch/runtime/core/exec_aten/testing_util/tensor_factory.h>
#include <executorch/runtime/platform/runtime.h>

namespace executorch {
namespace extension {
namespace flat_tensor {
namespace {

using aten::ScalarType;
using aten::Tensor;
using runtime::Error;
using runtime::testing::TensorFactory;
using Tensors = std::map<std::string, Tensor>;

class SaveTest : public ::testing::Test {
 protected:
  void SetUp() override { runtime::runtime_init(); }

  TensorFactory<ScalarType::Float> floats_;
  TensorFactory<ScalarType::Long> longs_;
  Tensor weight_ = floats_.make({2, 3}, {1, 2, 3, 4, 5, 6});
  Tensor image_ = floats_.full_channels_last({1, 2, 2, 1}, 7);
  Tensor step_ = longs_.make({}, {41});
  Tensor nothing_ = floats_.zeros({0, 4});
  Tensors all_{{"weight", weight_}, {"image", image_}, {"step", step_}, {"nothing", nothing_}};
};

TEST_F(SaveTest, WhatWasSavedIsThereUnderItsName) {
  for (const size_t alignment : {1u, 16u, 128u, 4096u}) {
    const testing::TempFile file("");
    ASSERT_EQ(save_ptd(file.path(), all_, alignment), Error::Ok);
    auto loader = FileDataLoader::from(file.path().c_str());
    ASSERT_EQ(loader.error(), Error::Ok);
    auto map = FlatTensorDataMap::load(&loader.get());
    ASSERT_EQ(map.error(), Error::Ok) << alignment;
    ASSERT_EQ(map->get_num_keys().get(), all_.size());
    for (const auto& [name, tensor] : all_) {
      const auto layout = map->get_tensor_layout(name.c_str());
      ASSERT_EQ(layout.error(), Error::Ok) << name;
      EXPECT_EQ(layout->scalar_type(), tensor.scalar_type());
      ASSERT_EQ(layout->sizes().size(), static_cast<size_t>(tensor.dim()));
      for (size_t i = 0; i < layout->sizes().size(); ++i) {
        EXPECT_EQ(layout->sizes()[i], tensor.sizes()[i]);
        EXPECT_EQ(layout->dim_order()[i], tensor.dim_order()[i]);
      }
      auto data = map->get_data(name.c_str());
      ASSERT_EQ(data.error(), Error::Ok) << name;
      ASSERT_EQ(data->size(), tensor.nbytes());
      if (data->size() > 0) {
        EXPECT_EQ(std::memcmp(data->data(), tensor.const_data_ptr(), data->size()), 0) << name;
      }
    }
  }
}

TEST_F(SaveTest, TensorsBeginWhereTheAlignmentSays) {
  std::ostringstream out;
  ASSERT_EQ(save_ptd(out, all_, 64), Error::Ok);
  const std::string bytes = out.str();
  const auto header = FlatTensorHeader::Parse(bytes.data(), bytes.size());
  ASSERT_EQ(header.error(), Error::Ok);
  EXPECT_EQ(header->segment_base_offset % 64, 0u);
  EXPECT_EQ(bytes.size(), header->segment_base_offset + header->segment_data_size);
  const size_t place =
      bytes.find(std::string(reinterpret_cast<const char*>(weight_.const_data_ptr()), 24));
  ASSERT_NE(place, std::string::npos);
  EXPECT_EQ(place % 64, 0u);
}

TEST_F(SaveTest, NoTensorsAreAFileToo) {
  std::ostringstream out;
  ASSERT_EQ(save_ptd(out, {}, 16), Error::Ok);
  const std::string bytes = out.str();
  std::vector<uint64_t> aligned(bytes.size() / 8 + 1);
  std::memcpy(aligned.data(), bytes.data(), bytes.size());
  BufferDataLoader loader(aligned.data(), bytes.size());
  auto map = FlatTensorDataMap::load(&loader);
  ASSERT_EQ(map.error(), Error::Ok);
  EXPECT_EQ(map->get_num_keys().get(), 0u);
}

TEST_F(SaveTest, WhatCannotBeSavedLeavesTheFileAlone) {
  const testing::TempFile file("before");
  EXPECT_EQ(save_ptd(file.path(), all_, 0), Error::InvalidArgument);
  EXPECT_EQ(save_ptd(file.path(), all_, 24), Error::InvalidArgument);
  Tensor::SizesType size = 3;
  Tensor::DimOrderType order = 0;
  Tensor::StridesType stride = 1;
  aten::TensorImpl without_memory(ScalarType::Float, 1, &size, nullptr, &order, &stride);
  EXPECT_EQ(save_ptd(file.path(), {{"x", Tensor(&without_memory)}}, 16), Error::InvalidArgument);
  std::ifstream left(file.path());
  std::string text;
  left >> text;
  EXPECT_EQ(text, "before");
  EXPECT_EQ(save_ptd("/nowhere/at/all.ptd", all_, 16), Error::AccessFailed);
}

TEST_F(SaveTest, AFullStreamIsTold) {
  std::ostringstream out;
  out.setstate(std::ios::badbit);
  EXPECT_EQ(save_ptd(out, all_, 16), Error::AccessFailed);
}

}  // namespace
}  // namespace flat_tensor
}  // namespace extension
}  // namespace executorch
