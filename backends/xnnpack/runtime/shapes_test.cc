#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <executorch/backends/xnnpack/runtime/executor.h>
#include <executorch/backends/xnnpack/runtime/testing/graph_builder.h>
#include <executorch/backends/xnnpack/runtime/testing/graph_for_tests.h>
#include <executorch/runtime/core/exec_aten/testing_util/tensor_factory.h>
#include <executorch/runtime/platform/runtime.h>
#include <executorch/runtime/platform/test/pal_spy.h>
#include <executorch/runtime/platform/test/stub_platform.h>

namespace executorch {
namespace backends {
namespace xnnpack {
namespace {

using aten::ScalarType;
using runtime::Error;
using runtime::EValue;
using testing::NamedData;
using Factory = runtime::testing::TensorFactory<ScalarType::Float>;

using Graph = testing::GraphBuilder;
using testing::kNone;

class ShapesTest : public ::testing::Test {
 protected:
  void SetUp() override {
    runtime::runtime_init();
    named_.data = {{"filter", std::vector<float>(9, 1.0F)}};
  }

  std::unique_ptr<Executor> make(Graph& graph) {
    const std::string blob = graph.blob();
    const auto parsed = Blob::parse(blob.data(), blob.size());
    if (!parsed.ok()) {
      return nullptr;
    }
    auto made = Executor::create(*parsed, &named_, {});
    return made.ok() ? std::move(*made) : nullptr;
  }

  /// Sums of the 3x3 windows over ones, 4x4 of them, with one row and column of zeros around.
  void check_window_sums(Graph& graph) {
    const auto executor = make(graph);
    ASSERT_NE(executor, nullptr);
    Factory factory;
    EValue in(factory.ones({1, 4, 4, 1}));
    EValue out(factory.zeros({1, 4, 4, 1}));
    EValue* args[] = {&in, &out};
    ASSERT_EQ(executor->execute({args, 2}), Error::Ok);
    const float* const sums = out.toTensor().const_data_ptr<float>();
    EXPECT_EQ(sums[0], 4);
    EXPECT_EQ(sums[1], 6);
    EXPECT_EQ(sums[5], 9);
  }

