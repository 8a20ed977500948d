#pragma once

namespace executorch {
namespace runtime {
namespace testing {

/// Registers a few kernels for programs in tests, once:
///
/// | operator | what it does |
/// | --- | --- |
/// | `test::add.out(Tensor a, Tensor b, Tensor(a!) out)` | elementwise float sum of tensors of the
/// same shape | | `test::neg.out(Tensor a, Tensor(a!) out)` | elementwise float negation | |
/// `test::neg_(Tensor(a!) self)`, `test::add_(Tensor(a!) self, Tensor other)` | in place | |
/// `test::concat.out(Tensor[] tensors, Tensor(a!) out)` | float tensors of rank 1, one after the
/// other | | `test::full.out(int[] size, Scalar value, Tensor(a!) out)` | a float tensor of that
/// shape | | `test::size.int(Tensor a, int dim)` -> int | a raw kernel that writes its result slot
/// | | `test::view.out(Tensor a, Tensor out)` | a raw kernel that makes `out` use the memory of `a`
/// | | `test::scratch.out(Tensor a, int nbytes, Tensor(a!) out)` | copies through temp memory of
/// `nbytes` | | `test::fail.out(Tensor a, Tensor(a!) out)` | fails with `Error::NotSupported` |
void register_test_kernels();

}  // namespace testing
}  // namespace runtime
}  // namespace executorch
