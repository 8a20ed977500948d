#pragma once

#include <cstdint>
#include <cstdlib>
#include <cstring>

namespace executorch {
namespace runtime {

/// Generations of x86-64 processors by what code chooses its loops by. Each has what those before
/// it have, but for AvxVnni, whose 256-bit products the AVX-512 ones before Amx lack.
enum class CpuIsa : uint8_t {
  Sse2,
  Sse41,
  Avx,         // with F16C
  Avx2,        // with FMA
  AvxVnni,     // Alder Lake; with AVX-VNNI-INT8 where present
  Avx512,      // F, CD, BW, DQ, VL: Skylake-X
  Avx512Vnni,  // Cascade Lake
  Avx512Gfni,  // with VBMI: Ice Lake, Zen 4
  Amx,         // with AVX512-FP16 and AVX-VNNI: Sapphire Rapids
  Any,
};

struct CpuIsaName {
  const char* name;
  CpuIsa isa;
};

/// What EXECUTORCH_MAX_CPU_ISA may name.
constexpr CpuIsaName kCpuIsaNames[] = {
    {"sse2", CpuIsa::Sse2},
    {"sse41", CpuIsa::Sse41},
    {"avx", CpuIsa::Avx},
    {"avx2", CpuIsa::Avx2},
    {"avx_vnni", CpuIsa::AvxVnni},
    {"avx512", CpuIsa::Avx512},
    {"avx512_vnni", CpuIsa::Avx512Vnni},
    {"avx512_gfni", CpuIsa::Avx512Gfni},
    {"amx", CpuIsa::Amx},
};

/// The newest generation whose instructions may be used, whatever the processor has more: what the
/// environment variable EXECUTORCH_MAX_CPU_ISA names when the program starts, to compute as another
/// processor does. Any where it is unset or names none of them.
inline CpuIsa max_cpu_isa() {
  const char* const wanted = std::getenv("EXECUTORCH_MAX_CPU_ISA");
  if (wanted != nullptr) {
    for (const CpuIsaName& known : kCpuIsaNames) {
      if (std::strcmp(wanted, known.name) == 0) {
        return known.isa;
      }
    }
  }
  return CpuIsa::Any;
}

}  // namespace runtime
}  // namespace executorch
