#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include <executorch/runtime/kernel/boxing.h>

namespace {

using executorch::aten::ArrayRef;
using executorch::aten::MemoryFormat;
using executorch::aten::Scalar;
using executorch::aten::ScalarType;
using executorch::aten::SizesType;
using executorch::aten::Tensor;
using executorch::aten::TensorImpl;
using executorch::runtime::boxed_kernel;
using executorch::runtime::BoxedEvalueList;
using executorch::runtime::Error;
using executorch::runtime::EValue;
using executorch::runtime::Kernel;
using executorch::runtime::KernelKey;
using executorch::runtime::KernelRuntimeContext;
using executorch::runtime::make_boxed_kernel;
using executorch::runtime::OpFunction;
using executorch::runtime::Span;
using executorch::runtime::TensorShapeDynamism;
using executorch::runtime::internal::TensorAccess;

// A float tensor of one element.
struct OneFloat {
  explicit OneFloat(float value = 0, void* memory = nullptr,
                    TensorShapeDynamism dynamism = TensorShapeDynamism::STATIC)
      : data(value),
        impl(ScalarType::Float, 1, &size, memory != nullptr ? memory : &data, &dim_order, &stride,
             dynamism) {}
  EValue value() { return EValue(Tensor(&impl)); }

  float data;
  SizesType size = 1;
  uint8_t dim_order = 0;
  int32_t stride = 1;
  TensorImpl impl;
};

// Calls a boxed kernel and returns what it failed with.
Error call(OpFunction kernel, std::vector<EValue> values, const TensorAccess* access = nullptr) {
  std::vector<EValue*> stack;
  for (EValue& value : values) {
    stack.push_back(&value);
  }
  KernelRuntimeContext context(nullptr, nullptr, access);
  kernel(context, {stack.data(), stack.size()});
  return context.failure_state();
}

Tensor& add_out(KernelRuntimeContext&, const Tensor& a, const Tensor& b, const Scalar& alpha,
                Tensor& out) {
  *out.mutable_data_ptr<float>() =
      *a.const_data_ptr<float>() + alpha.to<float>() * *b.const_data_ptr<float>();
  return out;
}

TEST(BoxingTest, CallsWithTensorsAndScalar) {
  OneFloat a(1), b(2), out;
  EXPECT_EQ(call(boxed_kernel<add_out>, {a.value(), b.value(), 3.0, out.value(), out.value()}),
            Error::Ok);
  EXPECT_EQ(out.data, 7.0f);
  EXPECT_EQ(
      call(boxed_kernel<add_out>, {a.value(), b.value(), int64_t{4}, out.value(), out.value()}),
      Error::Ok);
  EXPECT_EQ(out.data, 9.0f);
}

TEST(BoxingTest, ChecksTheNumberOfValues) {
  OneFloat t;
  EXPECT_EQ(call(boxed_kernel<add_out>, {}), Error::InvalidProgram);
  EXPECT_EQ(call(boxed_kernel<add_out>, {t.value(), t.value(), 1.0, t.value()}),
            Error::InvalidProgram);
  EXPECT_EQ(
      call(boxed_kernel<add_out>, {t.value(), t.value(), 1.0, t.value(), t.value(), t.value()}),
      Error::InvalidProgram);
}

TEST(BoxingTest, ChecksTheTypeOfEachArgument) {
  OneFloat t;
  const std::vector<EValue> right = {t.value(), t.value(), 1.0, t.value(), t.value()};
  ASSERT_EQ(call(boxed_kernel<add_out>, right), Error::Ok);
  for (size_t i = 0; i < 4; ++i) {
    std::vector<EValue> wrong = right;
    wrong[i] = EValue();
    EXPECT_EQ(call(boxed_kernel<add_out>, wrong), Error::InvalidType) << i;
    wrong[i] = i == 2 ? t.value() : EValue(int64_t{1});
    EXPECT_EQ(call(boxed_kernel<add_out>, wrong), Error::InvalidType) << i;
  }
}

// What the kernel below was given.
struct Seen {
  int64_t integer;
  double floating;
  bool boolean;
  ScalarType type;
  MemoryFormat format;
  std::string text;
  std::vector<int64_t> integers;
  std::vector<double> floatings;
  std::vector<bool> booleans;
} seen;

void take_values(KernelRuntimeContext&, int64_t integer, double floating, bool boolean,
                 ScalarType type, MemoryFormat format, std::string_view text,
                 ArrayRef<int64_t> integers, ArrayRef<double> floatings,
                 const ArrayRef<bool>& booleans) {
  seen = {integer,
          floating,
          boolean,
          type,
          format,
          std::string(text),
          std::vector<int64_t>(integers.begin(), integers.end()),
          std::vector<double>(floatings.begin(), floatings.end()),
          std::vector<bool>(booleans.begin(), booleans.end())};
}

// An EValue that holds a list of ints, with everything that it points to.
class IntList {
 public:
  explicit IntList(const std::vector<int64_t>& values) : unboxed_(values.size()) {
    for (const int64_t value : values) {
      elements_.emplace_back(value);
    }
    for (EValue& element : elements_) {
      pointers_.push_back(&element);
    }
    list_ = BoxedEvalueList<int64_t>(pointers_.data(), unboxed_.data(),
                                     static_cast<int>(pointers_.size()));
  }
  EValue value() { return EValue(&list_); }
  EValue& element(size_t i) { return elements_[i]; }

