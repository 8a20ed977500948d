#include <executorch/kernels/prim_ops/et_copy_index.h>
#include <executorch/kernels/prim_ops/et_view.h>
#include <executorch/kernels/prim_ops/scalar_ops.h>
#include <executorch/runtime/kernel/operator_registry.h>
#include <executorch/runtime/platform/assert.h>

namespace torch::executor::function {
namespace {

using executorch::runtime::Error;
using executorch::runtime::Kernel;
using executorch::runtime::WrittenArguments;

constexpr Kernel kPrimOps[] = {
    Kernel("aten::sym_size.int", sym_size),
    Kernel("aten::_local_scalar_dense", local_scalar_dense),
    Kernel("aten::sym_numel", sym_numel),
    Kernel("executorch_prim::add.Scalar", add),
    Kernel("executorch_prim::sub.Scalar", sub),
    Kernel("executorch_prim::mul.Scalar", mul),
    Kernel("executorch_prim::floordiv.Scalar", floordiv),
    Kernel("executorch_prim::truediv.Scalar", truediv),
    Kernel("executorch_prim::mod.Scalar", mod),
    Kernel("executorch_prim::sym_max.Scalar", sym_max),
    Kernel("executorch_prim::sym_min.Scalar", sym_min),
    Kernel("executorch_prim::eq.Scalar", eq),
    Kernel("executorch_prim::gt.Scalar", gt),
    Kernel("executorch_prim::lt.Scalar", lt),
    Kernel("executorch_prim::ge.Scalar", ge),
    Kernel("executorch_prim::le.Scalar", le),
    Kernel("executorch_prim::neg.Scalar", neg),
    Kernel("executorch_prim::ceil.Scalar", ceil),
    Kernel("executorch_prim::round.Scalar", round),
    Kernel("executorch_prim::trunc.Scalar", trunc),
    Kernel("executorch_prim::sym_float.Scalar", sym_float),
    Kernel("executorch_prim::sym_int.Scalar", sym_int),
    Kernel("executorch_prim::sym_not.Scalar", sym_not),
    Kernel("executorch_prim::sym_ite.Scalar", sym_ite),
    // The names that older programs have.
    Kernel("executorch_prim::floordiv.int", floordiv),
    Kernel("executorch_prim::mod.int", mod),
    Kernel("executorch_prim::et_copy_index.tensor", et_copy_index,
           // It asks before it writes, and works on rows that lie in the target.
           WrittenArguments::none()),
    Kernel("executorch_prim::et_view.default", et_view, WrittenArguments::none()),
};

Error register_all() {
  const Error error = executorch::runtime::register_kernels(
      {kPrimOps, kPrimOps + sizeof(kPrimOps) / sizeof(kPrimOps[0])});
  ET_CHECK_MSG(error == Error::Ok, "the prim ops could not be registered");
  return error;
}

[[maybe_unused]] const Error kRegistered = register_all();

}  // namespace
}  // namespace torch::executor::function

// A name by which a linker finds this file in an archive that is not linked whole.
extern "C" {
extern const char executorch_prim_ops_registered;
const char executorch_prim_ops_registered = 1;
}
