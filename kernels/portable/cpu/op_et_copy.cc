#include <executorch/kernels/portable/cpu/internal/shape.h>
#include <executorch/runtime/core/device_allocator.h>

namespace torch::executor::native {
namespace {

using executorch::runtime::get_device_allocator;

/// Copies with the allocator of `device`, which is that of one of the two tensors.
template <typename CopyBytes>
Tensor& copy(KernelRuntimeContext& ctx, const Tensor& in, Tensor& out, Device device,
             CopyBytes copy_bytes) {
  // Bytes are copied as they lie, so that they must lie alike.
  if (!util::require_same_dtype(ctx, in, out) || !util::resize_like(ctx, in, out)) {
    return out;
  }
  ET_KERNEL_CHECK(ctx, tensors_have_same_dim_order(in, out), InvalidArgument, out);
  if (in.nbytes() == 0) {
    return out;
  }
  DeviceAllocator* const allocator = get_device_allocator(device.type());
  ET_KERNEL_CHECK_MSG(ctx, allocator != nullptr, NotFound, out,
                      "no allocator is registered for device type %d; link its backend",
                      static_cast<int>(device.type()));
  const Error error = copy_bytes(*allocator);
  if (error != Error::Ok) {
    ET_LOG(Error, "Copying %zu bytes between host and device type %d failed", in.nbytes(),
           static_cast<int>(device.type()));
    ctx.fail(error);
  }
  return out;
}

}  // namespace

Tensor& _h2d_copy_out(KernelRuntimeContext& ctx, const Tensor& in, Tensor& out) {
  const Device device = out.device();
  ET_KERNEL_CHECK_MSG(ctx, in.device().is_cpu() && !device.is_cpu(), InvalidArgument, out,
                      "copies from the CPU to a device, not from device type %d to %d",
                      static_cast<int>(in.device_type()), static_cast<int>(device.type()));
  return copy(ctx, in, out, device, [&](DeviceAllocator& allocator) {
    return allocator.copy_host_to_device(out.mutable_data_ptr(), in.const_data_ptr(), in.nbytes(),
                                         device.index());
  });
}

Tensor& _d2h_copy_out(KernelRuntimeContext& ctx, const Tensor& in, Tensor& out) {
  const Device device = in.device();
  ET_KERNEL_CHECK_MSG(ctx, !device.is_cpu() && out.device().is_cpu(), InvalidArgument, out,
                      "copies from a device to the CPU, not from device type %d to %d",
                      static_cast<int>(device.type()), static_cast<int>(out.device_type()));
  return copy(ctx, in, out, device, [&](DeviceAllocator& allocator) {
    return allocator.copy_device_to_host(out.mutable_data_ptr(), in.const_data_ptr(), in.nbytes(),
                                         device.index());
  });
}

}  // namespace torch::executor::native