 private:
  std::vector<EValue> elements_;
  std::vector<EValue*> pointers_;
  std::vector<int64_t> unboxed_;
  BoxedEvalueList<int64_t> list_;
};

struct Values {
  const char characters[3] = {'a', 'b', 'c'};
  const double doubles[2] = {0.5, 1.5};
  const bool bools[2] = {true, false};
  ArrayRef<char> text = ArrayRef<char>(characters, size_t{3});
  ArrayRef<double> double_list = ArrayRef<double>(doubles, size_t{2});
  ArrayRef<bool> bool_list = ArrayRef<bool>(bools, size_t{2});
  IntList int_list{{7, 8, 9}};

  std::vector<EValue> stack() {
    return {int64_t{3},
            2.5,
            true,
            int64_t{6},
            int64_t{0},
            EValue(&text),
            int_list.value(),
            EValue(&double_list),
            EValue(&bool_list),
            EValue()};
  }
};

TEST(BoxingTest, UnboxesEveryKindOfValue) {
  Values values;
  ASSERT_EQ(call(boxed_kernel<take_values>, values.stack()), Error::Ok);
  EXPECT_EQ(seen.integer, 3);
  EXPECT_EQ(seen.floating, 2.5);
  EXPECT_TRUE(seen.boolean);
  EXPECT_EQ(seen.type, ScalarType::Float);
  EXPECT_EQ(seen.format, MemoryFormat::Contiguous);
  EXPECT_EQ(seen.text, "abc");
  EXPECT_EQ(seen.integers, (std::vector<int64_t>{7, 8, 9}));
  EXPECT_EQ(seen.floatings, (std::vector<double>{0.5, 1.5}));
  EXPECT_EQ(seen.booleans, (std::vector<bool>{true, false}));
}

TEST(BoxingTest, EveryKindOfValueIsChecked) {
  Values values;
  OneFloat tensor;
  for (size_t i = 0; i < 9; ++i) {
    std::vector<EValue> stack = values.stack();
    stack[i] = tensor.value();
    EXPECT_EQ(call(boxed_kernel<take_values>, stack), Error::InvalidType) << i;
    stack[i] = EValue();
    EXPECT_EQ(call(boxed_kernel<take_values>, stack), Error::InvalidType) << i;
  }
}

TEST(BoxingTest, NumbersThatAreNoEnumeratorsAreRefused) {
  Values values;
  for (const int64_t number : {int64_t{-1}, int64_t{99}, int64_t{256 + 6}}) {
    std::vector<EValue> stack = values.stack();
    stack[3] = EValue(number);
    EXPECT_EQ(call(boxed_kernel<take_values>, stack), Error::InvalidType) << number;
  }
}

TEST(BoxingTest, ListElementsAreReadAnewAndChecked) {
  Values values;
  values.int_list.element(1) = EValue(int64_t{80});
  ASSERT_EQ(call(boxed_kernel<take_values>, values.stack()), Error::Ok);
  EXPECT_EQ(seen.integers, (std::vector<int64_t>{7, 80, 9}));
  values.int_list.element(1) = EValue(1.0);
  EXPECT_EQ(call(boxed_kernel<take_values>, values.stack()), Error::InvalidType);
}

struct SeenOptionals {
  bool tensor, scalar, integer, type, text, integers;
} seen_optionals;

Tensor& take_optionals(const std::optional<Tensor>& tensor, std::optional<Scalar> scalar,
                       std::optional<int64_t> integer, std::optional<ScalarType> type,
                       std::optional<std::string_view> text,
                       std::optional<ArrayRef<int64_t>> integers, Tensor& out) {
  seen_optionals = {tensor.has_value(), scalar.has_value(), integer.has_value(),
                    type.has_value(),   text.has_value(),   integers.has_value()};
  return out;
}

TEST(BoxingTest, OptionalsMayBeThereOrNot) {
  OneFloat tensor, out;
  Values values;
  ASSERT_EQ(call(boxed_kernel<take_optionals>,
                 {tensor.value(), 1.0, int64_t{1}, int64_t{6}, EValue(&values.text),
                  values.int_list.value(), out.value(), out.value()}),
            Error::Ok);
  EXPECT_TRUE(seen_optionals.tensor && seen_optionals.scalar && seen_optionals.integer &&
              seen_optionals.type && seen_optionals.text && seen_optionals.integers);
  ASSERT_EQ(call(boxed_kernel<take_optionals>, {EValue(), EValue(), EValue(), EValue(), EValue(),
                                                EValue(), out.value(), out.value()}),
            Error::Ok);
  EXPECT_FALSE(seen_optionals.tensor || seen_optionals.scalar || seen_optionals.integer ||
               seen_optionals.type || seen_optionals.text || seen_optionals.integers);
  EXPECT_EQ(call(boxed_kernel<take_optionals>,
                 {1.0, EValue(), EValue(), EValue(), EValue(), EValue(), out.value(), out.value()}),
            Error::InvalidType);
}

float sum_of_list = 0;

void take_lists(KernelRuntimeContext&, ArrayRef<Tensor> in, ArrayRef<std::optional<Tensor>> maybe,
                ArrayRef<Tensor> out) {
  sum_of_list = 0;
  for (const Tensor& tensor : in) {
    sum_of_list += *tensor.const_data_ptr<float>();
  }
  for (const std::optional<Tensor>& tensor : maybe) {
    sum_of_list += tensor.has_value() ? *tensor->const_data_ptr<float>() : 100;
  }
  for (const Tensor& tensor : out) {
    *tensor.mutable_data_ptr<float>() = sum_of_list;
  }
}

// An EValue that holds a list of tensors.
template <typename Element>
class TensorListOf {
 public:
  explicit TensorListOf(std::vector<EValue> elements)
      : elements_(std::move(elements)), unboxed_(elements_.size(), Element(Tensor(nullptr))) {
    for (EValue& element : elements_) {
      pointers_.push_back(element.isNone() ? nullptr : &element);
    }
    list_ = BoxedEvalueList<Element>(pointers_.data(), unboxed_.data(),
                                     static_cast<int>(pointers_.size()));
  }
  EValue value() { return EValue(&list_); }

