// The interface of event tracers, whose implementations read the clock of the platform.
#include <executorch/runtime/core/event_tracer.h>

uint64_t ticks_of_event_tracer();

uint64_t ticks_of_event_tracer() { return executorch::runtime::pal_current_ticks(); }
