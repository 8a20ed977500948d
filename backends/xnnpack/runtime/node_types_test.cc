#include <array>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <executorch/backends/xnnpack/runtime/executor.h>
#include <executorch/backends/xnnpack/runtime/initialize.h>
#include <executorch/backends/xnnpack/runtime/subgraph.h>
#include <executorch/backends/xnnpack/runtime/testing/graph_builder.h>
#include <executorch/backends/xnnpack/runtime/testing/graph_for_tests.h>
#include <executorch/runtime/core/exec_aten/testing_util/tensor_factory.h>
#include <executorch/runtime/platform/runtime.h>
#include <executorch/runtime/platform/test/pal_spy.h>
#include <executorch/runtime/platform/test/stub_platform.h>

// Nodes for values of every datatype: what XNNPACK has works, all the rest is refused.

namespace executorch {
namespace backends {
namespace xnnpack {
namespace {

using aten::ScalarType;
using runtime::Error;
using runtime::EValue;
using testing::Datatype;
using testing::kNone;
using testing::NamedData;
using Graph = testing::GraphBuilder;
using Kind = fb_xnnpack::XNodeUnion;
using Type = testing::Type;

constexpr std::array<Datatype, 10> kAll = {
    Datatype::xnn_datatype_fp32,    Datatype::xnn_datatype_fp16,   Datatype::xnn_datatype_qint8,
    Datatype::xnn_datatype_quint8,  Datatype::xnn_datatype_qint32, Datatype::xnn_datatype_qcint8,
    Datatype::xnn_datatype_qcint32, Datatype::xnn_datatype_qcint4, Datatype::xnn_datatype_qdint8,
    Datatype::xnn_datatype_qbint4,
};
constexpr Type kFloat = {Datatype::xnn_datatype_fp32};
constexpr Type kHalf = {Datatype::xnn_datatype_fp16};

/// Makes arguments, and keeps them.
class Arguments {
 public:
  /// Whether arguments of such a datatype exist.
  bool add(const External& external) {
    const std::vector<int32_t> sizes(external.dims.begin(), external.dims.end());
    switch (external.datatype) {
      case xnn_datatype_fp32:
        values_.emplace_back(floats_.ones(sizes));
        return true;
      case xnn_datatype_fp16:
        values_.emplace_back(halves_.ones(sizes));
        return true;
      case xnn_datatype_qint8:
        values_.emplace_back(chars_.ones(sizes));
        return true;
      case xnn_datatype_quint8:
        values_.emplace_back(bytes_.ones(sizes));
        return true;
      default:
        return false;
    }
  }

  std::vector<EValue*> pointers() {
    std::vector<EValue*> pointers;
    for (EValue& value : values_) {
      pointers.push_back(&value);
    }
    return pointers;
  }

 private:
  std::vector<EValue> values_;
  runtime::testing::TensorFactory<ScalarType::Float> floats_;
  runtime::testing::TensorFactory<ScalarType::Half> halves_;
  runtime::testing::TensorFactory<ScalarType::Char> chars_;
  runtime::testing::TensorFactory<ScalarType::Byte> bytes_;
};

class NodeTypesTest : public ::testing::Test {
 protected:
  void SetUp() override {
    runtime::runtime_init();
    ASSERT_EQ(initialize(), xnn_status_success);
    named_.data = {{"filter", std::vector<float>(1024, 1.0F)},
                   {"bias", std::vector<float>(32, 1.0F)}};
  }

  /// Whether the graph is taken; then it runs as well, if this processor has the kernels.
  bool is_taken(Graph& graph) {
    const std::string bytes = graph.blob();
    const auto blob = Blob::parse(bytes.data(), bytes.size());
    EXPECT_TRUE(blob.ok());
    const auto subgraph = Subgraph::define(*blob, &named_);
    if (!subgraph.ok()) {
      return false;
    }
    const auto made = Executor::create(*blob, &named_, {});
    if (made.ok()) {
      run(**made, *subgraph);
    } else {
      EXPECT_EQ(made.error(), Error::NotSupported);
    }
    return true;
  }

