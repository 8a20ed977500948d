#include <executorch/backends/arm/runtime/ethosu_driver.h>
#include <executorch/backends/arm/runtime/testing/test_driver.h>
#include <executorch/backends/arm/runtime/testing/tosa_graph.h>
#include <executorch/runtime/platform/log.h>

struct ethosu_driver {
  executorch::runtime::Span<const executorch::backends::arm::TestProgram> programs;
  executorch::runtime::Span<uint8_t> memory;
  uint32_t runs;
  uint32_t ticks;
  bool is_reserved;
};

namespace executorch {
namespace backends {
namespace arm {

using runtime::Error;
using runtime::MemoryAllocator;
using runtime::Span;

namespace {

constexpr size_t kMostIos = 8;
constexpr size_t kAlignment = 16;

struct ethosu_driver driver = {};
TestClock npu_clock = {};

struct Regions {
  const uint64_t* bases;
  const size_t* sizes;
  size_t count;
};

// The memory of inputs or outputs, as the regions were given.
Error place(const VelaIos& ios, const Regions& regions, TosaBuffer (&buffers)[kMostIos]) {
  ET_CHECK_OR_RETURN_ERROR(ios.size <= kMostIos, NotSupported,
                           "Ethos-U test driver: %zu inputs or outputs", ios.size);
  for (size_t i = 0; i < ios.size; ++i) {
    const VelaIo io = ios[i];
    ET_CHECK_OR_RETURN_ERROR(io.region < regions.count && io.offset <= regions.sizes[io.region] &&
                                 io.bytes() <= regions.sizes[io.region] - io.offset,
                             InvalidArgument,
                             "Ethos-U test driver: region %u is missing or too small",
                             static_cast<unsigned>(io.region));
    buffers[i] = {
        reinterpret_cast<uint8_t*>(static_cast<uintptr_t>(regions.bases[io.region])) + io.offset,
        io.bytes()};
  }
  return Error::Ok;
}

Error invoke(struct ethosu_driver& drv, const void* commands, size_t size, const Regions& regions) {
  for (size_t i = 0; i < regions.count; ++i) {
    ET_CHECK_OR_RETURN_ERROR(regions.bases[i] % kAlignment == 0, InvalidArgument,
                             "Ethos-U test driver: region %zu is not aligned", i);
  }
  const uint64_t hash = hash_of(commands, size);
  for (const TestProgram& program : drv.programs) {
    if (program.commands_hash != hash) {
      continue;
    }
    TosaBuffer inputs[kMostIos];
    TosaBuffer outputs[kMostIos];
    ET_CHECK_OK_OR_RETURN_ERROR(place(program.inputs, regions, inputs));
    ET_CHECK_OK_OR_RETURN_ERROR(place(program.outputs, regions, outputs));
    MemoryAllocator memory(drv.memory.size(), drv.memory.data());
    return run_tosa(program.tosa, program.tosa_size, {inputs, program.inputs.size},
                    {outputs, program.outputs.size}, memory);
  }
  ET_LOG(Error, "Ethos-U test driver: it does not know these %zu bytes of commands", size);
  return Error::NotFound;
}

}  // namespace

uint64_t hash_of(const void* data, size_t size) {
  uint64_t hash = 0xcbf29ce484222325u;
  for (size_t i = 0; i < size; ++i) {
    hash = (hash ^ static_cast<const uint8_t*>(data)[i]) * 0x100000001b3u;
  }
  return hash;
}

void set_test_programs(Span<const TestProgram> programs, Span<uint8_t> memory) {
  driver = {programs, memory, 0, 0, false};
}

void set_test_clock(const TestClock& given) { npu_clock = given; }

uint32_t test_driver_ticks() { return driver.ticks; }

uint32_t test_driver_runs() { return driver.runs; }

bool test_driver_is_reserved() { return driver.is_reserved; }

}  // namespace arm
}  // namespace backends
}  // namespace executorch

using executorch::backends::arm::driver;
using executorch::backends::arm::npu_clock;

extern "C" {

struct ethosu_driver* ethosu_reserve_driver(void) {
  if (driver.is_reserved || driver.memory.empty()) {
    return nullptr;
  }
  driver.is_reserved = true;
  return &driver;
}

void ethosu_release_driver(struct ethosu_driver* drv) { drv->is_reserved = false; }

int ethosu_invoke_v3(struct ethosu_driver* drv, const void* custom_data_ptr,
                     const int custom_data_size, uint64_t* const base_addr,
                     const size_t* base_addr_size, const int num_base_addr, void*) {
  const executorch::backends::arm::Regions regions{base_addr, base_addr_size,
                                                   static_cast<size_t>(num_base_addr)};
  const bool is_timed = npu_clock.now != nullptr;
  const uint32_t start = is_timed ? npu_clock.now() : 0;
  const bool ran = executorch::backends::arm::invoke(*drv, custom_data_ptr,
                                                     static_cast<size_t>(custom_data_size),
                                                     regions) == executorch::runtime::Error::Ok;
  drv->ticks += is_timed ? npu_clock.between(start, npu_clock.now()) : 0;
  drv->runs += ran ? 1 : 0;
  return ran ? 0 : -1;
}
}
