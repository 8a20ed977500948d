#include <executorch/kernels/prim_ops/et_view.h>
#include <executorch/kernels/prim_ops/stack.h>
#include <executorch/runtime/core/exec_aten/exec_aten.h>
#include <executorch/runtime/core/exec_aten/util/tensor_util.h>
#include <executorch/runtime/core/portable_type/dynamic_memory.h>

namespace torch::executor::function {
namespace {

using executorch::aten::ArrayRef;
using executorch::aten::SizesType;
using executorch::aten::Tensor;
using executorch::runtime::Error;
using executorch::runtime::EValue;

constexpr size_t kMaxRank = executorch::runtime::kTensorDimensionLimit;

/// Fills in the size that is -1. @returns false if the sizes do not give `count` elements.
bool resolve(ArrayRef<int64_t> sizes, int64_t count, SizesType* resolved) {
  int64_t known = 1;
  size_t inferred = sizes.size();
  for (size_t d = 0; d < sizes.size(); ++d) {
    if (sizes[d] == -1 && inferred == sizes.size()) {
      inferred = d;
      continue;
    }
    if (sizes[d] < 0 || sizes[d] > INT32_MAX || (sizes[d] != 0 && known > INT64_MAX / sizes[d])) {
      return false;
    }
    known *= sizes[d];
    resolved[d] = static_cast<SizesType>(sizes[d]);
  }
  if (inferred == sizes.size()) {
    return known == count;
  }
  if (known == 0 || count % known != 0 || count / known > INT32_MAX) {
    return false;
  }
  resolved[inferred] = static_cast<SizesType>(count / known);
  return true;
}

bool is_contiguous(const Tensor& t) {
  for (size_t d = 0; d < t.dim_order().size(); ++d) {
    if (t.dim_order()[d] != d) {
      return false;
    }
  }
  return true;
}

bool check_tensors(Context& context, const Tensor& self, const Tensor& out) {
  if (self.scalar_type() != out.scalar_type()) {
    return fail(context, Error::InvalidArgument, "et_view needs tensors of one dtype");
  }
  const bool same_order = self.sizes() == out.sizes() && self.dim_order() == out.dim_order();
  if (!same_order && (!is_contiguous(self) || !is_contiguous(out))) {
    return fail(context, Error::InvalidArgument, "et_view needs contiguous tensors");
  }
  if (self.const_data_ptr() == nullptr) {
    return fail(context, Error::InvalidState, "et_view needs a tensor with memory");
  }
  // A tensor with memory of its own may be resized up to its bound later, which self's may be too
  // small for; and calls that have a constant count on where it lies.
  const void* data = out.const_data_ptr();
  const bool is_own = context.may_write(out) || (context.is_fixed(out) && out.nbytes() != 0);
  if (data != nullptr && data != self.const_data_ptr() && is_own) {
    return fail(context, Error::InvalidArgument, "the output of et_view has memory of its own");
  }
  return true;
}

}  // namespace

void et_view(Context& context, Stack stack) {
  if (!check_stack(context, stack, 3)) {
    return;
  }
  if (!stack[0]->isTensor() || !stack[2]->isTensor()) {
    fail_type(context, "tensors", *stack[stack[0]->isTensor() ? 2 : 0]);
    return;
  }
  const auto sizes = stack[1]->try_to<ArrayRef<int64_t>>();
  if (!sizes.ok()) {
    fail_type(context, "a list of integers", *stack[1]);
    return;
  }
  const Tensor self = stack[0]->toTensor();
  Tensor out = stack[2]->toTensor();
  SizesType resolved[kMaxRank];
  if (sizes->size() > kMaxRank || !resolve(*sizes, self.numel(), resolved)) {
    fail(context, Error::InvalidArgument, "the sizes do not give the tensor's number of elements");
    return;
  }
  // A tensor of unbounded size shows what it is told to, instead of taking memory for its new
  // shape.
  auto* const memory = executorch::runtime::internal::DynamicMemory::of(*out.unsafeGetTensorImpl());
  if (memory != nullptr) {
    if (context.may_write(out) && !context.may_write(self)) {
      fail(context, Error::InvalidArgument, "et_view would let kernels write to a constant");
      return;
    }
    memory->use(self.mutable_data_ptr(), self.nbytes());
  }
  const Error error = executorch::runtime::resize_tensor(out, {resolved, sizes->size()});
  if (error != Error::Ok) {
    context.fail(error);
    return;
  }
  if (check_tensors(context, self, out)) {
    out.unsafeGetTensorImpl()->set_data(self.mutable_data_ptr());
  }
}

}  // namespace torch::executor::function