  void run(Executor& executor, const Subgraph& subgraph) {
    Arguments arguments;
    for (const External& external : subgraph.externals()) {
      if (!arguments.add(external)) {
        return;
      }
    }
    std::vector<EValue*> args = arguments.pointers();
    EXPECT_EQ(executor.execute({args.data(), args.size()}), Error::Ok);
  }

  std::string refusal_of(Graph& graph) {
    PalSpy spy;
    const InterceptWith intercept(spy);
    EXPECT_FALSE(is_taken(graph));
    return spy.last_log_message_args.message;
  }

  /// How many combinations of datatypes of input, filter, bias (if there is one) and output a
  /// layer is taken for.
  using Layer = std::function<void(Graph&, std::array<Datatype, 4>, bool)>;
  int count(const Layer& add, bool has_bias) {
    int taken = 0;
    for (const Datatype input : kAll) {
      for (const Datatype filter : kAll) {
        for (const Datatype bias : kAll) {
          for (const Datatype output : kAll) {
            Graph graph;
            add(graph, {input, filter, bias, output}, has_bias);
            taken += is_taken(graph) ? 1 : 0;
          }
          if (!has_bias) {
            break;
          }
        }
      }
    }
    return taken;
  }

  /// Same, for nodes of one input and one output.
  int count(const std::function<void(Graph&, uint32_t, uint32_t)>& add, const Graph::Dims& result) {
    int taken = 0;
    for (const Datatype input : kAll) {
      for (const Datatype output : kAll) {
        Graph graph;
        const uint32_t from = graph.input({1, 4, 4, 8}, {input, 3});
        add(graph, from, graph.output(result, {output, 3}));
        taken += is_taken(graph) ? 1 : 0;
      }
    }
    return taken;
  }

