#pragma once

/// The older path of `parallel_for`. Whoever includes this one means to have threads: link
/// `extension/threadpool`.
#include <executorch/runtime/kernel/thread_parallel_interface.h>
