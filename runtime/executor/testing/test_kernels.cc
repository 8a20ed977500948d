#include <cstdint>
#include <cstring>

#include <executorch/runtime/executor/testing/test_kernels.h>
#include <executorch/runtime/kernel/boxing.h>
#include <executorch/runtime/kernel/kernel_includes.h>
#include <executorch/runtime/kernel/operator_registry.h>

namespace executorch {
namespace runtime {
namespace testing {

namespace {

using executorch::aten::ArrayRef;
using executorch::aten::Scalar;
using executorch::aten::ScalarType;
using executorch::aten::SizesType;
using executorch::aten::Tensor;

bool is_float(const Tensor& tensor) { return tensor.scalar_type() == ScalarType::Float; }

Tensor& add_out(KernelRuntimeContext& ctx, const Tensor& a, const Tensor& b, Tensor& out) {
  ET_KERNEL_CHECK(ctx, is_float(a) && is_float(b) && is_float(out), InvalidArgument, out);
  ET_KERNEL_CHECK(ctx, tensors_have_same_shape(a, b), InvalidArgument, out);
  ET_KERNEL_CHECK(ctx, resize_tensor(out, a.sizes()) == Error::Ok, InvalidArgument, out);
  for (ssize_t i = 0; i < out.numel(); ++i) {
    out.mutable_data_ptr<float>()[i] = a.const_data_ptr<float>()[i] + b.const_data_ptr<float>()[i];
  }
  return out;
}

Tensor& neg_out(KernelRuntimeContext& ctx, const Tensor& a, Tensor& out) {
  ET_KERNEL_CHECK(ctx, is_float(a) && is_float(out), InvalidArgument, out);
  ET_KERNEL_CHECK(ctx, resize_tensor(out, a.sizes()) == Error::Ok, InvalidArgument, out);
  for (ssize_t i = 0; i < out.numel(); ++i) {
    out.mutable_data_ptr<float>()[i] = -a.const_data_ptr<float>()[i];
  }
  return out;
}

Tensor& neg_(KernelRuntimeContext& ctx, Tensor& self) {
  ET_KERNEL_CHECK(ctx, is_float(self), InvalidArgument, self);
  for (ssize_t i = 0; i < self.numel(); ++i) {
    self.mutable_data_ptr<float>()[i] = -self.const_data_ptr<float>()[i];
  }
  return self;
}

Tensor& add_(KernelRuntimeContext& ctx, Tensor& self, const Tensor& other) {
  ET_KERNEL_CHECK(ctx, is_float(self) && is_float(other), InvalidArgument, self);
  ET_KERNEL_CHECK(ctx, tensors_have_same_shape(self, other), InvalidArgument, self);
  for (ssize_t i = 0; i < self.numel(); ++i) {
    self.mutable_data_ptr<float>()[i] += other.const_data_ptr<float>()[i];
  }
  return self;
}

Tensor& concat_out(KernelRuntimeContext& ctx, ArrayRef<Tensor> tensors, Tensor& out) {
  int64_t total = 0;
  for (const Tensor& tensor : tensors) {
    ET_KERNEL_CHECK(ctx, is_float(tensor) && tensor.dim() == 1, InvalidArgument, out);
    total += tensor.numel();
  }
  ET_KERNEL_CHECK(ctx, is_float(out) && total <= INT32_MAX, InvalidArgument, out);
  const SizesType size = static_cast<SizesType>(total);
  ET_KERNEL_CHECK(ctx, resize_tensor(out, ArrayRef<SizesType>(&size, 1)) == Error::Ok,
                  InvalidArgument, out);
  auto* next = out.mutable_data_ptr<uint8_t>();
  for (const Tensor& tensor : tensors) {
    if (tensor.nbytes() > 0) {
      std::memmove(next, tensor.const_data_ptr(), tensor.nbytes());
      next += tensor.nbytes();
    }
  }
  return out;
}

Tensor& full_out(KernelRuntimeContext& ctx, ArrayRef<int64_t> size, const Scalar& value,
                 Tensor& out) {
  ET_KERNEL_CHECK(ctx, is_float(out), InvalidArgument, out);
  ET_KERNEL_CHECK(ctx, resize_tensor(out, size) == Error::Ok, InvalidArgument, out);
  for (ssize_t i = 0; i < out.numel(); ++i) {
    out.mutable_data_ptr<float>()[i] = value.to<float>();
  }
  return out;
}

void size_int(KernelRuntimeContext& ctx, Span<EValue*> stack) {
  ET_KERNEL_CHECK(ctx, stack.size() == 3, InvalidProgram, );
  ET_KERNEL_CHECK(ctx, stack[0]->isTensor() && stack[1]->isInt(), InvalidType, );
  const Tensor tensor = stack[0]->toTensor();
  const int64_t dim = stack[1]->toInt();
  ET_KERNEL_CHECK(ctx, dim >= 0 && dim < tensor.dim(), InvalidArgument, );
  *stack[2] = EValue(static_cast<int64_t>(tensor.size(static_cast<ssize_t>(dim))));
}

void view_out(KernelRuntimeContext& ctx, Span<EValue*> stack) {
  ET_KERNEL_CHECK(ctx, stack.size() == 3, InvalidProgram, );
  ET_KERNEL_CHECK(ctx, stack[0]->isTensor() && stack[1]->isTensor(), InvalidType, );
  const Tensor source = stack[0]->toTensor();
  const Tensor out = stack[1]->toTensor();
  ET_KERNEL_CHECK(ctx, resize_tensor(out, source.sizes()) == Error::Ok, InvalidArgument, );
  ET_KERNEL_CHECK(ctx, source.nbytes() == out.nbytes() && source.const_data_ptr() != nullptr,
                  InvalidArgument, );
  if (!ctx.may_write(out)) {
    out.unsafeGetTensorImpl()->set_data(source.mutable_data_ptr());
  } else if (out.const_data_ptr() != nullptr) {
    std::memmove(out.mutable_data_ptr(), source.const_data_ptr(), source.nbytes());
  }
}

Tensor& scratch_out(KernelRuntimeContext& ctx, const Tensor& a, int64_t nbytes, Tensor& out) {
  ET_KERNEL_CHECK(ctx, nbytes >= 0 && nbytes <= 4096, InvalidArgument, out);
  ET_KERNEL_CHECK(ctx, a.nbytes() <= static_cast<size_t>(nbytes), InvalidArgument, out);
  ET_KERNEL_CHECK(ctx, a.nbytes() == out.nbytes(), InvalidArgument, out);
  Result<void*> scratch = ctx.allocate_temp(static_cast<size_t>(nbytes));
  ET_KERNEL_CHECK(ctx, scratch.ok(), MemoryAllocationFailed, out);
  std::memcpy(*scratch, a.const_data_ptr(), a.nbytes());
  std::memcpy(out.mutable_data_ptr(), *scratch, a.nbytes());
  return out;
}

Tensor& fail_out(KernelRuntimeContext& ctx, const Tensor&, Tensor& out) {
  ctx.fail(Error::NotSupported);
  return out;
}

constexpr Kernel kKernels[] = {
    make_boxed_kernel<add_out>("test::add.out"),
    make_boxed_kernel<neg_out>("test::neg.out"),
    make_boxed_kernel<neg_>("test::neg_"),
    make_boxed_kernel<add_>("test::add_"),
    make_boxed_kernel<concat_out>("test::concat.out"),
    make_boxed_kernel<full_out>("test::full.out"),
    Kernel("test::size.int", size_int),
    Kernel("test::view.out", view_out, WrittenArguments::none()),
    make_boxed_kernel<scratch_out>("test::scratch.out"),
    make_boxed_kernel<fail_out>("test::fail.out"),
};

}  // namespace

void register_test_kernels() {
  static const Error registered = register_kernels(Span<const Kernel>(kKernels));
  ET_CHECK(registered == Error::Ok);
}

}  // namespace testing
}  // namespace runtime
}  // namespace executorch
