#include <cstring>

#include <executorch/kernels/portable/cpu/internal/pointwise.h>
#include <executorch/kernels/portable/cpu/internal/scalar_cast.h>

namespace torch::executor::native::util {
namespace {

/// Runs `loops` for one input converted to the compute type `c`; the results are of `dtype`.
void run_unary(const Tensor& in, Compute c, Compute result, ScalarType dtype, Tensor& out,
               const Loops& loops, const void* op) {
  Elementwise elementwise(out);
  elementwise.add(in, c);
  elementwise.run(loops.fn[static_cast<size_t>(c)], op, result, dtype);
}

/// An input of a two-input operator.
struct Operand {
  const Tensor* tensor;
  const Scalar* scalar;
  /// A dtype that values are converted to before they are calculated with, or Undefined.
  ScalarType through = ScalarType::Undefined;

  bool is_single() const { return tensor == nullptr || tensor->numel() == 1; }

  void add_to(Elementwise& elementwise, Compute c) const {
    if (tensor != nullptr) {
      elementwise.add(*tensor, c, through);
    } else {
      elementwise.add(
          through == ScalarType::Undefined ? ScalarValue(*scalar) : as_element(*scalar, through),
          c);
    }
  }
};

bool resize_for(KernelRuntimeContext& ctx, const Operand& a, const Operand& b, Tensor& out) {
  if (a.tensor != nullptr && b.tensor != nullptr) {
    return resize_broadcast(ctx, *a.tensor, *b.tensor, out);
  }
  return resize_like(ctx, a.tensor != nullptr ? *a.tensor : *b.tensor, out);
}

Tensor& run_binary(KernelRuntimeContext& ctx, const Operand& a, const Operand& b, Compute c,
                   Compute result, ScalarType dtype, Tensor& out, const Loops& loops,
                   const void* op) {
  if ((a.tensor != nullptr && !require_real(ctx, *a.tensor)) ||
      (b.tensor != nullptr && !require_real(ctx, *b.tensor)) ||
      !require_storable(ctx, dtype, out)) {
    return out;
  }
  const Loop loop = loops.fn[static_cast<size_t>(c)];
  if (!require(ctx, loop != nullptr, "the operator is not defined for the inputs' dtype") ||
      !resize_for(ctx, a, b, out)) {
    return out;
  }
  Elementwise elementwise(out);
  a.add_to(elementwise, c);
  b.add_to(elementwise, c);
  elementwise.run(loop, op, result, dtype);
  return out;
}

/// Numbers wrap around, or are rounded, to the common dtype first, as eager's are.
Tensor& arithmetic(KernelRuntimeContext& ctx, Operand a, Operand b, ScalarType common, Tensor& out,
                   const Loops& loops, const void* op) {
  const Compute c = arithmetic_compute(common);
  a.through = common;
  b.through = common;
  return run_binary(ctx, a, b, c, c, common, out, loops, op);
}

Tensor& scaling_in(KernelRuntimeContext& ctx, Operand a, Operand b, ScalarType common, Tensor& out,
                   const Loops& loops, const void* op) {
  const Compute c = arithmetic_compute(common);
  a.through = common;
  b.through = c == Compute::kFloat && b.is_single() ? ScalarType::Undefined : common;
  return run_binary(ctx, a, b, c, c, common, out, loops, op);
}

Tensor& bitwise_in(KernelRuntimeContext& ctx, const Operand& a, const Operand& b, ScalarType common,
                   Tensor& out, const Loops& loops) {
  const Compute c = common == ScalarType::Bool ? Compute::kBool : arithmetic_compute(common);
  return run_binary(ctx, a, b, c, c, common, out, loops, &kNoParameters);
}

/// Both sides are converted to the common dtype, since equality sees the last bit.
Tensor& compare_in(KernelRuntimeContext& ctx, Operand a, Operand b, ScalarType common, Tensor& out,
                   const Loops& loops) {
  a.through = common;
  b.through = common;
  return run_binary(ctx, a, b, arithmetic_compute(common), Compute::kBool, ScalarType::Bool, out,
                    loops, &kNoParameters);
}

struct Copy {
  template <typename C>
  C operator()(C x) const {
    return x;
  }
};

}  // namespace

Tensor& unary_same(KernelRuntimeContext& ctx, const Tensor& in, Tensor& out, const Loops& loops,
                   const void* op, bool allow_bool) {
  if (!require_real(ctx, in) || !require_same_dtype(ctx, in, out) ||
      !require(ctx, allow_bool || in.scalar_type() != ScalarType::Bool,
               "the operator is not defined for Bool") ||
      !resize_like(ctx, in, out)) {
    return out;
  }
  const Compute c = arithmetic_compute(in.scalar_type());
  run_unary(in, c, c, in.scalar_type(), out, loops, op);
  return out;
}

Tensor& unary_float(KernelRuntimeContext& ctx, const Tensor& in, Tensor& out, const Loops& loops,
                    const void* op) {
  const ScalarType dtype = to_floating(in.scalar_type());
  if (!require_real(ctx, in) || !require_storable(ctx, dtype, out) || !resize_like(ctx, in, out)) {
    return out;
  }
  const Compute c = arithmetic_compute(dtype);
  run_unary(in, c, c, dtype, out, loops, op);
  return out;
}

Tensor& unary_float_only(KernelRuntimeContext& ctx, const Tensor& in, Tensor& out,
                         const Loops& loops, const void* op) {
  return require_floating(ctx, in) && require_same_dtype(ctx, in, out)
             ? unary_float(ctx, in, out, loops, op)
             : out;
}

Tensor& unary_rounding(KernelRuntimeContext& ctx, const Tensor& in, Tensor& out,
                       const Loops& loops) {
  if (is_floating(in.scalar_type())) {
    return unary_float_only(ctx, in, out, loops);
  }
  if (require_real(ctx, in) && require_same_dtype(ctx, in, out) &&
      require(ctx, in.scalar_type() != ScalarType::Bool, "the operator is not defined for Bool") &&
      resize_like(ctx, in, out)) {
    convert_copy(in, out);
  }
  return out;
}

Tensor& unary_test(KernelRuntimeContext& ctx, const Tensor& in, Tensor& out, const Loops& loops) {
  if (!require_real(ctx, in) || !require_storable(ctx, ScalarType::Bool, out) ||
      !resize_like(ctx, in, out)) {
    return out;
  }
  run_unary(in, arithmetic_compute(in.scalar_type()), Compute::kBool, ScalarType::Bool, out, loops,
            &kNoParameters);
  return out;
}

Tensor& binary(KernelRuntimeContext& ctx, const Tensor& a, const Tensor& b, ScalarType common,
               Tensor& out, const Loops& loops, const void* op) {
  return arithmetic(ctx, {&a, nullptr}, {&b, nullptr}, common, out, loops, op);
}

Tensor& binary(KernelRuntimeContext& ctx, const Tensor& a, const Scalar& b, ScalarType common,
               Tensor& out, const Loops& loops, const void* op) {
  return arithmetic(ctx, {&a, nullptr}, {nullptr, &b}, common, out, loops, op);
}

Tensor& binary(KernelRuntimeContext& ctx, const Scalar& a, const Tensor& b, ScalarType common,
               Tensor& out, const Loops& loops, const void* op) {
  return arithmetic(ctx, {nullptr, &a}, {&b, nullptr}, common, out, loops, op);
}

Tensor& scaling(KernelRuntimeContext& ctx, const Tensor& a, const Tensor& b, ScalarType common,
                Tensor& out, const Loops& loops, const void* op) {
  return scaling_in(ctx, {&a, nullptr}, {&b, nullptr}, common, out, loops, op);
}

Tensor& scaling(KernelRuntimeContext& ctx, const Tensor& a, const Scalar& b, ScalarType common,
                Tensor& out, const Loops& loops, const void* op) {
  return scaling_in(ctx, {&a, nullptr}, {nullptr, &b}, common, out, loops, op);
}

Tensor& compare(KernelRuntimeContext& ctx, const Tensor& a, const Tensor& b, Tensor& out,
                const Loops& loops) {
  return compare_in(ctx, {&a, nullptr}, {&b, nullptr}, result_dtype(a, b), out, loops);
}

Tensor& compare(KernelRuntimeContext& ctx, const Tensor& a, const Scalar& b, Tensor& out,
                const Loops& loops) {
  return compare_in(ctx, {&a, nullptr}, {nullptr, &b}, result_dtype(a, b), out, loops);
}

Tensor& logical(KernelRuntimeContext& ctx, const Tensor& a, const Tensor& b, Tensor& out,
                const Loops& loops) {
  return run_binary(ctx, {&a, nullptr}, {&b, nullptr}, Compute::kBool, Compute::kBool,
                    ScalarType::Bool, out, loops, &kNoParameters);
}

Tensor& bitwise(KernelRuntimeContext& ctx, const Tensor& a, const Tensor& b, Tensor& out,
                const Loops& loops) {
  return bitwise_in(ctx, {&a, nullptr}, {&b, nullptr}, result_dtype(a, b), out, loops);
}

Tensor& bitwise(KernelRuntimeContext& ctx, const Tensor& a, const Scalar& b, Tensor& out,
                const Loops& loops) {
  return bitwise_in(ctx, {&a, nullptr}, {nullptr, &b}, result_dtype(a, b), out, loops);
}

void convert_copy(const Tensor& in, Tensor& out) {
  // The wider side decides: integers must not pass through float, nor Double through Float.
  const ScalarType to = out.scalar_type();
  Compute c = arithmetic_compute(in.scalar_type());
  if (to == ScalarType::Bool) {
    c = Compute::kBool;
  }
  static constexpr Loops kCopy = {
      {unary_loop<Copy, uint8_t, uint8_t>, unary_loop<Copy, int64_t, int64_t>,
       unary_loop<Copy, float, float>, unary_loop<Copy, double, double>}};
  run_unary(in, c, c, to, out, kCopy, &kNoParameters);
}

void fill(const ScalarValue& value, Tensor& out) {
  Compute c = arithmetic_compute(out.scalar_type());
  if (out.scalar_type() == ScalarType::Bool) {
    c = Compute::kBool;
  }
  alignas(8) char element[8];
  alignas(16) char pattern[16];
  load_scalar(c, value, element);
  store(c, out.scalar_type(), element, 1, pattern);
  const size_t size = static_cast<size_t>(out.element_size());
  const size_t total = static_cast<size_t>(out.numel());
  char* dst = static_cast<char*>(out.mutable_data_ptr());
  if (total == 0) {
    return;
  }
  // Doubles the filled part until it is a chunk, then copies whole chunks.
  std::memcpy(dst, pattern, size);
  size_t filled = 1;
  const size_t most = kChunkBytes / size;
  while (filled < total) {
    size_t count = filled < most ? filled : most;
    count = count < total - filled ? count : total - filled;
    std::memcpy(dst + filled * size, dst, count * size);
    filled += count;
  }
}

}  // namespace torch::executor::native::util
