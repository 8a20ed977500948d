// One program, many methods, each on a thread of its own.
#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include <executorch/runtime/executor/program.h>
#include <executorch/runtime/executor/testing/method_harness.h>
#include <executorch/runtime/executor/testing/program_builder.h>
#include <executorch/runtime/executor/testing/test_kernels.h>

namespace executorch {
namespace runtime {
namespace testing {
namespace {

// A loader that threads may use at the same time; MemoryLoader counts without care.
class SharedLoader final : public DataLoader {
 public:
  explicit SharedLoader(const PteFile& file) : file_(file) {}
  Result<FreeableBuffer> load(size_t offset, size_t size, const SegmentInfo&) const override {
    if (offset > file_.size() || size > file_.size() - offset) {
      return Error::InvalidArgument;
    }
    return FreeableBuffer(file_.data() + offset, size, nullptr);
  }
  Result<size_t> size() const override { return file_.size(); }

 private:
  const PteFile& file_;
};

TEST(ProgramThreadsTest, MethodsOfOneProgramAreIndependent) {
  register_test_kernels();
  ProgramBuilder b;
  const int x = b.add_planned_tensor({1});
  int sum = x;
  const int add = b.add_operator("test::add");
  for (int i = 0; i < 8; ++i) {
    const float value = static_cast<float>(i);
    const auto* bytes = reinterpret_cast<const uint8_t*>(&value);
    TensorOptions weight;
    weight.sizes = {1};
    weight.name = "weight" + std::to_string(i);
    weight.external = true;
    b.add_named_data(weight.name, std::vector<uint8_t>(bytes, bytes + sizeof(value)));
    const int next = b.add_planned_tensor({1});
    b.call_kernel(add, {sum, b.add_tensor(weight), next, next});
    sum = next;
  }
  b.set_inputs({x});
  b.set_outputs({sum});
  const PteFile file = b.build();
  SharedLoader loader(file);
  Result<Program> loaded = Program::load(&loader);
  ASSERT_TRUE(loaded.ok());
  const Program program(std::move(*loaded));

  std::atomic<int> num_right{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&program, &num_right, t] {
      for (int i = 0; i < 25; ++i) {
        MethodMemory memory(*program.method_meta("forward"));
        Result<Method> method = program.load_method("forward", memory.manager.get());
        const float start = static_cast<float>(100 * t + i);
        if (method.ok() && method->set_input(float_tensor({1}, {start}).value(), 0) == Error::Ok &&
            method->execute() == Error::Ok && floats(method->get_output(0))[0] == start + 28) {
          ++num_right;
        }
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  EXPECT_EQ(num_right, 100);
}

}  // namespace
}  // namespace testing
}  // namespace runtime
}  // namespace executorch
