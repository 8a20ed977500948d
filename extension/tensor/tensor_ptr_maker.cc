#include <limits>
#include <random>
#include <type_traits>

#include <executorch/extension/tensor/internal_types.h>
#include <executorch/extension/tensor/tensor_ptr_maker.h>
#include <executorch/runtime/core/exec_aten/util/scalar_type_util.h>
#include <executorch/runtime/platform/assert.h>

namespace executorch {
namespace extension {

using executorch::aten::BFloat16;
using executorch::aten::Half;
using executorch::aten::Scalar;
using executorch::aten::ScalarType;
using executorch::aten::SizesType;
using executorch::aten::StridesType;
using executorch::aten::TensorShapeDynamism;

namespace {

/// One engine per thread: makers may be called from any thread, and engines are not thread safe.
std::mt19937_64& random_engine() {
  thread_local std::mt19937_64 engine{std::random_device{}()};
  return engine;
}

/// The number of bits in the significand, which is how many random bits a number in [0, 1) can
/// carry without ever rounding up to 1.
template <typename T>
constexpr int significand_bits() {
  if constexpr (std::is_same_v<T, Half>) {
    return 11;
  } else if constexpr (std::is_same_v<T, BFloat16>) {
    return 8;
  } else if constexpr (std::is_same_v<T, float>) {
    return 24;
  } else {
    return 53;
  }
}

/// What a complex element gets besides its real part.
enum class Imaginary { kZero, kNext };

/// Fills every element, or every component of complex ones, with what `next(TypeTag)` gives.
template <typename Next>
void fill(const TensorPtr& tensor, Imaginary imaginary, Next&& next) {
  const auto count = static_cast<size_t>(tensor->numel());
  const auto fill_real = [&](auto tag) {
    using T = typename decltype(tag)::type;
    T* data = tensor->template mutable_data_ptr<T>();
    for (size_t i = 0; i < count; ++i) {
      data[i] = next(tag);
    }
  };
  const auto fill_complex = [&](auto tag) {
    using T = typename decltype(tag)::type;
    T* data = static_cast<T*>(tensor->mutable_data_ptr());
    for (size_t i = 0; i < count; ++i) {
      data[2 * i] = next(tag);
      data[2 * i + 1] = imaginary == Imaginary::kNext ? next(tag) : T(0);
    }
  };
  const ScalarType type = tensor->scalar_type();
  const bool known = internal::visit_real_type(type, fill_real) ||
                     internal::visit_complex_type(type, fill_complex);
  ET_CHECK_MSG(known, "Tensors of type %s cannot be filled", runtime::toString(type));
}

void fill_value(const TensorPtr& tensor, const Scalar& value) {
  fill(tensor, Imaginary::kZero, [&](auto tag) {
    using T = typename decltype(tag)::type;
    if (value.isBoolean()) {
      return internal::cast_element<T, bool>(value.to<bool>());
    }
    if (value.isIntegral(/*includeBool=*/false)) {
      return internal::cast_element<T, int64_t>(value.to<int64_t>());
    }
    return internal::cast_element<T, double>(value.to<double>());
  });
}

void fill_uniform(const TensorPtr& tensor) {
  std::mt19937_64& engine = random_engine();
  fill(tensor, Imaginary::kNext, [&](auto tag) {
    using T = typename decltype(tag)::type;
    constexpr int kBits = significand_bits<T>();
    const double value =
        static_cast<double>(engine() >> (64 - kBits)) / static_cast<double>(int64_t{1} << kBits);
    return internal::cast_element<T, double>(value);
  });
}

void fill_normal(const TensorPtr& tensor) {
  std::mt19937_64& engine = random_engine();
  std::normal_distribution<double> distribution;
  fill(tensor, Imaginary::kNext, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const double value = distribution(engine);
    if constexpr (std::is_unsigned_v<T>) {
      // A negative floating-point number has no defined value in an unsigned type.
      return internal::cast_element<T, int64_t>(static_cast<int64_t>(value));
    } else {
      return internal::cast_element<T, double>(value);
    }
  });
}

void fill_integers(const TensorPtr& tensor, int64_t low, int64_t high) {
  std::mt19937_64& engine = random_engine();
  std::uniform_int_distribution<int64_t> distribution(low, high - 1);
  fill(tensor, Imaginary::kZero, [&](auto tag) {
    using T = typename decltype(tag)::type;
    return internal::cast_element<T, int64_t>(distribution(engine));
  });
}

ScalarType type_or(ScalarType type, const TensorPtr& other) {
  return type == ScalarType::Undefined ? other->scalar_type() : type;
}

}  // namespace

TensorPtr empty_strided(std::vector<SizesType> sizes, std::vector<StridesType> strides,
                        ScalarType type, TensorShapeDynamism dynamism) {
  size_t bytes = runtime::elementSize(type);
  for (const SizesType size : sizes) {
    ET_CHECK_MSG(size >= 0, "Sizes have to be non-negative, found %d", static_cast<int>(size));
    ET_CHECK_MSG(
        size == 0 || bytes <= std::numeric_limits<size_t>::max() / static_cast<size_t>(size),
        "The number of bytes overflows");
    bytes *= static_cast<size_t>(size);
  }
  return make_tensor_ptr(std::move(sizes), std::vector<uint8_t>(bytes), {}, std::move(strides),
                         type, dynamism);
}

TensorPtr empty_like(const TensorPtr& other, ScalarType type, TensorShapeDynamism dynamism) {
  std::vector<SizesType> sizes(other->sizes().begin(), other->sizes().end());
  std::vector<executorch::aten::DimOrderType> dim_order(other->dim_order().begin(),
                                                        other->dim_order().end());
  const ScalarType element_type = type_or(type, other);
  std::vector<uint8_t> data(static_cast<size_t>(other->numel()) *
                            runtime::elementSize(element_type));
  return make_tensor_ptr(std::move(sizes), std::move(data), std::move(dim_order), {}, element_type,
                         dynamism);
}

TensorPtr full_strided(std::vector<SizesType> sizes, std::vector<StridesType> strides, Scalar value,
                       ScalarType type, TensorShapeDynamism dynamism) {
  TensorPtr tensor = empty_strided(std::move(sizes), std::move(strides), type, dynamism);
  fill_value(tensor, value);
  return tensor;
}

TensorPtr full_like(const TensorPtr& other, Scalar value, ScalarType type,
                    TensorShapeDynamism dynamism) {
  TensorPtr tensor = empty_like(other, type, dynamism);
  fill_value(tensor, value);
  return tensor;
}

TensorPtr rand_strided(std::vector<SizesType> sizes, std::vector<StridesType> strides,
                       ScalarType type, TensorShapeDynamism dynamism) {
  TensorPtr tensor = empty_strided(std::move(sizes), std::move(strides), type, dynamism);
  fill_uniform(tensor);
  return tensor;
}

TensorPtr rand_like(const TensorPtr& other, ScalarType type, TensorShapeDynamism dynamism) {
  TensorPtr tensor = empty_like(other, type, dynamism);
  fill_uniform(tensor);
  return tensor;
}

TensorPtr randn_strided(std::vector<SizesType> sizes, std::vector<StridesType> strides,
                        ScalarType type, TensorShapeDynamism dynamism) {
  TensorPtr tensor = empty_strided(std::move(sizes), std::move(strides), type, dynamism);
  fill_normal(tensor);
  return tensor;
}

TensorPtr randn_like(const TensorPtr& other, ScalarType type, TensorShapeDynamism dynamism) {
  TensorPtr tensor = empty_like(other, type, dynamism);
  fill_normal(tensor);
  return tensor;
}

TensorPtr randint_strided(int64_t low, int64_t high, std::vector<SizesType> sizes,
                          std::vector<StridesType> strides, ScalarType type,
                          TensorShapeDynamism dynamism) {
  ET_CHECK_MSG(low < high, "Expected low < high, found %lld and %lld", static_cast<long long>(low),
               static_cast<long long>(high));
  TensorPtr tensor = empty_strided(std::move(sizes), std::move(strides), type, dynamism);
  fill_integers(tensor, low, high);
  return tensor;
}

TensorPtr randint_like(const TensorPtr& other, int64_t low, int64_t high, ScalarType type,
                       TensorShapeDynamism dynamism) {
  ET_CHECK_MSG(low < high, "Expected low < high, found %lld and %lld", static_cast<long long>(low),
               static_cast<long long>(high));
  TensorPtr tensor = empty_like(other, type, dynamism);
  fill_integers(tensor, low, high);
  return tensor;
}

}  // namespace extension
}  // namespace executorch