  NamedData named_;
};

/// An input, which is calculated if its datatype is that of calculated values.
uint32_t input_of(Graph& graph, const Graph::Dims& dims, Datatype datatype, int32_t num_nonbatch) {
  if (datatype != Datatype::xnn_datatype_qdint8) {
    return graph.input(dims, {datatype});
  }
  const uint32_t floats = graph.input(dims);
  Type type = {datatype};
  type.num_nonbatch_dims = num_nonbatch;
  const uint32_t bytes = graph.between(dims, type);
  graph.unary(Kind::XNNConvert, floats, bytes);
  return bytes;
}

void add_linear(Graph& graph, std::array<Datatype, 4> types, bool has_bias) {
  const uint32_t from = input_of(graph, {2, 32}, types[0], 1);
  const uint32_t filter = graph.constant({32, 32}, "filter", {types[1]});
  const uint32_t bias = has_bias ? graph.constant({32}, "bias", {types[2], 0, 1}) : kNone;
  graph.linear(from, filter, bias, graph.output({2, 32}, {types[3]}));
}

void add_convolution(Graph& graph, Kind kind, std::array<Datatype, 4> types, bool has_bias) {
  const bool is_depthwise = kind == Kind::XNNDepthwiseConv2d;
  const uint32_t size = kind == Kind::XNNConvTranspose2d ? 6 : 2;
  const uint32_t groups = is_depthwise ? 8 : 1;
  const Graph::Dims dims = {is_depthwise ? 1U : 8U, 3, 3, 8};
  const uint32_t from = input_of(graph, {1, 4, 4, 8}, types[0], 3);
  const uint32_t filter = graph.constant(dims, "filter", {types[1], is_depthwise ? 3 : 0, 8});
  const uint32_t bias = has_bias ? graph.constant({8}, "bias", {types[2], 0, 1}) : kNone;
  graph.convolution(kind, 3, 0, groups, 8 / groups, 8 / groups, from, filter, bias,
                    graph.output({1, size, size, 8}, {types[3]}));
}

TEST_F(NodeTypesTest, LinearLayersOfEveryDatatype) {
  EXPECT_EQ(count(add_linear, false), 14);
  EXPECT_EQ(count(add_linear, true), 14);
}

TEST_F(NodeTypesTest, ConvolutionsOfEveryDatatype) {
  const struct {
    Kind kind;
    int taken;
  } cases[] = {{Kind::XNNConv2d, 7}, {Kind::XNNDepthwiseConv2d, 5}, {Kind::XNNConvTranspose2d, 6}};
  for (const auto& one : cases) {
    const auto add = [&](Graph& graph, std::array<Datatype, 4> types, bool has_bias) {
      add_convolution(graph, one.kind, types, has_bias);
    };
    EXPECT_EQ(count(add, false), one.taken) << fb_xnnpack::EnumNameXNodeUnion(one.kind);
    EXPECT_EQ(count(add, true), one.taken) << fb_xnnpack::EnumNameXNodeUnion(one.kind);
  }
}

TEST_F(NodeTypesTest, ElementwiseNodesOfEveryDatatype) {
  const auto unary = [this](Kind kind) {
    return count([kind](Graph& graph, uint32_t from, uint32_t to) { graph.unary(kind, from, to); },
                 {1, 4, 4, 8});
  };
  for (const Kind kind : {Kind::XNNAbs, Kind::XNNNegate, Kind::XNNSigmoid, Kind::XNNTanh,
                          Kind::XNNFloor, Kind::XNNExp, Kind::XNNClamp, Kind::XNNCopy}) {
    EXPECT_EQ(unary(kind), 4) << fb_xnnpack::EnumNameXNodeUnion(kind);
  }
  EXPECT_EQ(unary(Kind::XNNSoftmax), 2);
  EXPECT_EQ(unary(Kind::XNNConvert), 16);
}

TEST_F(NodeTypesTest, NodesOfTwoInputsOfEveryDatatype) {
  const auto binary = [this](Kind kind, const Graph::Dims& dims) {
    return count(
        [&](Graph& graph, std::array<Datatype, 4> types, bool) {
          const uint32_t first = graph.input(dims, {types[0], 1});
          const uint32_t second = graph.input(dims, {types[1], 1});
          const uint32_t result = graph.output(dims, {types[3], 1});
          graph.binary(kind, first, second, result);
        },
        false);
  };
  for (const Kind kind :
       {Kind::XNNAdd, Kind::XNNSubtract, Kind::XNNMultiply, Kind::XNNDiv, Kind::XNNMaximum}) {
    EXPECT_EQ(binary(kind, {1, 32, 32}), 4) << fb_xnnpack::EnumNameXNodeUnion(kind);
  }
  EXPECT_EQ(binary(Kind::XNNBatchMatrixMultiply, {1, 32, 32}), 2);
}

TEST_F(NodeTypesTest, NodesThatMoveElementsOfEveryDatatype) {
  const Graph::Dims none = {0, 0, 0, 0};
  EXPECT_EQ(count([&](Graph& graph, uint32_t from,
                      uint32_t to) { graph.slice({0, 1, 0, 0}, {0, 2, 0, 0}, from, to); },
                  {1, 2, 4, 8}),
            4);
  EXPECT_EQ(
      count([&](Graph& graph, uint32_t from, uint32_t to) { graph.pad(none, none, from, to); },
            {1, 4, 4, 8}),
      4);
  EXPECT_EQ(count([&](Graph& graph, uint32_t from,
                      uint32_t to) { graph.reshape({1, 2, 8, 8}, from, to); },
                  {1, 2, 8, 8}),
            4);
  EXPECT_EQ(count(
                [](Graph& graph, uint32_t from, uint32_t to) {
                  const Graph::Dims order = {0, 2, 1, 3};
                  graph.node(Kind::XNNStaticTranspose, fb_xnnpack::CreateXNNStaticTransposeDirect(
                                                           graph.builder(), 4, &order, from, to));
                },
                {1, 4, 4, 8}),
            4);
  EXPECT_EQ(count(
                [](Graph& graph, uint32_t from, uint32_t to) {
                  graph.node(
                      Kind::XNNConcatenate2,
                      fb_xnnpack::Create_XNNCat(graph.builder(), 1, from, from, kNone, kNone, to));
                },
                {1, 8, 4, 8}),
            4);
}

TEST_F(NodeTypesTest, ImagesOfEveryDatatype) {
  const auto pool = [this](Kind kind) {
    return count(
        [kind](Graph& graph, uint32_t from, uint32_t to) {
          graph.node(kind, fb_xnnpack::Create_XNNPooling2D(graph.builder(), 0, 0, 0, 0, 2, 2, 2, 2,
                                                           1, 1, from, to));
        },
        {1, 2, 2, 8});
  };
  EXPECT_EQ(pool(Kind::XNNMaxPooling2d), 4);
  EXPECT_EQ(pool(Kind::XNNAvgPooling2d), 2);
  EXPECT_EQ(count([](Graph& graph, uint32_t from,
                     uint32_t to) { graph.unary(Kind::XNNGlobalAvgPooling2d, from, to); },
                  {1, 1, 1, 8}),
            4);
  EXPECT_EQ(count(
                [](Graph& graph, uint32_t from, uint32_t to) {
                  graph.node(
                      Kind::XNNStaticResizeBilinear2D,
                      fb_xnnpack::CreateXNNStaticResizeBilinear2D(graph.builder(), 8, 8, from, to));
                },
                {1, 8, 8, 8}),
            4);
}

// The filter of a datatype that no convolution takes: XNNPACK ends the process.
TEST_F(NodeTypesTest, TheLogNamesTheNodeAndTheDatatypes) {
  Graph graph;
  add_convolution(graph, Kind::XNNConv2d,
                  {kFloat.datatype, kHalf.datatype, kFloat.datatype, kFloat.datatype}, true);
  EXPECT_EQ(refusal_of(graph),
            "XNNPACK: there is no node XNNConv2d for input fp32, filter fp16, bias fp32, output "
            "fp32, or not with their scales");
}

TEST_F(NodeTypesTest, SumsOfScalesFarApartAreRefused) {
  for (const float scale : {0.5F, 1e-6F, 1e6F}) {
    Graph graph;
    Type type = {Datatype::xnn_datatype_qint8};
    const uint32_t x = graph.input({1, 4}, type);
    type.scale = scale;
    graph.binary(Kind::XNNAdd, x, x, graph.output({1, 4}, type));
    EXPECT_EQ(is_taken(graph), scale == 0.5F) << scale;
  }
}

TEST_F(NodeTypesTest, ResultsHaveTheDimensionsThatTheyGet) {
  for (const Graph::Dims& dims : {Graph::Dims{8}, Graph::Dims{2, 4}, Graph::Dims{1, 2, 4}}) {
    Graph graph;
    const uint32_t x = graph.input({2, 4});
    const uint32_t between = graph.between(dims);
    graph.unary(Kind::XNNAbs, x, between);
    graph.unary(Kind::XNNNegate, between, graph.output(dims));
    EXPECT_EQ(is_taken(graph), dims.size() == 2) << dims.size();
  }
  Graph graph;
  const uint32_t x = graph.input({4, 8});
  graph.unary(Kind::XNNGlobalAvgPooling2d, x, graph.output({1, 8}));
  EXPECT_FALSE(is_taken(graph));
}

TEST_F(NodeTypesTest, AnArgumentIsOneValue) {
  // The node would be checked with one of two datatypes and defined with the other.
  Graph graph;
  const uint32_t x = graph.input({1, 4});
  (void)graph.impostor({1, 4}, 0, 1, kHalf);
  graph.unary(Kind::XNNAbs, x, graph.output({1, 4}));
  EXPECT_FALSE(is_taken(graph));
}

TEST_F(NodeTypesTest, FourBitsLieByRowsOfWholeBytes) {
  const struct {
    uint32_t inputs;
    uint32_t flags;
    bool is_taken;
  } cases[] = {{32, 0, true}, {31, 0, false}, {32, 1, false}};
  for (const auto& one : cases) {
    Graph graph;
    const Type type = {Datatype::xnn_datatype_qcint4, one.flags == 0 ? 0 : 1};
    const uint32_t filter = graph.constant(
        one.flags == 0 ? Graph::Dims{4, one.inputs} : Graph::Dims{one.inputs, 4}, "filter", type);
    graph.linear(graph.input({1, one.inputs}), filter, kNone, graph.output({1, 4}), one.flags);
    EXPECT_EQ(is_taken(graph), one.is_taken) << one.inputs << ' ' << one.flags;
  }
}

TEST_F(NodeTypesTest, TheRestOfADimensionBeginsWithIt) {
  for (const uint32_t offset : {0U, 1U}) {
    Graph graph;
    graph.slice({offset, 0}, {0, 2}, graph.input({4, 4}), graph.output({4 - offset, 2}));
    EXPECT_EQ(is_taken(graph), offset == 0);
  }
}

TEST_F(NodeTypesTest, PartsFitWhatTheyArePartsOf) {
  for (const uint32_t axis : {0U, 1U, 2U, UINT32_MAX, UINT32_MAX - 2}) {
    Graph graph;
    const uint32_t first = graph.input({2, 4});
    const uint32_t second = graph.input({2, 4});
    graph.node(
        Kind::XNNConcatenate2,
        fb_xnnpack::Create_XNNCat(graph.builder(), axis, first, second, kNone, kNone,
                                  graph.output(axis == 0 ? Graph::Dims{4, 4} : Graph::Dims{2, 8})));
    EXPECT_EQ(is_taken(graph), axis < 2 || axis == UINT32_MAX) << axis;
  }
  // One that is shorter is read past its end.
  Graph graph;
  const uint32_t first = graph.input({2, 4});
  const uint32_t second = graph.input({2, 4});
  graph.node(Kind::XNNConcatenate2, fb_xnnpack::Create_XNNCat(graph.builder(), 1, first, second,
                                                              kNone, kNone, graph.output({2, 8})));
  const std::string bytes = graph.blob();
  const auto blob = Blob::parse(bytes.data(), bytes.size());
  const auto made = Executor::create(*blob, &named_, {});
  ASSERT_TRUE(made.ok());
  runtime::testing::TensorFactory<ScalarType::Float> factory;
  EValue whole(factory.ones({2, 4}));
  EValue shorter(factory.ones({1, 4}));
  EValue out(factory.zeros({2, 8}));
  EValue* wrong[] = {&whole, &shorter, &out};
  EXPECT_EQ((*made)->execute({wrong, 3}), Error::InvalidArgument);
  EValue* right[] = {&whole, &whole, &out};
  EXPECT_EQ((*made)->execute({right, 3}), Error::Ok);
}

TEST_F(NodeTypesTest, PositionsOfTheLargestHaveAsManyElements) {
  for (const uint32_t size : {2U, 1U}) {
    Graph graph;
    const uint32_t x = graph.input({1, 4, 4, 8});
    const uint32_t largest = graph.output({1, 2, 2, 8});
    const uint32_t positions = graph.output({1, size, size, 8});
    graph.node(Kind::XNNArgMaxPooling2d,
               fb_xnnpack::CreateXNNArgMaxPooling2d(graph.builder(), 0, 0, 0, 0, 2, 2, x, largest,
                                                    positions));
    const std::string bytes = graph.blob();
    const auto blob = Blob::parse(bytes.data(), bytes.size());
    const auto made = Executor::create(*blob, &named_, {});
    ASSERT_TRUE(made.ok());
    runtime::testing::TensorFactory<ScalarType::Float> factory;
    EValue in(factory.ones({1, 4, 4, 8}));
    EValue out(factory.zeros({1, 2, 2, 8}));
    EValue index(factory.zeros({1, int32_t(size), int32_t(size), 8}));
    EValue* args[] = {&in, &out, &index};
    EXPECT_EQ((*made)->execute({args, 3}), size == 2 ? Error::Ok : Error::InvalidArgument);
  }
}

}  // namespace
}  // namespace xnnpack
}  // namespace backends
}  // namespace executorch
