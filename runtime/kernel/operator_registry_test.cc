#include <cstring>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <executorch/runtime/kernel/operator_registry.h>

namespace {

using executorch::aten::DimOrderType;
using executorch::aten::ScalarType;
using executorch::runtime::Error;
using executorch::runtime::EValue;
using executorch::runtime::get_op_function_from_registry;
using executorch::runtime::get_registered_kernels;
using executorch::runtime::Kernel;
using executorch::runtime::KernelKey;
using executorch::runtime::KernelRuntimeContext;
using executorch::runtime::OpFunction;
using executorch::runtime::register_kernel;
using executorch::runtime::register_kernels;
using executorch::runtime::registry_has_op_function;
using executorch::runtime::Result;
using executorch::runtime::Span;
using executorch::runtime::TensorMeta;
using executorch::runtime::internal::make_kernel_key_string;
using executorch::runtime::internal::OperatorKernels;

// Kernels that say who they are through the error that they set.
void kernel_a(KernelRuntimeContext& context, Span<EValue*>) { context.fail(Error::NotFound); }
void kernel_b(KernelRuntimeContext& context, Span<EValue*>) { context.fail(Error::NotSupported); }
void kernel_c(KernelRuntimeContext& context, Span<EValue*>) { context.fail(Error::InvalidState); }

// Keeps the dim orders that TensorMeta only points to.
class Metas {
 public:
  Metas(std::initializer_list<std::pair<ScalarType, std::vector<DimOrderType>>> tensors)
      : tensors_(tensors) {
    for (auto& [type, dim_order] : tensors_) {
      metas_.emplace_back(type, Span<DimOrderType>(dim_order.data(), dim_order.size()));
    }
  }
  Span<const TensorMeta> span() const { return {metas_.data(), metas_.size()}; }

