#include <executorch/kernels/portable/cpu/internal/element.h>
#include <executorch/kernels/portable/cpu/internal/lines.h>
#include <executorch/kernels/portable/cpu/internal/matmul.h>
#include <executorch/kernels/portable/cpu/internal/shape.h>

namespace torch::executor::native {
namespace {

/// Matrix `index` of a batch.
util::Matrix at(const Tensor& t, ptrdiff_t index) {
  const ptrdiff_t offset = index * t.strides()[0] * static_cast<ptrdiff_t>(t.element_size());
  return {static_cast<const char*>(t.const_data_ptr()) + offset, t.scalar_type(), t.strides()[1],
          t.strides()[2]};
}

/// The products of complex matrices, calculated in double precision.
void multiply_complex(const Tensor& in, const Tensor& mat2, Tensor& out) {
  const util::View a[] = {util::part_of(util::View(in), 0), util::part_of(util::View(in), 1)};
  const util::View b[] = {util::part_of(util::View(mat2), 0), util::part_of(util::View(mat2), 1)};
  const util::View c[] = {util::part_of(util::View(out), 0), util::part_of(util::View(out), 1)};
  util::Lines<1> lines(c[0]);
  lines.set(0, c[0]);
  do {
    const ptrdiff_t batch = static_cast<ptrdiff_t>(lines.index(0));
    const ptrdiff_t row =
        batch * a[0].stride[0] + static_cast<ptrdiff_t>(lines.index(1)) * a[0].stride[1];
    for (size_t n = 0; n < lines.length(); ++n) {
      const ptrdiff_t at = static_cast<ptrdiff_t>(n);
      const ptrdiff_t column = batch * b[0].stride[0] + at * b[0].stride[2];
      double real = 0;
      double imaginary = 0;
      for (ptrdiff_t k = 0; k < in.size(2); ++k) {
        const ptrdiff_t i = row + k * a[0].stride[2];
        const ptrdiff_t j = column + k * b[0].stride[1];
        const double x[] = {util::get_element<double>(a[0], i), util::get_element<double>(a[1], i)};
        const double y[] = {util::get_element<double>(b[0], j), util::get_element<double>(b[1], j)};
        real += x[0] * y[0] - x[1] * y[1];
        imaginary += x[0] * y[1] + x[1] * y[0];
      }
      const ptrdiff_t to = lines.offset(0) + at * lines.step(0);
      util::put_element(c[0], to, real);
      util::put_element(c[1], to, imaginary);
    }
  } while (lines.next());
}

/// One complex dtype, or one that `require_products` takes.
bool check_dtypes(KernelRuntimeContext& ctx, const Tensor& in, const Tensor& mat2,
                  const Tensor& out) {
  return util::is_complex(in.scalar_type())
             ? util::require_same_dtype(ctx, in, mat2) && util::require_same_dtype(ctx, in, out)
             : util::require_products(ctx, in, mat2, out);
}

}  // namespace

Tensor& bmm_out(KernelRuntimeContext& ctx, const Tensor& in, const Tensor& mat2, Tensor& out) {
  util::Shape shape;
  if (!check_dtypes(ctx, in, mat2, out) ||
      !util::require(ctx,
                     in.dim() == 3 && mat2.dim() == 3 && in.size(0) == mat2.size(0) &&
                         in.size(2) == mat2.size(1),
                     "bmm needs a [b, m, k] and a [b, k, n] tensor")) {
    return out;
  }
  shape.push(in.size(0));
  shape.push(in.size(1));
  shape.push(mat2.size(2));
  if (!util::resize(ctx, shape, out) || out.numel() == 0) {
    return out;
  }
  if (util::is_complex(in.scalar_type())) {
    multiply_complex(in, mat2, out);
    return out;
  }
  for (ptrdiff_t b = 0; b < in.size(0); ++b) {
    const util::Matrix target = at(out, b);
    util::GemmOut gemm_out = {const_cast<void*>(target.data), target.dtype, target.row_stride,
                              target.column_stride};
    util::gemm_strided(util::arithmetic_compute(out.scalar_type()), static_cast<size_t>(in.size(1)),
                       static_cast<size_t>(mat2.size(2)), static_cast<size_t>(in.size(2)),
                       at(in, b), at(mat2, b), gemm_out);
  }
  return out;
}

}  // namespace torch::executor::native
