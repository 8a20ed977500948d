/// Records an event of its own as a profiler's dump.

#include <cstdio>
#include <cstdlib>

#include <executorch/devtools/etdump/etdump_flatcc.h>
#include <executorch/runtime/platform/runtime.h>

using executorch::etdump::ETDumpGen;

int main() {
  executorch::runtime::runtime_init();
  ETDumpGen generator;
  generator.create_event_block("mine");
  const auto event = generator.start_profiling("work");
  generator.end_profiling(event);
  const auto dump = generator.get_etdump_data();
  // Its size, the offset of the root, then the identifier.
  const char* bytes = static_cast<const char*>(dump.buf);
  const bool whole = bytes != nullptr && dump.size > 12;
  std::printf("devtools: %zu bytes, %.4s\n", dump.size, whole ? bytes + 8 : "none");
  std::free(dump.buf);
  return whole ? 0 : 1;
}
