#include <algorithm>
#include <tuple>

#include <executorch/kernels/portable/cpu/internal/complex.h>
#include <executorch/kernels/portable/cpu/internal/linear_algebra/eigenvalues.h>

namespace torch::executor::native {
namespace {

/// The real parts of a complex tensor, or its imaginary ones.
util::View part(const Tensor& t, int64_t which) {
  const util::View parts = util::as_parts(t);
  return parts.select(parts.rank - 1, static_cast<size_t>(which));
}

/// Requires square matrices of real or complex numbers, and complex outputs of their precision.
bool require_types(KernelRuntimeContext& ctx, const Tensor& in, const Tensor& values,
                   const Tensor& vectors) {
  const ScalarType dtype = in.scalar_type();
  const ScalarType parts = util::is_complex(dtype) ? util::real_part(dtype) : dtype;
  return util::require(ctx, parts == ScalarType::Float || parts == ScalarType::Double,
                       "the matrices must be Float, Double or complex numbers of these") &&
         util::require_same_dtype(ctx, values, vectors) &&
         util::require(ctx, util::real_part(values.scalar_type()) == parts,
                       "the outputs must be complex, with parts of the input's dtype") &&
         util::require(ctx, in.dim() >= 2, "needs matrices") &&
         util::require(ctx, static_cast<size_t>(in.dim()) < util::kMaxRank,
                       "the rank is at its limit") &&
         util::require(ctx, in.size(in.dim() - 1) == in.size(in.dim() - 2),
                       "the matrices must be square");
}

}  // namespace

std::tuple<Tensor&, Tensor&> linalg_eig_out(KernelRuntimeContext& ctx, const Tensor& in,
                                            Tensor& values, Tensor& vectors) {
  const std::tuple<Tensor&, Tensor&> result(values, vectors);
  if (!require_types(ctx, in, values, vectors) ||
      !util::resize_batch(ctx, in, {in.size(in.dim() - 1)}, values) ||
      !util::resize_like(ctx, in, vectors)) {
    return result;
  }
  const bool real = !util::is_complex(in.scalar_type());
  const util::Matrices from(real ? util::View(in) : part(in, 0));
  const size_t n = from.rows();
  double* memory =
      util::dense_memory(ctx, from, 4 * util::area(n, n) + 2 * n + util::eigen_work(n));
  if (memory == nullptr) {
    return result;
  }
  const util::ComplexMatrix a(memory, n, n);
  const util::ComplexMatrix found(memory + 2 * n * n, n, n);
  const util::ComplexMatrix diagonal(memory + 4 * n * n, n, 1);
  double* work = memory + 4 * n * n + 2 * n;
  const auto columns = [&](int64_t which) {
    const util::View line = part(values, which);
    return util::Matrices(line.unsqueeze(line.rank));
  };
  for (size_t index = 0; index < from.count(); ++index) {
    from.read(index, a.real);
    if (real) {
      std::fill(a.imaginary.data, a.imaginary.data + n * n, 0.0);
    } else {
      util::Matrices(part(in, 1)).read(index, a.imaginary);
    }
    if (!util::require(
            ctx, util::eigen_general(a, found, real, work),
            "a matrix has elements that are infinite or no numbers, or no end was found")) {
      return result;
    }
    for (size_t i = 0; i < n; ++i) {
      diagonal.real.at(i, 0) = a.real.at(i, i);
      diagonal.imaginary.at(i, 0) = a.imaginary.at(i, i);
    }
    columns(0).write(index, diagonal.real);
    columns(1).write(index, diagonal.imaginary);
    util::Matrices(part(vectors, 0)).write(index, found.real);
    util::Matrices(part(vectors, 1)).write(index, found.imaginary);
  }
  return result;
}

}  // namespace torch::executor::native