 private:
  std::vector<std::pair<ScalarType, std::vector<DimOrderType>>> tensors_;
  std::vector<TensorMeta> metas_;
};

std::string key_of(const Metas& metas) {
  char key[KernelKey::MAX_SIZE];
  EXPECT_EQ(make_kernel_key_string(metas.span(), key, sizeof(key)), Error::Ok);
  return key;
}

TEST(KernelKeyTest, TextIsAsDocumented) {
  const Metas metas(
      {{ScalarType::Double, {0, 1, 2, 3}}, {ScalarType::Char, {0, 1, 2, 3, 4, 5, 6, 7}}});
  EXPECT_EQ(key_of(metas), "v1/7;0,1,2,3|1;0,1,2,3,4,5,6,7");
  EXPECT_EQ(key_of(Metas({{ScalarType::BFloat16, {}}})), "v1/15;");
  EXPECT_EQ(key_of(Metas({})), "");
}

TEST(KernelKeyTest, LargestKeyFits) {
  const std::vector<DimOrderType> dim_order = {0, 1, 2,  3,  4,  5,  6,  7,
                                               8, 9, 10, 11, 12, 13, 14, 15};
  std::vector<DimOrderType> storage = dim_order;
  const std::vector<TensorMeta> metas(
      16, TensorMeta(ScalarType::BFloat16, {storage.data(), storage.size()}));
  char key[KernelKey::MAX_SIZE];
  const Span<const TensorMeta> span(metas.data(), metas.size());
  EXPECT_EQ(make_kernel_key_string(span, key, sizeof(key)), Error::Ok);
  EXPECT_EQ(std::strlen(key) + 1, KernelKey::MAX_SIZE);
  EXPECT_EQ(make_kernel_key_string(span, key, sizeof(key) - 1), Error::InvalidArgument);
}

TEST(KernelKeyTest, EveryTooSmallBufferIsRefusedAndNotOverrun) {
  const Metas metas({{ScalarType::Float, {0, 1}}});
  const std::string expected = "v1/6;0,1";
  for (size_t size = 0; size <= expected.size(); ++size) {
    char key[16];
    std::memset(key, 'x', sizeof(key));
    EXPECT_EQ(make_kernel_key_string(metas.span(), key, size), Error::InvalidArgument) << size;
    for (size_t i = size; i < sizeof(key); ++i) {
      EXPECT_EQ(key[i], 'x') << size;
    }
  }
}

TEST(KernelKeyTest, NumbersOutsideTwoDigitsAreRefused) {
  char key[KernelKey::MAX_SIZE];
  EXPECT_EQ(
      make_kernel_key_string(Metas({{static_cast<ScalarType>(100), {}}}).span(), key, sizeof(key)),
      Error::InvalidArgument);
  EXPECT_EQ(
      make_kernel_key_string(Metas({{static_cast<ScalarType>(-1), {}}}).span(), key, sizeof(key)),
      Error::InvalidArgument);
  EXPECT_EQ(make_kernel_key_string(Metas({{ScalarType::Float, {0, 255}}}).span(), key, sizeof(key)),
            Error::InvalidArgument);
}

TEST(KernelKeyTest, Equality) {
  const std::string copy = "v1/6;0";
  EXPECT_TRUE(KernelKey("v1/6;0") == KernelKey(copy.c_str()));
  EXPECT_FALSE(KernelKey("v1/6;0") == KernelKey("v1/6;0,1"));
  EXPECT_FALSE(KernelKey("v1/6;0") == KernelKey());
  EXPECT_TRUE(KernelKey() == KernelKey(nullptr));
  EXPECT_TRUE(KernelKey().is_fallback());
}

TEST(TensorMetaTest, Equality) {
  const Metas a({{ScalarType::Float, {0, 1}}});
  const Metas same({{ScalarType::Float, {0, 1}}});
  EXPECT_TRUE(a.span()[0] == same.span()[0]);
  EXPECT_FALSE(a.span()[0] == Metas({{ScalarType::Int, {0, 1}}}).span()[0]);
  EXPECT_FALSE(a.span()[0] == Metas({{ScalarType::Float, {1, 0}}}).span()[0]);
  EXPECT_FALSE(a.span()[0] == Metas({{ScalarType::Float, {0}}}).span()[0]);
  EXPECT_TRUE(TensorMeta() == TensorMeta());
}

TEST(OperatorRegistryTest, FindsWhatWasRegistered) {
  EXPECT_FALSE(registry_has_op_function("find::one.out"));
  EXPECT_EQ(get_op_function_from_registry("find::one.out").error(), Error::OperatorMissing);

  const size_t before = get_registered_kernels().size();
  const Kernel kernels[] = {Kernel("find::one.out", kernel_a), Kernel("find::two", kernel_b)};
  ASSERT_EQ(register_kernels({kernels, 2}), Error::Ok);

  EXPECT_TRUE(registry_has_op_function("find::one.out"));
  EXPECT_EQ(*get_op_function_from_registry("find::one.out"), &kernel_a);
  EXPECT_EQ(*get_op_function_from_registry("find::two"), &kernel_b);
  EXPECT_FALSE(registry_has_op_function("find::one"));
  EXPECT_FALSE(registry_has_op_function("find::one.out2"));
  EXPECT_FALSE(registry_has_op_function(nullptr));

  ASSERT_EQ(get_registered_kernels().size(), before + 2);
  EXPECT_STREQ(get_registered_kernels()[before].name_, "find::one.out");
  EXPECT_STREQ(get_registered_kernels()[before + 1].name_, "find::two");
}

TEST(OperatorRegistryTest, PrefersTheSpecializedKernel) {
  const Kernel kernels[] = {
      Kernel("special::op.out", "v1/6;0,1", kernel_a),
      Kernel("special::op.out", kernel_b),
      Kernel("special::op.out", "v1/4;0,1", kernel_c),
  };
  ASSERT_EQ(register_kernels({kernels, 3}), Error::Ok);
  const Metas floats({{ScalarType::Float, {0, 1}}});
  const Metas longs({{ScalarType::Long, {0, 1}}});
  const Metas transposed({{ScalarType::Float, {1, 0}}});
  EXPECT_EQ(*get_op_function_from_registry("special::op.out", floats.span()), &kernel_a);
  EXPECT_EQ(*get_op_function_from_registry("special::op.out", longs.span()), &kernel_c);
  EXPECT_EQ(*get_op_function_from_registry("special::op.out", transposed.span()), &kernel_b);
  EXPECT_EQ(*get_op_function_from_registry("special::op.out"), &kernel_b);
}

TEST(OperatorRegistryTest, WithoutFallbackOtherTensorsAreMissing) {
  ASSERT_EQ(register_kernel(Kernel("only::float.out", "v1/6;0", kernel_a)), Error::Ok);
  const Metas floats({{ScalarType::Float, {0}}});
  const Metas longs({{ScalarType::Long, {0}}});
  EXPECT_TRUE(registry_has_op_function("only::float.out", floats.span()));
  EXPECT_FALSE(registry_has_op_function("only::float.out", longs.span()));
  EXPECT_EQ(get_op_function_from_registry("only::float.out", longs.span()).error(),
            Error::OperatorMissing);
}

TEST(OperatorRegistryTest, FindsInAListOfTheCallers) {
  const Kernel kernels[] = {
      Kernel("listed::op.out", "v1/6;0,1", kernel_a),
      Kernel("listed::op.out", kernel_b),
      Kernel("listed::other.out", "v1/6;0,1", kernel_c),
  };
  const Metas floats({{ScalarType::Float, {0, 1}}});
  const Metas longs({{ScalarType::Long, {0, 1}}});
  EXPECT_EQ(*get_op_function_from_registry("listed::op.out", floats.span(), {kernels, 3}),
            &kernel_a);
  EXPECT_EQ(*get_op_function_from_registry("listed::op.out", longs.span(), {kernels, 3}),
            &kernel_b);
  EXPECT_EQ(get_op_function_from_registry("listed::other.out", longs.span(), {kernels, 3}).error(),
            Error::OperatorMissing);
  EXPECT_EQ(get_op_function_from_registry(nullptr, {}, {kernels, 3}).error(),
            Error::InvalidArgument);
  EXPECT_FALSE(registry_has_op_function("listed::op.out", floats.span()));
}

TEST(OperatorRegistryTest, ManyKernelsStayApart) {
  constexpr int kCount = 500;
  static std::vector<std::string> names;  // The registry keeps pointers to them.
  for (int i = 0; i < kCount; ++i) {
    names.push_back("many::op" + std::to_string(i) + ".out");
  }
  for (int i = 0; i < kCount; ++i) {
    ASSERT_EQ(register_kernel(Kernel(names[i].c_str(), i % 2 == 0 ? kernel_a : kernel_b)),
              Error::Ok);
  }
  for (int i = 0; i < kCount; ++i) {
    const Result<OpFunction> found = get_op_function_from_registry(names[i].c_str());
    ASSERT_TRUE(found.ok()) << names[i];
    EXPECT_EQ(*found, i % 2 == 0 ? &kernel_a : &kernel_b) << names[i];
  }
  EXPECT_FALSE(registry_has_op_function("many::op500.out"));
}

TEST(OperatorRegistryTest, LooksUpNameAndOverloadApart) {
  ASSERT_EQ(register_kernel(Kernel("apart::op.out", kernel_a)), Error::Ok);
  ASSERT_EQ(register_kernel(Kernel("apart::op", kernel_b)), Error::Ok);
  // The texts need not end where their length says.
  EXPECT_EQ(OperatorKernels("apart::opX", 9, "outX", 3).fallback()->op_, &kernel_a);
  EXPECT_EQ(OperatorKernels("apart::opX", 9, "", 0).fallback()->op_, &kernel_b);
  EXPECT_TRUE(OperatorKernels("apart::o", 8, "out", 3).empty());
  EXPECT_TRUE(OperatorKernels("apart::op", 9, "ou", 2).empty());
  EXPECT_FALSE(OperatorKernels("apart::op", 9, "out", 3).has_specialized());
}

TEST(OperatorRegistryTest, RefusesKernelsWithoutNameOrFunction) {
  const size_t before = get_registered_kernels().size();
  EXPECT_EQ(register_kernel(Kernel(nullptr, kernel_a)), Error::InvalidArgument);
  EXPECT_EQ(register_kernel(Kernel("null::op", nullptr)), Error::InvalidArgument);
  EXPECT_EQ(get_registered_kernels().size(), before);
}

TEST(OperatorRegistryDeathTest, RegisteringTwiceAborts) {
  ASSERT_EQ(register_kernel(Kernel("twice::op.out", "v1/6;0", kernel_a)), Error::Ok);
  // The same operator with another key is fine.
  ASSERT_EQ(register_kernel(Kernel("twice::op.out", kernel_a)), Error::Ok);
  EXPECT_DEATH((void)register_kernel(Kernel("twice::op.out", "v1/6;0", kernel_b)),
               "twice::op.out.*v1/6;0");
  EXPECT_DEATH((void)register_kernel(Kernel("twice::op.out", kernel_b)), "twice::op.out");
}

TEST(OperatorRegistryDeathTest, TooManyKernelsAbort) {
  // More than the default limit at once; nothing of it is looked at.
  const std::vector<Kernel> kernels(2001, Kernel("flood::op", kernel_a));
  EXPECT_DEATH((void)register_kernels({kernels.data(), kernels.size()}), "MAX_KERNEL_NUM");
}

}  // namespace
