#include <executorch/backends/xnnpack/runtime/products/block_packing.h>
#include <executorch/backends/xnnpack/runtime/products/block_products.h>
#include <executorch/backends/xnnpack/runtime/products/block_products_x86.h>

namespace executorch {
namespace backends {
namespace xnnpack {

void use_block_functions() {
  xnn_block_product_fn one = nullptr;
  xnn_block_product_fn many = nullptr;
  size_t mr = 0;
#if defined(__x86_64__)
  const xnn_block_layout layout = xnn_get_block_layout();
  if (layout.kr == 8 && layout.sr == 1 && layout.nr == kBlockPanel) {
    // XNNPACK has such panels where the processor has AVX512-VNNI.
    one = multiply_row_avx512vnni;
    many = xnn_may_use_amx() ? multiply_rows_amx : multiply_rows_avx512vnni;
    mr = xnn_may_use_amx() ? kMostRowsAmx : kMostRowsAvx512vnni;
  } else if (layout.kr == 8 && layout.sr == 1 && layout.nr == kBlockPanelAvx2) {
    one = many = multiply_rows_avx2;
    mr = kMostRowsAvx2;
  }
#endif
  xnn_set_block_functions(pack_blocks, one, many, mr);
}

}  // namespace xnnpack
}  // namespace backends
}  // namespace executorch