  NamedData named_;
};

TEST_F(ShapesTest, AConvolutionMayTakeOverThePaddingBeforeIt) {
  Graph graph;
  const uint32_t x = graph.input({1, 4, 4, 1});
  const uint32_t padded = graph.between({1, 6, 6, 1});
  const uint32_t filter = graph.constant({1, 3, 3, 1}, "filter");
  const uint32_t y = graph.output({1, 4, 4, 1});
  graph.pad({0, 1, 1, 0}, {0, 1, 1, 0}, x, padded);
  graph.convolution(padded, filter, y);
  check_window_sums(graph);
}

/// Runs a convolution of ones, 4x4 of them in the file, on an image of `size` pixels each way.
struct Smaller {
  const char* what;
  fb_xnnpack::XNodeUnion kind;
  uint32_t padding;
  int32_t size;
  Error error;
};

TEST_F(ShapesTest, ImagesAreAtLeastAWindow) {
  // Of a smaller one XNNPACK reads at no address.
  using Kind = fb_xnnpack::XNodeUnion;
  const Smaller cases[] = {
      {"as large", Kind::XNNConv2d, 0, 3, Error::Ok},
      {"smaller", Kind::XNNConv2d, 0, 2, Error::InvalidArgument},
      {"padded", Kind::XNNConv2d, 1, 1, Error::Ok},
      {"depthwise, as large", Kind::XNNDepthwiseConv2d, 0, 3, Error::Ok},
      {"depthwise, smaller", Kind::XNNDepthwiseConv2d, 0, 2, Error::InvalidArgument},
      {"nothing left", Kind::XNNConvTranspose2d, 2, 2, Error::InvalidArgument},
      {"something left", Kind::XNNConvTranspose2d, 2, 3, Error::Ok},
  };
  for (const Smaller& one : cases) {
    Graph graph;
    const uint32_t x = graph.input({1, 4, 4, 1});
    const uint32_t filter = graph.constant({1, 3, 3, 1}, "filter");
    const bool is_transposed = one.kind == Kind::XNNConvTranspose2d;
    const uint32_t size = is_transposed ? 6 - 2 * one.padding : 2 + 2 * one.padding;
    graph.convolution(one.kind, 3, one.padding, 1, 1, 1, x, filter, kNone,
                      graph.output({1, size, size, 1}));
    const auto executor = make(graph);
    ASSERT_NE(executor, nullptr) << one.what;
    Factory factory;
    EValue in(factory.ones({1, one.size, one.size, 1}));
    EValue out(factory.zeros({1, 4, 4, 1}, aten::TensorShapeDynamism::DYNAMIC_BOUND));
    EValue* args[] = {&in, &out};
    EXPECT_EQ(executor->execute({args, 2}), one.error) << one.what;
  }
}

TEST_F(ShapesTest, PaddingThatAConvolutionTookOverCounts) {
  Graph graph;
  const uint32_t x = graph.input({1, 2, 2, 1});
  const uint32_t padded = graph.between({1, 4, 4, 1});
  const uint32_t copied = graph.between({1, 4, 4, 1});
  const uint32_t filter = graph.constant({1, 3, 3, 1}, "filter");
  graph.pad({0, 1, 1, 0}, {0, 1, 1, 0}, x, padded);
  graph.copy(padded, copied);
  graph.convolution(copied, filter, graph.output({1, 2, 2, 1}));
  const auto executor = make(graph);
  ASSERT_NE(executor, nullptr);
  Factory factory;
  EValue in(factory.ones({1, 2, 2, 1}));
  EValue out(factory.zeros({1, 2, 2, 1}));
  EValue* args[] = {&in, &out};
  ASSERT_EQ(executor->execute({args, 2}), Error::Ok);
  EXPECT_EQ(out.toTensor().const_data_ptr<float>()[0], 4);
}

TEST_F(ShapesTest, CopiesMayGo) {
  // XNNPACK takes each of them out, and with it the value that the next node was to read.
  Graph graph;
  const uint32_t x = graph.input({1, 4, 4, 1});
  const uint32_t first = graph.between({1, 4, 4, 1});
  const uint32_t padded = graph.between({1, 6, 6, 1});
  const uint32_t second = graph.between({1, 6, 6, 1});
  const uint32_t filter = graph.constant({1, 3, 3, 1}, "filter");
  const uint32_t sums = graph.between({1, 4, 4, 1});
  const uint32_t row = graph.between({1, 16});
  const uint32_t third = graph.between({1, 16});
  const uint32_t y = graph.output({1, 4, 4, 1});
  graph.copy(x, first);
  graph.pad({0, 1, 1, 0}, {0, 1, 1, 0}, first, padded);
  graph.copy(padded, second);
  graph.convolution(second, filter, sums);
  graph.reshape({1, 16}, sums, row);
  graph.copy(row, third);
  graph.reshape({1, 4, 4, 1}, third, y);
  check_window_sums(graph);
}

TEST_F(ShapesTest, AnyNumberOfImagesQuantizedWhenTheyComeMayFollowAnother) {
  // Each has a zero point of its own, also around it.
  using Kind = fb_xnnpack::XNodeUnion;
  constexpr float kLevels[] = {1, -2, 3, -4, 5, -6, 7};
  named_.data["bytes"] = std::vector<float>(9);
  std::memset(named_.data["bytes"].data(), 2, 36);
  for (const Kind kind : {Kind::XNNConv2d, Kind::XNNConvTranspose2d}) {
    Graph graph;
    const uint32_t x = graph.input({1, 4, 4, 1});
    testing::Type bytes{testing::Datatype::xnn_datatype_qdint8};
    bytes.num_nonbatch_dims = 3;
    const uint32_t quantized = graph.between({1, 4, 4, 1}, bytes);
    const uint32_t filter =
        graph.constant({4, 3, 3, 1}, "bytes", {testing::Datatype::xnn_datatype_qcint8});
    graph.unary(Kind::XNNConvert, x, quantized);
    graph.convolution(kind, 3, 1, 1, 1, 4, quantized, filter, kNone, graph.output({1, 4, 4, 4}));
    const auto executor = make(graph);
    ASSERT_NE(executor, nullptr);
    for (const int32_t images : {1, 2, 4, 1, 7, 3, 7, 2}) {
      Factory factory;
      std::vector<float> pixels;
      for (int32_t i = 0; i < images; ++i) {
        pixels.insert(pixels.end(), 16, kLevels[i]);
      }
      EValue in(factory.make({images, 4, 4, 1}, pixels));
      EValue out(factory.zeros({7, 4, 4, 4}, aten::TensorShapeDynamism::DYNAMIC_BOUND));
      EValue* args[] = {&in, &out};
      ASSERT_EQ(executor->execute({args, 2}), Error::Ok);
      const float* const sums = out.toTensor().const_data_ptr<float>();
      for (int32_t i = 0; i < images; ++i) {
        // Of a corner, a border and the middle, in four channels.
        EXPECT_NEAR(sums[i * 64], 4 * kLevels[i], 0.1) << i << " of " << images;
        EXPECT_NEAR(sums[i * 64 + 4], 6 * kLevels[i], 0.1) << i << " of " << images;
        EXPECT_NEAR(sums[i * 64 + 23], 9 * kLevels[i], 0.1) << i << " of " << images;
      }
    }
  }
}

/// What a damaged file may say.
struct Damaged {
  const char* what;
  std::function<void(Graph&)> build;
};

TEST_F(ShapesTest, ParametersThatDoNotFitTheShapesAreRefused) {
  constexpr uint32_t kHuge = uint32_t{1} << 30;
  const Damaged cases[] = {
      {"padding",
       [](Graph& graph) {
         const uint32_t x = graph.input({1, 4, 4, 1});
         graph.pad({0, kHuge, 1, 0}, {0, 1, 1, 0}, x, graph.output({1, 6, 6, 1}));
       }},
      {"padding of a convolution",
       [](Graph& graph) {
         const uint32_t x = graph.input({1, 4, 4, 1});
         const uint32_t filter = graph.constant({1, 3, 3, 1}, "filter");
         graph.convolution(x, filter, graph.output({1, 4, 4, 1}), kHuge);
       }},
      {"another image",
       [](Graph& graph) {
         const uint32_t x = graph.input({1, 4, 4, 1});
         const uint32_t y = graph.output({1, 8, 8, 1});
         graph.node(fb_xnnpack::XNodeUnion::XNNStaticResizeBilinear2D,
                    fb_xnnpack::CreateXNNStaticResizeBilinear2D(graph.builder(), 8, kHuge, x, y));
       }},
      {"another number of elements",
       [](Graph& graph) {
         const uint32_t x = graph.input({1, 4, 4, 1});
         graph.reshape({kHuge, kHuge, kHuge}, x, graph.output({4, 4, 1}));
       }},
      {"steps of a transposed convolution",
       [](Graph& graph) {
         const uint32_t x = graph.input({1, 4, 4, 1});
         const uint32_t filter = graph.constant({1, 3, 3, 1}, "filter");
         const uint32_t y = graph.output({1, 6, 6, 1});
         graph.node(fb_xnnpack::XNodeUnion::XNNConvTranspose2d,
                    fb_xnnpack::Create_XNNNodeConv(graph.builder(), 0, 0, 0, 0, 3, 3, kHuge, 1, 1,
                                                   1, 1, 1, 1, 0, 0, x, filter, kNone, y));
       }},
      {"a window over more than the image",
       [](Graph& graph) {
         const uint32_t x = graph.input({1, 4, 4, 1});
         const uint32_t y = graph.output({1, 2, 2, 1});
         graph.node(fb_xnnpack::XNodeUnion::XNNMaxPooling2d,
                    fb_xnnpack::Create_XNNPooling2D(graph.builder(), 0, 0, 0, 0, kHuge, 2, 2, 2, 1,
                                                    1, x, y));
       }},
  };
  for (const Damaged& damaged : cases) {
    Graph graph;
    damaged.build(graph);
    EXPECT_EQ(make(graph), nullptr) << damaged.what;
  }
}

TEST_F(ShapesTest, TheLogNamesTheInputWhatCameAndWhatIsWorkedOn) {
  const struct {
    bool is_copied;
    const char* message;
  } cases[] = {
      {false,
       "XNNPACK: input 0 is (1, 4, 4, 2), but the node that reads it works on four dimensions, the "
       "last of 1"},
      {true,
       "XNNPACK: what the delegate makes of inputs (1, 4, 4, 2) is (1, 4, 4, 2), but the node "
       "that reads it works on four dimensions, the last of 1"},
  };
  for (const auto& one : cases) {
    Graph graph;
    uint32_t x = graph.input({1, 4, 4, 1});
    if (one.is_copied) {
      const uint32_t negated = graph.between({1, 4, 4, 1});
      graph.unary(fb_xnnpack::XNodeUnion::XNNNegate, x, negated);
      x = negated;
    }
    const uint32_t filter = graph.constant({1, 3, 3, 1}, "filter");
    graph.convolution(x, filter, graph.output({1, 4, 4, 1}), 1);
    const auto executor = make(graph);
    ASSERT_NE(executor, nullptr);
    Factory factory;
    EValue in(factory.ones({1, 4, 4, 2}));
    EValue out(factory.zeros({1, 4, 4, 1}));
    EValue* args[] = {&in, &out};
    PalSpy spy;
    const InterceptWith intercept(spy);
    EXPECT_EQ(executor->execute({args, 2}), Error::InvalidArgument);
    EXPECT_EQ(spy.last_log_message_args.message, one.message);
  }
}

TEST_F(ShapesTest, OnlyTheShapesAtRunTimeTakeMemory) {
  // A terabyte, if the file were believed.
  Graph graph;
  const uint32_t x = graph.input({1, 4});
  const uint32_t between = graph.between({1 << 30, 1 << 8});
  const uint32_t y = graph.output({1, 4});
  graph.unary(fb_xnnpack::XNodeUnion::XNNNegate, x, between);
  graph.unary(fb_xnnpack::XNodeUnion::XNNAbs, between, y);
  const auto executor = make(graph);
  ASSERT_NE(executor, nullptr);
  Factory factory;
  EValue in(factory.make({1, 4}, {1, -2, 3, -4}));
  EValue out(factory.zeros({1, 4}));
  EValue* args[] = {&in, &out};
  ASSERT_EQ(executor->execute({args, 2}), Error::Ok);
  EXPECT_EQ(out.toTensor().const_data_ptr<float>()[3], 4);
}

TEST_F(ShapesTest, ProductsOfSizesDoNotOverflow) {
  // Each result is as large as the file says, together they would need 2^40 elements.
  Graph graph;
  const uint32_t column = graph.input({1, 1 << 20, 1});
  const uint32_t row = graph.input({1, 1, 1 << 20});
  const uint32_t square = graph.between({1, 1 << 20, 1 << 20});
  const uint32_t y = graph.output({1, 1 << 20, 1 << 20});
  graph.binary(fb_xnnpack::XNodeUnion::XNNMultiply, column, row, square);
  graph.unary(fb_xnnpack::XNodeUnion::XNNNegate, square, y);
  const auto executor = make(graph);
  ASSERT_NE(executor, nullptr);
  Factory factory;
  EValue tall(factory.ones({1, 1 << 20, 1}));
  EValue wide(factory.ones({1, 1, 1 << 20}));
  EValue out(factory.zeros({1, 1, 1}));
  EValue* args[] = {&tall, &wide, &out};
  EXPECT_EQ(executor->execute({args, 3}), Error::MemoryAllocationFailed);
}

}  // namespace
}  // namespace xnnpack
}  // namespace backends
}  // namespace executorch
