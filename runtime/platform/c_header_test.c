/* The platform layer can be replaced from C; the header must compile as C99. */
#include <executorch/runtime/platform/platform.h>

et_tick_ratio_t et_pal_ticks_to_ns_multiplier(void) {
  et_tick_ratio_t ratio = {7, 5};
  return ratio;
}
