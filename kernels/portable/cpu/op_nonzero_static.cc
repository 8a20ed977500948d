#include <executorch/kernels/portable/cpu/internal/element.h>
#include <executorch/kernels/portable/cpu/internal/lines.h>
#include <executorch/kernels/portable/cpu/internal/shape.h>

namespace torch::executor::native {
Tensor& nonzero_static_out(KernelRuntimeContext& ctx, const Tensor& in, int64_t size,
                           int64_t fill_value, Tensor& out) {
  if (!util::require_real(ctx, in) ||
      !util::require(ctx, out.scalar_type() == ScalarType::Long, "the indices must be Long") ||
      !util::require(ctx, size >= 0 && size <= INT32_MAX, "size is out of range")) {
    return out;
  }
  const util::View source(in);
  const int64_t sizes[2] = {size, static_cast<int64_t>(source.rank)};
  if (!util::resize(ctx, IntArrayRef(sizes, 2), out)) {
    return out;
  }
  const util::View target(out);
  int64_t found = 0;
  const auto put_row = [&](auto&& value_of) {
    for (size_t d = 0; d < source.rank; ++d) {
      util::put_element(target,
                        static_cast<ptrdiff_t>(found) * target.stride[0] +
                            static_cast<ptrdiff_t>(d) * target.stride[1],
                        value_of(d));
    }
    ++found;
  };
  util::Lines<1> lines(source);
  lines.set(0, source);
  bool more = !lines.empty();
  while (more && found < size) {
    for (size_t i = 0; i < lines.length() && found < size; ++i) {
      uint8_t truth = 0;
      const ptrdiff_t at = lines.offset(0) + static_cast<ptrdiff_t>(i) * lines.step(0);
      util::load(util::Compute::kBool, source.dtype, util::element_at(source, at), 1, 1, &truth);
      if (truth != 0) {
        put_row([&](size_t d) {
          return static_cast<int64_t>(d + 1 == source.rank ? i : lines.index(d));
        });
      }
    }
    more = lines.next();
  }
  while (found < size) {
    put_row([&](size_t) { return fill_value; });
  }
  return out;
}

}  // namespace torch::executor::native
