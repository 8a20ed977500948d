#include <cstring>

#include <executorch/backends/cadence/kernels/common.h>

// Transfers between memories. A processor without DMA copies; what was loaded has arrived then, so
// that a wait for it is a copy too. Task and channel are the DMA's.
namespace impl::generic::native {

namespace {

Tensor& copy(KernelRuntimeContext& ctx, const Tensor& src, Tensor& out) {
  if (require_plain(ctx, src, src.scalar_type()) && require_plain(ctx, out, src.scalar_type()) &&
      resize_like(ctx, src, out) && out.nbytes() > 0) {
    // The plan of memory may have put both in one place.
    std::memmove(out.mutable_data_ptr(), src.const_data_ptr(), out.nbytes());
  }
  return out;
}

}  // namespace

Tensor& idma_copy_out(KernelRuntimeContext& ctx, const Tensor& src, int64_t task_num,
                      int64_t channel, Tensor& out) {
  (void)task_num;
  (void)channel;
  return copy(ctx, src, out);
}

Tensor& idma_load_out(KernelRuntimeContext& ctx, const Tensor& src, int64_t task_num,
                      int64_t channel, Tensor& out) {
  (void)task_num;
  (void)channel;
  return copy(ctx, src, out);
}

Tensor& idma_store_out(KernelRuntimeContext& ctx, const Tensor& src, int64_t task_num,
                       int64_t channel, Tensor& out) {
  (void)task_num;
  (void)channel;
  return copy(ctx, src, out);
}

Tensor& idma_wait_out(KernelRuntimeContext& ctx, const Tensor& src, int64_t task_num, Tensor& out) {
  (void)task_num;
  return copy(ctx, src, out);
}

}  // namespace impl::generic::native
