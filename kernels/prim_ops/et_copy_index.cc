#include <cstring>

#include <executorch/kernels/prim_ops/et_copy_index.h>
#include <executorch/kernels/prim_ops/stack.h>
#include <executorch/runtime/core/exec_aten/exec_aten.h>
#include <executorch/runtime/core/exec_aten/util/tensor_util.h>

namespace torch::executor::function {
namespace {

using executorch::aten::SizesType;
using executorch::aten::Tensor;
using executorch::runtime::Error;

/// Elements lie in memory in the order of their indices.
bool is_contiguous(const Tensor& t) {
  for (size_t d = 0; d < t.dim_order().size(); ++d) {
    if (t.dim_order()[d] != d) {
      return false;
    }
  }
  return true;
}

bool check_tensors(Context& context, const Tensor& to, const Tensor& from, int64_t index) {
  if (to.scalar_type() != from.scalar_type()) {
    return fail(context, Error::InvalidArgument, "et_copy_index needs tensors of one dtype");
  }
  if (to.dim() != from.dim() + 1) {
    return fail(context, Error::InvalidArgument,
                "et_copy_index needs a target with one dimension more than the source");
  }
  // With the first row the target takes its sizes, what it had was another call's.
  for (ssize_t d = 0; d < from.dim() && index > 0; ++d) {
    if (to.size(d + 1) != from.size(d)) {
      return fail(context, Error::InvalidArgument, "et_copy_index needs matching sizes");
    }
  }
  if (!is_contiguous(to) || !is_contiguous(from)) {
    return fail(context, Error::InvalidArgument, "et_copy_index needs contiguous tensors");
  }
  if (!context.may_write(to)) {
    return fail(context, Error::InvalidProgram, "et_copy_index must not write its target");
  }
  return true;
}

}  // namespace

void et_copy_index(Context& context, Stack stack) {
  if (!check_stack(context, stack, 3)) {
    return;
  }
  for (size_t i = 0; i < 2; ++i) {
    if (!stack[i]->isTensor()) {
      fail_type(context, "a tensor", *stack[i]);
      return;
    }
  }
  if (!stack[2]->isInt()) {
    fail_type(context, "an integer", *stack[2]);
    return;
  }
  Tensor to = stack[0]->toTensor();
  const Tensor from = stack[1]->toTensor();
  const int64_t index = stack[2]->toInt();
  if (index < 0 || index >= INT32_MAX) {
    fail(context, Error::InvalidArgument, "the index is out of range");
    return;
  }
  if (!check_tensors(context, to, from, index)) {
    return;
  }
  SizesType sizes[executorch::runtime::kTensorDimensionLimit];
  sizes[0] = static_cast<SizesType>(index + 1);
  for (ssize_t d = 0; d < from.dim(); ++d) {
    sizes[d + 1] = static_cast<SizesType>(from.size(d));
  }
  const Error error =
      executorch::runtime::resize_tensor(to, {sizes, static_cast<size_t>(to.dim())});
  if (error != Error::Ok) {
    context.fail(error);
    return;
  }
  if (from.nbytes() == 0) {
    return;
  }
  if (to.const_data_ptr() == nullptr || from.const_data_ptr() == nullptr) {
    fail(context, Error::InvalidState, "et_copy_index needs tensors with memory");
    return;
  }
  char* target =
      static_cast<char*>(to.mutable_data_ptr()) + static_cast<size_t>(index) * from.nbytes();
  // The two may be planned into the same memory.
  std::memmove(target, from.const_data_ptr(), from.nbytes());
}

}  // namespace torch::executor::function
