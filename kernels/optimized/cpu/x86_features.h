#pragma once

namespace torch::executor::native::optimized {

/// What the processor has, the operating system saves and EXECUTORCH_MAX_CPU_ISA allows.
struct X86Features {
  bool avx2 = false;    // with FMA
  bool avx512 = false;  // F, DQ, BW and VL
};

/// Asks all three.
X86Features x86_features();

}  // namespace torch::executor::native::optimized