 private:
  std::vector<EValue> elements_;
  std::vector<EValue*> pointers_;
  std::vector<Element> unboxed_;
  BoxedEvalueList<Element> list_;
};

TEST(BoxingTest, TensorLists) {
  OneFloat a(1), b(2), out1, out2;
  TensorListOf<Tensor> in({a.value(), b.value()});
  TensorListOf<std::optional<Tensor>> maybe({b.value(), EValue()});
  TensorListOf<Tensor> out({out1.value(), out2.value()});
  ASSERT_EQ(call(boxed_kernel<take_lists>, {in.value(), maybe.value(), out.value(), out.value()}),
            Error::Ok);
  EXPECT_EQ(out1.data, 105.0f);
  EXPECT_EQ(out2.data, 105.0f);
  EXPECT_EQ(call(boxed_kernel<take_lists>, {maybe.value(), maybe.value(), out.value(), EValue()}),
            Error::InvalidType);
}

TEST(BoxingTest, TensorsWithoutMemoryAreRefused) {
  OneFloat a(1), out;
  OneFloat without;
  without.impl.set_data(nullptr);
  const auto add = [&](OneFloat& x, OneFloat& y, OneFloat& result) {
    return call(boxed_kernel<add_out>, {x.value(), y.value(), 1.0, result.value(), result.value()});
  };
  EXPECT_EQ(add(a, a, out), Error::Ok);
  EXPECT_EQ(add(without, a, out), Error::InvalidState);
  EXPECT_EQ(add(a, without, out), Error::InvalidState);
  EXPECT_EQ(add(a, a, without), Error::InvalidState);

  TensorListOf<Tensor> list({a.value(), without.value()});
  TensorListOf<std::optional<Tensor>> maybe({EValue(), without.value()});
  TensorListOf<Tensor> fine({a.value()});
  TensorListOf<std::optional<Tensor>> nothing({});
  EXPECT_EQ(call(boxed_kernel<take_lists>, {list.value(), nothing.value(), fine.value(), EValue()}),
            Error::InvalidState);
  EXPECT_EQ(call(boxed_kernel<take_lists>, {fine.value(), maybe.value(), fine.value(), EValue()}),
            Error::InvalidState);
}

Tensor& do_nothing(const Tensor&, Tensor& out) { return out; }

TEST(BoxingTest, EmptyTensorsNeedNoMemory) {
  SizesType size = 0;
  TensorImpl empty(ScalarType::Float, 1, &size);
  const EValue value{Tensor(&empty)};
  EXPECT_EQ(call(boxed_kernel<do_nothing>, {value, value, value}), Error::Ok);
  // An output that can grow is no use without memory, however small it is now.
  TensorImpl growing(ScalarType::Float, 1, &size, nullptr, nullptr, nullptr,
                     TensorShapeDynamism::DYNAMIC_BOUND);
  const EValue growing_value{Tensor(&growing)};
  EXPECT_EQ(call(boxed_kernel<do_nothing>, {value, growing_value, value}), Error::InvalidState);
  EXPECT_EQ(call(boxed_kernel<do_nothing>, {growing_value, value, value}), Error::Ok);
}

TEST(BoxingTest, OutputsMustBeWritable) {
  SizesType size = 1;
  float data = 1;
  TensorImpl tensors[2] = {TensorImpl(ScalarType::Float, 1, &size, &data),
                           TensorImpl(ScalarType::Float, 1, &size, &data)};
  uint8_t writable[2] = {0, 1};
  const TensorAccess access(tensors, writable, 2);
  const EValue constant{Tensor(&tensors[0])};
  const EValue planned{Tensor(&tensors[1])};
  OneFloat foreign;
  EXPECT_EQ(call(boxed_kernel<do_nothing>, {constant, planned, planned}, &access), Error::Ok);
  EXPECT_EQ(call(boxed_kernel<do_nothing>, {constant, foreign.value(), planned}, &access),
            Error::Ok);
  EXPECT_EQ(call(boxed_kernel<do_nothing>, {planned, constant, constant}, &access),
            Error::InvalidProgram);

  TensorListOf<Tensor> constants({constant});
  TensorListOf<Tensor> outputs({planned});
  TensorListOf<std::optional<Tensor>> nothing({});
  // Only the list in the last place is an output.
  EXPECT_EQ(call(boxed_kernel<take_lists>,
                 {constants.value(), nothing.value(), outputs.value(), EValue()}, &access),
            Error::Ok);
  EXPECT_EQ(call(boxed_kernel<take_lists>,
                 {outputs.value(), nothing.value(), constants.value(), EValue()}, &access),
            Error::InvalidProgram);
}

int64_t count_elements(KernelRuntimeContext&, const Tensor& tensor) { return tensor.numel(); }

TEST(BoxingTest, ReturnedValuesGoToTheLastSlot) {
  OneFloat tensor;
  EValue values[2] = {tensor.value(), EValue()};
  EValue* stack[2] = {&values[0], &values[1]};
  KernelRuntimeContext context;
  boxed_kernel<count_elements>(context, {stack, 2});
  ASSERT_TRUE(values[1].isInt());
  EXPECT_EQ(values[1].toInt(), 1);
}

std::tuple<Tensor&, Tensor&> two_outputs(KernelRuntimeContext&, const Tensor& in, Tensor& out0,
                                         Tensor& out1) {
  *out0.mutable_data_ptr<float>() = *in.const_data_ptr<float>() + 1;
  *out1.mutable_data_ptr<float>() = *in.const_data_ptr<float>() + 2;
  return {out0, out1};
}

TEST(BoxingTest, SeveralOutputs) {
  OneFloat in(1), out0, out1;
  EXPECT_EQ(call(boxed_kernel<two_outputs>, {in.value(), out0.value(), out1.value(), EValue()}),
            Error::Ok);
  EXPECT_EQ(out0.data, 2.0f);
  EXPECT_EQ(out1.data, 3.0f);
}

Tensor& fails(KernelRuntimeContext& context, Tensor& out) {
  context.fail(Error::NotSupported);
  return out;
}
Tensor& never_throws(KernelRuntimeContext&, Tensor& out) noexcept { return out; }
void takes_nothing() {}

TEST(BoxingTest, OtherForms) {
  OneFloat out;
  EXPECT_EQ(call(boxed_kernel<fails>, {out.value(), out.value()}), Error::NotSupported);
  EXPECT_EQ(call(boxed_kernel<never_throws>, {out.value(), out.value()}), Error::Ok);
  EXPECT_EQ(call(boxed_kernel<takes_nothing>, {EValue()}), Error::Ok);
  EXPECT_EQ(call(boxed_kernel<takes_nothing>, {}), Error::InvalidProgram);
}

TEST(BoxingTest, MakesKernelsAtCompileTime) {
  constexpr Kernel kernel = make_boxed_kernel<add_out>("boxing::add.out");
  static_assert(kernel.kernel_key_.is_fallback());
  EXPECT_STREQ(kernel.name_, "boxing::add.out");
  EXPECT_EQ(kernel.op_, boxed_kernel<add_out>);
  constexpr Kernel special = make_boxed_kernel<add_out>("boxing::add.out", KernelKey("v1/6;0"));
  EXPECT_STREQ(special.kernel_key_.data(), "v1/6;0");
}

}  // namespace
