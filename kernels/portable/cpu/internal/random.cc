#include <atomic>
#include <cmath>

#include <executorch/kernels/portable/cpu/internal/random.h>
#include <executorch/runtime/platform/platform.h>

namespace torch::executor::native::util {
namespace {

/// Tells generators apart that are made within one tick.
std::atomic<uint32_t> made{0};

}  // namespace

Random::Random() : state_(static_cast<uint64_t>(et_pal_current_ticks())) {
  state_ += uint64_t{made.fetch_add(1, std::memory_order_relaxed)} << 32;
  state_ = bits();
}

double Random::normal() {
  // Box and Muller; the first number must not be 0.
  const double radius = std::sqrt(-2.0 * std::log(1.0 - uniform()));
  return radius * std::cos(6.283185307179586 * uniform());
}

}  // namespace torch::executor::native::util
