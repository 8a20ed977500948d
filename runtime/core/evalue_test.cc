#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <executorch/runtime/core/evalue.h>
#include <executorch/runtime/core/exec_aten/testing_util/tensor_factory.h>

using executorch::aten::ArrayRef;
using executorch::aten::Device;
using executorch::aten::DeviceType;
using executorch::aten::Layout;
using executorch::aten::MemoryFormat;
using executorch::aten::Scalar;
using executorch::aten::ScalarType;
using executorch::aten::Tensor;
using executorch::runtime::BoxedEvalueList;
using executorch::runtime::Error;
using executorch::runtime::EValue;
using executorch::runtime::Tag;
using executorch::runtime::testing::TensorFactory;

namespace {

class EValueTest : public ::testing::Test {
 protected:
  Tensor tensor() { return factory_.make({2}, {1.0f, 2.0f}); }
  TensorFactory<ScalarType::Float> factory_;
};

TEST_F(EValueTest, IsSmall) { EXPECT_LE(sizeof(EValue), 16u); }

TEST_F(EValueTest, DefaultIsNone) {
  EValue value;
  EXPECT_TRUE(value.isNone());
  EXPECT_EQ(value.tag, Tag::None);
  EXPECT_FALSE(value.isInt() || value.isScalar() || value.isTensor());
}

TEST_F(EValueTest, Numbers) {
  EXPECT_EQ(EValue(int64_t{-5}).toInt(), -5);
  EXPECT_EQ(EValue(7).toInt(), 7);
  EXPECT_EQ(EValue(size_t{8}).toInt(), 8);
  EXPECT_EQ(EValue(2.5).toDouble(), 2.5);
  EXPECT_EQ(EValue(2.5f).toDouble(), 2.5);
  EXPECT_TRUE(EValue(true).toBool());
  EXPECT_TRUE(EValue(true).isBool());
  EXPECT_TRUE(EValue(1).isInt());
  EXPECT_TRUE(EValue(1.0).isDouble());
  for (const EValue& number : {EValue(1), EValue(1.0), EValue(true)}) {
    EXPECT_TRUE(number.isScalar());
    EXPECT_EQ(number.toScalar().to<double>(), 1.0);
    EXPECT_EQ(number.tryToScalar()->to<int64_t>(), 1);
  }
}

TEST_F(EValueTest, FromScalar) {
  EXPECT_TRUE(EValue(Scalar(true)).isBool());
  EXPECT_EQ(EValue(Scalar(3)).toInt(), 3);
  EXPECT_EQ(EValue(Scalar(1.5)).toDouble(), 1.5);
}

TEST_F(EValueTest, TensorIsAHandle) {
  const Tensor t = tensor();
  EValue value(t);
  ASSERT_TRUE(value.isTensor());
  EXPECT_EQ(value.toTensor().unsafeGetTensorImpl(), t.unsafeGetTensorImpl());
  value.toTensor().mutable_data_ptr<float>()[0] = 9.0f;
  EXPECT_EQ(t.const_data_ptr<float>()[0], 9.0f);
  EXPECT_EQ(value.tryToTensor()->numel(), 2);
  const Tensor other = tensor();
  Tensor& handle = value.toTensor();
  handle = other;
  EXPECT_EQ(value.toTensor().unsafeGetTensorImpl(), other.unsafeGetTensorImpl());
  const EValue& constant = value;
  EXPECT_EQ(&constant.toTensor(), &handle);
  EXPECT_EQ(EValue(t).toTensor().unsafeGetTensorImpl(), t.unsafeGetTensorImpl());
}

TEST_F(EValueTest, StringsAndLists) {
  const std::string text = "hello";
  const ArrayRef<char> characters(text.data(), text.size());
  EValue string(&characters);
  EXPECT_TRUE(string.isString());
  EXPECT_EQ(string.toString(), "hello");
  EXPECT_EQ(*string.tryToString(), "hello");

  const double doubles[] = {1.0, 2.0};
  const ArrayRef<double> double_view(doubles);
  EXPECT_EQ(EValue(&double_view).toDoubleList(), double_view);
  EXPECT_TRUE(EValue(&double_view).isDoubleList());

  const bool bools[] = {true, false};
  const ArrayRef<bool> bool_view(bools);
  EXPECT_EQ(EValue(&bool_view).toBoolList(), bool_view);
  EXPECT_TRUE(EValue(&bool_view).isBoolList());
}

TEST_F(EValueTest, IntListReadsItsElementsAnew) {
  EValue a(1);
  EValue b(2);
  EValue* wrapped[] = {&a, &b, &a};
  int64_t unwrapped[3] = {};
  BoxedEvalueList<int64_t> list(wrapped, unwrapped, 3);
  EValue value(&list);
  ASSERT_TRUE(value.isIntList());
  EXPECT_EQ(value.toIntList(), ArrayRef<int64_t>({1, 2, 1}));
  a = EValue(5);
  EXPECT_EQ(value.toIntList(), ArrayRef<int64_t>({5, 2, 5}));
  EXPECT_EQ(*value.tryToIntList(), ArrayRef<int64_t>({5, 2, 5}));
}

TEST_F(EValueTest, TensorLists) {
  EValue t(tensor());
  EValue none;
  EValue* wrapped[] = {&t, &t};
  Tensor unwrapped[] = {tensor(), tensor()};
  BoxedEvalueList<Tensor> list(wrapped, unwrapped, 2);
  EValue value(&list);
  ASSERT_TRUE(value.isTensorList());
  EXPECT_EQ(value.toTensorList().size(), 2u);
  EXPECT_EQ(value.toTensorList()[1].unsafeGetTensorImpl(), t.toTensor().unsafeGetTensorImpl());

  EValue* optional_wrapped[] = {&t, nullptr, &none};
  std::optional<Tensor> optional_unwrapped[3];
  BoxedEvalueList<std::optional<Tensor>> optional_list(optional_wrapped, optional_unwrapped, 3);
  EValue optional_value(&optional_list);
  ASSERT_TRUE(optional_value.isListOptionalTensor());
  const auto view = optional_value.toListOptionalTensor();
  ASSERT_EQ(view.size(), 3u);
  EXPECT_TRUE(view[0].has_value());
  EXPECT_FALSE(view[1].has_value());
  EXPECT_FALSE(view[2].has_value());
}

TEST_F(EValueTest, ListsWithWrongElementsFailWithoutAbort) {
  EValue number(1);
  EValue text(2.0);
  EValue* wrapped[] = {&number, &text};
  int64_t unwrapped[2] = {};
  BoxedEvalueList<int64_t> list(wrapped, unwrapped, 2);
  EXPECT_EQ(EValue(&list).tryToIntList().error(), Error::InvalidType);
  EXPECT_DEATH((void)EValue(&list).toIntList(), "");

  EValue* with_null[] = {&number, nullptr};
  BoxedEvalueList<int64_t> null_list(with_null, unwrapped, 2);
  EXPECT_EQ(EValue(&null_list).tryToIntList().error(), Error::InvalidState);

  Tensor tensors[] = {tensor(), tensor()};
  BoxedEvalueList<Tensor> tensor_list(wrapped, tensors, 2);
  EXPECT_EQ(EValue(&tensor_list).tryToTensorList().error(), Error::InvalidType);

  std::optional<Tensor> optionals[2];
  BoxedEvalueList<std::optional<Tensor>> optional_list(wrapped, optionals, 2);
  EXPECT_EQ(EValue(&optional_list).tryToListOptionalTensor().error(), Error::InvalidType);
}

TEST_F(EValueTest, EmptyListNeedsNoArrays) {
  BoxedEvalueList<int64_t> list(nullptr, nullptr, 0);
  EXPECT_TRUE(EValue(&list).toIntList().empty());
  EXPECT_DEATH(BoxedEvalueList<int64_t>(nullptr, nullptr, 1), "");
  EXPECT_DEATH(BoxedEvalueList<int64_t>(nullptr, nullptr, -1), "");
}

// Every accessor against every type: one fits, the others fail with InvalidType.
TEST_F(EValueTest, WrongTypesFailWithoutAbort) {
  const ArrayRef<char> chars("x", 1);
  const ArrayRef<double> doubles;
  const ArrayRef<bool> bools;
  BoxedEvalueList<int64_t> ints;
  BoxedEvalueList<Tensor> tensors;
  BoxedEvalueList<std::optional<Tensor>> optionals;
  const EValue values[] = {EValue(),      EValue(tensor()), EValue(&chars),    EValue(1.0),
                           EValue(1),     EValue(true),     EValue(&bools),    EValue(&doubles),
                           EValue(&ints), EValue(&tensors), EValue(&optionals)};
  for (const EValue& value : values) {
    SCOPED_TRACE(executorch::runtime::tag_name(value.tag));
    const auto expect = [&](bool ok, Error error) {
      EXPECT_EQ(error, ok ? Error::Ok : Error::InvalidType);
    };
    expect(value.isTensor(), value.tryToTensor().error());
    expect(value.isString(), value.tryToString().error());
    expect(value.isDouble(), value.tryToDouble().error());
    expect(value.isInt(), value.tryToInt().error());
    expect(value.isBool(), value.tryToBool().error());
    expect(value.isScalar(), value.tryToScalar().error());
    expect(value.isBoolList(), value.tryToBoolList().error());
    expect(value.isDoubleList(), value.tryToDoubleList().error());
    expect(value.isIntList(), value.tryToIntList().error());
    expect(value.isTensorList(), value.tryToTensorList().error());
    expect(value.isListOptionalTensor(), value.tryToListOptionalTensor().error());
    expect(value.isInt(), value.tryToScalarType().error());
    expect(value.isInt(), value.tryToMemoryFormat().error());
    expect(value.isInt() || value.isNone(), value.tryToOptional<int64_t>().error());
    expect(value.isTensor() || value.isNone(), value.try_to<std::optional<Tensor>>().error());
    expect(value.isInt(), value.tryTo<int64_t>().error());
    expect(value.isTensor(), value.tryTo<Tensor>().error());
  }
}

TEST_F(EValueTest, WrongTypesAbortInTheCheckedAccessors) {
  EXPECT_DEATH((void)EValue(1).toTensor(), "Tensor");
  EXPECT_DEATH((void)EValue(1).toDouble(), "Double");
  EXPECT_DEATH((void)EValue(1.0).toInt(), "Int");
  EXPECT_DEATH((void)EValue().toBool(), "Bool");
  EXPECT_DEATH((void)EValue().toString(), "String");
  EXPECT_DEATH((void)EValue().toScalar(), "Scalar");
  EXPECT_DEATH((void)EValue().toIntList(), "IntList");
  EXPECT_DEATH((void)EValue().to<Tensor>(), "Tensor");
}

TEST_F(EValueTest, PointersThatAreNullAreNotFollowed) {
  const auto with_null = [](Tag tag) {
    EValue value(0);
    value.tag = tag;
    value.payload.copyable_union.as_string_ptr = nullptr;
    return value;
  };
  const EValue string = with_null(Tag::String);
  const EValue ints = with_null(Tag::ListInt);
  const EValue bools = with_null(Tag::ListBool);
  const EValue doubles = with_null(Tag::ListDouble);
  const EValue tensors = with_null(Tag::ListTensor);
  const EValue optionals = with_null(Tag::ListOptionalTensor);
  EXPECT_EQ(string.tryToString().error(), Error::InvalidState);
  EXPECT_EQ(ints.tryToIntList().error(), Error::InvalidState);
  EXPECT_EQ(bools.tryToBoolList().error(), Error::InvalidState);
  EXPECT_EQ(doubles.tryToDoubleList().error(), Error::InvalidState);
  EXPECT_EQ(tensors.tryToTensorList().error(), Error::InvalidState);
  EXPECT_EQ(optionals.tryToListOptionalTensor().error(), Error::InvalidState);
  EXPECT_EQ(ints.tryToOptional<ArrayRef<int64_t>>().error(), Error::InvalidState);
  EXPECT_DEATH((void)string.toString(), "String .*null");
  EXPECT_DEATH((void)ints.toIntList(), "IntList .*null");
  EXPECT_DEATH((void)bools.toBoolList(), "BoolList .*null");
  EXPECT_DEATH((void)doubles.toDoubleList(), "DoubleList .*null");
  EXPECT_DEATH((void)tensors.toTensorList(), "TensorList .*null");
  EXPECT_DEATH((void)optionals.toListOptionalTensor(), "OptionalTensor.* .*null");
}

TEST_F(EValueTest, Enumerations) {
  EXPECT_EQ(EValue(ScalarType::Half).toScalarType(), ScalarType::Half);
  EXPECT_EQ(EValue(29).toScalarType(), ScalarType::UInt64);
  EXPECT_EQ(EValue(MemoryFormat::Preserve).toMemoryFormat(), MemoryFormat::Preserve);
  EXPECT_EQ(EValue(Layout::Strided).toLayout(), Layout::Strided);
  EXPECT_EQ(EValue(0).toDevice().type(), DeviceType::CPU);
  EXPECT_EQ(EValue(1).toDevice(), executorch::aten::Device(DeviceType::CUDA, -1));
  for (int64_t bad : {int64_t{-1}, int64_t{31}, int64_t{256}, INT64_MAX, INT64_MIN}) {
    EXPECT_EQ(EValue(bad).tryToScalarType().error(), Error::InvalidType);
    EXPECT_EQ(EValue(bad).tryToMemoryFormat().error(), Error::InvalidType);
    EXPECT_EQ(EValue(bad).tryToLayout().error(), Error::InvalidType);
    EXPECT_EQ(EValue(bad).tryToDevice().error(), Error::InvalidType);
  }
}

TEST_F(EValueTest, ToOfEveryType) {
  EXPECT_EQ(EValue(3).to<int64_t>(), 3);
  EXPECT_EQ(EValue(3.5).to<double>(), 3.5);
  EXPECT_EQ(EValue(true).to<bool>(), true);
  EXPECT_EQ(EValue(3).to<Scalar>().to<int64_t>(), 3);
  EXPECT_EQ(EValue(tensor()).to<Tensor>().numel(), 2);
  EValue kept(tensor());
  Tensor& handle = kept.to<Tensor>();
  EXPECT_EQ(&handle, &kept.toTensor());
  EXPECT_EQ(&static_cast<const EValue&>(kept).to<Tensor>(), &handle);
  EXPECT_EQ(EValue(6).to<ScalarType>(), ScalarType::Float);
  EXPECT_EQ(EValue(3).to<std::optional<int64_t>>(), std::optional<int64_t>(3));
  EXPECT_EQ(EValue().to<std::optional<int64_t>>(), std::nullopt);
  EXPECT_EQ(EValue().toOptional<Tensor>().has_value(), false);
  EXPECT_EQ(EValue(tensor()).toOptional<Tensor>()->numel(), 2);
  EXPECT_EQ(EValue(6).to<std::optional<ScalarType>>(), ScalarType::Float);
  const ArrayRef<double> doubles({1.0, 2.0});
  (void)doubles;
  const std::vector<double> storage = {1.0, 2.0};
  const ArrayRef<double> view(storage);
  EXPECT_EQ(*EValue(&view).to<std::optional<ArrayRef<double>>>(), view);
}

TEST_F(EValueTest, CopiesAndMoves) {
  EValue original(tensor());
  EValue copy(original);
  EXPECT_TRUE(original.isTensor());
  EXPECT_TRUE(copy.isTensor());
  EValue moved(std::move(copy));
  EXPECT_TRUE(copy.isNone());  // NOLINT(bugprone-use-after-move): documented to become None
  EXPECT_TRUE(moved.isTensor());
  moved = EValue(4);
  EXPECT_EQ(moved.toInt(), 4);
  EValue& same = moved;
  moved = same;
  EXPECT_EQ(moved.toInt(), 4);
  moved = std::move(same);
  EXPECT_EQ(moved.toInt(), 4);
  moved = original;
  EXPECT_TRUE(moved.isTensor());
}

TEST_F(EValueTest, FromSmartPointers) {
  auto shared = std::make_shared<Tensor>(tensor());
  EValue from_lvalue = shared;
  EXPECT_EQ(from_lvalue.toTensor().numel(), 2);
  EXPECT_EQ(EValue(std::make_unique<EValue>(7)).toInt(), 7);
  EXPECT_EQ(EValue(std::make_shared<int64_t>(8)).toInt(), 8);
  const std::vector<EValue> inputs = {shared, tensor(), 1, 2.0, true};
  EXPECT_TRUE(inputs[0].isTensor());
  EXPECT_TRUE(inputs[4].isBool());
  std::shared_ptr<Tensor> null;
  EXPECT_DEATH(EValue{null}, "null");
}

TEST_F(EValueTest, NullPointersAbort) {
  EXPECT_DEATH(EValue(static_cast<ArrayRef<char>*>(nullptr)), "null");
  EXPECT_DEATH(EValue(static_cast<BoxedEvalueList<int64_t>*>(nullptr)), "null");
}

TEST(TagTest, NumbersAndNames) {
  EXPECT_EQ(static_cast<int>(Tag::None), 0);
  EXPECT_EQ(static_cast<int>(Tag::Tensor), 1);
  EXPECT_EQ(static_cast<int>(Tag::String), 2);
  EXPECT_EQ(static_cast<int>(Tag::Double), 3);
  EXPECT_EQ(static_cast<int>(Tag::Int), 4);
  EXPECT_EQ(static_cast<int>(Tag::Bool), 5);
  EXPECT_EQ(static_cast<int>(Tag::ListBool), 6);
  EXPECT_EQ(static_cast<int>(Tag::ListDouble), 7);
  EXPECT_EQ(static_cast<int>(Tag::ListInt), 8);
  EXPECT_EQ(static_cast<int>(Tag::ListTensor), 9);
  EXPECT_EQ(static_cast<int>(Tag::ListScalar), 10);
  EXPECT_EQ(static_cast<int>(Tag::ListOptionalTensor), 11);

  char buffer[executorch::runtime::kTagNameBufferSize];
  EXPECT_EQ(executorch::runtime::tag_to_string(Tag::ListOptionalTensor, buffer, sizeof(buffer)),
            18u);
  EXPECT_STREQ(buffer, "ListOptionalTensor");
  executorch::runtime::tag_to_string(static_cast<Tag>(4000000000u), buffer, sizeof(buffer));
  EXPECT_STREQ(buffer, "Unknown(4000000000)");
  char small[4];
  EXPECT_EQ(executorch::runtime::tag_to_string(Tag::Tensor, small, sizeof(small)), 6u);
  EXPECT_STREQ(small, "Ten");
  EXPECT_STREQ(executorch::runtime::tag_name(static_cast<Tag>(12)), "Unknown");
}

}  // namespace
