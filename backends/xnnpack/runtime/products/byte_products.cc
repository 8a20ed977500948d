#include <executorch/backends/xnnpack/runtime/products/byte_products.h>
#include <executorch/backends/xnnpack/runtime/products/byte_products_x86.h>

#if defined(__x86_64__)
#include <cpuinfo.h>
#endif

namespace executorch {
namespace backends {
namespace xnnpack {

void use_byte_functions() {
#if defined(__x86_64__)
  const xnn_block_layout layout = xnn_get_byte_layout();
  if (layout.kr != 1 || layout.sr != 1) {
    return;
  }
  if (layout.nr == kBytePanel) {
    // XNNPACK has such panels where the processor has AVX-512.
    if (xnn_may_use_amx() && cpuinfo_has_x86_amx_bf16()) {
      xnn_set_byte_functions(multiply_byte_row_avx512, multiply_byte_rows_amx, kMostByteRowsAmx);
    } else if (cpuinfo_has_x86_avx512vnni()) {
      xnn_set_byte_functions(multiply_byte_row_avx512, multiply_byte_rows_avx512vnni,
                             kMostByteRowsVnni);
    } else {
      xnn_set_byte_functions(multiply_byte_row_avx512, nullptr, 0);
    }
  } else if (layout.nr == kBytePanelAvx2 && cpuinfo_has_x86_avx2() && cpuinfo_has_x86_fma3()) {
    xnn_set_byte_functions(multiply_byte_row_avx2, nullptr, 0);
  }
#endif
}

}  // namespace xnnpack
}  // namespace backends
}  // namespace executorch
