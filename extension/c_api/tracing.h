#pragma once

#include <memory>

#include <executorch/extension/c_api/executorch_c.h>
#include <executorch/runtime/core/event_tracer.h>

namespace executorch {
namespace extension {
namespace c_api {

// For a library on top of this one, in C++, that writes down what modules do.

using EventTracerMaker = std::unique_ptr<runtime::EventTracer> (*)();

/// Every module that is loaded from now on gets a tracer of its own; null, as at first, for none.
/// To be called before modules are loaded.
void set_event_tracer_maker(EventTracerMaker maker);

/// The module's, as long as it lives; null if it was loaded without one.
runtime::EventTracer* event_tracer(executorch_module* module);

}  // namespace c_api
}  // namespace extension
}  // namespace executorch
