#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <executorch/extension/data_loader/buffer_data_loader.h>
#include <executorch/extension/flat_tensor/flat_tensor_data_map.h>
#include <executorch/extension/testing_util/tiny_program.h>
#include <executorch/extension/training/module/state_dict_util.h>
#include <executorch/runtime/core/named_data_map.h>
#include <executorch/runtime/platform/runtime.h>

namespace executorch {
namespace extension {
namespace training {
namespace {

using extension::testing::TinyProgram;
using runtime::Error;
using runtime::FreeableBuffer;
using runtime::NamedDataMap;
using runtime::Result;
using runtime::TensorLayout;

TEST(StateDictTest, TensorsOfAFileOutliveIt) {
  runtime::runtime_init();
  const std::vector<uint8_t> file = TinyProgram().build_data("weight");
  std::vector<uint64_t> storage(file.size() / 8 + 1);
  std::memcpy(storage.data(), file.data(), file.size());
  std::map<std::string, TensorPtr> tensors;
  {
    BufferDataLoader loader(storage.data(), file.size());
    const Result<FlatTensorDataMap> data_map = FlatTensorDataMap::load(&loader);
    ASSERT_TRUE(data_map.ok());
    auto loaded = load_state_dict(*data_map);
    ASSERT_TRUE(loaded.ok());
    tensors = std::move(*loaded);
  }
  std::fill(storage.begin(), storage.end(), 0);
  ASSERT_EQ(tensors.size(), 1u);
  const TensorPtr& weight = tensors.at("weight");
  EXPECT_EQ(weight->scalar_type(), executorch::aten::ScalarType::Float);
  EXPECT_EQ(weight->nbytes(), 24u);
  EXPECT_EQ(weight->const_data_ptr<float>()[0], 10.0f);
}

/// Has one tensor of four floats, and this many bytes of it.
class OneTensor final : public NamedDataMap {
 public:
  explicit OneTensor(size_t size) : size_(size) {}
  Result<const TensorLayout> get_tensor_layout(std::string_view) const override {
    static const int32_t sizes[] = {2, 2};
    static const uint8_t dim_order[] = {0, 1};
    return TensorLayout::create({sizes, 2}, {dim_order, 2}, executorch::aten::ScalarType::Float);
  }
  Result<FreeableBuffer> get_data(std::string_view) const override {
    static const float data[4] = {};
    return FreeableBuffer(data, size_, nullptr);
  }
  Error load_data_into(std::string_view, void*, size_t) const override {
    return Error::NotImplemented;
  }
  Result<uint32_t> get_num_keys() const override { return 1; }
  Result<const char*> get_key(uint32_t) const override { return "x"; }

 private:
  size_t size_;
};

TEST(StateDictTest, DataMustBeAsLongAsTheShapeSays) {
  runtime::runtime_init();
  EXPECT_TRUE(load_state_dict(OneTensor(16)).ok());
  EXPECT_EQ(load_state_dict(OneTensor(12)).error(), Error::InvalidExternalData);
}

}  // namespace
}  // namespace training
}  // namespace extension
}  // namespace executorch
