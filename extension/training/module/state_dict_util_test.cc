#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <executorch/extension/data_loader/buffer_data_loader.h>
#include <executorch/extension/flat_tensor/flat_tensor_data_map.h>
#include <executorch/extension/testing_util/tiny_program.h>
#include <executorch/extension/training/module/state_dict_util.h>
#include <executorch/runtime/executor/testing/test_data_map.h>
#include <executorch/runtime/platform/runtime.h>

namespace executorch {
namespace extension {
namespace training {
namespace {

using extension::testing::TinyProgram;
using runtime::Error;
using runtime::Result;
using runtime::testing::TestDataMap;

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

TEST(StateDictTest, DataMustBeAsLongAsTheShapeSays) {
  runtime::runtime_init();
  TestDataMap data;
  data.add("x", {2, 2}, {0, 0, 0, 0});
  EXPECT_TRUE(load_state_dict(data).ok());
  data.cut(sizeof(float));
  EXPECT_EQ(load_state_dict(data).error(), Error::InvalidExternalData);
}

}  // namespace
}  // namespace training
}  // namespace extension
}  // namespace executorch
