// A machine that runs out of what it has, and a device that is lost, while a VGF file is loaded and
// run: vgf_faults FILE. Prints which functions failed how often; ends with 1 where the delegate
// does not do what it should.

#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <executorch/backends/arm/vgf/runtime/data_graph.h>
#include <executorch/backends/arm/vgf/runtime/device.h>
#include <executorch/backends/arm/vgf/runtime/vgf_file.h>
#include <executorch/backends/arm/vgf/runtime/vk_arm.h>
#include <executorch/runtime/platform/runtime.h>

#define EXECUTORCH_FALLIBLE_MORE(X)                        \
  X(vkCreateTensorARM)                                     \
  X(vkCreateTensorViewARM)                                 \
  X(vkBindTensorMemoryARM)                                 \
  X(vkCreateDataGraphPipelinesARM)                         \
  X(vkCreateDataGraphPipelineSessionARM)                   \
  X(vkGetDataGraphPipelineSessionBindPointRequirementsARM) \
  X(vkBindDataGraphPipelineSessionMemoryARM)
#define EXECUTORCH_FREEING_MORE(X) \
  X(vkDestroyTensorARM)            \
  X(vkDestroyTensorViewARM)        \
  X(vkDestroyDataGraphPipelineSessionARM)

#include <executorch/backends/vk/testing/faulty_vulkan.h>

namespace executorch {
namespace backends {
namespace arm {
namespace {

using runtime::Error;
using runtime::Result;
using vk::Gpu;
using vk::testing::FaultyVulkan;

using Bytes = std::vector<char>;

int num_wrong = 0;

void expect(bool is_so, const char* what, const char* function) {
  if (!is_so) {
    ++num_wrong;
    std::fprintf(stderr, "WRONG %s: %s\n", function == nullptr ? "no failure" : function, what);
  }
}

Result<std::unique_ptr<DataGraph>> make(Gpu& gpu, const Bytes& bytes) {
  Result<VgfFile> file = read_vgf_file(bytes.data(), bytes.size());
  if (!file.ok()) {
    return file.error();
  }
  return DataGraph::make(gpu, std::move(*file));
}

/// One call of the delegate, with inputs of which each byte is another.
Error run(DataGraph& graph, Bytes& output) {
  for (const uint32_t input : graph.file().inputs) {
    Bytes data(graph.file().tensors[input].bytes);
    for (size_t i = 0; i < data.size(); ++i) {
      data[i] = static_cast<char>(i % 61);
    }
    ET_CHECK_OK_OR_RETURN_ERROR(graph.write(input, data.data()));
  }
  ET_CHECK_OK_OR_RETURN_ERROR(graph.run());
  const uint32_t first = graph.file().outputs[0];
  output.resize(graph.file().tensors[first].bytes);
  return graph.read(first, output.data());
}

bool run_all(PFN_vkGetInstanceProcAddr loader, const Bytes& bytes, Bytes& output) {
  Result<std::unique_ptr<Gpu>> gpu = open_data_graph_device(loader);
  if (!gpu.ok()) {
    return false;
  }
  Result<std::unique_ptr<DataGraph>> graph = make(**gpu, bytes);
  return graph.ok() && run(**graph, output) == Error::Ok;
}

/// Each call fails once; it is an error, and nothing is left behind.
void sweep(PFN_vkGetInstanceProcAddr loader, const Bytes& bytes, Bytes& wanted) {
  std::map<std::string, size_t> num_failed;
  for (size_t nth = 0; nth < 1000; ++nth) {
    FaultyVulkan::fail_call(nth, VK_ERROR_OUT_OF_DEVICE_MEMORY);
    const bool is_done = run_all(loader, bytes, wanted);
    const char* const failed = FaultyVulkan::failed();
    expect(FaultyVulkan::num_live() == 0, "something is left behind", failed);
    if (failed == nullptr) {
      expect(is_done, "does not run", nullptr);
      break;
    }
    // The allocator tries less, or other memory.
    const bool is_retried =
        std::strcmp(failed, "vkAllocateMemory") == 0 || std::strcmp(failed, "vkMapMemory") == 0;
    expect(!is_done || is_retried, "the failure is not told", failed);
    ++num_failed[failed];
  }
  for (const auto& [name, count] : num_failed) {
    std::printf("%s %zu\n", name.c_str(), count);
  }
}

void runs_again(PFN_vkGetInstanceProcAddr loader, const Bytes& bytes, const Bytes& wanted) {
  FaultyVulkan::fail_none();
  Result<std::unique_ptr<Gpu>> gpu = open_data_graph_device(loader);
  Result<std::unique_ptr<DataGraph>> graph = make(**gpu, bytes);
  for (size_t nth = 0; nth < 100; ++nth) {
    Bytes output;
    FaultyVulkan::fail_call(nth, VK_ERROR_OUT_OF_HOST_MEMORY);
    const Error error = run(**graph, output);
    const char* const failed = FaultyVulkan::failed();
    if (failed == nullptr) {
      expect(error == Error::Ok && nth > 2, "does not run again", nullptr);
      return;
    }
    expect(error == Error::MemoryAllocationFailed, "is not told as out of memory", failed);
    FaultyVulkan::fail_none();
    expect(run(**graph, output) == Error::Ok && output == wanted, "does not run again", failed);
  }
}

void stays_lost(PFN_vkGetInstanceProcAddr loader, const Bytes& bytes) {
  for (const char* const function : {"vkQueueSubmit", "vkWaitForFences"}) {
    FaultyVulkan::fail_none();
    Result<std::unique_ptr<Gpu>> gpu = open_data_graph_device(loader);
    Result<std::unique_ptr<DataGraph>> graph = make(**gpu, bytes);
    Bytes output;
    for (size_t nth = 0; !(*gpu)->is_lost() && nth < 100; ++nth) {
      FaultyVulkan::fail_call(nth, VK_ERROR_OUT_OF_HOST_MEMORY);
      (void)run(**graph, output);
      if (FaultyVulkan::failed() != nullptr && std::strcmp(FaultyVulkan::failed(), function) == 0) {
        FaultyVulkan::fail_call(nth, VK_ERROR_DEVICE_LOST);
        expect(run(**graph, output) == Error::Internal, "is no internal error", function);
      }
    }
    FaultyVulkan::fail_none();
    expect((*gpu)->is_lost(), "the device is not lost", function);
    expect(run(**graph, output) == Error::Internal, "a lost device runs again", function);
  }
}

}  // namespace
}  // namespace arm
}  // namespace backends
}  // namespace executorch

int main(int argc, char** argv) {
  using namespace executorch::backends::arm;
  executorch::runtime::runtime_init();
  const PFN_vkGetInstanceProcAddr loader = FaultyVulkan::loader();
  if (argc != 2 || loader == nullptr) {
    std::fprintf(stderr, "usage: vgf_faults FILE, where there is Vulkan\n");
    return 2;
  }
  std::ifstream file(argv[1], std::ios::binary);
  const Bytes bytes{std::istreambuf_iterator<char>(file), {}};
  Bytes wanted;
  sweep(loader, bytes, wanted);
  if (num_wrong == 0) {
    runs_again(loader, bytes, wanted);
    stays_lost(loader, bytes);
  }
  return num_wrong == 0 ? 0 : 1;
}
