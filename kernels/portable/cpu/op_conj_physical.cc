#include <executorch/kernels/portable/cpu/internal/complex.h>
#include <executorch/kernels/portable/cpu/internal/lines.h>
#include <executorch/kernels/portable/cpu/internal/shape.h>

namespace torch::executor::native {
Tensor& _conj_physical_out(KernelRuntimeContext& ctx, const Tensor& in, Tensor& out) {
  const ScalarType part = util::real_part(in.scalar_type());
  if (!util::require_same_dtype(ctx, in, out) || !util::resize_like(ctx, in, out)) {
    return out;
  }
  util::copy(util::View(in), util::View(out));
  if (part == ScalarType::Undefined || out.numel() == 0) {
    return out;
  }
  const util::View parts = util::as_parts(out);
  const util::View imaginary = parts.select(parts.rank - 1, 1);
  util::Lines<1> lines(imaginary);
  lines.set(0, imaginary);
  const ptrdiff_t size = static_cast<ptrdiff_t>(imaginary.element_size);
  do {
    for (size_t i = 0; i < lines.length(); ++i) {
      char* at =
          imaginary.data + (lines.offset(0) + static_cast<ptrdiff_t>(i) * lines.step(0)) * size;
      double value;
      util::load(util::Compute::kDouble, part, at, 1, 1, &value);
      value = -value;
      util::store(util::Compute::kDouble, part, &value, 1, at);
    }
  } while (lines.next());
  return out;
}

}  // namespace torch::executor::native
