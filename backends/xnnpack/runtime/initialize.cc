#include <initializer_list>

#if defined(__x86_64__)
#include <cpuinfo.h>
#endif

#include <executorch/backends/xnnpack/runtime/initialize.h>
#include <executorch/backends/xnnpack/runtime/products/block_products.h>
#include <executorch/backends/xnnpack/runtime/products/byte_products.h>
#include <executorch/runtime/platform/max_cpu_isa.h>

namespace executorch {
namespace backends {
namespace xnnpack {
namespace {

#if defined(__x86_64__)

/// XNNPACK chooses microkernels by what cpuinfo has found, so what it must not use is taken away.
void hide_newer_than(runtime::CpuIsa newest) {
  using runtime::CpuIsa;
  cpuinfo_x86_isa& isa = cpuinfo_isa;
  const auto from = [newest](CpuIsa first, std::initializer_list<bool*> features) {
    for (bool* feature : features) {
      *feature = *feature && newest >= first;
    }
  };
  from(CpuIsa::Sse41, {&isa.sse3, &isa.ssse3, &isa.sse4_1, &isa.sse4_2});
  from(CpuIsa::Avx, {&isa.avx, &isa.f16c});
  from(CpuIsa::Avx2, {&isa.fma3, &isa.avx2});
  from(CpuIsa::AvxVnni, {&isa.avxvnni, &isa.avx_vnni_int8});
  from(CpuIsa::Avx512, {&isa.avx512f, &isa.avx512cd, &isa.avx512bw, &isa.avx512dq, &isa.avx512vl});
  from(CpuIsa::Avx512Vnni, {&isa.avx512vnni});
  from(CpuIsa::Avx512Gfni, {&isa.avx512vbmi, &isa.gfni});
  from(CpuIsa::Amx, {&isa.avx512bf16, &isa.amx_tile, &isa.amx_int8, &isa.amx_bf16, &isa.amx_fp16});
  from(CpuIsa::Any, {&isa.avx10_1, &isa.avx10_2});
  if (newest > CpuIsa::AvxVnni && newest < CpuIsa::Amx) {
    isa.avxvnni = false;
    isa.avx_vnni_int8 = false;
  }
  // XNNPACK's products of halves for AVX512-FP16 store the upper half of 64 outputs one element
  // behind the lower one, and they sum up in halves. Those for AVX2, which come next, are right and
  // sum up in floats.
  isa.avx512fp16 = false;
}

bool choose_instructions() {
  if (cpuinfo_initialize()) {
    hide_newer_than(runtime::max_cpu_isa());
  }
  return true;
}

#else

bool choose_instructions() { return true; }

#endif

}  // namespace

xnn_status initialize() {
  [[maybe_unused]] static const bool chosen = choose_instructions();
  static const xnn_status status = [] {
    const xnn_status initialized = xnn_initialize(/*allocator=*/nullptr);
    if (initialized == xnn_status_success) {
      use_block_functions();
      use_byte_functions();
    }
    return initialized;
  }();
  return status;
}

}  // namespace xnnpack
}  // namespace backends
}  // namespace executorch
