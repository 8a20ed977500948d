#include <executorch/kernels/portable/NativeFunctions.h>

namespace impl::generic::native {

using executorch::aten::Tensor;

std::tuple<Tensor&, Tensor&, Tensor&> linalg_svd_out(executorch::runtime::KernelRuntimeContext& ctx,
                                                     const Tensor& a, bool full_matrices,
                                                     bool compute_uv,
                                                     std::optional<std::string_view> driver,
                                                     Tensor& u, Tensor& s, Tensor& vh) {
  return torch::executor::native::_linalg_svd_U(ctx, a, full_matrices, compute_uv, driver, u, s,
                                                vh);
}

}  // namespace impl::generic::native
