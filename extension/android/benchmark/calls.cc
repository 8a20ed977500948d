// What a call of `forward` with two small tensors costs: with Module, and with the C interface.
// Prints one line a round: a name, nanoseconds, and those of them that this thread had a processor.

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <vector>

#include <executorch/extension/c_api/executorch_c.h>
#include <executorch/extension/module/module.h>
#include <executorch/extension/tensor/tensor.h>

namespace {

constexpr int kCalls = 200000;
constexpr int kRounds = 7;

void require(bool is_good, const char* what) {
  if (!is_good) {
    std::fprintf(stderr, "%s failed\n", what);
    std::exit(1);
  }
}

double on_processor() {
  timespec now;
  require(clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now) == 0, "clock_gettime");
  return static_cast<double>(now.tv_sec) * 1e9 + static_cast<double>(now.tv_nsec);
}

/// The first round warms up.
template <typename Call>
void measure(const char* name, Call&& call) {
  for (int round = 0; round <= kRounds; ++round) {
    const auto start = std::chrono::steady_clock::now();
    const double start_on_processor = on_processor();
    for (int i = 0; i < kCalls; ++i) {
      call();
    }
    const double used = on_processor() - start_on_processor;
    const std::chrono::duration<double, std::nano> took = std::chrono::steady_clock::now() - start;
    if (round > 0) {
      std::printf("%s %.1f %.1f\n", name, took.count() / kCalls, used / kCalls);
    }
  }
}

void with_module(const char* path) {
  executorch::extension::Module module(path);
  auto tensor = executorch::extension::make_tensor_ptr({2, 3}, std::vector<float>(6, 1.0f));
  const std::vector<executorch::runtime::EValue> inputs(2, *tensor);
  measure("module", [&] { require(module.forward(inputs).ok(), "Module::forward"); });
}

void with_c(const char* path) {
  executorch_module* module = nullptr;
  require(executorch_module_load(path, nullptr, &module) == 0, "Loading");
  std::vector<float> data(6, 1.0f);
  const int32_t sizes[] = {2, 3};
  executorch_value input{};
  input.kind = EXECUTORCH_KIND_TENSOR;
  input.as.tensor = {data.data(), sizes, nullptr, 2, 24, EXECUTORCH_DTYPE_FLOAT32};
  const executorch_value inputs[] = {input, input};
  executorch_value output;
  measure("c", [&] {
    require(executorch_module_execute(module, "forward", inputs, 2, &output, 1) == 0, "Executing");
  });
  executorch_module_destroy(module);
}

}  // namespace

int main(int argc, char** argv) {
  require(argc == 2, "A program's path");
  with_module(argv[1]);
  with_c(argv[1]);
  return 0;
}
