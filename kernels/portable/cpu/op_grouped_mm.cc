#include <executorch/kernels/portable/cpu/internal/element.h>
#include <executorch/kernels/portable/cpu/internal/matmul.h>
#include <executorch/kernels/portable/cpu/internal/shape.h>

namespace torch::executor::native {
namespace {

/// Where group `index` ends, a row of the left matrix.
int64_t end_of(const Tensor& offs, ptrdiff_t index) {
  return offs.scalar_type() == ScalarType::Int ? offs.const_data_ptr<int32_t>()[index]
                                               : offs.const_data_ptr<int64_t>()[index];
}

/// Whether the groups follow each other within `rows` rows.
bool in_order(const Tensor& offs, int64_t rows) {
  int64_t start = 0;
  for (ptrdiff_t group = 0; group < offs.size(0); ++group) {
    const int64_t end = end_of(offs, group);
    if (end < start || end > rows) {
      return false;
    }
    start = end;
  }
  return true;
}

/// Rows [start, start + count) of a matrix.
const char* row(const Tensor& t, int64_t start) {
  return static_cast<const char*>(t.const_data_ptr()) +
         static_cast<ptrdiff_t>(start) * t.strides()[0] * static_cast<ptrdiff_t>(t.element_size());
}

void clear_rows(Tensor& out, int64_t start) {
  const util::View target(out);
  for (int64_t r = start; r < out.size(0); ++r) {
    for (int64_t c = 0; c < out.size(1); ++c) {
      util::put_element(target,
                        static_cast<ptrdiff_t>(r) * target.stride[0] +
                            static_cast<ptrdiff_t>(c) * target.stride[1],
                        0.0);
    }
  }
}

}  // namespace

Tensor& grouped_mm_out(KernelRuntimeContext& ctx, const Tensor& in, const Tensor& mat2,
                       const Tensor& offs, Tensor& out) {
  if (!util::require_products(ctx, in, mat2, out) ||
      !util::require(ctx,
                     in.dim() == 2 && mat2.dim() == 3 && offs.dim() == 1 &&
                         in.size(1) == mat2.size(1) && offs.size(0) == mat2.size(0),
                     "grouped_mm needs a [s, k], a [g, k, n] and a [g] tensor") ||
      !util::require(
          ctx, offs.scalar_type() == ScalarType::Int || offs.scalar_type() == ScalarType::Long,
          "ends of groups are int32 or int64") ||
      !util::require(ctx, in_order(offs, in.size(0)),
                     "groups must follow each other in the rows")) {
    return out;
  }
  util::Shape shape;
  shape.push(in.size(0));
  shape.push(mat2.size(2));
  if (!util::resize(ctx, shape, out) || out.numel() == 0) {
    return out;
  }
  int64_t start = 0;
  for (ptrdiff_t group = 0; group < offs.size(0); ++group) {
    const int64_t end = end_of(offs, group);
    if (end > start) {
      const char* matrix = static_cast<const char*>(mat2.const_data_ptr()) +
                           group * mat2.strides()[0] * static_cast<ptrdiff_t>(mat2.element_size());
      const util::GemmOut target = {const_cast<char*>(row(out, start)), out.scalar_type(),
                                    out.strides()[0], out.strides()[1]};
      util::gemm_strided(
          util::arithmetic_compute(out.scalar_type()), static_cast<size_t>(end - start),
          static_cast<size_t>(mat2.size(2)), static_cast<size_t>(in.size(1)),
          {row(in, start), in.scalar_type(), in.strides()[0], in.strides()[1]},
          {matrix, mat2.scalar_type(), mat2.strides()[1], mat2.strides()[2]}, target);
    }
    start = end;
  }
  clear_rows(out, start);
  return out;
}

}  // namespace torch::executor::native
