#include <vector>

#include <gtest/gtest.h>

#include <executorch/kernels/portable/cpu/internal/moments.h>
#include <executorch/runtime/core/exec_aten/testing_util/tensor_factory.h>
#include <executorch/runtime/platform/runtime.h>

namespace torch::executor::native::util {
namespace {

/// Lines of every length around the parts that sums are made of, and longer than a chunk.
TEST(MomentsTest, VarianceOfEverything) {
  executorch::runtime::runtime_init();
  torch::executor::testing::TensorFactory<ScalarType::Float> tf;
  for (const int32_t n : {2, 7, 8, 9, 255, 256, 257, 1300}) {
    std::vector<float> data;
    double sum = 0;
    for (int32_t i = 0; i < n; ++i) {
      data.push_back(static_cast<float>(i % 11) - 3);
      sum += data.back();
    }
    double squares = 0;
    for (const float x : data) {
      squares += (x - sum / n) * (x - sum / n);
    }
    Tensor out = tf.zeros({});
    KernelRuntimeContext context;
    ASSERT_TRUE(variance(context, tf.make({n}, data), OptionalArrayRef<int64_t>(), 1, false, out));
    const double expected = squares / (n - 1);
    EXPECT_NEAR(out.const_data_ptr<float>()[0], expected, 1e-6 * expected) << n;
  }
}

}  // namespace
}  // namespace torch::executor::native::util
