#include <cstdint>

#include <cpuid.h>

#include <executorch/kernels/optimized/cpu/x86_features.h>
#include <executorch/runtime/platform/max_cpu_isa.h>

namespace torch::executor::native::optimized {
namespace {

struct Registers {
  unsigned a = 0;
  unsigned b = 0;
  unsigned c = 0;
  unsigned d = 0;
};

Registers cpuid(unsigned leaf) {
  Registers r;
  __get_cpuid_count(leaf, 0, &r.a, &r.b, &r.c, &r.d);
  return r;
}

/// The register states that the operating system saves.
uint32_t saved_states() {
  uint32_t low;
  uint32_t high;
  __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return low;
}

constexpr bool bit(unsigned value, unsigned at) { return (value >> at & 1u) != 0; }

}  // namespace

X86Features x86_features() {
  using executorch::runtime::CpuIsa;
  constexpr uint32_t kVectors = 0x06;      // XMM and YMM
  constexpr uint32_t kWideVectors = 0xe6;  // and ZMM with masks
  X86Features features;
  const Registers basic = cpuid(1);
  const bool fma = bit(basic.c, 12);
  const bool saves = bit(basic.c, 27);
  if (!saves) {
    return features;
  }
  const uint32_t states = saved_states();
  const Registers extended = cpuid(7);
  features.avx2 = fma && bit(extended.b, 5) && (states & kVectors) == kVectors;
  features.avx512 = features.avx2 && bit(extended.b, 16) && bit(extended.b, 17) &&
                    bit(extended.b, 30) && bit(extended.b, 31) &&
                    (states & kWideVectors) == kWideVectors;
  const CpuIsa newest = executorch::runtime::max_cpu_isa();
  features.avx2 = features.avx2 && newest >= CpuIsa::Avx2;
  features.avx512 = features.avx512 && newest >= CpuIsa::Avx512;
  return features;
}

}  // namespace torch::executor::native::optimized
