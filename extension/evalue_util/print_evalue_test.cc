#include <cmath>
#include <limits>
#include <numeric>
#include <sstream>
#include <string>

#include <gtest/gtest.h>

#include <executorch/extension/evalue_util/print_evalue.h>
#include <executorch/extension/tensor/tensor.h>
#include <executorch/runtime/core/evalue.h>
#include <executorch/runtime/platform/runtime.h>

namespace executorch {
namespace extension {
namespace {

using executorch::aten::ArrayRef;
using executorch::aten::ScalarType;
using runtime::BoxedEvalueList;
using runtime::EValue;

class PrintEValueTest : public ::testing::Test {
 protected:
  void SetUp() override { runtime::runtime_init(); }
};

std::string print(const EValue& value) {
  std::ostringstream os;
  os << value;
  return os.str();
}

TEST_F(PrintEValueTest, Scalars) {
  EXPECT_EQ(print(EValue()), "None");
  EXPECT_EQ(print(EValue(true)), "True");
  EXPECT_EQ(print(EValue(false)), "False");
  EXPECT_EQ(print(EValue(static_cast<int64_t>(-7))), "-7");
  EXPECT_EQ(print(EValue(0.5)), "0.5");
  EXPECT_EQ(print(EValue(-3.0)), "-3.");
  EXPECT_EQ(print(EValue(1e20)), "1e+20");
  EXPECT_EQ(print(EValue(std::numeric_limits<double>::infinity())), "inf");
  EXPECT_EQ(print(EValue(std::nan(""))), "nan");
}

TEST_F(PrintEValueTest, StringsAreQuoted) {
  const std::string text = "a \"b\" \\";
  const ArrayRef<char> characters(text.data(), text.size());
  EXPECT_EQ(print(EValue(&characters)), "\"a \\\"b\\\" \\\\\"");
}

TEST_F(PrintEValueTest, TensorsOfEveryKindOfElement) {
  EXPECT_EQ(print(EValue(*make_tensor_ptr({1, 3}, {0.5f, -2.0f, 3.0f}))),
            "tensor(sizes=[1, 3], [0.5, -2., 3.])");
  EXPECT_EQ(print(EValue(*make_tensor_ptr({2}, {1, 2}))), "tensor(sizes=[2], [1, 2])");
  EXPECT_EQ(print(EValue(*make_tensor_ptr({2}, std::vector<uint8_t>{200, 1}))),
            "tensor(sizes=[2], [200, 1])");
  EXPECT_EQ(print(EValue(*make_tensor_ptr({2}, std::vector<int8_t>{-128, 1}))),
            "tensor(sizes=[2], [-128, 1])");
  EXPECT_EQ(print(EValue(*make_tensor_ptr({2}, std::vector<bool>{true, false}))),
            "tensor(sizes=[2], [True, False])");
  for (const ScalarType type : {ScalarType::Half, ScalarType::BFloat16, ScalarType::Double}) {
    EXPECT_EQ(print(EValue(*make_tensor_ptr({1.5f, 2.0f}, type))), "tensor(sizes=[2], [1.5, 2.])");
  }
  EXPECT_EQ(print(EValue(*make_tensor_ptr(3.0f))), "tensor(sizes=[], [3.])");
  EXPECT_EQ(print(EValue(*zeros({0, 2}))), "tensor(sizes=[0, 2], [])");
}

TEST_F(PrintEValueTest, ComplexElementsHaveTwoParts) {
  const auto tensor = zeros({2}, ScalarType::ComplexFloat);
  auto* elements = tensor->mutable_data_ptr<executorch::aten::complex<float>>();
  elements[0] = {1.0f, -2.5f};
  elements[1] = {0.5f, 3.0f};
  EXPECT_EQ(print(EValue(*tensor)), "tensor(sizes=[2], [1.-2.5j, 0.5+3.j])");
  EXPECT_EQ(print(EValue(*ones({1}, ScalarType::ComplexDouble))), "tensor(sizes=[1], [1.+0.j])");
}

TEST_F(PrintEValueTest, ElementsComeInLogicalOrder) {
  // Rows [0, 1, 2] and [3, 4, 5], stored column by column.
  const auto tensor = make_tensor_ptr({2, 3}, {0.f, 3.f, 1.f, 4.f, 2.f, 5.f}, {1, 0}, {1, 2});
  EXPECT_EQ(print(EValue(*tensor)), "tensor(sizes=[2, 3], [0., 1., 2., 3., 4., 5.])");
}

TEST_F(PrintEValueTest, TensorWithoutDataIsNotRead) {
  const auto tensor = make_tensor_ptr({2}, static_cast<void*>(nullptr));
  EXPECT_EQ(print(EValue(*tensor)), "tensor(sizes=[2], <no data>)");
}

TEST_F(PrintEValueTest, LongTensorsLoseTheirMiddle) {
  std::vector<int> values(100);
  std::iota(values.begin(), values.end(), 0);
  const auto tensor = make_tensor_ptr(values);
  EXPECT_EQ(print(EValue(*tensor)), "tensor(sizes=[100], [0, 1, 2, ..., 97, 98, 99])");
}

TEST_F(PrintEValueTest, EdgeItemsAreASettingOfTheStream) {
  std::vector<int> values(100);
  std::iota(values.begin(), values.end(), 0);
  const auto tensor = make_tensor_ptr(values);
  std::ostringstream os;
  os << evalue_edge_items(1) << EValue(*tensor) << EValue(*tensor);
  EXPECT_EQ(os.str(), "tensor(sizes=[100], [0, ..., 99])tensor(sizes=[100], [0, ..., 99])");
  for (const long below_one : {0, -5}) {
    std::ostringstream usual;
    usual << evalue_edge_items(1) << evalue_edge_items(below_one) << EValue(*tensor);
    EXPECT_EQ(usual.str(), print(EValue(*tensor)));
  }
}

std::string print_first(size_t count, long edge_items) {
  std::vector<double> values(count);
  std::iota(values.begin(), values.end(), 0.0);
  const ArrayRef<double> list(values.data(), values.size());
  std::ostringstream os;
  os << evalue_edge_items(edge_items) << EValue(&list);
  return os.str();
}

TEST_F(PrintEValueTest, MoreThanTenItemsComeInLinesOfTen) {
  constexpr long kAll = 1000;
  EXPECT_EQ(print_first(10, kAll), "(len=10)[0., 1., 2., 3., 4., 5., 6., 7., 8., 9.]");
  EXPECT_EQ(print_first(11, kAll),
            "(len=11)[\n"
            "  0., 1., 2., 3., 4., 5., 6., 7., 8., 9., \n"
            "  10., \n"
            "]");
  EXPECT_EQ(print_first(20, kAll),
            "(len=20)[\n"
            "  0., 1., 2., 3., 4., 5., 6., 7., 8., 9., \n"
            "  10., 11., 12., 13., 14., 15., 16., 17., 18., 19., \n"
            "]");
  EXPECT_EQ(print_first(11, 5), "(len=11)[0., 1., 2., 3., 4., ..., 6., 7., 8., 9., 10.]");
}

TEST_F(PrintEValueTest, WhereItemsAreLeftOutTheShortLinesMeet) {
  EXPECT_EQ(print_first(30, 10),
            "(len=30)[\n"
            "  0., 1., 2., 3., 4., 5., 6., 7., 8., 9., \n"
            "  ...,\n"
            "  20., 21., 22., 23., 24., 25., 26., 27., 28., 29., \n"
            "]");
  EXPECT_EQ(print_first(40, 11),
            "(len=40)[\n"
            "  0., 1., 2., 3., 4., 5., 6., 7., 8., 9., \n"
            "  10., \n"
            "  ...,\n"
            "  29., \n"
            "  30., 31., 32., 33., 34., 35., 36., 37., 38., 39., \n"
            "]");
  EXPECT_EQ(print_first(13, 6),
            "(len=13)[\n"
            "  0., 1., 2., 3., 4., 5., \n"
            "  ...,\n"
            "  7., 8., 9., 10., 11., 12., \n"
            "]");
}

TEST_F(PrintEValueTest, SizesAreAllThereInLinesOfTen) {
  const auto tensor = ones({2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1});
  std::ostringstream os;
  os << evalue_edge_items(1) << EValue(*tensor);
  EXPECT_EQ(os.str(),
            "tensor(sizes=[\n"
            "  2, 1, 1, 1, 1, 1, 1, 1, 1, 1, \n"
            "  1, \n"
            "], [1., 1.])");
}

TEST_F(PrintEValueTest, NumbersThatAreNoTagAreSaid) {
  EValue value;
  value.tag = static_cast<runtime::Tag>(5555);
  EXPECT_EQ(print(value), "<Unknown EValue tag 5555>");
}

TEST_F(PrintEValueTest, Lists) {
  const bool bools[] = {true, false};
  const ArrayRef<bool> bool_list(bools, 2);
  EXPECT_EQ(print(EValue(&bool_list)), "(len=2)[True, False]");
  const double doubles[] = {1.0, 2.5};
  const ArrayRef<double> double_list(doubles, 2);
  EXPECT_EQ(print(EValue(&double_list)), "(len=2)[1., 2.5]");

  EValue seven(static_cast<int64_t>(7));
  EValue* wrapped_ints[] = {&seven, &seven};
  int64_t unwrapped_ints[2];
  BoxedEvalueList<int64_t> int_list(wrapped_ints, unwrapped_ints, 2);
  EXPECT_EQ(print(EValue(&int_list)), "(len=2)[7, 7]");

  const auto tensor = make_tensor_ptr({1.0f});
  EValue tensor_value(*tensor);
  EValue* wrapped[] = {&tensor_value, &tensor_value};
  std::vector<executorch::aten::Tensor> unwrapped(2, *tensor);
  BoxedEvalueList<executorch::aten::Tensor> tensor_list(wrapped, unwrapped.data(), 2);
  EXPECT_EQ(print(EValue(&tensor_list)),
            "(len=2)[\n  [0]: tensor(sizes=[1], [1.]),\n  [1]: tensor(sizes=[1], [1.]),\n]");

  BoxedEvalueList<executorch::aten::Tensor> one_tensor(wrapped, unwrapped.data(), 1);
  EXPECT_EQ(print(EValue(&one_tensor)), "(len=1)[tensor(sizes=[1], [1.])]");
  BoxedEvalueList<executorch::aten::Tensor> no_tensor(wrapped, unwrapped.data(), 0);
  EXPECT_EQ(print(EValue(&no_tensor)), "(len=0)[]");
}

}  // namespace
}  // namespace extension
}  // namespace executorch
