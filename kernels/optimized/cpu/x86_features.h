#pragma once

namespace torch::executor::native::optimized {

/// What the processor has and the operating system saves.
struct X86Features {
  bool avx2 = false;    // with FMA
  bool avx512 = false;  // F, DQ, BW and VL
};

/// Asks the processor.
X86Features x86_features();

}  // namespace torch::executor::native::optimized
