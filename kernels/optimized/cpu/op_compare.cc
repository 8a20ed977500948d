#include <executorch/kernels/optimized/cpu/elementwise.h>
#include <executorch/kernels/optimized/cpu/operand_lines.h>
#include <executorch/kernels/optimized/cpu/simd.h>
#include <executorch/kernels/portable/NativeFunctions.h>
#include <executorch/kernels/portable/cpu/internal/promote.h>
#include <executorch/kernels/portable/cpu/internal/shape.h>

// Comparisons of two tensors of one dtype, or of a tensor and a number. What is less is greater
// with the sides exchanged.

namespace torch::executor::native {
namespace {

using optimized::Comparison;
using optimized::Form;
using optimized::Operands;
using optimized::simd;
using optimized::TypedLoop;

TypedLoop loop_of(Comparison test, const Tensor& t, const Tensor& out) {
  const optimized::Element element = optimized::element_of(t.scalar_type());
  return element == optimized::Element::kCount || out.scalar_type() != ScalarType::Bool
             ? nullptr
             : simd->elementwise.compare[static_cast<size_t>(element)][static_cast<size_t>(test)];
}

bool run_compare(KernelRuntimeContext& ctx, Comparison test, const Tensor& a, const Tensor& b,
                 Tensor& out) {
  const TypedLoop loop = loop_of(test, a, out);
  if (loop == nullptr || a.scalar_type() != b.scalar_type()) {
    return false;
  }
  if (!util::resize_broadcast(ctx, a, b, out) || out.numel() == 0) {
    return true;
  }
  const optimized::Lines lines(a, b, out);
  const size_t size = static_cast<size_t>(a.element_size());
  if (!are_lines(lines, size)) {
    return false;
  }
  const optimized::Elements elements = {static_cast<const char*>(a.const_data_ptr()),
                                        static_cast<const char*>(b.const_data_ptr()),
                                        static_cast<char*>(out.mutable_data_ptr()), size, 1};
  run_lines(
      lines, static_cast<size_t>(out.numel()), elements,
      [loop, form = loop_form(lines)](const char* left, const char* right, size_t n, char* to) {
        loop({left, right, form, false, 0}, n, to);
      });
  return true;
}

/// @param exchanged Whether the number is on the left.
bool run_compare(KernelRuntimeContext& ctx, Comparison test, const Tensor& a, const Scalar& b,
                 bool exchanged, Tensor& out) {
  const TypedLoop loop = loop_of(test, a, out);
  char number[sizeof(int64_t)];
  if (loop == nullptr || util::result_dtype(a, b) != a.scalar_type() ||
      !optimized::write_number(b, a.scalar_type(), number)) {
    return false;
  }
  if (!util::resize_like(ctx, a, out)) {
    return true;
  }
  if (!util::same_layout(a, out)) {
    return false;
  }
  const char* x = static_cast<const char*>(a.const_data_ptr());
  char* to = static_cast<char*>(out.mutable_data_ptr());
  const size_t size = static_cast<size_t>(a.element_size());
  util::parallel_for(
      static_cast<size_t>(a.numel()), optimized::kElementGrain, [&](size_t begin, size_t end) {
        const void* part = x + begin * size;
        const Operands operands = exchanged ? Operands{number, part, Form::kLeftSingle, false, 0}
                                            : Operands{part, number, Form::kRightSingle, false, 0};
        loop(operands, end - begin, to + begin);
      });
  return true;
}

}  // namespace

// A comparison as it is, and one with the sides exchanged.
#define ET_COMPARE(name, test)                                                                 \
  Tensor& opt_##name##_tensor_out(KernelRuntimeContext& ctx, const Tensor& a, const Tensor& b, \
                                  Tensor& out) {                                               \
    return run_compare(ctx, test, a, b, out) ? out : name##_tensor_out(ctx, a, b, out);        \
  }                                                                                            \
  Tensor& opt_##name##_scalar_out(KernelRuntimeContext& ctx, const Tensor& a, const Scalar& b, \
                                  Tensor& out) {                                               \
    return run_compare(ctx, test, a, b, false, out) ? out : name##_scalar_out(ctx, a, b, out); \
  }
#define ET_COMPARE_EXCHANGED(name, test)                                                       \
  Tensor& opt_##name##_tensor_out(KernelRuntimeContext& ctx, const Tensor& a, const Tensor& b, \
                                  Tensor& out) {                                               \
    return run_compare(ctx, test, b, a, out) ? out : name##_tensor_out(ctx, a, b, out);        \
  }                                                                                            \
  Tensor& opt_##name##_scalar_out(KernelRuntimeContext& ctx, const Tensor& a, const Scalar& b, \
                                  Tensor& out) {                                               \
    return run_compare(ctx, test, a, b, true, out) ? out : name##_scalar_out(ctx, a, b, out);  \
  }

ET_COMPARE(eq, Comparison::kEqual)
ET_COMPARE(ne, Comparison::kNotEqual)
ET_COMPARE(gt, Comparison::kGreater)
ET_COMPARE(ge, Comparison::kGreaterEqual)
ET_COMPARE_EXCHANGED(lt, Comparison::kGreater)
ET_COMPARE_EXCHANGED(le, Comparison::kGreaterEqual)

#undef ET_COMPARE
#undef ET_COMPARE_EXCHANGED

}  // namespace torch::executor::native
