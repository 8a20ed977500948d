#include <algorithm>
#include <cmath>
#include <cstdint>
#include <set>
#include <vector>

#include <gtest/gtest.h>

#include <executorch/extension/tensor/tensor_ptr_maker.h>
#include <executorch/runtime/platform/runtime.h>

namespace executorch {
namespace extension {
namespace {

using executorch::aten::BFloat16;
using executorch::aten::Half;
using executorch::aten::ScalarType;
using executorch::aten::TensorShapeDynamism;

class TensorPtrMakerTest : public ::testing::Test {
 protected:
  void SetUp() override { runtime::runtime_init(); }
};

template <typename T>
std::vector<double> data_of(const TensorPtr& tensor) {
  std::vector<double> values;
  for (ssize_t i = 0; i < tensor->numel(); ++i) {
    values.push_back(static_cast<double>(tensor->const_data_ptr<T>()[i]));
  }
  return values;
}

TEST_F(TensorPtrMakerTest, ForBlobCollectsProperties) {
  double data[6] = {1, 2, 3, 4, 5, 6};
  const TensorPtr tensor = for_blob(data, {2, 3}, ScalarType::Double)
                               .strides({3, 1})
                               .dynamism(TensorShapeDynamism::STATIC)
                               .make_tensor_ptr();
  EXPECT_EQ(tensor->scalar_type(), ScalarType::Double);
  EXPECT_EQ(tensor->const_data_ptr(), data);
  EXPECT_EQ(tensor->unsafeGetTensorImpl()->shape_dynamism(), TensorShapeDynamism::STATIC);
  const TensorPtr columns = for_blob(data, {2, 3}).type(ScalarType::Double).dim_order({1, 0});
  EXPECT_EQ(columns->strides()[1], 2);
}

TEST_F(TensorPtrMakerTest, FromBlobBorrowsUnlessThereIsADeleter) {
  float data[3] = {1, 2, 3};
  EXPECT_EQ(from_blob(data, {3})->const_data_ptr(), data);
  EXPECT_EQ(from_blob(data, {3, 1}, {1, 1})->scalar_type(), ScalarType::Float);
  int calls = 0;
  auto* owned = new int[3]{1, 2, 3};
  from_blob(owned, {3}, ScalarType::Int, [&calls](void* pointer) {
    delete[] static_cast<int*>(pointer);
    ++calls;
  });
  EXPECT_EQ(calls, 1);
  from_blob(data, {3, 1}, {1, 1}, ScalarType::Float, [&calls](void*) { ++calls; });
  EXPECT_EQ(calls, 2);
}

TEST_F(TensorPtrMakerTest, FilledTensors) {
  EXPECT_EQ(data_of<float>(full({2, 2}, 42.0f)), (std::vector<double>{42, 42, 42, 42}));
  EXPECT_EQ(data_of<float>(zeros({3})), (std::vector<double>{0, 0, 0}));
  EXPECT_EQ(data_of<float>(ones({2})), (std::vector<double>{1, 1}));
  EXPECT_EQ(data_of<int64_t>(full({2}, 7, ScalarType::Long)), (std::vector<double>{7, 7}));
  EXPECT_EQ(data_of<bool>(full({2}, true, ScalarType::Bool)), (std::vector<double>{1, 1}));
  EXPECT_EQ(data_of<uint8_t>(ones({2}, ScalarType::Byte)), (std::vector<double>{1, 1}));
  EXPECT_EQ(data_of<Half>(full({1}, 0.5, ScalarType::Half)), (std::vector<double>{0.5}));
  EXPECT_EQ(data_of<BFloat16>(full({1}, 2, ScalarType::BFloat16)), (std::vector<double>{2}));
  EXPECT_EQ(data_of<double>(scalar_tensor(3.25, ScalarType::Double)), (std::vector<double>{3.25}));
  EXPECT_EQ(scalar_tensor(3.14f)->dim(), 0);
}

TEST_F(TensorPtrMakerTest, LikeTakesLayoutAndTypeFromTheOther) {
  const TensorPtr other = empty_strided({2, 3}, {1, 2}, ScalarType::Int);
  for (const TensorPtr& tensor :
       {empty_like(other), full_like(other, 3), zeros_like(other), ones_like(other),
        rand_like(other), randn_like(other), randint_like(other, 0, 5)}) {
    EXPECT_EQ(tensor->scalar_type(), ScalarType::Int);
    EXPECT_EQ(tensor->size(1), 3);
    EXPECT_EQ(tensor->strides()[0], 1);
    EXPECT_NE(tensor->const_data_ptr(), other->const_data_ptr());
  }
  EXPECT_EQ(full_like(other, 3, ScalarType::Double)->const_data_ptr<double>()[5], 3.0);
}

TEST_F(TensorPtrMakerTest, StridedTakesTheLayoutAskedFor) {
  for (const TensorPtr& tensor :
       {empty_strided({2, 3}, {1, 2}), full_strided({2, 3}, {1, 2}, 7.f),
        zeros_strided({2, 3}, {1, 2}), ones_strided({2, 3}, {1, 2}), rand_strided({2, 3}, {1, 2}),
        randn_strided({2, 3}, {1, 2}), randint_strided(0, 5, {2, 3}, {1, 2})}) {
    EXPECT_EQ(tensor->strides()[0], 1);
    EXPECT_EQ(tensor->strides()[1], 2);
    EXPECT_EQ(tensor->dim_order()[0], 1);
  }
}

TEST_F(TensorPtrMakerTest, UniformNumbersStayBelowOne) {
  for (const ScalarType type :
       {ScalarType::Float, ScalarType::Double, ScalarType::Half, ScalarType::BFloat16}) {
    const TensorPtr tensor = rand({100, 100}, type);
    const std::vector<double> values = type == ScalarType::Float    ? data_of<float>(tensor)
                                       : type == ScalarType::Double ? data_of<double>(tensor)
                                       : type == ScalarType::Half   ? data_of<Half>(tensor)
                                                                    : data_of<BFloat16>(tensor);
    double sum = 0;
    for (const double value : values) {
      EXPECT_GE(value, 0.0);
      EXPECT_LT(value, 1.0);
      sum += value;
    }
    EXPECT_NEAR(sum / 10000, 0.5, 0.03);
    EXPECT_GT(std::set<double>(values.begin(), values.end()).size(), 100u);
  }
  EXPECT_EQ(data_of<int32_t>(rand({4}, ScalarType::Int)), (std::vector<double>{0, 0, 0, 0}));
}

TEST_F(TensorPtrMakerTest, NormalNumbersHaveMeanZeroAndDeviationOne) {
  const std::vector<double> values = data_of<float>(randn({100, 100}));
  double sum = 0;
  double squares = 0;
  for (const double value : values) {
    sum += value;
    squares += value * value;
  }
  EXPECT_NEAR(sum / 10000, 0.0, 0.06);
  EXPECT_NEAR(std::sqrt(squares / 10000), 1.0, 0.06);
}

TEST_F(TensorPtrMakerTest, IntegersReachBothEndsOfTheirRange) {
  const std::vector<double> values = data_of<int32_t>(randint(-3, 4, {1000}));
  EXPECT_EQ(*std::min_element(values.begin(), values.end()), -3);
  EXPECT_EQ(*std::max_element(values.begin(), values.end()), 3) << "the upper end is excluded";
  EXPECT_EQ(randint(0, 10, {2})->scalar_type(), ScalarType::Int);
  EXPECT_EQ(data_of<float>(randint(5, 6, {2}, ScalarType::Float)), (std::vector<double>{5, 5}));
}

TEST_F(TensorPtrMakerTest, ComplexNumbersAreFilled) {
  const auto element = [](const TensorPtr& tensor, size_t i) {
    return tensor->const_data_ptr<executorch::aten::complex<float>>()[i];
  };
  const auto twos = full({2}, 2, ScalarType::ComplexFloat);
  EXPECT_EQ(twos->nbytes(), 16u);
  EXPECT_EQ(element(twos, 1).real(), 2.0f);
  EXPECT_EQ(element(twos, 1).imag(), 0.0f);
  const auto random = rand({50}, ScalarType::ComplexFloat);
  EXPECT_NE(element(random, 0).real(), element(random, 0).imag());
  const auto doubles = ones({1}, ScalarType::ComplexDouble);
  EXPECT_EQ(doubles->const_data_ptr<executorch::aten::complex<double>>()->real(), 1.0);
}

TEST_F(TensorPtrMakerTest, EmptyRangesAndTypesWithoutValuesStop) {
  EXPECT_DEATH(randint(3, 3, {1}), "Expected low < high, found 3 and 3");
  EXPECT_DEATH(zeros({1}, ScalarType::QInt8), "cannot be filled");
  EXPECT_DEATH(empty({1, -2}), "non-negative, found -2");
}

}  // namespace
}  // namespace extension
}  // namespace executorch
